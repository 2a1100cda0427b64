// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bar below the view: play, the slider with its marks, and the charts.
import { icon, icons, make } from './dom';
import type { Plot, Timeline } from './document';
import { formatNumber } from './format';
import { PlotPanel } from './plots';

/** Places of the slider. */
const steps = 2000;

export class TimelineBar {
  readonly element: HTMLElement;
  time: number;
  private readonly slider: HTMLInputElement;
  private readonly button: HTMLButtonElement;
  private readonly label = make('output', { class: 'moment' });
  private readonly plots: PlotPanel[];
  private speed = 1;
  private playing = false;
  private lastTick = 0;

  constructor(
    private readonly timeline: Timeline,
    plots: Plot[],
    private readonly onTime: (time: number) => void,
    private readonly onFocus: (focus: number) => void,
  ) {
    this.time = timeline.start;
    this.button = make('button', { class: 'tool play', 'aria-label': 'Play or pause', title: 'Play or pause (space)', click: () => this.toggle() });
    this.slider = make('input', {
      type: 'range',
      class: 'time',
      min: 0,
      max: steps,
      step: 1,
      'aria-label': timeline.label,
      input: () => {
        this.pause();
        this.set(timeline.low + (Number(this.slider.value) / steps) * (timeline.high - timeline.low));
      },
    });
    const speed = make(
      'select',
      { class: 'speed', title: 'Speed', 'aria-label': 'Speed', change: () => (this.speed = Number(speed.value)) },
      ...[0.25, 0.5, 1, 2, 4].map((factor) => make('option', { value: factor, selected: factor === 1 }, `${factor}×`)),
    );
    const marks = make('div', { class: 'marks' });
    for (const mark of timeline.marks) marks.append(this.mark(mark));
    this.plots = plots.map((plot) => new PlotPanel(plot, timeline, (time) => {
      this.pause();
      this.set(time);
    }));
    this.element = make(
      'footer',
      { class: 'timeline' },
      make('div', { class: 'transport' }, this.button, make('div', { class: 'track' }, this.slider, marks), this.label, speed),
      plots.length > 0 ? make('div', { class: 'plots' }, ...this.plots.map((plot) => plot.element)) : null,
    );
    this.showButton();
  }

  set(time: number): void {
    const { low, high } = this.timeline;
    this.time = Math.min(high, Math.max(low, time));
    this.slider.value = String(Math.round(((this.time - low) / (high - low || 1)) * steps));
    this.label.textContent = `${this.timeline.label} ${formatNumber(this.time, 4)}${this.timeline.unit ? ` ${this.timeline.unit}` : ''}`;
    for (const plot of this.plots) plot.setTime(this.time);
    this.onTime(this.time);
  }

  toggle(): void {
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.time >= this.timeline.high) this.set(this.timeline.low);
    this.playing = true;
    this.lastTick = performance.now();
    this.showButton();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.playing = false;
    this.showButton();
  }

  /** Moves by a part of the whole. */
  step(fraction: number): void {
    this.pause();
    this.set(this.time + fraction * (this.timeline.high - this.timeline.low));
  }

  redraw(): void {
    for (const plot of this.plots) plot.draw();
  }

  dispose(): void {
    this.pause();
    for (const plot of this.plots) plot.dispose();
  }

  private mark(mark: Timeline['marks'][number]): HTMLElement {
    const { low, high } = this.timeline;
    const share = (t: number): number => (100 * (t - low)) / (high - low || 1);
    const element = make('button', {
      class: `mark ${mark.state}`,
      title: mark.label,
      'aria-label': mark.label,
      click: () => {
        this.pause();
        if (mark.focus !== undefined) this.onFocus(mark.focus);
        else this.set(mark.span[0]);
      },
    });
    element.style.left = `${share(mark.span[0])}%`;
    element.style.width = `max(5px, ${share(mark.span[1]) - share(mark.span[0])}%)`;
    return element;
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const { low, high, seconds } = this.timeline;
    const next = this.time + ((this.speed * (now - this.lastTick)) / 1000) * ((high - low) / seconds);
    this.lastTick = now;
    this.set(next);
    if (next >= high) {
      this.pause();
      return;
    }
    requestAnimationFrame((later) => this.tick(later));
  }

  private showButton(): void {
    this.button.replaceChildren(icon(...(this.playing ? icons.pause : icons.play)));
    this.button.classList.toggle('playing', this.playing);
  }
}
