// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/base/assert.h>
#include <clearance/check/cell_checker.h>
#include <clearance/geometry/triangle_triangle.h>

#include "check/pair_distance.h"

namespace clearance {
namespace {

/// What poses of links, relative poses and distances may be off, as a fraction of the coordinates:
/// products of at most some hundred matrices.
constexpr double kRounding = 1e-12;
/// What a distance may be off by itself (query.h).
constexpr double kDistanceError = 1e-9;
/// A pair is near when it is closer than this many times what it moved since it was last asked: few
/// enough to be cheap, many enough to last for some configurations.
constexpr double kLookAhead = 2.5;
/// A pair found near is asked only whether it touches, this many times.
constexpr int kStaysNear = 8;
/// Bodies that moved farther than this part of the size of the smaller one do not follow a path:
/// nothing is learnt from a distance that a yes or no does not tell cheaper.
constexpr double kJump = 0.25;

struct PairState {
  BodyPair bodies;
  detail::PairMemory memory;
  Pose a_from_b;           // when it was last asked
  double lower = 0.0;      // the distance was at least this then [m]
  bool was_asked = false;  // a_from_b and lower mean something
  bool touched = false;    // when it was last asked
  int near = 0;            // so many times more
  // The triangles that touched last, and of which models.
  Contact contact;
  std::size_t model_a = 0;
  std::size_t model_b = 0;
};

/// A ball around a body, in its frame.
struct Ball {
  Vec3 center;
  double radius = 0.0;
};

}  // namespace

struct CellChecker::State {
  const ReadyCell* cell = nullptr;
  std::vector<Ball> balls;       // by body
  std::vector<PairState> pairs;  // in the order they are asked
  std::vector<Pose> links;
  std::vector<Pose> poses;    // by body
  std::vector<Vec3> centers;  // of the balls, in the cell
  double extent = 0.0;        // of the bodies alone [m]
  std::optional<BodyPair> contact;
  Counts counts;

  /// How far a point of B can have moved in A's frame, from one pose to another [m]. The largest
  /// stretch of the difference of two rotations is its Frobenius norm over the root of two.
  [[nodiscard]] static double moved(const Ball& b, const Pose& from, const Pose& to) {
    const Mat3 turn = to.rotation - from.rotation;
    const double squared = squared_norm(turn[0]) + squared_norm(turn[1]) + squared_norm(turn[2]);
    return (distance(from * b.center, to * b.center) + std::sqrt(0.5 * squared) * b.radius) *
           (1.0 + 1e-9);
  }

  bool touches(PairState& pair) {
    const auto [i, j] = pair.bodies;
    const double rounding =
        kRounding * (extent + norm(poses[i].translation) + norm(poses[j].translation));
    const Vec3 apart = centers[j] - centers[i];
    const double reach = balls[i].radius + balls[j].radius + rounding;
    if (squared_norm(apart) > reach * reach * (1.0 + 1e-12)) return false;
    const Pose a_from_b = relative(poses[i], poses[j]);
    const double way = pair.was_asked ? moved(balls[j], pair.a_from_b, a_from_b)
                                      : std::numeric_limits<double>::infinity();
    if (pair.lower - way > rounding) return false;

    ++counts.queries;
    const bool jumped = !(way <= kJump * std::min(balls[i].radius, balls[j].radius));
    // Where nothing moved far, whether they are near: if not, they need not be asked for a while.
    // What touched last, or was near, is asked at once whether it touches.
    pair.lower = 0.0;
    bool hit = touches_again(pair, a_from_b, rounding);
    if (!hit && (jumped || pair.touched || pair.near > 0)) {
      if (pair.near > 0) --pair.near;
      hit = is_within(pair, a_from_b, rounding).within;
    } else if (!hit) {
      const double limit = std::max(kLookAhead * way, 2.0 * rounding);
      const Near found = is_within(pair, a_from_b, limit);
      if (found.within) {
        pair.near = kStaysNear;
        hit = is_within(pair, a_from_b, rounding).within;
      } else {
        pair.lower = found.lower;
      }
    }
    pair.a_from_b = a_from_b;
    pair.was_asked = true;
    pair.touched = hit;
    return hit;
  }

  /// The triangles that touched last: one pair that still does decides.
  bool touches_again(const PairState& pair, const Pose& a_from_b, double rounding) const {
    if (!pair.touched || pair.contact.triangle_a == kNoTriangle) return false;
    const CheckBody& a = cell->bodies[pair.bodies.first];
    const CheckBody& b = cell->bodies[pair.bodies.second];
    const Triangle t = b.models[pair.model_b].bvh().triangle(pair.contact.triangle_b);
    return !proven_farther(a.models[pair.model_a].bvh().triangle(pair.contact.triangle_a),
                           {a_from_b * t.a, a_from_b * t.b, a_from_b * t.c}, 0.5 * rounding);
  }

  struct Near {
    bool within = false;
    double lower = std::numeric_limits<double>::infinity();  // of the distance [m]
  };
  /// Are the bodies at the limit or closer?
  Near is_within(PairState& pair, const Pose& a_from_b, double limit) {
    const CheckBody& a = cell->bodies[pair.bodies.first];
    const CheckBody& b = cell->bodies[pair.bodies.second];
    pair.memory.resize(a.models.size() * b.models.size());
    Near near;
    std::size_t k = 0;
    for (const Model& model_a : a.models) {
      for (const Model& model_b : b.models) {
        Coherence& memory = pair.memory[k++];
        pair.model_a = static_cast<std::size_t>(&model_a - a.models.data());
        pair.model_b = static_cast<std::size_t>(&model_b - b.models.data());
        // What touched last touches still, mostly.
        if (pair.touched) {
          const SolidCollision again = collide(model_a, model_b, a_from_b, &memory);
          counts.work += again.work;
          pair.contact = again.contact;
          if (again.hit) return {true, 0.0};
        }
        const SolidWithin found = within(model_a, model_b, a_from_b, limit, &memory);
        counts.work += found.work;
        pair.contact = found.pair;
        if (found.within) return {true, 0.0};
        near.lower = std::min(near.lower, (1.0 - kDistanceError) * found.lower);
      }
    }
    return near;
  }
};

CellChecker::CellChecker(const ReadyCell& cell) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.cell = &cell;
  for (const CheckBody& body : cell.bodies) {
    Ball ball{body.bounds.center(), 0.0};
    for (const Model& model : body.models) {
      for (const Vec3& vertex : model.mesh().vertices())
        ball.radius = std::max(ball.radius, distance(vertex, ball.center));
    }
    ball.radius *= 1.0 + 1e-12;
    state.balls.push_back(ball);
    state.extent += norm(ball.center) + ball.radius;
  }
  for (const BodyPair& pair : cell.matrix.tested) {
    PairState& added = state.pairs.emplace_back();
    added.bodies = pair;
  }
  state.links.resize(cell.cell.robot.links().size());
  state.poses.resize(cell.bodies.size());
  state.centers.resize(cell.bodies.size());
}

CellChecker::~CellChecker() = default;
CellChecker::CellChecker(CellChecker&&) noexcept = default;
CellChecker& CellChecker::operator=(CellChecker&&) noexcept = default;

bool CellChecker::collides(std::span<const double> values) {
  State& state = *state_;
  const ReadyCell& cell = *state.cell;
  CLEARANCE_ASSERT(values.size() == cell.cell.robot.degrees_of_freedom());
  ++state.counts.configurations;
  state.contact.reset();
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return true;
  cell.cell.robot.link_poses(values, cell.cell.world_from_base, state.links);
  for (std::size_t i = 0; i < cell.bodies.size(); ++i) {
    const std::uint32_t link = cell.bodies[i].link;
    state.poses[i] = link == kNoLink ? Pose::identity() : state.links[link];
    state.centers[i] = state.poses[i] * state.balls[i].center;
  }
  for (std::size_t k = 0; k < state.pairs.size(); ++k) {
    if (!state.touches(state.pairs[k])) continue;
    state.contact = state.pairs[k].bodies;
    // Asked first from now on: the next configuration is likely to touch there as well.
    if (k > 0) std::swap(state.pairs[0], state.pairs[k]);
    return true;
  }
  return false;
}

std::optional<BodyPair> CellChecker::contact() const { return state_->contact; }
const CellChecker::Counts& CellChecker::counts() const { return state_->counts; }

}  // namespace clearance
