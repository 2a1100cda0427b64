// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One document on the page: the view in the middle, the panels around it, and what the keys do.
import { Vector3 } from 'three';
import { make, makeSvg } from './dom';
import type { Loaded, State, Vector } from './document';
import { formatLength } from './format';
import { LiveBar } from './live';
import { factsBlock, iconButton, ItemList, legendBox, MatrixPanel, messagesBlock, section, TablePanel } from './panels';
import { Stage, type Hit, type Label } from './stage';
import { TimelineBar } from './timeline';
import { Tools } from './tools';

/** Up to so many rows of findings stand below the facts. */
const fewRows = 3;
const fewColumns = 3;

const helpLines: [string, string][] = [
  ['drag / right drag / wheel', 'orbit, move, zoom'],
  ['click / double click', 'select a part, look closer'],
  ['F / 0', 'all of it, as at first'],
  ['1 2 3', 'from the front, the side, above'],
  ['space, ← →, Home End', 'play, step, ends of the timeline'],
  ['N B', 'next and previous finding'],
  ['S', 'section plane'],
  ['E', 'move the parts apart'],
  ['M', 'measure between two points'],
  ['[ ]', 'level of the tree'],
  ['H I A', 'hide the selected, only it, show all'],
  ['P', 'save a picture'],
  ['L', 'dark or light'],
  ['Esc', 'back to the whole'],
];

export class View {
  readonly stage: Stage;
  private readonly root: HTMLElement;
  private readonly host = make('div', { class: 'stage', tabindex: 0, 'aria-label': 'View: drag to orbit' });
  private readonly labels = make('div', { class: 'labels' });
  private readonly axes = makeSvg('svg', { class: 'axes', viewBox: '-40 -40 80 80', 'aria-hidden': 'true' });
  private readonly hint = make('p', { class: 'hint', hidden: true });
  private readonly items: ItemList;
  private readonly matrix: MatrixPanel | null;
  private readonly tables: TablePanel[];
  private readonly timeline: TimelineBar | null;
  private readonly live: LiveBar | null;
  private readonly tools: Tools;
  private readonly help: HTMLElement;
  private measured: Vector3[] = [];
  private liveLabels: Label[] = [];
  private measuring = false;
  private focus: number | null = null;
  private selected: number | null = null;

  constructor(
    private readonly loaded: Loaded,
    body: HTMLElement,
    dark: boolean,
    onBadge: (text: string, state: State) => void = () => undefined,
  ) {
    const { document: data } = loaded;
    const stageHost = this.host;
    body.append((this.root = make('div', { class: 'layout' })));
    // The stage measures its host: it must be on the page before.
    const middle = make('div', { class: 'middle' }, stageHost);
    const left = make('aside', { class: 'panel left' });
    const right = make('aside', { class: 'panel right' });
    // A row or two are no reason for a panel of their own.
    const rows = data.tables.reduce((sum, table) => sum + table.rows.length, 0);
    const hasRight = data.matrix !== undefined || rows > fewRows || data.tables.some((table) => table.columns.length > fewColumns);
    this.root.append(left, middle);
    if (hasRight) this.root.append(right);
    this.root.classList.toggle('with-right', hasRight);

    this.timeline = data.timeline
      ? new TimelineBar(data.timeline, data.plots, (time) => this.stage?.setTime(time), (focus) => this.lookAt(focus))
      : null;
    if (this.timeline) middle.append(this.timeline.element);
    this.stage = new Stage(loaded, stageHost, dark);
    this.stage.onDrawn = (): void => this.drawOverlay();
    this.stage.onClick = (hit): void => this.clicked(hit);

    this.items = new ItemList(this.stage.items, {
      show: (index, wanted) => this.stage.setWanted(index, wanted),
      choose: (index) => this.select(index),
      fly: (index) => this.stage.flyToItem(index),
    });
    this.live = data.live ? new LiveBar(data.plots, this.stage, (labels) => this.showLive(labels), onBadge) : null;
    if (this.live) {
      middle.append(this.live.element);
      this.stage.resize();
      this.stage.home(false);
      left.append(section('Now', this.live.facts));
    }
    const choose = (focus: number): void => this.lookAt(focus);
    this.matrix = data.matrix ? new MatrixPanel(data.matrix, choose) : null;
    this.tables = data.tables.map((table) => new TablePanel(table, choose));
    const findings = [this.matrix, ...this.tables].filter((panel) => panel !== null).map((panel) => panel.element);
    const blocks = [messagesBlock(data), factsBlock(data), ...(hasRight ? [] : findings), data.items.length > 0 ? this.items.element : null];
    for (const block of blocks) if (block) left.append(block);
    if (hasRight) right.append(...findings);

    this.tools = new Tools(data, this.stage, {
      measure: () => this.toggleMeasure(),
      fit: () => this.stage.home(),
    });
    this.help = this.makeHelp();
    const legends = make('div', { class: 'legends' }, ...data.legends.map(legendBox));
    stageHost.append(this.labels, this.tools.element, legends, this.axes, this.hint, this.help);
    this.timeline?.set(data.timeline?.start ?? 0);
    if (data.firstFocus !== undefined) this.lookAt(data.firstFocus);
  }

  dispose(): void {
    this.live?.dispose();
    this.timeline?.dispose();
    this.tools.dispose();
    this.stage.dispose();
    this.root.remove();
  }

  setTheme(dark: boolean): void {
    this.stage.setTheme(dark);
    this.timeline?.redraw();
    this.live?.redraw();
  }

  toggleHelp(): void {
    this.help.hidden = !this.help.hidden;
  }

  /** Flies to a finding; null goes back to the whole. */
  lookAt(index: number | null): void {
    const focus = index === null ? undefined : this.loaded.document.focuses[index];
    this.focus = focus ? index : null;
    if (focus?.time !== undefined) {
      this.timeline?.pause();
      this.timeline?.set(focus.time);
    }
    this.stage.setFocus(focus ?? null);
    this.matrix?.select(this.focus);
    for (const table of this.tables) table.select(this.focus);
    this.hint.hidden = !focus;
    this.hint.textContent = focus ? focus.label : '';
    this.relabel();
    if (!focus) this.stage.home();
  }

  select(index: number | null): void {
    this.selected = index === this.selected ? null : index;
    this.stage.select(this.selected);
    this.items.select(this.selected);
  }

  /** Saves what is seen, with its background, as a PNG file. */
  async savePicture(): Promise<void> {
    const source = this.stage.snapshot();
    const canvas = make('canvas');
    canvas.width = source.width;
    canvas.height = source.height;
    const context = canvas.getContext('2d');
    if (!context) return;
    const style = getComputedStyle(document.documentElement);
    const gradient = context.createLinearGradient(0, 0, 0, canvas.height);
    gradient.addColorStop(0, style.getPropertyValue('--stage-top').trim());
    gradient.addColorStop(1, style.getPropertyValue('--stage-bottom').trim());
    context.fillStyle = gradient;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (!blob) return;
    const link = make('a', { href: URL.createObjectURL(blob), download: `${this.loaded.document.title.replace(/[^\w.-]+/g, '_')}.png` });
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** True when the key meant something. */
  onKey(event: KeyboardEvent): boolean {
    const views: Record<string, Vector> = { '1': [0, -1, 0], '2': [1, 0, 0], '3': [0, 0, 1] };
    const direction = views[event.key];
    if (direction) this.stage.look(direction);
    else if (event.key === 'f') this.stage.fit();
    else if (event.key === '0') this.stage.home();
    else if (event.key === 's') this.tools.toggleSection();
    else if (event.key === 'e') this.tools.toggleExplode();
    else if (event.key === 'm') this.toggleMeasure();
    else if (event.key === '[') this.tools.stepLevel(-1);
    else if (event.key === ']') this.tools.stepLevel(1);
    else if (event.key === 'n') this.step(1);
    else if (event.key === 'b') this.step(-1);
    else if (event.key === 'p') void this.savePicture();
    else if (event.key === '?') this.toggleHelp();
    else if (event.key === 'h' || event.key === 'i' || event.key === 'a') this.show(event.key);
    else if (event.key === 'Escape') this.reset();
    else if (this.live && event.key === ' ' && !(event.target instanceof HTMLButtonElement)) this.live.toggle();
    else if (this.timeline && event.key === ' ' && !(event.target instanceof HTMLButtonElement)) this.timeline.toggle();
    else if (this.timeline && event.key === 'ArrowRight') this.timeline.step(event.shiftKey ? 0.05 : 0.01);
    else if (this.timeline && event.key === 'ArrowLeft') this.timeline.step(event.shiftKey ? -0.05 : -0.01);
    else if (this.timeline && event.key === 'Home') this.timeline.step(-1);
    else if (this.timeline && event.key === 'End') this.timeline.step(1);
    else return false;
    return true;
  }

  /** Hides the selected item, shows only it, or shows all. */
  private show(key: string): void {
    for (const view of this.stage.items) {
      // Boxes are shown and hidden with what they are around.
      if (view.item.owner !== undefined) continue;
      if (key === 'a') this.stage.setWanted(view.index, true);
      else if (this.selected !== null && key === 'i') this.stage.setWanted(view.index, view.index === this.selected);
      else if (key === 'h' && view.index === this.selected) this.stage.setWanted(view.index, false);
    }
    this.items.sync();
  }

  private step(by: number): void {
    const order = this.tables.flatMap((table) => table.focuses());
    if (order.length === 0) return;
    const at = this.focus === null ? -1 : order.indexOf(this.focus);
    const next = order[at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length];
    if (next !== undefined) this.lookAt(next);
  }

  private reset(): void {
    this.help.hidden = true;
    if (this.measuring) this.toggleMeasure();
    this.measured = [];
    this.selected = null;
    this.stage.select(null);
    this.items.select(null);
    this.lookAt(null);
  }

  private toggleMeasure(): void {
    this.measuring = !this.measuring;
    this.measured = [];
    this.tools.showMeasuring(this.measuring);
    this.host.classList.toggle('measuring', this.measuring);
    this.hint.hidden = !this.measuring;
    this.hint.textContent = this.measuring ? 'Click two points on surfaces.' : '';
    this.relabel();
  }

  private clicked(hit: Hit | null): void {
    if (!this.measuring) {
      if (hit) this.select(hit.item);
      else if (this.selected !== null) this.select(this.selected);
      return;
    }
    if (!hit) return;
    if (this.measured.length >= 2) this.measured = [];
    this.measured.push(hit.point);
    const [a, b] = this.measured;
    if (a && b) {
      const d = b.clone().sub(a);
      const { unit } = this.loaded.document;
      this.hint.textContent = `${formatLength(d.length(), unit)}   (x ${formatLength(d.x, unit)}, y ${formatLength(d.y, unit)}, z ${formatLength(d.z, unit)})`;
    } else {
      this.hint.textContent = 'And the second point.';
    }
    this.relabel();
  }

  private showLive(labels: Label[]): void {
    this.liveLabels = labels;
    this.relabel();
  }

  private relabel(): void {
    const labels: Label[] = [...this.liveLabels];
    const { unit } = this.loaded.document;
    const focus = this.focus === null ? undefined : this.loaded.document.focuses[this.focus];
    if (focus?.line) {
      const a = new Vector3(...focus.line[0]);
      const b = new Vector3(...focus.line[1]);
      labels.push({ a, b, text: a.distanceTo(b) > 0 ? formatLength(a.distanceTo(b), unit) : 'contact', kind: 'focus' });
    }
    const [a, b] = this.measured;
    if (a) labels.push({ a, b: b ?? a, text: b ? formatLength(a.distanceTo(b), unit) : '', kind: 'measure' });
    this.stage.setLabels(labels);
  }

  /** Labels and axes, which follow the camera. */
  private drawOverlay(): void {
    const children: HTMLElement[] = [];
    for (const label of this.stage.currentLabels()) {
      for (const end of [label.a, label.b]) {
        const at = this.stage.project(end);
        if (at) children.push(placed(make('i', { class: `end ${label.kind}` }), at));
      }
      const middle = this.stage.project(label.a.clone().add(label.b).multiplyScalar(0.5));
      if (middle && label.text) children.push(placed(make('span', { class: `length ${label.kind}` }, label.text), middle));
    }
    this.labels.replaceChildren(...children);
    const axes = this.stage.axes().map((v, k) => ({ v, name: 'xyz'[k] ?? '' }));
    axes.sort((p, q) => p.v[2] - q.v[2]);
    this.axes.replaceChildren(
      ...axes.flatMap(({ v, name }) => [
        makeSvg('line', { x1: 0, y1: 0, x2: 26 * v[0], y2: -26 * v[1], class: `axis-${name}` }),
        makeSvg('text', { x: 34 * v[0], y: -34 * v[1], class: `axis-${name}` }, name),
      ]),
    );
  }

  private makeHelp(): HTMLElement {
    const list = make('dl');
    for (const [keys, words] of helpLines) list.append(make('dt', {}, keys), make('dd', {}, words));
    return make(
      'div',
      { class: 'help', hidden: true, role: 'dialog', 'aria-label': 'Keys' },
      make('h2', {}, 'Keys and mouse'),
      list,
      iconButton('close', 'Close', () => this.toggleHelp()),
    );
  }
}

function placed<T extends HTMLElement>(element: T, at: { x: number; y: number }): T {
  element.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px) translate(-50%, -50%)`;
  return element;
}
