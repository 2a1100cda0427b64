// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include <clearance/grasp/pick.h>
#include <clearance/query/solid.h>

#include "grasp/pick_scene.h"

namespace clearance {
namespace {

using detail::PickBody;
using detail::PickScene;
using detail::PickScratch;

/// Grasps that one thread takes at a time: neighbours on the part, which hit the same things.
constexpr std::size_t kGraspsAtATime = 64;
/// PickOptions::contact by default, as a fraction of the part's diagonal.
constexpr double kContact = 0.002;

Error invalid(std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", "", std::move(reason), std::move(advice)};
}

/// What mesh_of() asks of a depth image, before the work begins.
Status check_map(const DepthMap& map) {
  const PinholeCamera& camera = map.camera;
  const auto is_positive = [](double x) { return std::isfinite(x) && x > 0.0; };
  const auto pixels = static_cast<std::size_t>(std::max(camera.width, 0)) *
                      static_cast<std::size_t>(std::max(camera.height, 0));
  if (camera.width < 2 || camera.height < 2 || map.depth.size() != pixels)
    return invalid("a depth image has " + std::to_string(map.depth.size()) +
                   " values, which does not fit its size");
  if (!is_positive(camera.focal_u) || !is_positive(camera.focal_v) ||
      !std::isfinite(camera.center_u) || !std::isfinite(camera.center_v))
    return invalid("the camera of a depth image has no usable focal lengths and centre");
  if (!is_positive(map.options.nearest) || !std::isfinite(map.options.range) ||
      map.options.range <= map.options.nearest)
    return invalid("a depth image needs 0 < nearest < range");
  if (const Result<Pose> pose = checked_pose(map.world_from_camera); !pose)
    return invalid("the camera of a depth image: " + pose.error().reason);
  return {};
}

Status check_input(const Pile& pile, std::size_t grasp_count, const PickObstacles& obstacles,
                   const PickOptions& options) {
  for (const DepthMap& map : obstacles.seen)
    if (Status status = check_map(map); !status) return status;
  if (pile.parts.empty()) return invalid("the pile has no parts");
  for (std::size_t i = 0; i < pile.parts.size(); ++i) {
    if (const Result<Pose> pose = checked_pose(pile.parts[i]); !pose)
      return invalid("part " + std::to_string(i) + ": " + pose.error().reason);
  }
  std::vector<bool> is_named(pile.parts.size(), false);
  for (const std::size_t candidate : options.candidates) {
    if (candidate >= pile.parts.size()) {
      return invalid("candidate " + std::to_string(candidate) + " is not in the pile, which has " +
                     std::to_string(pile.parts.size()) + " parts");
    }
    if (is_named[candidate])
      return invalid("candidate " + std::to_string(candidate) + " is named twice");
    is_named[candidate] = true;
  }
  std::vector<bool> is_first(grasp_count, false);
  for (const std::uint32_t grasp : options.first) {
    if (grasp >= grasp_count) {
      return invalid("grasp " + std::to_string(grasp) + ", to be tried first, is not among the " +
                     std::to_string(grasp_count) + " given");
    }
    if (is_first[grasp])
      return invalid("grasp " + std::to_string(grasp) + ", to be tried first, is named twice");
    is_first[grasp] = true;
  }
  for (const auto& [name, value] :
       {std::pair("clearance", options.clearance), std::pair("approach", options.approach),
        std::pair("retreat", options.retreat), std::pair("contact", options.contact)}) {
    if (!(std::isfinite(value) && value >= 0.0))
      return invalid(std::string(name) + " is negative or not finite");
  }
  return {};
}

/// Grasps in the order of their places on the part, so that each is near the one before.
std::vector<std::uint32_t> by_place(std::span<const Grasp> grasps) {
  std::vector<std::uint32_t> order(grasps.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto place = [&](std::uint32_t i) {
    const Grasp& g = grasps[i];
    return std::tuple(g.segment, g.theta, g.phi, g.along, i);
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return order;
}

/// What does not change from pile to pile.
struct Prepared {
  Prepared(const Model& part_model, const Gripper& with, std::span<const Grasp> which)
      : part(part_model),
        gripper(with),
        open(with.open(), with.pieces()),
        pieces{PickBody(with.pieces()[0]), PickBody(with.pieces()[1]), PickBody(with.pieces()[2])},
        grasps(which.begin(), which.end()),
        order(by_place(which)) {
    part.add_balls();
  }
  PickBody part;
  Gripper gripper;
  PickBody open;
  std::array<PickBody, 3> pieces;
  std::vector<Grasp> grasps;
  std::vector<std::uint32_t> order;
};

class Evaluation {
 public:
  Evaluation(const Prepared& ready, const Pile& pile, const PickObstacles& obstacles,
             const PickOptions& options)
      : ready_(ready),
        grasps_(ready.grasps),
        pile_(pile),
        options_(options),
        candidates_(options.candidates.empty() ? all_of(pile) : options.candidates),
        contact_(options.contact > 0.0 ? options.contact
                                       : kContact * ready.part.model.mesh().bounds().diagonal()),
        scene_(ready.part, pile, obstacles,
               {candidates_, contact_,
                ready.part.ball.radius + norm(ready.open.ball.center) + ready.open.ball.radius +
                    options.approach + options.retreat + options.clearance + contact_,
                ready.part.ball.radius, options.threads}) {
    is_first_.assign(grasps_.size(), options.first.empty() ? 1 : 0);
    for (const std::uint32_t grasp : options.first) is_first_[grasp] = 1;
    for (const std::uint32_t grasp : ready.order)
      (is_first_[grasp] != 0 ? first_ : rest_).push_back(grasp);
  }

  Result<PickResult> run() {
    const auto cancelled = [&] { return is_cancelled(options_.monitor); };
    const Error stopped{ErrorCode::Cancelled, "", "", "cancelled", ""};
    fates_.assign(candidates_.size(), std::vector<GraspFate>(grasps_.size(), GraspFate::Free));
    clearances_.assign(
        candidates_.size(),
        std::vector<double>(grasps_.size(), std::numeric_limits<double>::infinity()));
    if (Status status = find_way_in(); !status) return status.error();
    std::vector<std::size_t> open(candidates_.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
    evaluate_all(open, first_);
    if (cancelled()) return stopped;
    // The rest, where there is no free grasp yet.
    tried_rest_.assign(candidates_.size(), 0);
    if (!rest_.empty()) {
      std::erase_if(open, [&](std::size_t candidate) { return has_free(candidate); });
      for (const std::size_t candidate : open) tried_rest_[candidate] = 1;
      evaluate_all(open, rest_);
      if (cancelled()) return stopped;
    }
    lift();
    if (cancelled()) return stopped;
    return ranked();
  }

 private:
  static std::vector<std::size_t> all_of(const Pile& pile) {
    std::vector<std::size_t> all(pile.parts.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  /// Among the grasps tried first.
  [[nodiscard]] bool has_free(std::size_t candidate) const {
    return std::any_of(first_.begin(), first_.end(), [&](std::uint32_t grasp) {
      return fates_[candidate][grasp] == GraspFate::Free;
    });
  }

  /// The way in, and whether it leads past the candidate itself: the same for all candidates. Of
  /// the rest few grasps come so far, and only these are looked at then.
  Status find_way_in() {
    if (options_.approach == 0.0) return {};
    Result<PickBody> way = ready_.open.swept({0.0, 0.0, -options_.approach});
    if (!way) return way.error();
    way_in_ = *std::move(way);
    is_way_blocked_.assign(grasps_.size(), 0);
    parallel_for(options_.threads, first_.size(), [&](std::size_t i) {
      is_way_blocked_[first_[i]] = hits_candidate_itself(first_[i]) ? 1 : 0;
    });
    return {};
  }

  /// On the way in.
  [[nodiscard]] bool hits_candidate_itself(std::uint32_t grasp) const {
    return collide(ready_.part.model, way_in_->model, grasps_[grasp].part_from_gripper).hit;
  }

  /// All grasps named with all candidates named.
  void evaluate_all(std::span<const std::size_t> candidates,
                    std::span<const std::uint32_t> grasps) {
    const std::size_t chunks = (grasps.size() + kGraspsAtATime - 1) / kGraspsAtATime;
    parallel_for(options_.threads, candidates.size() * chunks, [&](std::size_t i) {
      if (is_cancelled(options_.monitor)) return;
      const std::size_t at = i % chunks * kGraspsAtATime;
      evaluate(candidates[i / chunks],
               grasps.subspan(at, std::min(kGraspsAtATime, grasps.size() - at)));
    });
  }

  void evaluate(std::size_t candidate, std::span<const std::uint32_t> grasps) {
    PickScratch scratch;
    const Pose& world_from_part = pile_.parts[candidates_[candidate]];
    for (const std::uint32_t grasp : grasps) {
      const Pose world_from_gripper = world_from_part * grasps_[grasp].part_from_gripper;
      GraspFate& fate = fates_[candidate][grasp];
      fate = final_pose(candidate, world_from_gripper, scratch);
      if (fate == GraspFate::Free) fate = ways(candidate, grasp, world_from_gripper, scratch);
      if (fate == GraspFate::Free && options_.measure_clearance) {
        clearances_[candidate][grasp] =
            scene_.clearance(ready_.open, world_from_gripper, candidates_[candidate], scratch);
      }
    }
  }

  GraspFate final_pose(std::size_t candidate, const Pose& world_from_gripper,
                       PickScratch& scratch) const {
    return scene_.hit(ready_.open, world_from_gripper, candidates_[candidate], options_.clearance,
                      scratch);
  }

  /// In, closing, out, and the reach of the robot.
  GraspFate ways(std::size_t candidate, std::uint32_t grasp, const Pose& world_from_gripper,
                 PickScratch& scratch) const {
    const std::size_t part = candidates_[candidate];
    const std::array<Pose, 3> closed =
        ready_.gripper.piece_poses(std::clamp(grasps_[grasp].width, 0.0, ready_.gripper.opening()));
    if (way_in_) {
      const bool is_blocked =
          is_first_[grasp] != 0 ? is_way_blocked_[grasp] != 0 : hits_candidate_itself(grasp);
      if (is_blocked || scene_.hit(*way_in_, world_from_gripper, part, options_.clearance,
                                   scratch) != GraspFate::Free)
        return GraspFate::ApproachBlocked;
      for (std::size_t i = 1; i < ready_.pieces.size(); ++i) {
        const Vec3 closing = world_from_gripper.rotation * closed[i].translation;
        if (scene_.hit_on_the_way(ready_.pieces[i], world_from_gripper, closing, part, scratch))
          return GraspFate::ApproachBlocked;
      }
    }
    if (options_.retreat > 0.0) {
      for (std::size_t i = 0; i < ready_.pieces.size(); ++i) {
        if (scene_.hit_on_the_way(ready_.pieces[i], world_from_gripper * closed[i],
                                  {0.0, 0.0, options_.retreat}, part, scratch))
          return GraspFate::RetreatBlocked;
      }
    }
    if (options_.robot) {
      std::vector<Pose> targets{world_from_gripper};
      if (options_.approach > 0.0)
        targets.push_back(world_from_gripper * Pose::translate({0.0, 0.0, -options_.approach}));
      if (options_.retreat > 0.0)
        targets.push_back(Pose::translate({0.0, 0.0, options_.retreat}) * world_from_gripper);
      if (!is_reached(*options_.robot, targets)) return GraspFate::OutOfReach;
    }
    return GraspFate::Free;
  }

  /// Which parts hold which down: all parts, since weight comes down through those between.
  void lift() {
    if (options_.retreat == 0.0) return;
    stops_.resize(pile_.parts.size());
    parallel_for(options_.threads, stops_.size(), [&](std::size_t i) {
      if (!is_cancelled(options_.monitor)) stops_[i] = scene_.stops(i, options_.retreat, contact_);
    });
  }

  [[nodiscard]] std::size_t load_on(std::size_t part) const {
    std::vector<bool> is_on(pile_.parts.size(), false);
    std::vector<std::size_t> open{part};
    std::size_t count = 0;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const PickScene::Stop& stop : stops_[at]) {
        if (stop.part == detail::kNoPart || stop.part == part || is_on[stop.part]) continue;
        is_on[stop.part] = true;
        ++count;
        open.push_back(stop.part);
      }
    }
    return count;
  }

  [[nodiscard]] PickResult ranked() const {
    PickResult result;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      Candidate candidate;
      candidate.part = candidates_[i];
      candidate.tried_rest = tried_rest_[i] != 0;
      for (std::uint32_t grasp = 0; grasp < grasps_.size(); ++grasp) {
        if (is_first_[grasp] == 0 && !candidate.tried_rest) continue;
        ++candidate.fates[static_cast<std::size_t>(fates_[i][grasp])];
        if (fates_[i][grasp] == GraspFate::Free)
          candidate.free.push_back({grasp, clearances_[i][grasp]});
        else if (fates_[i][grasp] == GraspFate::RetreatBlocked)
          candidate.retreat_blocked.push_back(grasp);
      }
      if (!stops_.empty() && !stops_[candidate.part].empty()) {
        const std::vector<PickScene::Stop>& stops = stops_[candidate.part];
        candidate.is_buried = true;
        candidate.lift = stops.front().lift;
        for (const PickScene::Stop& stop : stops)
          if (stop.part != detail::kNoPart) candidate.held_by.push_back(stop.part);
        candidate.load = load_on(candidate.part);
      }
      result.ranked.push_back(std::move(candidate));
    }
    const auto order = [&](const Candidate& c) {
      const int group = c.free.empty() ? 2 : (c.is_buried ? 1 : 0);
      const bool is_late = !c.free.empty() && c.tried_rest;
      const double best = c.free.empty() ? 0.0 : grasps_[c.free.front().grasp].quality;
      const auto free = static_cast<double>(c.free.size());
      return std::tuple(group, is_late, -free, -best, c.part);
    };
    std::sort(result.ranked.begin(), result.ranked.end(),
              [&](const Candidate& a, const Candidate& b) { return order(a) < order(b); });
    result.valid = static_cast<std::size_t>(
        std::count_if(result.ranked.begin(), result.ranked.end(),
                      [](const Candidate& c) { return !c.free.empty() && !c.is_buried; }));
    return result;
  }

  const Prepared& ready_;
  std::span<const Grasp> grasps_;
  const Pile& pile_;
  const PickOptions& options_;
  std::vector<std::size_t> candidates_;
  double contact_;
  PickScene scene_;
  std::vector<std::uint32_t> first_;      // grasps, in the order of Prepared
  std::vector<std::uint32_t> rest_;       // the others
  std::vector<std::uint8_t> is_first_;    // by grasp
  std::vector<std::uint8_t> tried_rest_;  // by candidate
  std::optional<PickBody> way_in_;
  std::vector<std::uint8_t> is_way_blocked_;         // by grasp, of those tried first
  std::vector<std::vector<GraspFate>> fates_;        // by candidate and grasp
  std::vector<std::vector<double>> clearances_;      // likewise [m]
  std::vector<std::vector<PickScene::Stop>> stops_;  // by part; empty when not asked for
};

}  // namespace

const char* name_of(GraspFate fate) {
  switch (fate) {
    case GraspFate::Free:
      return "free";
    case GraspFate::HitsBin:
      return "hits bin";
    case GraspFate::HitsPart:
      return "hits part";
    case GraspFate::HitsObstacle:
      return "hits obstacle";
    case GraspFate::ApproachBlocked:
      return "approach blocked";
    case GraspFate::RetreatBlocked:
      return "retreat blocked";
    case GraspFate::OutOfReach:
      break;
  }
  return "out of reach";
}

struct Picker::Data : Prepared {
  using Prepared::Prepared;
};

Result<Picker> Picker::make(const Model& part, const Gripper& gripper,
                            std::span<const Grasp> grasps) {
  if (grasps.empty()) return invalid("there are no grasps", "generate some first");
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    if (const Result<Pose> pose = checked_pose(grasps[i].part_from_gripper); !pose)
      return invalid("grasp " + std::to_string(i) + ": " + pose.error().reason);
  }
  return Picker(std::make_shared<const Data>(part, gripper, grasps));
}

Result<PickResult> Picker::evaluate(const Pile& pile, const PickObstacles& obstacles,
                                    const PickOptions& options) const {
  if (Status status = check_input(pile, data_->grasps.size(), obstacles, options); !status)
    return status.error();
  return Evaluation(*data_, pile, obstacles, options).run();
}

Result<PickResult> evaluate_picks(const Model& part, const Gripper& gripper,
                                  std::span<const Grasp> grasps, const Pile& pile,
                                  const PickObstacles& obstacles, const PickOptions& options) {
  const Result<Picker> picker = Picker::make(part, gripper, grasps);
  if (!picker) return picker.error();
  return picker->evaluate(pile, obstacles, options);
}

}  // namespace clearance
