// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <clearance/chain/chain_obstacles.h>

#include "chain/chain_state.h"
#include "chain/found_pairs.h"
#include "chain/link_pair.h"
#include "chain/obstacle_tree.h"
#include "chain/placed_chain.h"

namespace clearance {
namespace {

using detail::ChainPart;
using detail::ObstacleTree;
using detail::PlacedObstacle;

/// Pairs that touched and are tested first the next time.
constexpr std::size_t kRemembered = 4;

/// The obstacle in its own frame: what it is, and its bounds.
Box place_shape(const ObstacleShape& shape, PlacedObstacle& placed) {
  if (const auto* cloud = std::get_if<PointCloud>(&shape)) {
    placed.shape = *cloud;
    Box box = cloud->tree().bounds();
    const Vec3 grow{cloud->radius(), cloud->radius(), cloud->radius()};
    return {box.low - grow, box.high + grow};
  }
  LinkShape link;
  if (const auto* model = std::get_if<Model>(&shape)) {
    link = model->bvh();
    if (model->is_solid()) placed.model.push_back(*model);
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    link = LinkSpheres{*sphere};
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    link = *capsule;
  } else if (const auto* body = std::get_if<ConvexBody>(&shape)) {
    link = *body;
  } else {
    link = std::get<Bvh>(shape);
  }
  const Box box = detail::bounds_of(link);
  placed.shape = std::move(link);
  return box;
}

/// The rules are those of a link and of a joint.
Status check_obstacle(const PlacedObstacle& placed, const Pose& pose) {
  Chain chain;
  const auto* shape = std::get_if<LinkShape>(&placed.shape);
  chain.links.push_back(shape != nullptr ? *shape : LinkSpheres{});
  chain.links.emplace_back(LinkSpheres{});
  chain.joints.push_back(pose);
  return check(chain);
}

std::uint32_t build_nodes(ObstacleTree& tree, std::span<std::uint32_t> obstacles) {
  const auto index = static_cast<std::uint32_t>(tree.nodes.size());
  ObstacleTree::Node node;
  for (const std::uint32_t i : obstacles) node.box.include(tree.obstacles[i].bounds);
  tree.nodes.push_back(node);
  if (obstacles.size() == 1) {
    tree.nodes[index].obstacle = obstacles[0];
    return index;
  }
  // Halves by their middles along the longest side.
  const Vec3 size = node.box.size();
  const std::size_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const auto middle = [&](std::uint32_t i) { return tree.obstacles[i].bounds.center()[axis]; };
  std::sort(obstacles.begin(), obstacles.end(), [&](std::uint32_t a, std::uint32_t b) {
    return middle(a) != middle(b) ? middle(a) < middle(b) : a < b;
  });
  const std::size_t half = obstacles.size() / 2;
  const std::uint32_t left = build_nodes(tree, obstacles.first(half));
  const std::uint32_t right = build_nodes(tree, obstacles.subspan(half));
  tree.nodes[index].left = left;
  tree.nodes[index].right = right;
  return index;
}

/// The descent of a chain against the tree of obstacles. A Visitor says which distances still
/// matter and looks at the links that may be that close:
///
///   double threshold() const;   // pairs proven farther apart than this are dropped; may shrink
///   bool link(const ChainPart& link, std::uint32_t obstacle);   // true: stop
template <class Visitor>
class ObstacleDescent {
 public:
  ObstacleDescent(const detail::PlacedChain& chain, const ObstacleTree& tree, Visitor& visitor,
                  ChainWork& work)
      : chain_(chain), tree_(tree), visitor_(visitor), work_(work) {}

  void run() {
    if (!tree_.nodes.empty() && chain_.matters(chain_.whole())) visit(chain_.whole(), 0);
  }

 private:
  struct Choice {
    double gap;
    std::size_t at;
  };

  [[nodiscard]] bool too_far(double gap) const {
    return gap > visitor_.threshold() + chain_.slack();
  }

  bool visit(const ChainPart part, std::uint32_t at) {
    const ObstacleTree::Node& node = tree_.nodes[at];
    ++work_.volume_tests;
    if (too_far(detail::bounds_gap(part.bounds, node.box))) return false;
    if (node.is_leaf()) {
      if (part.is_link) return visitor_.link(part, node.obstacle);
      const double limit = visitor_.threshold() + chain_.slack();
      if (std::isfinite(limit) &&
          !detail::box_within(tree_.obstacles[node.obstacle], part.box, limit, work_))
        return false;
      return open(part, at);
    }
    if (!part.is_link && norm(part.box.half_size) > 0.5 * node.box.diagonal())
      return open(part, at);
    // The nearer half first.
    const double left = detail::bounds_gap(part.bounds, tree_.nodes[node.left].box);
    const double right = detail::bounds_gap(part.bounds, tree_.nodes[node.right].box);
    const bool swapped = right < left;
    return visit(part, swapped ? node.right : node.left) ||
           visit(part, swapped ? node.left : node.right);
  }

  bool open(const ChainPart& part, std::uint32_t at) {
    const std::size_t first = parts_.size();
    chain_.open(part, parts_);
    const std::size_t first_choice = choices_.size();
    for (std::size_t i = first; i < parts_.size(); ++i) {
      if (!chain_.matters(parts_[i])) continue;
      choices_.push_back({detail::bounds_gap(parts_[i].bounds, tree_.nodes[at].box), i});
    }
    const std::size_t end = choices_.size();
    // Of equals the last first: the farther behind a changed joint, the farther it moved.
    std::sort(choices_.begin() + static_cast<std::ptrdiff_t>(first_choice), choices_.end(),
              [](const Choice& a, const Choice& b) {
                return a.gap != b.gap ? a.gap < b.gap : a.at > b.at;
              });
    bool done = false;
    for (std::size_t i = first_choice; i < end && !done; ++i)
      done = visit(parts_[choices_[i].at], at);
    parts_.resize(first);
    choices_.resize(first_choice);
    return done;
  }

  const detail::PlacedChain& chain_;
  const ObstacleTree& tree_;
  Visitor& visitor_;
  ChainWork& work_;
  std::vector<ChainPart> parts_;  // opened and not yet done with
  std::vector<Choice> choices_;   // the order to take them in
};

class TouchVisitor {
 public:
  TouchVisitor(const detail::PlacedChain& chain, const ObstacleTree& tree, ChainWork& work)
      : chain_(chain), tree_(tree), work_(work) {}
  static double threshold() { return 0.0; }
  bool link(const ChainPart& link, std::uint32_t obstacle) {
    if (!touches(link.index, link.world_from_part, obstacle)) return false;
    contact = {link.index, obstacle};
    return true;
  }
  bool touches(std::uint32_t link, const Pose& world_from_link, std::uint32_t obstacle) {
    ++work_.link_tests;
    return detail::link_within(tree_.obstacles[obstacle], chain_.link(link), world_from_link,
                               chain_.slack());
  }

  ObstacleContact contact;

 private:
  const detail::PlacedChain& chain_;
  const ObstacleTree& tree_;
  ChainWork& work_;
};

class ContactsVisitor : TouchVisitor {
 public:
  using TouchVisitor::threshold;
  using TouchVisitor::TouchVisitor;
  bool link(const ChainPart& link, std::uint32_t obstacle) {
    if (touches(link.index, link.world_from_part, obstacle))
      pairs.push_back({link.index, obstacle});
    return false;
  }

  std::vector<ObstacleContact> pairs;
};

class NearestVisitor {
 public:
  NearestVisitor(const detail::PlacedChain& chain, const ObstacleTree& tree, double upper_bound,
                 ObstacleDistance& answer)
      : chain_(chain), tree_(tree), nearest_(answer, upper_bound), work_(answer.work) {}
  [[nodiscard]] double threshold() const { return nearest_.threshold(); }
  bool link(const ChainPart& link, std::uint32_t obstacle) {
    ++work_.link_tests;
    const double bound = nearest_.needed_below(chain_.slack());
    const double d = detail::link_distance(tree_.obstacles[obstacle], chain_.link(link.index),
                                           link.world_from_part, bound);
    if (d < bound)
      nearest_.offer(ObstacleContact{link.index, obstacle}, d <= chain_.slack() ? 0.0 : d);
    return false;
  }

 private:
  const detail::PlacedChain& chain_;
  const ObstacleTree& tree_;
  detail::NearestPair<ObstacleDistance> nearest_;
  ChainWork& work_;
};

}  // namespace

Result<ChainObstacles> ChainObstacles::build(const std::vector<Obstacle>& obstacles) {
  auto tree = std::make_shared<ObstacleTree>();
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    PlacedObstacle placed;
    const Box own = place_shape(obstacles[i].shape, placed);
    if (const Status status = check_obstacle(placed, obstacles[i].world_from_obstacle); !status) {
      Error error = status.error();
      error.place = "obstacle " + std::to_string(i);
      return error;
    }
    placed.world_from_obstacle = detail::rigid(obstacles[i].world_from_obstacle);
    placed.obstacle_from_world = inverse(placed.world_from_obstacle);
    ChainPart part;
    const double off = detail::kPlacedPoseError *
                       (detail::reach_of(own) + norm(placed.world_from_obstacle.translation));
    detail::set_box(part, placed.world_from_obstacle, own.center(),
                    0.5 * own.size() + Vec3{off, off, off});
    placed.bounds = part.bounds;
    tree->extent = std::max(tree->extent, detail::reach_of(placed.bounds));
    tree->obstacles.push_back(std::move(placed));
  }
  std::vector<std::uint32_t> order(obstacles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  if (!order.empty()) build_nodes(*tree, order);
  return ChainObstacles(std::move(tree));
}

ChainObstacles::ChainObstacles(std::shared_ptr<const ObstacleTree> tree) : tree_(std::move(tree)) {}
std::size_t ChainObstacles::size() const { return tree_->obstacles.size(); }

ObstacleCollision collide(const ChainTree& chain, const Pose& world_from_link0,
                          const ChainObstacles& obstacles, ObstacleLinks links,
                          ObstacleMemory* memory) {
  ObstacleCollision answer;
  if (!detail::can_be_placed(world_from_link0)) {
    answer.hit = true;
    return answer;
  }
  const ObstacleTree& tree = obstacles.tree();
  const detail::PlacedChain placed(chain, world_from_link0, tree.extent,
                                   links == ObstacleLinks::Moved);
  TouchVisitor visitor(placed, tree, answer.work);
  if (memory != nullptr) {
    for (const ObstacleContact& recent : memory->recent) {
      if (recent.link >= chain.link_count() || recent.obstacle >= tree.obstacles.size() ||
          !placed.matters(recent.link, recent.link))
        continue;
      if (!visitor.touches(recent.link, placed.world_from_link(recent.link), recent.obstacle))
        continue;
      answer.hit = answer.remembered = true;
      answer.contact = recent;
      detail::remember(memory->recent, answer.contact, kRemembered);
      return answer;
    }
  }
  ObstacleDescent(placed, tree, visitor, answer.work).run();
  answer.hit = visitor.contact.link != kNoTriangle;
  answer.contact = visitor.contact;
  if (answer.hit && memory != nullptr)
    detail::remember(memory->recent, answer.contact, kRemembered);
  return answer;
}

ObstacleContacts contacts(const ChainTree& chain, const Pose& world_from_link0,
                          const ChainObstacles& obstacles, ObstacleLinks links) {
  ObstacleContacts answer;
  if (!detail::can_be_placed(world_from_link0)) {
    answer.pairs.emplace_back();
    return answer;
  }
  const detail::PlacedChain placed(chain, world_from_link0, obstacles.tree().extent,
                                   links == ObstacleLinks::Moved);
  ContactsVisitor visitor(placed, obstacles.tree(), answer.work);
  ObstacleDescent(placed, obstacles.tree(), visitor, answer.work).run();
  std::sort(visitor.pairs.begin(), visitor.pairs.end());
  answer.pairs = std::move(visitor.pairs);
  return answer;
}

ObstacleDistance distance(const ChainTree& chain, const Pose& world_from_link0,
                          const ChainObstacles& obstacles, double upper_bound,
                          ObstacleLinks links) {
  ObstacleDistance answer;
  if (!detail::can_be_placed(world_from_link0)) {
    answer.distance = 0.0;
    return answer;
  }
  const detail::PlacedChain placed(chain, world_from_link0, obstacles.tree().extent,
                                   links == ObstacleLinks::Moved);
  NearestVisitor visitor(placed, obstacles.tree(), upper_bound, answer);
  ObstacleDescent(placed, obstacles.tree(), visitor, answer.work).run();
  return answer;
}

}  // namespace clearance
