// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Turns and reflections that move a body onto itself. A search for few balls that look the same
// under them has so many times fewer balls to place, and a part of the body to cover.
//
// Found, not proven: within a tolerance, and only about the principal axes of the surface that are
// no others' equal. What is made with their help has to be proven for the body as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>
#include <clearance/geometry/vector.h>
#include <clearance/query/model.h>

namespace clearance::detail {

class Symmetry {
 public:
  /// None: the identity alone.
  Symmetry();
  /// Groups of such motions, the smallest first, of no more than `most` motions, none of which
  /// moves the surface by more than `tolerance` [m] off itself. The first one is the identity
  /// alone.
  [[nodiscard]] static std::vector<Symmetry> find(const Model& body, double tolerance,
                                                  std::size_t most);

  /// How many motions there are, the identity included: it is number 0.
  [[nodiscard]] std::size_t order() const { return turns_.size(); }
  [[nodiscard]] Vec3 image(const Vec3& p, std::size_t i) const {
    return i == 0 ? p : center_ + turns_[i] * (p - center_);
  }
  /// Of a direction at image(p, i), the one at p.
  [[nodiscard]] Vec3 turned_back(const Vec3& way, std::size_t i) const {
    return i == 0 ? way : transpose_times(turns_[i], way);
  }
  /// How far a point is from the home of the group at most [m]: a convex part of space whose images
  /// are all of it. Negative inside.
  [[nodiscard]] double beyond(const Vec3& p) const;

  /// The nearest place that those motions leave where it is that move p by no more than `near` [m],
  /// if there is one that they all do.
  [[nodiscard]] Vec3 settled(const Vec3& p, double near) const;
  /// What is left of a way from p that keeps it where the motions are that leave it.
  [[nodiscard]] Mat3 freedom(const Vec3& p) const;

  /// All balls that the motions make of some.
  struct Images {
    std::vector<Sphere> balls;
    std::vector<std::uint32_t> of;    ///< which of the balls given
    std::vector<std::uint32_t> turn;  ///< and by which motion
  };
  /// Once each; those alone that are nearer to the home than `reach` [m].
  [[nodiscard]] Images images(std::span<const Sphere> balls, double reach) const;
  /// How many different images a place has.
  [[nodiscard]] std::size_t image_count(const Vec3& p) const;

 private:
  Symmetry(const Vec3& center, std::vector<Mat3> turns, const Vec3& home, double same);

  Vec3 center_;
  std::vector<Mat3> turns_;
  struct Wall {
    Vec3 normal;  // outward
    double offset = 0.0;
  };
  std::vector<Wall> walls_;  // of the home
  double same_ = 0.0;        // places that are nearer are one [m]
};

}  // namespace clearance::detail
