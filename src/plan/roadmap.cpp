// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/roadmap.h"

#include <algorithm>
#include <queue>

namespace clearance::detail {
namespace {

// Of so many places one is from anywhere and one half way of a bridge; the others are in passages.
constexpr std::uint64_t kKinds = 4;
// Bridges tried for one place, and their spans as parts of the size of the body.
constexpr int kBridges = 40;
constexpr double kSpans[] = {0.1, 0.3, 1.0};
// Groups of places that a new one is joined to: by straight walks, and by walks that give way for
// so many steps.
constexpr std::size_t kStraightNeighbours = 8;
constexpr std::size_t kSlideNeighbours = 3;
constexpr int kSlides = 60;
// ...no farther than this many sizes of the body.
constexpr double kSlideReach = 2.0;
constexpr double kAnyWay = std::numeric_limits<double>::infinity();

}  // namespace

Roadmap::Roadmap(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
                 const std::vector<Place>& goals, const RoadmapOptions& options)
    : space_(problem, measures),
      bounds_(bounds),
      options_(options),
      walker_(space_, bounds, options.walk),
      sequence_(options.sequence),
      random_(options.sequence + 1),
      fitted_(problem, measures, bounds, options.sequence + 1),
      goals_(goals.size()) {
  const double bound = kFarthestLook * space_.size();
  const Place start = place_of(problem.start, space_.pivot());
  add(start, space_.look(start, bound), true);
  for (const Place& goal : goals) add(goal, space_.look(goal, bound), true);
}

std::uint32_t Roadmap::add(const Place& place, const Near& near, bool listed) {
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({place, near});
  group_.push_back(node);
  if (!listed) return node;
  listed_.push_back(node);
  const double at[7] = {place.position.x, place.position.y, place.position.z, place.turn.x,
                        place.turn.y,     place.turn.z,     place.turn.w};
  for (std::size_t k = 0; k < 7; ++k) listed_at_[k].push_back(static_cast<float>(at[k]));
  return node;
}

std::uint32_t Roadmap::group_of(std::uint32_t node) {
  while (group_[node] != node) node = group_[node] = group_[group_[node]];
  return node;
}

void Roadmap::link(std::uint32_t a, std::uint32_t b) {
  edges_.push_back({a, b});
  const std::uint32_t group_a = group_of(a);
  const std::uint32_t group_b = group_of(b);
  group_[std::max(group_a, group_b)] = std::min(group_a, group_b);
}

void Roadmap::find_neighbours(std::uint32_t node) {
  const Place& place = nodes_[node].place;
  const auto px = static_cast<float>(place.position.x);
  const auto py = static_cast<float>(place.position.y);
  const auto pz = static_cast<float>(place.position.z);
  const auto qx = static_cast<float>(place.turn.x);
  const auto qy = static_cast<float>(place.turn.y);
  const auto qz = static_cast<float>(place.turn.z);
  const auto qw = static_cast<float>(place.turn.w);
  const auto weight = static_cast<float>(8.0 * space_.radius() * space_.radius());
  const std::size_t count = listed_.size();
  gaps_.resize(count);
  const float* const x = listed_at_[0].data();
  const float* const y = listed_at_[1].data();
  const float* const z = listed_at_[2].data();
  const float* const a = listed_at_[3].data();
  const float* const b = listed_at_[4].data();
  const float* const c = listed_at_[5].data();
  const float* const d = listed_at_[6].data();
  float* const gaps = gaps_.data();
  for (std::size_t i = 0; i < count; ++i) {
    const float dx = x[i] - px;
    const float dy = y[i] - py;
    const float dz = z[i] - pz;
    const float cosine = a[i] * qx + b[i] * qy + c[i] * qz + d[i] * qw;
    gaps[i] = dx * dx + dy * dy + dz * dz + weight * (1.0F - (cosine < 0.0F ? -cosine : cosine));
  }
  space_.count(count / kPlacesPerOperation + 1);

  // One of each group; the list is short.
  const std::uint32_t own = group_of(node);
  neighbours_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const bool full = neighbours_.size() == kStraightNeighbours;
    if (full && !(gaps[i] < neighbours_.back().gap)) continue;
    const std::uint32_t group = group_of(listed_[i]);
    if (group == own) continue;
    const auto known = std::find_if(neighbours_.begin(), neighbours_.end(),
                                    [&](const Neighbour& n) { return n.group == group; });
    if (known != neighbours_.end()) {
      if (!(gaps[i] < known->gap)) continue;
      neighbours_.erase(known);
    } else if (full) {
      neighbours_.pop_back();
    }
    const auto after = std::find_if(neighbours_.begin(), neighbours_.end(),
                                    [&](const Neighbour& n) { return gaps[i] < n.gap; });
    neighbours_.insert(after, {gaps[i], listed_[i], group});
  }
}

std::optional<Place> Roadmap::sample() {
  switch (samples_++ % kKinds) {
    case 0:
      return sequence_.place(bounds_);
    case 1:
      return bridge();
    default:
      return fitted_.is_due(space_) ? fitted_.next(space_) : std::nullopt;
  }
}

std::optional<Place> Roadmap::bridge() {
  for (int i = 0; i < kBridges; ++i) {
    const Place one = sequence_.place(bounds_);
    if (!space_.touches(one)) continue;
    std::array<double, 6> u{};
    for (double& value : u) value = random_.uniform(0.0, 1.0);
    const double span = kSpans[random_.below(std::size(kSpans))] * space_.size();
    const Step6 bridge{span * Vec3{2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0, 2.0 * u[2] - 1.0},
                       span * Vec3{2.0 * u[3] - 1.0, 2.0 * u[4] - 1.0, 2.0 * u[5] - 1.0}};
    const Place middle = moved(one, 0.5 * bridge, space_.radius());
    if (space_.touches(middle)) continue;
    if (space_.touches(moved(one, bridge, space_.radius()))) return middle;
  }
  return std::nullopt;
}

Roadmap::Walk Roadmap::walk(std::uint32_t from, std::uint32_t to, int slides) {
  struct Step {
    Place place;
    Near near;
    double length;
  };
  std::vector<Step> steps;
  const Place target = nodes_[to].place;
  const bool arrived =
      walker_.walk(nodes_[from].place, nodes_[from].near, target, kAnyWay, slides, monitor_,
                   [&](const Place& place, const Near& near, double length) {
                     steps.push_back({place, near, length});
                   });
  Walk result{from, arrived};
  if (!arrived && slides == 0) return result;
  if (arrived) steps.pop_back();
  double unlisted = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    unlisted += steps[i].length;
    const bool listed = unlisted > options_.listed || (!arrived && i + 1 == steps.size());
    if (listed) unlisted = 0.0;
    const std::uint32_t next = add(steps[i].place, steps[i].near, listed);
    link(result.last, next);
    result.last = next;
  }
  if (arrived) link(result.last, to);
  return result;
}

void Roadmap::connect(std::uint32_t node) {
  find_neighbours(node);
  std::vector<Neighbour> left;
  for (const Neighbour& neighbour : neighbours_) {
    if (group_of(node) == group_of(neighbour.node)) continue;
    if (!walk(node, neighbour.node, 0).arrived) left.push_back(neighbour);
    if (is_cancelled(monitor_)) return;
  }
  std::size_t slid = 0;
  for (const Neighbour& neighbour : left) {
    if (slid == kSlideNeighbours ||
        neighbour.gap > kSlideReach * kSlideReach * space_.size() * space_.size())
      break;
    if (group_of(node) == group_of(neighbour.node)) continue;
    ++slid;
    const Walk there = walk(node, neighbour.node, kSlides);
    if (!there.arrived && there.last != node) walk(neighbour.node, there.last, kSlides);
    if (is_cancelled(monitor_)) return;
  }
}

bool Roadmap::joined() {
  for (std::uint32_t goal = 1; goal <= goals_; ++goal) {
    if (group_of(goal) == group_of(0)) return true;
  }
  return false;
}

void Roadmap::find_way() {
  std::vector<std::vector<std::uint32_t>> next(nodes_.size());
  for (const Edge& edge : edges_) {
    next[edge.a].push_back(edge.b);
    next[edge.b].push_back(edge.a);
  }
  struct Waiting {
    double way;
    std::uint32_t node;
    std::uint32_t from;
    bool operator<(const Waiting& b) const { return way != b.way ? way > b.way : node > b.node; }
  };
  std::vector<std::uint32_t> from(nodes_.size(), kNoPlace);
  std::priority_queue<Waiting> waiting;
  waiting.push({0.0, 0, 0});
  way_nodes_.clear();
  while (!waiting.empty()) {
    const Waiting here = waiting.top();
    waiting.pop();
    if (from[here.node] != kNoPlace) continue;
    from[here.node] = here.from;
    if (here.node >= 1 && here.node <= goals_) {
      for (std::uint32_t node = here.node; node != 0; node = from[node]) way_nodes_.push_back(node);
      way_nodes_.push_back(0);
      break;
    }
    for (const std::uint32_t node : next[here.node]) {
      if (from[node] != kNoPlace) continue;
      const Step6 step = between(nodes_[here.node].place, nodes_[node].place, space_.radius());
      waiting.push({here.way + norm(step), node, here.node});
    }
  }
  std::reverse(way_nodes_.begin(), way_nodes_.end());
  way_.clear();
  for (const std::uint32_t node : way_nodes_) way_.push_back(nodes_[node].place);
}

void Roadmap::refuse(std::size_t piece) {
  const std::uint32_t a = way_nodes_[piece];
  const std::uint32_t b = way_nodes_[piece + 1];
  for (std::uint32_t i = 0; i < group_.size(); ++i) group_[i] = i;
  std::vector<Edge> edges;
  edges.swap(edges_);
  for (const Edge& edge : edges) {
    if ((edge.a == a && edge.b == b) || (edge.a == b && edge.b == a)) continue;
    link(edge.a, edge.b);
  }
  way_.clear();
}

bool Roadmap::run(std::uint64_t operations, const Monitor* monitor) {
  const std::uint64_t until = space_.operations() + operations;
  monitor_ = monitor;
  // After a refusal another way may be known already.
  if (joined()) return find_way(), true;
  while (space_.operations() < until && !is_cancelled(monitor)) {
    const std::optional<Place> place = sample();
    if (!place || !inside(bounds_, place->position)) continue;
    const Near near = space_.look(*place, kFarthestLook * space_.size());
    if (!(near.room > options_.walk.margin) || !space_.is_free(*place)) continue;
    connect(add(*place, near, true));
    if (joined()) return find_way(), true;
  }
  return false;
}

}  // namespace clearance::detail
