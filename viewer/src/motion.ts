// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where things are at a moment of the timeline. Between two moments the pivot of a body goes straight
// while it turns at a constant rate by the shorter way, as RigidMotion::interpolated does.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Motion, PoseNumbers, Vector } from './document';

/** The last moment at or before t, and how far t is on the way to the next, in [0, 1]. */
export function momentAt(times: readonly number[], t: number): { index: number; fraction: number } {
  const last = times.length - 1;
  if (last < 0 || !(t > (times[0] ?? 0))) return { index: 0, fraction: 0 };
  if (t >= (times[last] ?? 0)) return { index: last, fraction: 0 };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= t) low = middle;
    else high = middle;
  }
  const from = times[low] ?? 0;
  const to = times[high] ?? 0;
  return { index: low, fraction: to > from ? (t - from) / (to - from) : 0 };
}

const one = new Vector3(1, 1, 1);

export function poseMatrix(pose: PoseNumbers, out = new Matrix4()): Matrix4 {
  return out.compose(
    new Vector3(pose[0], pose[1], pose[2]),
    new Quaternion(pose[3], pose[4], pose[5], pose[6]).normalize(),
    one,
  );
}

/** world_from_item at the moment t. */
export function poseAt(motion: Motion, t: number, out = new Matrix4()): Matrix4 {
  const poses = motion.poses ?? [];
  const { index, fraction } = momentAt(motion.times, t);
  const from = poses[index];
  if (!from) return out.identity();
  const to = poses[index + 1];
  if (!to || fraction === 0 || motion.steps) return poseMatrix(from, out);
  const pivot: Vector = motion.pivot ?? [0, 0, 0];
  const qa = new Quaternion(from[3], from[4], from[5], from[6]).normalize();
  const qb = new Quaternion(to[3], to[4], to[5], to[6]).normalize();
  const pa = new Vector3(...pivot).applyQuaternion(qa).add(new Vector3(from[0], from[1], from[2]));
  const pb = new Vector3(...pivot).applyQuaternion(qb).add(new Vector3(to[0], to[1], to[2]));
  const q = qa.slerp(qb, fraction);
  const p = pa.lerp(pb, fraction);
  p.sub(new Vector3(...pivot).applyQuaternion(q));
  return out.compose(p, q, one);
}

/** The points of the moment t, `count` of them, written to `out` (3 numbers each). */
export function pointsAt(points: Float32Array, count: number, motion: Motion, t: number, out: Float32Array): void {
  const { index, fraction } = momentAt(motion.times, t);
  const size = 3 * count;
  const from = points.subarray(index * size, (index + 1) * size);
  const to = points.subarray((index + 1) * size, (index + 2) * size);
  if (to.length < size || fraction === 0 || motion.steps) {
    out.set(from);
    return;
  }
  for (let i = 0; i < size; ++i) out[i] = (1 - fraction) * (from[i] ?? 0) + fraction * (to[i] ?? 0);
}
