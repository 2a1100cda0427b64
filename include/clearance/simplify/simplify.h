// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh as a few spheres that hold all of it: the cheapest model to check a robot with that never
// says "free" when the part itself is hit.
//
// A model of error e covers the kept volume (kept_volume.h), by proof, and no sphere sticks out of
// it by more than e. Small features vanish into the kept volume when external_diameter is set.
//
// Two ways to get there:
// - Cover (the default): chooses among the largest balls that stay within the error, those that
//   cover most; then moves and drops spheres as long as all stays covered.
// - Paper: bounding sphere simplification (Visser, Pan, van Duin: "Bounding Sphere CAD Model
//   Simplification for Efficient Collision Detection in Offline Programming"), with its loop
//   condition put right: random external spheres, internal spheres at the point of largest error,
//   each moved until held in two places, and all radii grown by the error that is left. How we read
//   what the paper leaves open: docs/simplify_how.md.
// - Packing: the paper's second stage without its first, as it compares itself with.
// docs/simplify.md has the whole story and the figures.
//
// Limited by error or by number of spheres; with both, whichever is reached first. Every model
// returned is covered by proof unless `covered` says otherwise (Packing: never required). The same
// options give the same bits on any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>
#include <clearance/query/model.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/kept_volume.h>
#include <clearance/simplify/primitives.h>

namespace clearance {

enum class SimplifyMethod : std::uint8_t { Cover, Paper, Packing };
[[nodiscard]] const char* name_of(SimplifyMethod method);  ///< "cover", "paper", "packing"

struct SimplifyOptions {
  SimplifyMethod method = SimplifyMethod::Cover;
  /// The largest error wanted [m]. 0: by most_spheres alone.
  double error = 0.0;
  /// Spheres at most; 0: by error alone. With both, an error that cannot be met with so few is
  /// exceeded, and the error reached comes back.
  std::size_t most_spheres = 0;
  /// Cover: searches, each of which begins with the spheres of the one before and knows what its
  /// proof left open; the best counts. How much more than one brings depends on the body: nothing
  /// or some per cent of the spheres.
  int searches = 1;
  /// Features narrower than this are filled [m]; 0: none are.
  double external_diameter = 0.0;
  /// With it, also cavities that such a ball does not get into from outside (kept_volume.h).
  bool fill_cavities = true;
  /// Cover: what this tool cannot reach is filled, instead (kept_volume.h).
  ExternalTool external_tool{};
  /// Paper and Packing: random external spheres tried, and the seed of these and of the point that
  /// the first internal sphere is added at.
  std::size_t external_trials = 20'000;
  /// Paper and Packing: an internal sphere starts with this diameter [m], where it fits; 0: two and
  /// a half times the error. Smaller ones settle deeper in edges, where each holds less of the
  /// edge.
  double least_internal_diameter = 0.0;
  /// Paper and Packing: add the error to all radii in the end, which covers the kept volume.
  /// Without it spheres stay inside, and points up to the error away from them are uncovered.
  bool grow = true;
  std::uint64_t seed = 1;
  /// Make a second model of what the first holds, of spheres and these. The limits are those of the
  /// spheres: most_spheres gives the error, and primitives keep it.
  PrimitiveKinds primitives{};
  Threads threads;
  Monitor* monitor = nullptr;
};

/// After each sphere that Paper and Packing add: what Figures 6 to 8 of the paper draw.
struct SimplifyStep {
  std::size_t spheres = 0;
  double error = 0.0;  ///< largest distance of a point of the kept volume from the spheres [m]
};

struct Simplification {
  std::vector<Sphere>
      spheres;  ///< as delivered. Cover: largest first; Paper and Packing: in the order added
  double error = 0.0;     ///< proven: no sphere sticks out of the kept volume by more [m]
  bool covered = false;   ///< proven to hold the kept volume
  double grown_by = 0.0;  ///< Paper, Packing: added to each radius at the end [m]
  /// With options.primitives, and where the spheres cover: the same kept volume within the same
  /// error, both proven, by no more primitives than spheres. Else empty.
  PrimitiveSet primitives{};
  std::vector<SimplifyStep> history;
  KeptVolume kept;  ///< what was covered
};

/// Errors (Invalid, with the reason): an empty mesh; no searches; neither error nor most_spheres;
/// an error that is negative or not finite, or so small that more than 10 million spheres would be
/// needed; an internal sphere larger than the body, or external ones more than ten times as large;
/// Paper and Packing without an error; Packing of an open mesh. Cancelled.
[[nodiscard]] Result<Simplification> simplify(const Model& body, const SimplifyOptions& options);

}  // namespace clearance
