// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Charts over the timeline, with a line at the moment shown. Dragging over one moves the slider.
import { make } from './dom';
import type { Plot, Timeline } from './document';
import { formatNumber, roundTicks } from './format';
import { momentAt } from './motion';

const margin = { left: 52, right: 12, top: 8, bottom: 20 };
/** Told apart by colour-blind readers, on light and dark. */
const palette = ['#3b82d6', '#e08a2c', '#3fa66b', '#b366c4', '#d65a5a'];

/** The ends of the axis: all numbers, zero when it is near, and a little room. */
export function rangeOf(plot: Plot): [number, number] {
  let low = plot.limit ?? Infinity;
  let high = plot.limit ?? -Infinity;
  for (const series of plot.series) {
    for (const y of series.y) {
      if (y === null || !Number.isFinite(y)) continue;
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
  }
  if (!(low <= high)) return [0, 1];
  if (low > 0 && low < 0.6 * high) low = 0;
  if (low === high) return low === 0 ? [0, 1] : [low - 0.1 * Math.abs(low), high + 0.1 * Math.abs(high)];
  const room = 0.06 * (high - low);
  return [low === 0 ? 0 : low - room, high + room];
}

export class PlotPanel {
  readonly element: HTMLElement;
  private readonly canvas = make('canvas', { 'aria-label': 'chart', tabindex: -1 });
  /** The values at the moment shown, one for each line that is drawn through. */
  private readonly values: HTMLElement[] = [];
  private range: [number, number];
  private readonly resizer: ResizeObserver;
  private time: number;

  constructor(
    private readonly plot: Plot,
    private readonly timeline: Timeline,
    scrub: (time: number) => void,
  ) {
    this.range = rangeOf(plot);
    this.time = timeline.start;
    const keyed = plot.series.filter((series) => series.name !== '').length > 1;
    const keys = plot.series.map((series, i) => {
      const value = make('span', { class: 'readout' });
      if (!series.dashed) this.values.push(value);
      if (!keyed) return make('span', { class: 'line only' }, series.dashed ? null : value);
      const dot = make('i', { class: series.dashed ? 'dash' : 'dash solid' });
      dot.style.setProperty('--line', palette[i % palette.length] ?? '');
      return make('span', { class: 'line' }, dot, series.name, series.dashed ? null : value);
    });
    this.element = make(
      'figure',
      { class: 'plot' },
      make('figcaption', {}, make('span', { class: 'title' }, plot.title), ...keys),
      this.canvas,
    );
    const drag = (event: PointerEvent): void => {
      const bounds = this.canvas.getBoundingClientRect();
      const t = (event.clientX - bounds.left - margin.left) / (bounds.width - margin.left - margin.right);
      scrub(timeline.low + Math.min(1, Math.max(0, t)) * (timeline.high - timeline.low));
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) drag(event);
    });
    this.resizer = new ResizeObserver(() => this.draw());
    this.resizer.observe(this.canvas);
  }

  setTime(time: number): void {
    this.time = time;
    const drawn = this.plot.series.filter((series) => !series.dashed);
    drawn.forEach((series, i) => {
      const { index, fraction } = momentAt(series.x, time);
      const a = series.y[index];
      const b = series.y[index + 1];
      const known = a !== null && a !== undefined;
      const between = b === null || b === undefined ? a : (1 - fraction) * (a ?? 0) + fraction * b;
      const value = this.values[i];
      if (value) value.textContent = known ? formatNumber(between ?? a, drawn.length > 1 ? 3 : 4) : '–';
    });
    this.draw();
  }

  /** The numbers have changed, and the last moment is this one. */
  follow(time: number): void {
    this.range = rangeOf(this.plot);
    this.setTime(time);
  }

  dispose(): void {
    this.resizer.disconnect();
  }

  draw(): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const context = this.canvas.getContext('2d');
    if (!context || width < 60 || height < 40) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue('--ink-soft').trim();
    const grid = style.getPropertyValue('--grid').trim();
    const bad = style.getPropertyValue('--bad').trim();
    const [low, high] = this.range;
    const x = (v: number): number =>
      margin.left + ((v - this.timeline.low) / (this.timeline.high - this.timeline.low || 1)) * (width - margin.left - margin.right);
    const y = (v: number): number => height - margin.bottom - ((v - low) / (high - low || 1)) * (height - margin.top - margin.bottom);

    // With the text of the page, which is larger on a large screen.
    const size = Math.round(0.85 * parseFloat(getComputedStyle(document.documentElement).fontSize));
    context.font = `${size}px system-ui, sans-serif`;
    context.lineWidth = 1;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const tick of roundTicks(low, high, 3)) {
      const at = Math.round(y(tick)) + 0.5;
      context.strokeStyle = grid;
      context.beginPath();
      context.moveTo(margin.left, at);
      context.lineTo(width - margin.right, at);
      context.stroke();
      context.fillStyle = ink;
      context.fillText(formatNumber(tick, 3), margin.left - 6, at);
    }
    context.textBaseline = 'top';
    context.textAlign = 'center';
    for (const tick of roundTicks(this.timeline.low, this.timeline.high, Math.max(2, width / 110))) {
      const label = `${formatNumber(tick, 4)}${this.timeline.unit && tick === this.timeline.low ? ` ${this.timeline.unit}` : ''}`;
      context.fillStyle = ink;
      context.fillText(label, Math.min(x(tick), width - margin.right - 8), height - margin.bottom + 6);
    }

    if (this.plot.limit !== undefined) {
      context.strokeStyle = bad;
      context.setLineDash([5, 4]);
      context.beginPath();
      context.moveTo(margin.left, y(this.plot.limit));
      context.lineTo(width - margin.right, y(this.plot.limit));
      context.stroke();
      context.setLineDash([]);
    }
    context.save();
    context.beginPath();
    context.rect(margin.left, margin.top - 4, width - margin.left - margin.right, height - margin.bottom - margin.top + 8);
    context.clip();
    this.plot.series.forEach((series, i) => {
      context.strokeStyle = palette[i % palette.length] ?? ink;
      context.lineWidth = 1.6;
      context.setLineDash(series.dashed ? [4, 3] : []);
      context.beginPath();
      let pen = false;
      series.x.forEach((at, k) => {
        const value = series.y[k];
        if (value === null || value === undefined) {
          pen = false;
          return;
        }
        if (pen) context.lineTo(x(at), y(value));
        else context.moveTo(x(at), y(value));
        pen = true;
      });
      context.stroke();
    });
    context.restore();
    context.setLineDash([]);
    context.strokeStyle = style.getPropertyValue('--accent').trim();
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x(this.time), margin.top - 4);
    context.lineTo(x(this.time), height - margin.bottom);
    context.stroke();
  }
}
