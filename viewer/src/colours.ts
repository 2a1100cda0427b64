// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values as colours, by the stops of a legend.
import { Color } from 'three';
import type { Legend } from './document';

const tableSize = 256;

/** A function from values to red, green and blue bytes, linear as the graphics card blends them. */
export function colourTable(legend: Legend): (value: number, out: Uint8Array, at: number) => void {
  const table = new Uint8Array(3 * (tableSize + 1));
  const put = (colour: Color, i: number): void => {
    table[3 * i] = Math.round(255 * colour.r);
    table[3 * i + 1] = Math.round(255 * colour.g);
    table[3 * i + 2] = Math.round(255 * colour.b);
  };
  const stops = legend.stops.map((stop) => new Color(stop));
  for (let i = 0; i < tableSize; ++i) {
    const x = (i / (tableSize - 1)) * (stops.length - 1);
    const k = Math.min(Math.floor(x), stops.length - 2);
    const a = stops[k];
    const b = stops[k + 1];
    if (a && b) put(a.clone().lerp(b, x - k), i);
  }
  put(new Color(legend.beyond), tableSize);
  const span = legend.high - legend.low || 1;
  // A hair beyond the end is rounding of the file's single precision, not "beyond".
  const slack = 1e-6 * Math.abs(span);
  return (value, out, at) => {
    const beyond = !(value <= legend.high + slack);
    const t = Math.min(1, Math.max(0, (value - legend.low) / span));
    const i = 3 * (beyond ? tableSize : Math.round(t * (tableSize - 1)));
    out[at] = table[i] ?? 0;
    out[at + 1] = table[i + 1] ?? 0;
    out[at + 2] = table[i + 2] ?? 0;
  };
}

/** The colours of the shades 0 to 254, from the low end to the high one, and of 255: beyond. */
export function shadeTable(legend: Legend): Uint8Array {
  const put = colourTable(legend);
  const table = new Uint8Array(3 * 256);
  for (let i = 0; i < 255; ++i) put(legend.low + (i / 254) * (legend.high - legend.low), table, 3 * i);
  put(NaN, table, 3 * 255);
  return table;
}
