// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/proof_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clearance::detail {
namespace {

// Rounding of a pose computed at a time, and of what it does to coordinates, as a fraction of the
// scene: some dozen operations of 2^-53 each, with a reserve of ten (as in src/query/sweep.cpp).
constexpr double kPoseRounding = 0x1p-45;
// What a distance may be off by itself (query.h).
constexpr double kDistanceRounding = 1e-9;
// A distance this many roundings above the clearance is not told from it: with less left over, the
// steps would be as short as rounding.
constexpr double kUndecidedRoundings = 4.0;
// The next step is this part of the last radius, so that it still covers the start of what is left
// when the passage narrows a little.
constexpr double kStep = 0.9;
// An earlier refusal is looked for in parts longer than this, of the motion, and with this many
// looks at most: it is for people.
constexpr double kFirstRefusalPart = 1e-3;
constexpr std::size_t kFirstRefusalLooks = 200;
// How often a long walk asks whether it shall stop.
constexpr std::size_t kLooksBetweenAsking = 64;

struct Radius {
  double time = 0.0;  // proven around the look, to be used
  bool open = false;  // the look speaks against nothing
};

double proven(const MotionToProve& it, double lower) {
  return (1.0 - kDistanceRounding) * lower - it.rounding - it.clearance;
}

double tolerance(const MotionToProve& it) { return kUndecidedRoundings * it.rounding; }

/// Does a pose next to a look within rounding of the clearance break it clearly? Tells a contact
/// from a narrow escape.
bool refused_beside(const MotionToProve& it, double time, Coherence& coherence, Looks& looks) {
  if (it.speed <= 0.0) return false;
  constexpr int kSteps = 8;
  double way = 4.0 * tolerance(it);
  for (int i = 0; i < kSteps; ++i, way *= 8.0) {
    for (const double sign : {-1.0, 1.0}) {
      const double beside = time + sign * way / it.speed;
      if (beside < 0.0 || beside > 1.0) continue;
      const Within near =
          within(it.obstacles.bvh(), it.body.bvh(), it.motion.at(beside), it.clearance, &coherence);
      looks.work += near.work;
      if (near.within) return true;
    }
  }
  return false;
}

/// How far the body jumps between the end of one motion and a pose, at most [m]: rounding, unless
/// the poses are not quite rotations. Convex in the point, so the corners of its box decide.
double jump_between(const Model& body, const Pose& a, const Pose& b) {
  const Box& box = body.bvh().bounds();
  double jump = 0.0;
  for (unsigned i = 0; i < 8; ++i) {
    const Vec3 corner{(i & 1U) != 0 ? box.high.x : box.low.x,
                      (i & 2U) != 0 ? box.high.y : box.low.y,
                      (i & 4U) != 0 ? box.high.z : box.low.z};
    jump = std::max(jump, norm(a * corner - b * corner));
  }
  return jump;
}

/// What a distance at a time says: true when nothing speaks against the motion there. `lower`: a
/// bound of the distance.
bool judge(const MotionToProve& it, double time, const Distance& d, double lower,
           Coherence& coherence, Looks& looks) {
  looks.work += d.work;
  ++looks.count;
  if (it.exact) looks.samples.push_back({0, time, d.distance});
  if (!d.beyond && d.distance < looks.narrowest.distance) {
    looks.narrowest = d;
    looks.narrowest_time = time;
  }
  const double left = proven(it, lower);
  if (d.distance > it.clearance && left > tolerance(it)) return true;
  const bool refused = d.distance <= it.clearance || refused_beside(it, time, coherence, looks);
  looks.status = refused ? ProofStatus::Refused : ProofStatus::Undecided;
  looks.refused_at = time;
  looks.narrowest = d;
  looks.narrowest_time = time;
  return false;
}

/// One distance. `reach`: the time on either side that one would like to cover.
Radius look_at(const MotionToProve& it, double time, double reach, Coherence& coherence,
               Looks& looks) {
  DistanceOptions options;
  if (!it.exact) {
    options.upper_bound = (1.0 + 4.0 * kDistanceRounding) *
                          (it.clearance + 2.0 * tolerance(it) + it.speed * reach / it.used);
  }
  const Distance d =
      distance(it.obstacles.bvh(), it.body.bvh(), it.motion.at(time), options, &coherence);
  const double lower = d.beyond ? options.upper_bound : d.lower;
  if (!judge(it, time, d, lower, coherence, looks)) return {};
  const double left = proven(it, lower);
  const double radius = it.speed > 0.0 ? (1.0 - 1e-12) * it.used * left / it.speed
                                       : std::numeric_limits<double>::infinity();
  // Distances that are not exact may be used a little beyond what was asked for.
  const double covered = it.exact ? std::min(radius, reach) : radius;
  looks.lower = std::min(looks.lower, it.clearance + left - it.speed * covered);
  return {radius, true};
}

}  // namespace

double motion_rounding(const Model& obstacles, const Model& body, const RigidMotion& motion,
                       double speed) {
  const auto farthest = [](const Box& box) { return norm(max(abs(box.low), abs(box.high))); };
  return kPoseRounding * (farthest(obstacles.bvh().bounds()) +
                          motion.extent(farthest(body.bvh().bounds())) + speed);
}

double piece_rounding(const PlanProblem& problem, const RigidMotion& motion, double speed,
                      const Pose& end) {
  return motion_rounding(problem.obstacles, problem.body, motion, speed) +
         jump_between(problem.body, motion.at(1.0), end);
}

void note_narrowest(PathProof& proof, const ProofSample& sample, const Distance& d) {
  proof.narrowest = sample;
  proof.clearance_upper = sample.distance;
  proof.on_obstacle = d.on_a;
  proof.on_body = d.on_b;
  proof.obstacle_triangle = d.triangle_a;
  proof.body_triangle = d.triangle_b;
}

bool look_once(const MotionToProve& it, double time, Coherence& coherence, Looks& looks) {
  const Distance d =
      distance(it.obstacles.bvh(), it.body.bvh(), it.motion.at(time), {}, &coherence);
  return judge(it, time, d, d.lower, coherence, looks);
}

void halve(const MotionToProve& it, std::size_t most, Coherence& coherence, Looks& looks) {
  const std::size_t last = looks.count + most;
  std::vector<TimeInterval>& left = looks.left;
  while (!left.empty() && looks.count < last) {
    // The longest; of equal ones the first. There are never many.
    const auto longest = std::max_element(left.begin(), left.end(),
                                          [](const TimeInterval& a, const TimeInterval& b) {
                                            return a.end - a.begin < b.end - b.begin;
                                          });
    const TimeInterval part = *longest;
    const double middle = 0.5 * (part.begin + part.end);
    const double half = std::max(part.end - middle, middle - part.begin);
    const Radius radius = look_at(it, middle, half, coherence, looks);
    if (!radius.open) return;
    if (radius.time >= half) {
      left.erase(longest);
      continue;
    }
    const TimeInterval before{part.begin, middle - radius.time};
    const TimeInterval after{middle + radius.time, part.end};
    *longest = before;
    left.insert(longest + 1, after);
  }
}

void advance(const MotionToProve& it, std::size_t most, const Monitor* monitor,
             Coherence& coherence, Looks& looks) {
  const std::size_t last = looks.count + most;
  std::sort(looks.left.begin(), looks.left.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.begin > b.begin; });
  std::size_t until_asking = kLooksBetweenAsking;
  double step = std::numeric_limits<double>::infinity();
  while (!looks.left.empty()) {
    if (looks.count >= last) {
      looks.status = ProofStatus::Undecided;
      looks.refused_at = looks.left.back().begin;
      break;
    }
    if (--until_asking == 0) {
      until_asking = kLooksBetweenAsking;
      if (is_cancelled(monitor)) {
        looks.status = ProofStatus::Cancelled;
        break;
      }
    }
    const TimeInterval part = looks.left.back();
    const double time = std::min(0.5 * (part.begin + part.end), part.begin + step);
    const double reach = it.exact ? part.end - time : std::max(time - part.begin, 1.2 * step);
    const Radius radius =
        look_at(it, time, std::min(reach, part.end - part.begin), coherence, looks);
    if (!radius.open) break;
    looks.left.pop_back();
    if (time + radius.time < part.end) looks.left.push_back({time + radius.time, part.end});
    if (time - radius.time > part.begin) looks.left.push_back({part.begin, time - radius.time});
    step = kStep * radius.time;
  }
  std::reverse(looks.left.begin(), looks.left.end());
}

void find_first_refusal(const MotionToProve& it, Coherence& coherence, Looks& looks) {
  const std::size_t last = looks.count + kFirstRefusalLooks;
  while (looks.count < last) {
    // What may hold an earlier refusal: the longest part before this one.
    TimeInterval longest{0.0, 0.0};
    std::size_t place = 0;
    for (std::size_t i = 0; i < looks.left.size(); ++i) {
      TimeInterval& part = looks.left[i];
      part.end = std::min(part.end, looks.refused_at);
      if (part.end - part.begin > longest.end - longest.begin) {
        longest = part;
        place = i;
      }
    }
    if (longest.end - longest.begin <= kFirstRefusalPart) return;
    const double middle = 0.5 * (longest.begin + longest.end);
    const ProofStatus status = looks.status;
    const Radius radius =
        look_at(it, middle, 0.5 * (longest.end - longest.begin), coherence, looks);
    if (!radius.open) {
      // One that is closer than rounding tells says less than a clear one after it.
      if (status == ProofStatus::Refused) looks.status = status;
      continue;
    }
    looks.left[place] = {longest.begin, middle - radius.time};
    looks.left.push_back({middle + radius.time, longest.end});
  }
}

}  // namespace clearance::detail
