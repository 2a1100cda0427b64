// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the viewer that compute: no browser needed.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { importSource, makeFolder, repository, skipped } from './support.mjs';

if (!existsSync(join(repository, 'viewer/node_modules/esbuild'))) {
  console.log('skipped: viewer/node_modules is not there (npm ci)');
  process.exit(skipped);
}
const folder = makeFolder();
const format = await importSource(folder, 'format');
const motion = await importSource(folder, 'motion');
const plots = await importSource(folder, 'plots');
const documents = await importSource(folder, 'document');
const colours = await importSource(folder, 'colours');
const live = await importSource(folder, 'live');

test('lengths are written in the unit that suits them', () => {
  assert.equal(format.formatLength(1.5, 'm'), '1.5 m');
  assert.equal(format.formatLength(0.0002, 'm'), '0.2 mm');
  assert.equal(format.formatLength(2.5e-5, 'm'), '25 µm');
  assert.equal(format.formatLength(0, 'm'), '0 mm');
  assert.equal(format.formatLength(3.456789, 'Å'), '3.457 Å');
});

test('ticks are round and lie inside', () => {
  assert.deepEqual(format.roundTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(format.roundTicks(-0.3, 0.35, 3), [-0.2, 0, 0.2]);
  for (const tick of format.roundTicks(3.1, 17.9, 4)) assert.ok(tick >= 3.1 && tick <= 17.9);
});

test('the moment before and the way to the next', () => {
  const times = [0, 1, 3];
  assert.deepEqual(motion.momentAt(times, -5), { index: 0, fraction: 0 });
  assert.deepEqual(motion.momentAt(times, 2), { index: 1, fraction: 0.5 });
  assert.deepEqual(motion.momentAt(times, 3), { index: 2, fraction: 0 });
  assert.deepEqual(motion.momentAt(times, 9), { index: 2, fraction: 0 });
});

test('the pivot goes straight while the body turns at a constant rate', () => {
  // Half a turn about z while the pivot (1, 0, 0) goes from (1, 0, 0) to (1, 4, 0).
  const half = { times: [0, 1], steps: false, pivot: [1, 0, 0], poses: [[0, 0, 0, 0, 0, 0, 1], [2, 4, 0, 0, 0, 1, 0]] };
  const { elements } = motion.poseAt(half, 0.5);
  // A quarter turn: the pivot is at (1, 2, 0), and the origin of the body one to the "left" of it.
  const at = [elements[12], elements[13], elements[14]].map((x) => Math.round(1e9 * x) / 1e9 + 0);
  assert.deepEqual(at, [1, 1, 0]);
  assert.ok(Math.abs(elements[0]) < 1e-12 && Math.abs(elements[1] - 1) < 1e-12);
});

test('points go straight, or jump when they are told to', () => {
  const points = Float32Array.from([0, 0, 0, 2, 4, 6]);
  const out = new Float32Array(3);
  motion.pointsAt(points, 1, { times: [0, 2], steps: false }, 1, out);
  assert.deepEqual([...out], [1, 2, 3]);
  motion.pointsAt(points, 1, { times: [0, 2], steps: true }, 1, out);
  assert.deepEqual([...out], [0, 0, 0]);
});

test('an axis starts at zero when zero is near, and leaves out what is no number', () => {
  const series = (y) => ({ title: '', series: [{ name: '', dashed: false, x: [0, 1], y }] });
  assert.equal(plots.rangeOf(series([1, 10]))[0], 0);
  assert.ok(plots.rangeOf(series([9, 10]))[0] > 8);
  assert.deepEqual(plots.rangeOf(series([null, null])), [0, 1]);
});

test('a document of another kind or version is refused', () => {
  assert.throws(() => documents.parseDocument('{"schema": "other"}'), /not a view document/);
  assert.throws(() => documents.parseDocument('{"schema": "clearance.view", "version": 7}'), /version 7/);
  assert.equal(documents.parseDocument('{"schema": "clearance.view", "version": 1, "kind": "x"}').kind, 'x');
});

test('base64 comes back as the bytes it was', () => {
  assert.deepEqual([...new Uint8Array(documents.decodeBase64('AAECA/8='))], [0, 1, 2, 3, 255]);
});

test('values beyond the legend are grey, and the ends have the colours of the ends', () => {
  const put = colours.colourTable({ low: 0, high: 1, stops: ['#ff0000', '#0000ff'], beyond: '#808080' });
  const of = (value) => {
    const out = new Uint8Array(3);
    put(value, out, 0);
    return [...out];
  };
  assert.deepEqual(of(0), [255, 0, 0]);
  assert.deepEqual(of(-1), [255, 0, 0]);
  assert.deepEqual(of(1), [0, 0, 255]);
  assert.deepEqual(of(1.5), of(NaN));
  assert.equal(new Set(of(NaN)).size, 1);
});

test('a shade is the colour of its value, and 255 is beyond', () => {
  const legend = { low: 0, high: 1, stops: ['#ff0000', '#0000ff'], beyond: '#808080' };
  const table = colours.shadeTable(legend);
  assert.deepEqual([...table.subarray(0, 3)], [255, 0, 0]);
  assert.deepEqual([...table.subarray(3 * 254, 3 * 255)], [0, 0, 255]);
  assert.equal(new Set(table.subarray(3 * 255)).size, 1);
});

test('the charts of a stream show its last twenty seconds', () => {
  const plots = [{ title: 'd', series: [{ name: '', dashed: false, x: [], y: [] }] }, { title: 'l', series: [{ name: '', dashed: false, x: [], y: [] }] }];
  const timeline = { low: 0, high: 20 };
  for (let t = 0; t <= 30; t += 1) live.advance(plots, timeline, { time: t, leastNow: t === 30 ? null : 0.001 * t, latency: 5e-5 });
  assert.deepEqual([timeline.low, timeline.high], [10, 30]);
  // From the last moment at or before the window, so that the line enters from its edge.
  assert.equal(plots[0].series[0].x[0], 10);
  assert.equal(plots[0].series[0].y[0], 10);
  assert.equal(plots[0].series[0].y.at(-1), null);
  assert.equal(plots[0].series[0].x.length, plots[0].series[0].y.length);
  assert.ok(Math.abs(plots[1].series[0].y.at(-1) - 50) < 1e-9);
});

test('a contact between two pictures is told of, whatever the distance is now', () => {
  const state = { distance: 0.004, contactsNow: 0, tooCloseNow: 0 };
  assert.deepEqual(live.badgeOf(state), { text: 'closest 4 mm', state: 'good' });
  assert.equal(live.badgeOf({ ...state, contactsNow: 2 }).state, 'bad');
  assert.equal(live.badgeOf({ ...state, tooCloseNow: 1 }).state, 'bad');
  assert.equal(live.badgeOf({ ...state, distance: null }).text, 'nothing within the range');
});
