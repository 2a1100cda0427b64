// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stream that is followed: what the server publishes some 25 times a second, as cli/probe_live.cpp
// writes it, put into the view and the charts below it.
import { Vector3 } from 'three';
import { icon, icons, make } from './dom';
import { decodeBase64, type Plot, type State, type Timeline, type Vector } from './document';
import { formatLength, formatNumber, groupDigits } from './format';
import { PlotPanel } from './plots';
import type { Label, Stage } from './stage';

/** What one event says. Lengths in metres, times in seconds; "now" is since the event before. */
export interface LiveState {
  time: number;
  sequence: number;
  distance: number | null;
  leastNow: number | null;
  least: number | null;
  latency: number;
  rate: number;
  force: number;
  answers: number;
  missed: number;
  contacts: number;
  contactsNow: number;
  tooClose: number;
  tooCloseNow: number;
  refused: number;
  line?: [Vector, Vector];
  segment?: number;
  triangle?: number;
  items: { item: number; positions?: string; shades?: string }[];
}

/** How much of the past the charts show [s]. */
const windowSeconds = 20;

/** Adds a moment to the charts and forgets what has left the window. */
export function advance(plots: Plot[], timeline: Timeline, state: LiveState): void {
  const values = [state.leastNow === null ? null : 1e3 * state.leastNow, 1e6 * state.latency];
  timeline.high = Math.max(timeline.high, state.time);
  timeline.low = Math.max(0, timeline.high - windowSeconds);
  plots.forEach((plot, i) => {
    for (const series of plot.series) {
      series.x.push(state.time);
      series.y.push(values[i] ?? null);
      let old = 0;
      while (old + 1 < series.x.length && (series.x[old + 1] ?? 0) <= timeline.low) ++old;
      series.x.splice(0, old);
      series.y.splice(0, old);
    }
  });
}

export function badgeOf(state: LiveState): { text: string; state: State } {
  if (state.contactsNow > 0) return { text: 'contact', state: 'bad' };
  if (state.distance === null) return { text: 'nothing within the range', state: 'good' };
  return { text: `closest ${formatLength(state.distance, 'm')}`, state: state.tooCloseNow > 0 ? 'bad' : 'good' };
}

export class LiveBar {
  readonly element: HTMLElement;
  /** The numbers of the stream, for the panel on the left. */
  readonly facts = make('dl', { class: 'facts' });
  private readonly plots: Plot[];
  private readonly panels: PlotPanel[];
  private readonly timeline: Timeline = { label: 'time', unit: 's', low: 0, high: windowSeconds, start: 0, seconds: 1, marks: [] };
  private readonly button = make('button', { class: 'tool play', 'aria-label': 'Hold or follow', title: 'Hold or follow (space)', click: () => this.toggle() });
  private readonly status = make('span', { class: 'live-status' });
  private readonly source: EventSource;
  private held = false;
  private over = false;
  private last: LiveState | null = null;

  constructor(
    plots: Plot[],
    private readonly stage: Stage,
    private readonly onLabels: (labels: Label[]) => void,
    private readonly onBadge: (text: string, state: State) => void,
  ) {
    this.plots = plots;
    this.panels = plots.map((plot) => new PlotPanel(plot, this.timeline, () => undefined));
    this.element = make(
      'footer',
      { class: 'timeline' },
      make('div', { class: 'transport' }, this.button, this.status),
      make('div', { class: 'plots' }, ...this.panels.map((panel) => panel.element)),
    );
    this.say('Waiting for the first pose …', 'neutral');
    this.showButton();
    this.source = new EventSource('live');
    this.source.addEventListener('state', (event) => this.take(JSON.parse(event.data as string) as LiveState));
    this.source.addEventListener('end', (event) => this.finish((JSON.parse(event.data as string) as { words: string }).words));
    // Not tried again: the program that served it has gone.
    this.source.addEventListener('error', () => this.finish('The connection is lost.'));
  }

  toggle(): void {
    if (this.over) return;
    this.held = !this.held;
    this.showButton();
    if (this.held) this.say('Held: the stream goes on, the picture does not.', 'warning');
    else if (this.last) this.show(this.last);
  }

  redraw(): void {
    for (const panel of this.panels) panel.draw();
  }

  dispose(): void {
    this.source.close();
    for (const panel of this.panels) panel.dispose();
  }

  private take(state: LiveState): void {
    advance(this.plots, this.timeline, state);
    this.last = state;
    if (!this.held) this.show(state);
  }

  private show(state: LiveState): void {
    for (const { item, positions, shades } of state.items) {
      const view = this.stage.items[item];
      if (positions) view?.setPositions(new Float32Array(decodeBase64(positions)));
      if (shades) view?.setShades(new Uint8Array(decodeBase64(shades)));
    }
    const labels: Label[] = [];
    if (state.line && state.distance !== null) {
      const [a, b] = state.line;
      labels.push({
        a: new Vector3(...a),
        b: new Vector3(...b),
        text: state.distance > 0 ? formatLength(state.distance, 'm') : 'contact',
        kind: 'focus',
      });
    }
    this.onLabels(labels);
    this.stage.reshaped();
    for (const panel of this.panels) panel.follow(this.timeline.high);
    const badge = badgeOf(state);
    this.onBadge(badge.text, badge.state);
    this.say(`Live, ${formatNumber(state.rate, 3)} answers a second`, 'good');
    this.tell(state);
  }

  private tell(state: LiveState): void {
    const rows: [string, string][] = [
      ['distance', state.distance === null ? 'beyond the range' : formatLength(state.distance, 'm')],
      ['least so far', state.least === null ? '–' : formatLength(state.least, 'm')],
      ['segment', state.segment === undefined ? '–' : String(state.segment)],
      ['force', `${formatNumber(state.force, 3)} N`],
      ['answers', groupDigits(state.answers)],
      ['contacts', groupDigits(state.contacts)],
      ['too close', groupDigits(state.tooClose)],
      ['deadlines missed', groupDigits(state.missed)],
      ['lines refused', groupDigits(state.refused)],
    ];
    this.facts.replaceChildren(...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  }

  private finish(words: string): void {
    if (this.over) return;
    this.over = true;
    this.source.close();
    this.button.disabled = true;
    this.say(words || 'The stream has ended.', 'neutral');
  }

  private say(words: string, state: State): void {
    this.status.dataset.state = this.over ? 'ended' : this.held ? 'held' : this.last ? 'live' : 'waiting';
    this.status.replaceChildren(make('i', { class: `dot ${state}` }), words);
  }

  private showButton(): void {
    this.button.replaceChildren(icon(...(this.held ? icons.play : icons.pause)));
    this.button.classList.toggle('playing', !this.held);
  }
}
