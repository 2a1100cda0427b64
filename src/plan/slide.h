// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Motion that gives way: a step towards where one wants to go, bent along whatever is in the way.
//
// The nearest points of body and obstacle say which steps x, to first order, keep them apart:
// g . x >= b, with g from the normal and its torque about the pivot. The step taken is the one
// nearest to the step wanted that satisfies all such rows; rows are added as they are found to be
// needed, by looking at where the step would lead. So a peg slides along its hole, and a nut that
// is pulled turns.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/free_space.h"
#include "plan/place.h"

namespace clearance::detail {

struct SlideOptions {
  double step = 0.0;    ///< longest step, in the metric of places [m]
  double margin = 0.0;  ///< room that every place keeps [m]
  /// Nothing comes nearer than this where there is another way [m]: paths with room are proven with
  /// fewer looks.
  double comfort = 0.0;
  /// How much farther than `step` the body may be pulled so that little of it is left after giving
  /// way: 1 does not; 1000 follows a thread.
  double pull = 1.0;
  /// A step that would bring the body forward, along the step wanted, by less than this part of its
  /// length is not worth taking, nor looking at.
  double forward = 0.0;
};

/// A plane that a point of the body must stay before. Kept from step to step while it is near.
struct Contact6 {
  Vec3 on_body;      ///< body's frame, relative to the pivot and turned back
  Vec3 on_obstacle;  ///< world
  Vec3 normal;       ///< from the obstacle to the body, world
  Vec3 position;     ///< of the pivot, when it was found
  int age = 0;       ///< steps since
};

class Slider {
 public:
  Slider(FreeSpace& space, const SlideOptions& options) : space_(space), options_(options) {}

  [[nodiscard]] const SlideOptions& options() const { return options_; }
  void set_pull(double pull) { options_.pull = pull; }
  void set_step(double step) { options_.step = step; }
  /// Forgets the contacts of the last step: for a start somewhere else.
  void restart() { contacts_.clear(); }

  struct Outcome {
    bool moved = false;
    Place place;
    Near near;
    Step6 step;
    int tries = 0;  ///< steps that were bent before this one
  };
  /// One step from a place with room, along `wanted` (any length; not farther than it). `near`:
  /// what look() said there.
  [[nodiscard]] Outcome step(const Place& from, const Near& near, const Step6& wanted);

 private:
  struct Row {
    Step6 g;
    double b = 0.0;
  };
  void add_contact(const Place& at, const Near& near);
  [[nodiscard]] Row row_of(const Contact6& contact, const Place& from, bool comfortable) const;
  [[nodiscard]] Step6 nearest_step(const Step6& wanted) const;

  FreeSpace& space_;
  SlideOptions options_;
  std::vector<Contact6> contacts_;
  std::vector<Row> rows_;
  mutable std::vector<double> multipliers_;
};

}  // namespace clearance::detail
