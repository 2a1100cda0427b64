// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far the paper's distances (contour/paper_distance.h) are off, and why: single pairs of a
// segment and a triangle, and the whole query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/contour.h>
#include <clearance/contour/paper_distance.h>
#include <clearance/geometry/shapes.h>

#include "contour_gpu/scenes.h"

namespace clearance::study {

/// Why the paper's distance of a pair is wrong.
enum class ApproximationCause : std::uint8_t {
  Face,      ///< the closest point is inside the face, where the paper takes a centroid
  Piercing,  ///< the segment runs through the face and touches no edge
  Early,     ///< the iteration on an edge ended before it had converged: more rounds mend it
  Stuck,     ///< it converged elsewhere: segments are not convex, nor closest where it looks
};
inline constexpr std::array kApproximationCauses{
    ApproximationCause::Face, ApproximationCause::Piercing, ApproximationCause::Early,
    ApproximationCause::Stuck};
[[nodiscard]] const char* name_of(ApproximationCause cause);  ///< "face", "piercing", ...

/// A distance is called wrong beyond this fraction of the size of the segment.
inline constexpr double kWrongByMoreThan = 0.01;

/// A kind of pairs.
struct ContourPairs {
  std::string name;  ///< "catheter", "tilted, large"
  std::vector<ContourSegment> segments;
  std::vector<Triangle> triangles;  ///< as many
};

/// Errors as fractions of the size of the segment (the diagonal of its bounds).
struct ApproximationRow {
  std::string name;
  std::string variant;  ///< "criterion", "10 rounds" or "3 rounds"
  std::uint64_t pairs = 0;
  double largest_above = 0.0;  ///< too large: a gap where there is less, or none
  double largest_below = 0.0;  ///< too small
  double mean = 0.0;           ///< of the amounts
  std::uint64_t wrong = 0;     ///< by more than kWrongByMoreThan
  std::array<std::uint64_t, kApproximationCauses.size()> causes{};  ///< of the wrong ones
  std::uint64_t faces = 0;    ///< pairs whose closest point is inside the face
  std::uint64_t contact = 0;  ///< pairs that touch
  std::uint64_t missed = 0;   ///< of these, called free
  double rounds = 0.0;        ///< of the iteration, mean over the edges
};

/// The pairs a scene's answers come from: each segment of each frame and its closest triangle.
[[nodiscard]] Result<ContourPairs> deciding_pairs(const ContourScene& scene);
/// Seeded pairs: circles tilted by up to `tilt` [rad] either way, triangles of `size` times the
/// segment's size, from touching to a segment's size apart.
[[nodiscard]] ContourPairs random_pairs(std::size_t count, double tilt, double size,
                                        std::uint64_t seed);

[[nodiscard]] ApproximationRow measure_approximation(const ContourPairs& pairs,
                                                     const PaperOptions& options,
                                                     const std::string& variant,
                                                     Threads threads = {});

/// The paper's answer to the whole query against the right one.
struct QueryErrorRow {
  std::string name;
  std::uint64_t frames = 0;
  double largest = 0.0;              ///< paper's distance less the right one [m]
  double mean = 0.0;                 ///< of the amounts [m]
  double largest_relative = 0.0;     ///< amount over the right distance
  std::uint64_t other_triangle = 0;  ///< frames where another triangle was called closest
};
[[nodiscard]] Result<QueryErrorRow> measure_query_error(const std::string& name,
                                                        const ContourScene& scene,
                                                        std::size_t frames, Threads threads = {});

}  // namespace clearance::study
