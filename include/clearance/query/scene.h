// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes of many bodies: which of them touch, which come closer than d, which two are nearest?
//
// A Scene holds models at poses. Bodies come, move and go; each change costs about log n, so a
// scene in which a few of thousands move is cheap. The questions are answered in two steps: a tree
// of axis-aligned boxes finds the pairs that may be near (the broad phase), and each of those is
// asked in full, on all cores. Bodies are solids where their mesh is closed (solid.h): one inside
// another is contact. Never a false "free": a gap within the rounding of the relative pose
// (query.h, relative) is contact.
//
// Answers depend on the models, the poses and the body numbers only: not on the order of changes,
// not on the number of threads, to the last bit.
//
// Pairs that touch by design (a bolt in its hole, neighbouring links of a robot) can be allowed:
// they are then left out of every answer, unless the options ask for them.
//
// A Scene may be read by any number of threads, and changed by one while none reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/pose.h>
#include <clearance/query/model.h>
#include <clearance/query/query.h>
#include <clearance/query/solid.h>

namespace clearance {

/// Numbers of bodies: 0, 1, 2, ... as they are added; not used again after remove().
using BodyId = std::uint32_t;

class Scene {
 public:
  Scene();
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;
  Scene(const Scene& other);
  Scene& operator=(const Scene& other);

  /// A body at a pose that is not finite, not rigid (pose.h, checked_pose tells why) or beyond
  /// kLargestTranslation touches every other one, as query.h says: never free. The trees of all
  /// models of a scene must be of one sort, wide or binary, as query.h says.
  BodyId add(const Model& model, const Pose& world_from_body);
  void move(BodyId body, const Pose& world_from_body);
  void remove(BodyId body);

  [[nodiscard]] std::size_t size() const;  ///< bodies that are there
  [[nodiscard]] bool contains(BodyId body) const;
  /// The bodies that are there, ascending.
  [[nodiscard]] std::vector<BodyId> bodies() const;
  [[nodiscard]] const Model& model(BodyId body) const;
  [[nodiscard]] const Pose& world_from_body(BodyId body) const;

  /// The two may touch, or (allowed = false) may not after all. Survives moves; ends with remove()
  /// of either.
  void allow_contact(BodyId a, BodyId b, bool allowed = true);
  [[nodiscard]] bool is_allowed(BodyId a, BodyId b) const;

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct SceneOptions {
  bool include_allowed = false;  ///< look at allowed pairs as well
  Threads threads;               ///< the answer does not depend on it
  Monitor* monitor = nullptr;    ///< progress and cancellation; may be null
};

/// Two bodies and how near they are.
struct ScenePair {
  BodyId a = 0;  ///< the lower number of the two
  BodyId b = 0;
  double distance = 0.0;      ///< of the bodies [m]; 0 when they touch
  Touch touch = Touch::None;  ///< how they touch, when they do
  bool allowed = false;       ///< the two may touch
  /// The nearest points of the two surfaces, in the world [m], and their triangles. collisions()
  /// leaves the points out, and the triangles where one body is inside the other.
  Vec3 on_a, on_b;
  std::uint32_t triangle_a = kNoTriangle;
  std::uint32_t triangle_b = kNoTriangle;
};

struct ScenePairs {
  std::vector<ScenePair> pairs;    ///< nearest first; equal ones by numbers
  std::size_t candidate_count = 0; /**< pairs that the broad phase could not rule out */
  bool complete = true;            ///< false: cancelled, the list has holes
  Work work;
};

/// All pairs at `limit` [m] or closer, each with its distance. None is missed for rounding: a pair
/// farther by 1e-9 of the limit may be listed as well. An infinite limit lists all pairs.
[[nodiscard]] ScenePairs pairs_within(const Scene& scene, double limit,
                                      const SceneOptions& options = {});

/// All pairs that touch. Cheaper than pairs_within(scene, 0): any contact of a pair will do.
[[nodiscard]] ScenePairs collisions(const Scene& scene, const SceneOptions& options = {});

/// Does any pair touch? Stops soon after the first contact found.
[[nodiscard]] bool collides(const Scene& scene, const SceneOptions& options = {});

/// The nearest two bodies; among equally near pairs the lowest numbers. Nothing for a scene of less
/// than two bodies (or when all pairs are allowed), or when cancelled.
[[nodiscard]] std::optional<ScenePair> nearest_pair(const Scene& scene,
                                                    const SceneOptions& options = {});

}  // namespace clearance
