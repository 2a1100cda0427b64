// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where may the body be in a narrow passage? Not just anywhere: some limb of it lies along the
// passage. Passages are found by rays between walls, two pairs of which face each other and are
// nearer than the body is long; limbs by rays through the body. Both get a frame from the normals
// round about: the axis of a tube or of a window, the sides of a slot that has ends.
// Of places that lay a limb along a passage one in 2 to 50 is free (decision 0009), where of places
// drawn from all six dimensions a tube with a little play leaves one in thousands of millions. The
// body may have the passage as well: a ring goes on a rod. Deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/mesh/sample.h>

#include "plan/free_space.h"

namespace clearance::detail {

class FittedPlaces {
 public:
  /// The problem must outlive this; its trees must be wide, else there are no such places: rays
  /// need them. `bounds`: of the pivot, which all places keep. `seed`: which of all such sequences.
  FittedPlaces(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
               std::uint64_t seed);

  /// The next place at which the surfaces keep the clearance; nothing when some attempts found
  /// none. The work is counted in `space`, which must be of the same problem.
  std::optional<Place> next(FreeSpace& space);
  /// Has less than a part of the work counted in `space` gone into such places? Where they are hard
  /// to find, a search that waits for each does little else.
  [[nodiscard]] bool is_due(const FreeSpace& space) const;

 private:
  /// A passage or a limb, in the frame of its surface.
  struct Feature {
    Vec3 middle;
    Vec3 along;   ///< unit: the axis
    Vec3 across;  ///< unit, square to it: what the normals round about are most along
  };
  /// One of the two surfaces.
  struct Surface {
    const Model* model;
    Box bounds;       ///< where walls of passages are looked for
    bool has_inside;  ///< it is closed, and a solid
    /// What the normals as wound are to those outward: 1 or -1; 0 where nobody knows: of surfaces
    /// both sides are out, and solids have to be asked. A solid that is not closed is taken as
    /// wound outward, else each of its walls would be a passage.
    double outward;
    std::vector<SurfaceSample> samples{};  ///< the last ones first
    std::vector<Feature> limbs{};
    std::size_t limb_count = 0;  ///< found so far; those found long ago are forgotten
    double thinnest = std::numeric_limits<double>::infinity();  ///< of the limbs [m]
    unsigned failures = 0;  ///< to find a passage, one after another
    unsigned waits = 0;     ///< so many turns are the other's
  };
  static Surface surface_of(const Model& model, const Box& bounds, bool solid);
  /// The next sample of the surface, its normal outward; nothing of one without area. Counted in
  /// `space`, as all that follows.
  std::optional<SurfaceSample> sample(Surface& surface, FreeSpace& space);
  /// How far off a wall rays begin [m].
  [[nodiscard]] double aside() const;
  /// Is a point that no wall is at inside the solid?
  [[nodiscard]] static bool is_inside(const Surface& surface, const Vec3& point, FreeSpace& space);
  /// A passage wider than `least`.
  std::optional<Feature> find_passage(Surface& surface, double least, FreeSpace& space);
  void find_limb(Surface& surface, FreeSpace& space);
  /// The chord through a point in a passage: from wall to wall, both ways along `across`.
  struct Chord {
    Vec3 middle;
    double width;
    Vec3 normal;  ///< unit: the mean of the walls', along `across`
  };
  [[nodiscard]] std::optional<Chord> chord(const Surface& surface, const Vec3& point,
                                           const Vec3& across, FreeSpace& space) const;
  /// What has walls at `middle`, `width` apart along `across`, with the axis that the normals round
  /// about leave.
  Feature feature_at(const Surface& surface, const Vec3& middle, const Vec3& across, double width,
                     FreeSpace& space);
  std::optional<Place> find(FreeSpace& space);
  /// Looks for the next passage; false when none was found.
  bool choose_passage(FreeSpace& space);
  /// The place that lays the limb along the passage.
  Place place_of_fit(const Feature& limb);
  Vec3 random_direction();

  const PlanProblem& problem_;
  BodyMeasures measures_;
  Box bounds_;
  bool has_rays_;
  Random random_;
  std::array<Surface, 2> surfaces_;  ///< the obstacles, the body
  std::size_t side_ = 0;             ///< which the passage is of
  Feature passage_{};
  int tries_ = 0;                 ///< left for the passage
  std::uint64_t operations_ = 0;  ///< of all places so far
};

}  // namespace clearance::detail
