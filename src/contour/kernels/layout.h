// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What host and device exchange, in words both compilers know: this text stands in front of
// probe.cl when it is built for a device. All members are four bytes, so there is no padding.
#ifndef CLEARANCE_CONTOUR_KERNELS_LAYOUT_H
#define CLEARANCE_CONTOUR_KERNELS_LAYOUT_H

// Triangles of a block: what a work-group looks at together. The tile in local memory holds one.
#define PROBE_BLOCK 256
// Segments looked at between two barriers: the queue in local memory holds PROBE_BLOCK times these.
#define PROBE_CHUNK 8
// Segments of one launch: they fit in the constant memory every device has.
#define PROBE_BATCH 128

// What computing may be off, as a fraction of the local lengths: derived in probe.cl.
#define PROBE_ERROR 3.814697265625e-6f  // 2^-18

// NOLINTBEGIN(modernize-use-using): C has no using

// A contour segment. Lengths and places are in the coordinates of the device; vectors start at the
// first centre, so that they keep their digits wherever the segment is.
typedef struct {
  float origin[3];        // first centre
  float axis[3];          // second centre
  float u0[3], v0[3];     // first circle
  float du[3], dv[3];     // second circle less the first
  float inverse_axis_sq;  // 1 / |axis|², 0 for a segment without length
  float radius;           // no point is farther from the centre line
  float size;             // no two points are farther apart
  float unused[3];        // 96 bytes: a multiple of what constant memory is read in
} ProbeSegment;

// What a launch is to do.
typedef struct {
  uint count;        // triangles (or vertices, see flags)
  uint pitch;        // length of each of the four arrays of spheres
  uint stride;       // 1, or every how many-th triangle to look at
  uint first_block;  // of the blocks, or of the list of them
  uint end_block;
  uint groups;         // work-groups of the launch
  uint segment_count;  // of the batch
  uint each;           // 1: every segment has a limit of its own, 0: one for all
  uint limits_at;      // where in the state the limits to drop by are,
  uint best_at;        // and the smallest upper bounds
  uint capacity;       // candidates that fit behind the state
  uint flags;
  float slack;  // added to every error: rounding of coordinates, and the host's own
} ProbeParameters;

// NOLINTEND(modernize-use-using)

#define PROBE_EMIT 1u         // list the candidates
#define PROBE_LISTED 2u       // blocks are those of the list
#define PROBE_BY_TRIANGLE 4u  // limits and best are those of the triangles
#define PROBE_POINTS 8u       // vertices instead of triangles

// The state: limits, best, counters, candidates (triangle, segment, lower bound).
#define PROBE_LIMITS 0
#define PROBE_BEST PROBE_BATCH
#define PROBE_CANDIDATE_COUNT (2 * PROBE_BATCH)
#define PROBE_NEAR_COUNT (2 * PROBE_BATCH + 1)   // pairs of blocks and segments bounded
#define PROBE_BLOCK_COUNT (2 * PROBE_BATCH + 2)  // blocks listed
#define PROBE_CANDIDATES (2 * PROBE_BATCH + 4)
#define PROBE_CANDIDATE_WORDS 3

#endif
