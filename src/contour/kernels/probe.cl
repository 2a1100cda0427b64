// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which triangles could be the closest to a contour segment (docs/opencl.md). Every pair gets
//
//   1. a cheap look: sphere around the triangle against the capsule around the segment. What is
//      beyond the limit is dropped; the others queue up in local memory,
//   2. proven bounds (bound_pair), by which ever item of the group is free.
//
// Pairs whose lower bound is not above the limit are the candidates: the host measures them in
// double precision. The smallest upper bounds become the limits of the next launch.
//
// The text is OpenCL C 1.2, in single precision so that any device runs it, and C++ (shim.h). What
// runs between two barriers is a phase, EACH_ITEM ... END_ITEMS; nothing private outlives a phase.
// An item looks at LANES triangles at once: 1 on a GPU, whose items are lanes already.
//
// Rounding. Devices round +, - and * correctly, to nearest or towards zero, divide to 2.5 units in
// the last place and take roots to 3; e = 2^-23 bounds a rounding. Fusing a product and a sum only
// drops one. Coordinates on the device are the exact ones but for the slack of ProbeParameters.
// With D = distance + diameter of the triangle, s = size of the segment and |n| divided out,
//   - corners less the origin:                e (D + s)
//   - their products with n, three terms:     4 e (D + s)
//   - axis . n:                               4 e s
//   - the reach of a circle along n (two products of u0 + du, squares, a root), radius <= s / 2:
//                                             11 e s
//   - adding and subtracting these:           3 e (D + s)
//   - dividing by |n|:                        8 e D
// makes 16 e D + 23 e s. The distance of the two points found is off by less. PROBE_ERROR = 32 e of
// D + s covers both, and the cheap look, whose point of the axis is off by 8 e (D + s) and whose
// distance by as much again.

// NOLINTNEXTLINE(modernize-use-using): C has no using
typedef struct {
  float lower;
  float upper;
} Bounds;

float3 vector_of(CONSTANT const float* v) {
  return make_float3(v[0], v[1], v[2]);
}

float3 vertex_of(GLOBAL const float* vertices, uint i) {
  return vload3(i, vertices);
}

// The point of a triangle closest to p, as good as rounding lets it: any point will do.
float3 closest_on_triangle(float3 a, float3 b, float3 c, float3 p) {
  const float3 ab = b - a;
  const float3 ac = c - a;
  const float3 ap = p - a;
  const float d1 = dot(ab, ap);
  const float d2 = dot(ac, ap);
  if (d1 <= 0.0f && d2 <= 0.0f) return a;
  const float3 bp = p - b;
  const float d3 = dot(ab, bp);
  const float d4 = dot(ac, bp);
  if (d3 >= 0.0f && d4 <= d3) return b;
  const float vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f && d1 > d3) return a + ab * (d1 / (d1 - d3));
  const float3 cp = p - c;
  const float d5 = dot(ab, cp);
  const float d6 = dot(ac, cp);
  if (d6 >= 0.0f && d5 <= d6) return c;
  const float vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f && d2 > d6) return a + ac * (d2 / (d2 - d6));
  const float va = d3 * d6 - d5 * d4;
  const float e1 = d4 - d3;
  const float e2 = d5 - d6;
  if (va <= 0.0f && e1 >= 0.0f && e2 >= 0.0f && e1 + e2 > 0.0f)
    return b + (c - b) * (e1 / (e1 + e2));
  const float sum = va + vb + vc;
  // Slivers, where rounding leaves no area.
  if (!(va >= 0.0f && vb >= 0.0f && vc >= 0.0f && sum > 0.0f)) return a;
  return a + ab * (vb / sum) + ac * (vc / sum);
}

// How far a point may be along a segment and still be on it.
float unit_clamp(float t) {
  return t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
}

// Rounds of bound_pair: each takes the closest points nearer to where they belong. Small triangles
// need one or two.
#define PROBE_ROUNDS 6

// Bounds of the distance between a segment and a triangle of that diameter. Stops early when the
// lower bound is above the limit.
//
// Lower: all of the segment lies between its two circles, so along any vector n it reaches no
// farther than they do; the triangle begins at its first corner. Upper: any point of the triangle
// and any of the segment. Which n, and which points, is a matter of speed alone: they come from
// points that walk towards each other.
Bounds bound_pair(float3 a, float3 b, float3 c, float diameter, CONSTANT const ProbeSegment* s,
                  float slack, float limit) {
  const float3 origin = vector_of(s->origin);
  const float3 axis = vector_of(s->axis);
  const float3 u0 = vector_of(s->u0);
  const float3 v0 = vector_of(s->v0);
  const float3 du = vector_of(s->du);
  const float3 dv = vector_of(s->dv);
  a = a - origin;
  b = b - origin;
  c = c - origin;
  const float error = slack + PROBE_ERROR * (diameter + s->size);

  Bounds bounds;
  bounds.lower = 0.0f;
  bounds.upper = INFINITY;
  float3 x = (a + b + c) * (1.0f / 3.0f);
  float eta = unit_clamp(dot(x, axis) * s->inverse_axis_sq);
  for (int round = 0; round < PROBE_ROUNDS; ++round) {
    // The point of the disc at eta, then the point of the line through it from circle to circle.
    const float3 u = u0 + du * eta;
    const float3 v = v0 + dv * eta;
    const float3 w = x - axis * eta;
    const float uu = dot(u, u);
    const float vv = dot(v, v);
    float qx = uu > 0.0f ? dot(w, u) / uu : 0.0f;
    float qy = vv > 0.0f ? dot(w, v) / vv : 0.0f;
    const float qq = qx * qx + qy * qy;
    if (qq > 1.0f) {
      const float inside = 1.0f / sqrt(qq);
      qx *= inside;
      qy *= inside;
    }
    const float3 foot = u0 * qx + v0 * qy;
    const float3 line = axis + du * qx + dv * qy;
    const float ll = dot(line, line);
    if (ll > 0.0f) eta = unit_clamp(dot(x - foot, line) / ll);
    const float3 y = foot + line * eta;

    const float3 n = x - y;
    const float distance = sqrt(dot(n, n));
    const float e = error + PROBE_ERROR * distance;
    if (distance + e < bounds.upper) bounds.upper = distance + e;
    if (!(distance > 0.0f)) break;
    const float un = dot(u0, n);
    const float vn = dot(v0, n);
    const float un1 = un + dot(du, n);
    const float vn1 = vn + dot(dv, n);
    const float reach =
        max(sqrt(un * un + vn * vn), dot(axis, n) + sqrt(un1 * un1 + vn1 * vn1));
    const float begin = min(dot(a, n), min(dot(b, n), dot(c, n)));
    const float lower = (begin - reach) / distance - e;
    if (lower > bounds.lower) bounds.lower = lower;
    // Beyond the limit, or as near to each other as they can get.
    if (bounds.lower > limit || bounds.upper - bounds.lower <= 4.0f * e) break;
    x = closest_on_triangle(a, b, c, y);
  }
  return bounds;
}

// What is farther from the centre line than this and the radius of its sphere is beyond the limit.
float cheap_reach(CONSTANT const ProbeSegment* s, float slack, float limit) {
  return (limit + s->radius + slack + PROBE_ERROR * s->size) * (1.0f + 2.0f * PROBE_ERROR);
}

// Positive where a sphere is beyond the limit: its distance from the centre line less what is within
// reach, squared.
floatN cheap_look(floatN x, floatN y, floatN z, floatN r, CONSTANT const ProbeSegment* s,
                  float reach) {
  const floatN wx = x - s->origin[0];
  const floatN wy = y - s->origin[1];
  const floatN wz = z - s->origin[2];
  const floatN eta = CLAMP_LANES((wx * s->axis[0] + wy * s->axis[1] + wz * s->axis[2]) *
                                 s->inverse_axis_sq);
  const floatN qx = wx - eta * s->axis[0];
  const floatN qy = wy - eta * s->axis[1];
  const floatN qz = wz - eta * s->axis[2];
  const floatN far = r + reach;
  return qx * qx + qy * qy + qz * qz - far * far;
}

// The same of one sphere: whether it is within reach.
int is_near(GLOBAL const float* sphere, CONSTANT const ProbeSegment* s, float reach) {
  const float3 w = make_float3(sphere[0], sphere[1], sphere[2]) - vector_of(s->origin);
  const float3 axis = vector_of(s->axis);
  const float3 q = w - axis * unit_clamp(dot(w, axis) * s->inverse_axis_sq);
  const float far = sphere[3] + reach;
  return dot(q, q) <= far * far;
}

// Spheres around the triangles, in four arrays: x, y, z, radius.
KERNEL bound_triangles(GLOBAL const float* vertices, GLOBAL const uint* faces,
                            GLOBAL float* spheres, const ProbeParameters p) {
  EACH_ITEM(item)
    const uint i = GROUP_ID * GROUP + item;
    if (i < p.count) {
      const float3 a = vertex_of(vertices, faces[3 * i]);
      const float3 b = vertex_of(vertices, faces[3 * i + 1]);
      const float3 c = vertex_of(vertices, faces[3 * i + 2]);
      const float3 m = (a + b + c) * (1.0f / 3.0f);
      const float r_sq = max(dot(a - m, a - m), max(dot(b - m, b - m), dot(c - m, c - m)));
      spheres[i] = m.x;
      spheres[p.pitch + i] = m.y;
      spheres[2 * p.pitch + i] = m.z;
      spheres[3 * p.pitch + i] = sqrt(r_sq) * (1.0f + 2.0f * PROBE_ERROR);
    }
  END_ITEMS
}

// Spheres around the blocks of triangles, in four arrays.
KERNEL bound_blocks(GLOBAL const float* spheres, GLOBAL float* blocks,
                         const ProbeParameters p) {
  EACH_ITEM(item)
    const uint block = GROUP_ID * GROUP + item;
    if (block < p.end_block) {
      const uint first = block * PROBE_BLOCK;
      const uint end = min(first + PROBE_BLOCK, p.count);
      float3 low = make_float3(INFINITY, INFINITY, INFINITY);
      float3 high = make_float3(-INFINITY, -INFINITY, -INFINITY);
      for (uint i = first; i < end; ++i) {
        const float3 m =
            make_float3(spheres[i], spheres[p.pitch + i], spheres[2 * p.pitch + i]);
        low = make_float3(min(low.x, m.x), min(low.y, m.y), min(low.z, m.z));
        high = make_float3(max(high.x, m.x), max(high.y, m.y), max(high.z, m.z));
      }
      const float3 center = (low + high) * 0.5f;
      float radius = 0.0f;
      for (uint i = first; i < end; ++i) {
        const float3 m =
            make_float3(spheres[i], spheres[p.pitch + i], spheres[2 * p.pitch + i]) - center;
        radius = max(radius, sqrt(dot(m, m)) + spheres[3 * p.pitch + i]);
      }
      blocks[4 * block] = center.x;
      blocks[4 * block + 1] = center.y;
      blocks[4 * block + 2] = center.z;
      blocks[4 * block + 3] = radius * (1.0f + 2.0f * PROBE_ERROR);
    }
  END_ITEMS
}

// Lists the blocks that are within the limit of a segment.
KERNEL list_blocks(GLOBAL const float* blocks, CONSTANT const ProbeSegment* segments,
                        GLOBAL volatile uint* state, GLOBAL uint* list, const ProbeParameters p) {
  EACH_ITEM(item)
    const uint block = GROUP_ID * GROUP + item;
    if (block < p.end_block) {
      int near = 0;
      for (uint k = 0; k < p.segment_count && !near; ++k) {
        const float limit = as_float(PEEK(state + p.limits_at + k * p.each));
        near = is_near(blocks + 4 * block, segments + k, cheap_reach(segments + k, p.slack, limit));
      }
      if (near) list[atomic_inc(state + PROBE_BLOCK_COUNT)] = block;
    }
  END_ITEMS
}

// Bounds all pairs of blocks of triangles and segments.
KERNEL bound_pairs(GLOBAL const float* vertices, GLOBAL const uint* faces,
                   GLOBAL const float* spheres, GLOBAL const float* blocks,
                   CONSTANT const ProbeSegment* segments, GLOBAL volatile uint* state,
                   GLOBAL uint* of_triangle, GLOBAL const uint* list, const ProbeParameters p) {
  LOCAL float tile_x[PROBE_BLOCK];
  LOCAL float tile_y[PROBE_BLOCK];
  LOCAL float tile_z[PROBE_BLOCK];
  LOCAL float tile_r[PROBE_BLOCK];
  LOCAL float reach[PROBE_CHUNK];
  LOCAL float limits[PROBE_CHUNK];
  LOCAL uint best[PROBE_BLOCK];
  LOCAL ushort queue[PROBE_BLOCK * PROBE_CHUNK];
  LOCAL uint queued;
  LOCAL ushort near[PROBE_BATCH];
  LOCAL uint near_count;

  const int by_triangle = (p.flags & PROBE_BY_TRIANGLE) != 0u;
  const int emit = (p.flags & PROBE_EMIT) != 0u;
  const int points = (p.flags & PROBE_POINTS) != 0u;
  const int listed = (p.flags & PROBE_LISTED) != 0u;
  const uint end = listed ? min(p.end_block, PEEK(state + PROBE_BLOCK_COUNT)) : p.end_block;
  for (uint turn = p.first_block + GROUP_ID; turn < end; turn += p.groups) {
    const uint block = listed ? list[turn] : turn;
    const uint first = block * PROBE_BLOCK;

    // The tile. What is beyond the last triangle has any value: it is not taken below.
    EACH_ITEM(item)
      if (p.stride == 1u && !points) {
        STORE_LANES(LOAD_LANES(item, spheres + first), item, tile_x);
        STORE_LANES(LOAD_LANES(item, spheres + p.pitch + first), item, tile_y);
        STORE_LANES(LOAD_LANES(item, spheres + 2 * p.pitch + first), item, tile_z);
        STORE_LANES(LOAD_LANES(item, spheres + 3 * p.pitch + first), item, tile_r);
      } else {
        for (uint t = item; t < PROBE_BLOCK; t += GROUP) {
          const uint i = min((first + t) * p.stride, p.count - 1u);
          const float3 center = points ? vertex_of(vertices, i)
                                       : make_float3(spheres[i], spheres[p.pitch + i],
                                                     spheres[2 * p.pitch + i]);
          tile_x[t] = center.x;
          tile_y[t] = center.y;
          tile_z[t] = center.z;
          tile_r[t] = points ? 0.0f : spheres[3 * p.pitch + i];
        }
      }
      if (by_triangle) {
        for (uint t = item; t < PROBE_BLOCK; t += GROUP)
          best[t] = of_triangle[min(first + t, p.count - 1u)];
      }
      if (item == 0) near_count = listed ? 0 : p.segment_count;
    END_ITEMS

    // The segments the block is near to; all where nobody asked before.
    EACH_ITEM(item)
      for (uint k = item; k < p.segment_count; k += GROUP) {
        if (listed) {
          const float limit = as_float(PEEK(state + p.limits_at + k * p.each));
          if (is_near(blocks + 4 * block, segments + k, cheap_reach(segments + k, p.slack, limit)))
            near[atomic_inc(&near_count)] = (ushort)k;
        } else {
          near[k] = (ushort)k;
        }
      }
    END_ITEMS

    const uint segment_count = near_count;
    for (uint chunk = 0; chunk < segment_count; chunk += PROBE_CHUNK) {
      const uint chunk_size = min((uint)PROBE_CHUNK, segment_count - chunk);
      EACH_ITEM(item)
        if (item == 0) queued = 0;
        for (uint k = item; k < chunk_size; k += GROUP) {
          const uint s = near[chunk + k];
          limits[k] = by_triangle ? 0.0f : as_float(PEEK(state + p.limits_at + s * p.each));
          reach[k] = cheap_reach(segments + s, p.slack, limits[k]);
          if (!by_triangle) best[k] = INFINITE_BITS;
        }
        // Triangles with limits of their own have them in their radius.
        if (by_triangle) {
          for (uint t = item; t < PROBE_BLOCK; t += GROUP) {
            const uint i = min((first + t) * p.stride, p.count - 1u);
            const float radius = points ? 0.0f : spheres[3 * p.pitch + i];
            tile_r[t] = radius + as_float(best[t]) * (1.0f + 2.0f * PROBE_ERROR);
          }
        }
      END_ITEMS

      // The cheap look, LANES triangles at a time: most are near to none of the chunk.
      EACH_ITEM(item)
        const floatN x = LOAD_LANES(item, tile_x);
        const floatN y = LOAD_LANES(item, tile_y);
        const floatN z = LOAD_LANES(item, tile_z);
        const floatN r = LOAD_LANES(item, tile_r);
        floatN nearest = cheap_look(x, y, z, r, segments + near[chunk], reach[0]);
        for (uint k = 1; k < chunk_size; ++k)
          nearest = min(nearest, cheap_look(x, y, z, r, segments + near[chunk + k], reach[k]));
        if (ANY_LANE(nearest <= 0.0f)) {
          for (uint k = 0; k < chunk_size; ++k) {
            const floatN look = cheap_look(x, y, z, r, segments + near[chunk + k], reach[k]);
            for (uint lane = 0; lane < LANES; ++lane) {
              const uint t = item * LANES + lane;
              if (LANE(look, lane) <= 0.0f && (first + t) * p.stride < p.count)
                queue[atomic_inc(&queued)] = (ushort)(k * PROBE_BLOCK + t);
            }
          }
        }
      END_ITEMS

      // Proven bounds for those in the queue.
      EACH_ITEM(item)
        for (uint place = item; place < queued; place += GROUP) {
          const uint t = queue[place] % PROBE_BLOCK;
          const uint k = queue[place] / PROBE_BLOCK;
          const uint i = (first + t) * p.stride;
          const uint slot = by_triangle ? t : k;
          float3 a, b, c;
          float diameter = 0.0f;
          if (points) {
            a = vertex_of(vertices, i);
            b = a;
            c = a;
          } else {
            a = vertex_of(vertices, faces[3 * i]);
            b = vertex_of(vertices, faces[3 * i + 1]);
            c = vertex_of(vertices, faces[3 * i + 2]);
            diameter = 2.0f * spheres[3 * p.pitch + i];
          }
          const float before = as_float(best[slot]);
          const float limit = by_triangle ? before : min(limits[k], before);
          const Bounds bounds =
              bound_pair(a, b, c, diameter, segments + near[chunk + k], p.slack, limit);
          if (bounds.lower > limit) continue;
          atomic_min(best + slot, as_uint(bounds.upper));
          if (emit) {
            const uint candidate = atomic_inc(state + PROBE_CANDIDATE_COUNT);
            if (candidate < p.capacity) {
              GLOBAL volatile uint* out =
                  state + PROBE_CANDIDATES + candidate * PROBE_CANDIDATE_WORDS;
              out[0] = i;
              out[1] = near[chunk + k];
              out[2] = as_uint(bounds.lower);
            }
          }
        }
      END_ITEMS

      if (!by_triangle) {
        EACH_ITEM(item)
          for (uint k = item; k < chunk_size; k += GROUP) {
            if (best[k] != INFINITE_BITS)
              atomic_min(state + p.best_at + near[chunk + k] * p.each, best[k]);
          }
        END_ITEMS
      }
    }

    // What was learned about triangles. The barrier also keeps the next block from writing over what
    // is still read of this one.
    EACH_ITEM(item)
      if (item == 0) atomic_add(state + PROBE_NEAR_COUNT, segment_count);
      if (by_triangle && !emit) {
        for (uint t = item; t < PROBE_BLOCK; t += GROUP) {
          const uint i = (first + t) * p.stride;
          if (i < p.count) of_triangle[i] = best[t];
        }
      }
    END_ITEMS
  }
}
