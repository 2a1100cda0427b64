// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <clearance/base/assert.h>
#include <clearance/check/cell_checker.h>

#include "check/body_patches.h"
#include "check/forward_lanes.h"
#include "check/pair_checker.h"
#include "check/robot_reach.h"

namespace clearance {

using detail::Float8;
using detail::kLanes;
using detail::PointLanes;
using detail::PoseLanes;

namespace {

/// What poses of links, relative poses and distances may be off, as a fraction of the coordinates:
/// products of at most some hundred matrices.
constexpr double kRounding = 1e-12;
/// Matrices of a robot that are farther from rotations than this, all together, are not trusted to
/// turn a point at a constant distance: nothing is proven from how far it moved.
constexpr double kRigid = 1e-9;
/// Patches of a body that moves.
constexpr std::size_t kPatches = 32;

PointLanes placed(const PoseLanes& pose, const Vec3& center) {
  return detail::placed(pose, static_cast<float>(center.x), static_cast<float>(center.y),
                        static_cast<float>(center.z));
}

/// Lanes in which two balls are farther apart than their radii, with all margins.
unsigned apart(const PointLanes& a, const PointLanes& b, float radii) {
  return detail::bits(detail::squared_distances(a, b) >
                      detail::broadcast8(radii * radii * (1.0F + 2e-6F)));
}

}  // namespace

/// What is made once for a cell, and does not change.
struct CellChecker::Prepared {
  struct Pair {
    BodyPair bodies;
    std::uint32_t a = 0;  // stands, or is the larger
    std::uint32_t b = 0;  // cut into patches
    float radii = 0.0F;   // of the balls around them, with margins
  };

  const ReadyCell* cell = nullptr;
  std::vector<Sphere> balls;                            // by body
  std::vector<std::vector<detail::BodyPatch>> patches;  // by body; none where they are not needed
  std::vector<std::optional<detail::CoverBox>> covers;  // likewise
  std::vector<Pair> pairs;
  std::vector<double> largest;  // by value: beyond, the margin does not hold
  double margin = 0.0;          // what single precision loses of a coordinate in the cell [m]
  double extent = 0.0;          // of the bodies alone [m]
  bool rigid = true;
  std::optional<detail::ForwardLanes> forward;

  explicit Prepared(const ReadyCell& ready) : cell(&ready) {
    const Robot& robot = ready.cell.robot;
    double size = 0.0;
    for (const CheckBody& body : ready.bodies) {
      balls.push_back(detail::ball_of(body));
      extent += norm(balls.back().center) + balls.back().radius;
      size = std::max(size, norm(balls.back().center) + balls.back().radius);
    }
    largest = detail::largest_values(robot);
    margin = detail::kClearingMargin *
             (detail::robot_reach(robot, ready.cell.world_from_base, largest) + size);
    double askew = rigidity_error(ready.cell.world_from_base.rotation);
    for (const RobotJoint& joint : robot.joints())
      askew += rigidity_error(joint.parent_from_joint.rotation);
    rigid = askew < kRigid;

    std::vector<bool> needed(robot.links().size(), false);
    patches.resize(ready.bodies.size());
    covers.resize(ready.bodies.size());
    for (const BodyPair& bodies : ready.matrix.tested) {
      Pair& pair = pairs.emplace_back();
      pair.bodies = bodies;
      pair.a = bodies.first;
      pair.b = bodies.second;
      const bool stands_b = ready.bodies[pair.b].link == kNoLink;
      const bool stands_a = ready.bodies[pair.a].link == kNoLink;
      if (stands_b || (!stands_a && balls[pair.b].radius > balls[pair.a].radius))
        std::swap(pair.a, pair.b);
      const double radii = balls[pair.a].radius + balls[pair.b].radius + 4.0 * margin;
      pair.radii =
          std::nextafter(static_cast<float>(radii), std::numeric_limits<float>::infinity());
      for (const std::uint32_t body : {pair.a, pair.b})
        if (ready.bodies[body].link != kNoLink) needed[ready.bodies[body].link] = true;
      if (!patches[pair.b].empty()) continue;
      patches[pair.b] = detail::patches_of(ready.bodies[pair.b], kPatches);
      covers[pair.b] = detail::cover_of(ready.bodies[pair.b]);
    }
    forward.emplace(robot, ready.cell.world_from_base, needed);
  }
};

struct CellChecker::State {
  std::shared_ptr<const Prepared> prepared;
  std::vector<detail::PairChecker> pairs;  // as prepared
  std::vector<std::size_t> order;          // in which they are asked
  std::optional<BodyPair> contact;
  Counts counts;

  // Eight configurations.
  std::vector<detail::Lanes> values;
  std::vector<detail::ForwardLanes::LinkPose> links;
  std::vector<detail::ForwardLanes::LinkPose> links_before;  // of the last eight
  std::vector<PoseLanes> poses;                              // by link
  std::vector<PointLanes> centers;                           // by body
  std::vector<PoseLanes> relative;                           // by pair, where both move
  std::vector<unsigned> free;                                // by pair: lanes
  std::size_t lanes_before = 0;                              // so many of them

  std::vector<Pose> exact;  // by link, for a configuration that no lanes are made for

  explicit State(std::shared_ptr<const Prepared> shared) : prepared(std::move(shared)) {
    const Prepared& p = *prepared;
    pairs.reserve(p.pairs.size());
    for (const Prepared::Pair& pair : p.pairs) {
      const bool stands = link_of(pair.a) == kNoLink;
      order.push_back(pairs.size());
      pairs.emplace_back(p.cell->bodies[pair.a], p.balls[pair.a], p.cell->bodies[pair.b],
                         p.balls[pair.b], *p.covers[pair.b], p.patches[pair.b],
                         (stands ? 1.0 : 2.0) * p.margin);
    }
    values.resize(p.largest.size());
    centers.resize(p.balls.size());
    for (std::size_t i = 0; i < p.balls.size(); ++i) {
      const auto constant = [](double v) { return detail::broadcast8(static_cast<float>(v)); };
      const Vec3& at = p.balls[i].center;
      centers[i] = {constant(at.x), constant(at.y), constant(at.z)};
    }
    relative.resize(pairs.size());
    free.resize(pairs.size());
    exact.resize(p.cell->cell.robot.links().size());
  }

  [[nodiscard]] std::uint32_t link_of(std::uint32_t body) const {
    return prepared->cell->bodies[body].link;
  }
  [[nodiscard]] double rounding(const Pose& a, const Pose& b) const {
    return kRounding * (prepared->extent + norm(a.translation) + norm(b.translation));
  }

  /// Up to eight configurations, in order. Lanes in which something touches.
  unsigned block(std::span<const double> given, std::size_t count) {
    const std::size_t freedom = prepared->largest.size();
    unsigned wrong = 0;    // not a number
    unsigned outside = 0;  // no lanes are made for these
    for (std::size_t k = 0; k < freedom; ++k) {
      std::array<double, kLanes> row{};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // Lanes left over repeat the last configuration.
        const double value = given[freedom * std::min(lane, count - 1) + k];
        if (!std::isfinite(value)) {
          wrong |= 1U << lane;
        } else if (!prepared->rigid || std::abs(value) > prepared->largest[k]) {
          outside |= 1U << lane;
        } else {
          row[lane] = value;
        }
      }
      std::memcpy(&values[k], row.data(), sizeof row);
    }
    const auto asked = static_cast<unsigned>((1U << count) - 1U) & ~wrong & ~outside;
    if (asked != 0) look(asked);
    unsigned hits = wrong;
    for (std::size_t lane = 0; lane < count; ++lane) {
      ++counts.configurations;
      contact.reset();
      if (((wrong >> lane) & 1U) != 0) continue;
      const bool hit = ((outside >> lane) & 1U) != 0
                           ? anyhow(given.subspan(freedom * lane, freedom))
                           : decide(lane, asked);
      if (hit) hits |= 1U << lane;
    }
    lanes_before = asked != 0 ? count : 0;
    return hits;
  }

  /// Where everything is, and which pairs are free by what is proven.
  void look(unsigned asked) {
    const Prepared& p = *prepared;
    std::swap(links, links_before);
    p.forward->place(values, links, poses);
    for (std::uint32_t i = 0; i < p.balls.size(); ++i)
      if (link_of(i) != kNoLink) centers[i] = placed(poses[link_of(i)], p.balls[i].center);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Prepared::Pair& pair = p.pairs[k];
      free[k] = asked & apart(centers[pair.a], centers[pair.b], pair.radii);
      const unsigned near = asked & ~free[k];
      if (near == 0) continue;
      const std::uint32_t link_a = link_of(pair.a);
      if (link_a != kNoLink) relative[k] = detail::relative(links[link_a], links[link_of(pair.b)]);
      free[k] |=
          pairs[k].free_lanes(link_a == kNoLink ? poses[link_of(pair.b)] : relative[k], near);
    }
  }

  /// a_from_b in a lane, and its rounding.
  [[nodiscard]] Pose pose_of(const Prepared::Pair& pair,
                             std::span<const detail::ForwardLanes::LinkPose> at, std::size_t lane,
                             double* rounding_there) const {
    const std::uint32_t link_a = link_of(pair.a);
    const Pose pose_b = lane_of(at[link_of(pair.b)], lane);
    const Pose pose_a = link_a == kNoLink ? Pose::identity() : lane_of(at[link_a], lane);
    if (rounding_there != nullptr) *rounding_there = rounding(pose_a, pose_b);
    return link_a == kNoLink ? pose_b : clearance::relative(pose_a, pose_b);
  }

  bool decide(std::size_t lane, unsigned asked) {
    const Prepared& p = *prepared;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t k = order[i];
      if (((free[k] >> lane) & 1U) != 0) continue;
      const Prepared::Pair& pair = p.pairs[k];
      detail::PairChecker::Question question;
      question.a_from_b = pose_of(pair, links, lane, &question.rounding);
      question.follows = lane > 0 || lanes_before > 0;
      if (question.follows) {
        question.before = lane > 0 ? pose_of(pair, links, lane - 1, nullptr)
                                   : pose_of(pair, links_before, lanes_before - 1, nullptr);
      }
      question.lane = lane;
      question.moment = counts.configurations;
      ++counts.queries;
      if (pairs[k].touches(question, counts.work)) return found(i);
      free[k] |= pairs[k].free_lanes_now(asked);
    }
    return false;
  }

  /// Every pair, one after the other.
  bool anyhow(std::span<const double> configuration) {
    const Prepared& p = *prepared;
    p.cell->cell.robot.link_poses(configuration, p.cell->cell.world_from_base, exact);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Prepared::Pair& pair = p.pairs[order[i]];
      const auto pose_of = [&](std::uint32_t body) {
        return link_of(body) == kNoLink ? Pose::identity() : exact[link_of(body)];
      };
      const Pose pose_a = pose_of(pair.a);
      const Pose pose_b = pose_of(pair.b);
      ++counts.queries;
      if (pairs[order[i]].touches_anyhow(clearance::relative(pose_a, pose_b),
                                         rounding(pose_a, pose_b), counts.work))
        return found(i);
    }
    return false;
  }

  /// Asked first from now on: the next configuration is likely to touch there as well.
  bool found(std::size_t i) {
    contact = prepared->pairs[order[i]].bodies;
    std::swap(order[0], order[i]);
    return true;
  }
};

CellChecker::CellChecker(const ReadyCell& cell)
    : state_(std::make_unique<State>(std::make_shared<const Prepared>(cell))) {}
CellChecker::CellChecker(std::unique_ptr<State> state) : state_(std::move(state)) {}
CellChecker::~CellChecker() = default;
CellChecker::CellChecker(CellChecker&&) noexcept = default;
CellChecker& CellChecker::operator=(CellChecker&&) noexcept = default;

CellChecker CellChecker::another() const {
  return CellChecker(std::make_unique<State>(state_->prepared));
}

bool CellChecker::collides(std::span<const double> values) {
  CLEARANCE_ASSERT(values.size() == state_->prepared->largest.size());
  return state_->block(values, 1) != 0;
}

void CellChecker::collides(std::span<const double> values, std::span<std::uint8_t> hits) {
  const std::size_t freedom = state_->prepared->largest.size();
  CLEARANCE_ASSERT(values.size() == freedom * hits.size());
  for (std::size_t first = 0; first < hits.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, hits.size() - first);
    const unsigned found = state_->block(values.subspan(freedom * first, freedom * count), count);
    for (std::size_t lane = 0; lane < count; ++lane)
      hits[first + lane] = static_cast<std::uint8_t>((found >> lane) & 1U);
  }
}

std::optional<BodyPair> CellChecker::contact() const { return state_->contact; }
const CellChecker::Counts& CellChecker::counts() const { return state_->counts; }

}  // namespace clearance
