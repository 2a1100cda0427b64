// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <optional>

#include <clearance/base/assert.h>
#include <clearance/base/random.h>
#include <clearance/check/collision_matrix.h>
#include <clearance/query/solid.h>

namespace clearance {
namespace {

/// Samples looked at in one piece of work; between two pieces cancellation is seen.
constexpr std::size_t kSamplesAtOnce = 16;

/// What does not move against each other has one number: that of its link nearest to the root.
std::vector<std::uint32_t> rigid_groups(const Robot& robot) {
  std::vector<std::uint32_t> group(robot.links().size(), 0);
  for (std::uint32_t i = 1; i < group.size(); ++i) {
    const RobotJoint& joint = robot.joints()[i - 1];
    group[i] = joint.kind == JointKind::Fixed ? group[joint.parent] : i;
  }
  return group;
}

/// Is `upper` on the way from `lower` to the root, with no link with shapes between the two?
bool follows(const Robot& robot, const std::vector<bool>& has_shapes, std::uint32_t upper,
             std::uint32_t lower) {
  std::uint32_t link = robot.links()[lower].parent;
  while (link != kNoLink && link != upper && !has_shapes[link]) link = robot.links()[link].parent;
  return link == upper;
}

class Sorter {
 public:
  Sorter(const Robot& robot, std::span<const CheckBody> bodies,
         const CollisionMatrixOptions& options)
      : robot_(robot),
        bodies_(bodies),
        options_(options),
        groups_(rigid_groups(robot)),
        has_shapes_(robot.links().size(), false) {
    for (const CheckBody& body : bodies) {
      CLEARANCE_ASSERT(body.link == kNoLink || body.link < robot.links().size());
      if (body.link != kNoLink) has_shapes_[body.link] = true;
    }
    if (options.srdf != nullptr) {
      disabled_ = disabled_links(robot, *options.srdf);
      for (const DisabledPair& pair : options.srdf->disabled)
        words_[std::minmax(pair.link_a, pair.link_b)] = pair.reason;
    }
  }

  Result<CollisionMatrix> sort() {
    CollisionMatrix matrix;
    matrix.samples = options_.samples;
    matrix.seed = options_.seed;
    if (disabled_) matrix.notes = disabled_->notes;
    const std::vector<Pose> rest = robot_.link_poses(robot_.rest());
    for (std::uint32_t a = 0; a < bodies_.size(); ++a) {
      for (std::uint32_t b = a + 1; b < bodies_.size(); ++b) {
        if (std::optional<PairRule> rule = rule_of({a, b}, rest)) {
          matrix.left_out.push_back(std::move(*rule));
        } else {
          matrix.tested.emplace_back(a, b);
        }
      }
    }
    if (options_.samples > 0)
      if (Status status = sample(matrix); !status) return status.error();
    return matrix;
  }

 private:
  [[nodiscard]] bool moves_with_robot(const BodyPair& pair) const {
    return bodies_[pair.first].link != kNoLink && bodies_[pair.second].link != kNoLink;
  }

  [[nodiscard]] std::optional<PairRule> rule_of(const BodyPair& pair,
                                                const std::vector<Pose>& rest) const {
    const CheckBody& a = bodies_[pair.first];
    const CheckBody& b = bodies_[pair.second];
    // The cell itself stands as still as the root of the robot.
    const std::uint32_t link_a = a.link == kNoLink ? 0 : a.link;
    const std::uint32_t link_b = b.link == kNoLink ? 0 : b.link;
    if (groups_[link_a] == groups_[link_b]) return PairRule{pair, PairReason::Rigid};
    if (std::ranges::find(options_.allowed, pair) != options_.allowed.end())
      return PairRule{pair, PairReason::Allowed};
    if (!moves_with_robot(pair)) return std::nullopt;
    if (follows(robot_, has_shapes_, a.link, b.link) ||
        follows(robot_, has_shapes_, b.link, a.link))
      return PairRule{pair, PairReason::Adjacent};
    const std::string& name_a = robot_.links()[a.link].name;
    const std::string& name_b = robot_.links()[b.link].name;
    // What is mounted on a link is not what the SRDF means by the link.
    if (disabled_ && a.name == name_a && b.name == name_b && disabled_->holds(a.link, b.link)) {
      const auto words = words_.find(std::minmax(name_a, name_b));
      return PairRule{pair, PairReason::Srdf, words == words_.end() ? "" : words->second};
    }
    if (options_.leave_out_at_rest && touch(a, rest[a.link], b, rest[b.link]))
      return PairRule{pair, PairReason::AtRest};
    return std::nullopt;
  }

  Status sample(CollisionMatrix& matrix) {
    std::vector<BodyPair> pairs;
    for (const BodyPair& pair : matrix.tested)
      if (moves_with_robot(pair)) pairs.push_back(pair);
    const std::size_t pieces = (options_.samples + kSamplesAtOnce - 1) / kSamplesAtOnce;
    std::vector<std::vector<std::size_t>> hits(pieces, std::vector<std::size_t>(pairs.size()));
    const Random random(options_.seed);
    parallel_for(options_.threads, pieces, [&](std::size_t piece) {
      if (is_cancelled(options_.monitor)) return;
      Random numbers = random.split(piece);
      const std::size_t first = piece * kSamplesAtOnce;
      const std::size_t last = std::min(first + kSamplesAtOnce, options_.samples);
      for (std::size_t i = first; i < last; ++i) {
        const std::vector<Pose> poses = robot_.link_poses(robot_.random(numbers));
        for (std::size_t k = 0; k < pairs.size(); ++k) {
          const CheckBody& a = bodies_[pairs[k].first];
          const CheckBody& b = bodies_[pairs[k].second];
          if (touch(a, poses[a.link], b, poses[b.link])) ++hits[piece][k];
        }
      }
      report_progress(options_.monitor, "sampling pairs",
                      static_cast<double>(piece + 1) / static_cast<double>(pieces));
    });
    if (is_cancelled(options_.monitor)) return Error{ErrorCode::Cancelled, "", "", "cancelled", ""};
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      std::size_t count = 0;
      for (const std::vector<std::size_t>& piece : hits) count += piece[k];
      const bool always = count == options_.samples;
      const bool never = count == 0;
      if (always || (never && options_.leave_out_never)) {
        matrix.left_out.push_back({pairs[k], always ? PairReason::Always : PairReason::Never});
        std::erase(matrix.tested, pairs[k]);
      } else if (never) {
        matrix.never_found.push_back(pairs[k]);
      }
    }
    std::ranges::sort(matrix.left_out, {}, &PairRule::pair);
    return {};
  }

  const Robot& robot_;
  std::span<const CheckBody> bodies_;
  const CollisionMatrixOptions& options_;
  std::vector<std::uint32_t> groups_;
  std::vector<bool> has_shapes_;  // by link: a body moves with it
  std::optional<DisabledLinks> disabled_;
  std::map<std::pair<std::string, std::string>, std::string> words_;  // of the SRDF, by names
};

}  // namespace

const char* name_of(PairReason reason) {
  switch (reason) {
    case PairReason::Rigid:
      return "rigid";
    case PairReason::Adjacent:
      return "adjacent";
    case PairReason::AtRest:
      return "at_rest";
    case PairReason::Srdf:
      return "srdf";
    case PairReason::Allowed:
      return "allowed";
    case PairReason::Always:
      return "always";
    case PairReason::Never:
      break;
  }
  return "never";
}

const PairRule* CollisionMatrix::rule(std::uint32_t a, std::uint32_t b) const {
  const BodyPair pair = std::minmax(a, b);
  const auto found = std::ranges::lower_bound(left_out, pair, {}, &PairRule::pair);
  return found != left_out.end() && found->pair == pair ? &*found : nullptr;
}

Result<CollisionMatrix> collision_matrix(const Robot& robot, std::span<const CheckBody> bodies,
                                         const CollisionMatrixOptions& options) {
  return Sorter(robot, bodies, options).sort();
}

bool touch(const CheckBody& a, const Pose& world_from_a, const CheckBody& b,
           const Pose& world_from_b) {
  const Pose a_from_b = relative(world_from_a, world_from_b);
  for (const Model& model_a : a.models) {
    for (const Model& model_b : b.models)
      if (collide(model_a, model_b, a_from_b).hit) return true;
  }
  return false;
}

}  // namespace clearance
