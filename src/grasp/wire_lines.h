// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The lines of a wire-frame: segments that go on into each other, as one. A curve is drawn as many
// short segments; grasps at the ends of each would have no neighbours beyond, and none of them
// could be robust.
//
// Two segments go on where an end of one is an end of the other, to the bit, no third one ends
// there, and they bend by less than kLargestBend. A line of several segments has a direction that
// turns gradually: at each place it is that of the chord from one mean radius of the part before it
// to one after it. A line of a single segment has the segment's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>

namespace clearance::detail {

/// Segments that bend by this or more meet at a corner [rad]: a ring of five pieces goes on (72
/// degrees), a right angle does not. Chords spread a bend over two mean radii of the part, so that
/// a step along the line turns the gripper by less than a step of theta there.
inline constexpr double kLargestBend = 1.3;

struct WirePiece {
  std::uint32_t segment = 0;  ///< number in the wire-frame
  bool is_reversed = false;   ///< the line runs from its end b to its end a
};
struct WireLine {
  std::vector<WirePiece> pieces;  ///< one after the other; at least one
  bool is_closed = false;         ///< the last goes on into the first
  double length = 0.0;            ///< [m]
};
/// Each segment is in one line. Open lines first, in the order of their first segments; the first
/// piece of a line has a lower number than its last, and a line of one segment runs as that does.
std::vector<WireLine> lines_of(std::span<const Segment> segments);

/// Where a gripper may be, on a line.
struct WirePlace {
  std::uint32_t segment = 0;  ///< number in the wire-frame
  Vec3 point;                 ///< [m]
  Vec3 along;                 ///< the direction of the line there, of length 1
  /// At right angles to it, of length 1: what turns about the line are counted from. From place to
  /// place it turns with the line and not about it.
  Vec3 across;
};
/// How many places a line has, a step from each other: as many steps as fit into its length; a
/// closed line has those that come nearest to it, so that the last is a step from the first.
/// Without overflow.
double place_count(const WireLine& line, double step);
/// Whether the last place of a line has the first as its neighbour.
bool is_ring(const WireLine& line, double step);
/// The places of a line, place_count() of them. `reach` is how far the chords go to either side
/// [m].
std::vector<WirePlace> places_of(const WireLine& line, std::span<const Segment> segments,
                                 double step, double reach);

}  // namespace clearance::detail
