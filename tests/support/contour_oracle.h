// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far a contour segment is from a triangle, by a way that shares nothing with the library: in
// extended precision (64 bits), the distance of one disc of the segment from the triangle as the
// best of seven small problems that are solved exactly, and that as a function of eta on a grid,
// refined wherever a bound of its slope leaves room for a smaller value, and by golden section.
// Slow; for tests.
#pragma once

#include <string>

#include <clearance/base/random.h>
#include <clearance/contour/contour.h>
#include <clearance/geometry/shapes.h>

namespace clearance::test {

/// Right to about 1e-12 of the extent, but for minima narrower than 1/2000 of the segment.
/// Edges and points are triangles with equal corners.
[[nodiscard]] double contour_oracle(const ContourSegment& segment, const Triangle& triangle);

/// The same for one disc of the segment.
[[nodiscard]] double contour_disc_oracle(const ContourSegment& segment, double eta,
                                         const Triangle& triangle);

/// A segment and a triangle of every awkward kind: sizes drawn as 10^u, circles tilted up to nearly
/// opposite, no radius, no length, needles, discs that cut through each other, lattices on which
/// shapes touch, and pairs far from the origin.
struct ContourPair {
  ContourSegment segment;
  Triangle triangle;
  /// Sizes of both and their distance, at least, and at most twice: what errors are compared with.
  double extent = 0.0;
  std::string kind;
};
[[nodiscard]] ContourPair awkward_contour_pair(Random& random);

/// "ContourSegment segment{...}; Triangle triangle{...};" with every bit, to paste into a test.
[[nodiscard]] std::string describe(const ContourSegment& segment, const Triangle& triangle);

}  // namespace clearance::test
