// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cmath>
#include <queue>
#include <set>
#include <tuple>

#include <clearance/base/assert.h>
#include <clearance/query/scene.h>

#include "query/answerable.h"
#include "query/scene_tree.h"
#include "query/solid_bounds.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// What a distance of query.h is off at most, as a fraction; doubled.
constexpr double kDistanceSlack = 2e-9;
/// Rounding of a box that is moved by a pose, as a fraction of its coordinates: four roundings of
/// 1.1e-16 each; and what counts as contact because of the relative pose (kRelativeRounding).
constexpr double kBoxRounding = 6e-15;
/// Half the size of the box of a body that may be anywhere [m]: beyond all others, and no overflow
/// in an area.
constexpr double kEverywhere = 1e100;
/// Pairs that are looked at between two looks at the best answer so far. Fixed, so that answers and
/// work do not depend on the number of threads.
constexpr std::size_t kBatch = 32;

/// The box of a body in the world, rounded outward.
Box world_box(const Bvh& bvh, const Pose& world_from_body) {
  if (!detail::is_answerable(world_from_body)) {
    const Vec3 far{kEverywhere, kEverywhere, kEverywhere};
    return {-far, far};
  }
  const Box& own = bvh.bounds();
  const Vec3 center = world_from_body * own.center();
  const Vec3 half = 0.5 * own.size();
  Vec3 reach;
  for (std::size_t k = 0; k < 3; ++k) reach[k] = dot(abs(world_from_body.rotation[k]), half);
  const double slack =
      kBoxRounding * (norm(own.center()) + norm(half) + norm(world_from_body.translation));
  reach += Vec3{slack, slack, slack};
  return {center - reach, center + reach};
}

}  // namespace

struct Scene::State {
  struct Body {
    std::optional<Model> model;  // none once removed
    Pose world_from_body;
  };
  std::vector<Body> bodies;
  std::size_t count = 0;
  std::set<std::pair<BodyId, BodyId>> allowed;  // the lower number first
  detail::SceneTree tree;
};

Scene::Scene() : state_(std::make_unique<State>()) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::Scene(const Scene& other) : state_(std::make_unique<State>(*other.state_)) {}
Scene& Scene::operator=(const Scene& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}

BodyId Scene::add(const Model& model, const Pose& world_from_body) {
  const auto body = static_cast<BodyId>(state_->bodies.size());
  state_->bodies.push_back({model, world_from_body});
  ++state_->count;
  state_->tree.insert(body, world_box(model.bvh(), world_from_body));
  return body;
}

void Scene::move(BodyId body, const Pose& world_from_body) {
  CLEARANCE_ASSERT(contains(body));
  state_->bodies[body].world_from_body = world_from_body;
  state_->tree.update(body, world_box(model(body).bvh(), world_from_body));
}

void Scene::remove(BodyId body) {
  CLEARANCE_ASSERT(contains(body));
  state_->bodies[body].model.reset();
  --state_->count;
  state_->tree.remove(body);
  std::erase_if(state_->allowed,
                [&](const auto& pair) { return pair.first == body || pair.second == body; });
}

std::size_t Scene::size() const { return state_->count; }
bool Scene::contains(BodyId body) const {
  return body < state_->bodies.size() && state_->bodies[body].model.has_value();
}
std::vector<BodyId> Scene::bodies() const {
  std::vector<BodyId> ids;
  for (BodyId i = 0; i < state_->bodies.size(); ++i) {
    if (contains(i)) ids.push_back(i);
  }
  return ids;
}
const Model& Scene::model(BodyId body) const {
  CLEARANCE_ASSERT(contains(body));
  return *state_->bodies[body].model;
}
const Pose& Scene::world_from_body(BodyId body) const {
  CLEARANCE_ASSERT(contains(body));
  return state_->bodies[body].world_from_body;
}

void Scene::allow_contact(BodyId a, BodyId b, bool allowed) {
  CLEARANCE_ASSERT(contains(a) && contains(b) && a != b);
  const std::pair<BodyId, BodyId> pair = std::minmax(a, b);
  if (allowed) {
    state_->allowed.insert(pair);
  } else {
    state_->allowed.erase(pair);
  }
}
bool Scene::is_allowed(BodyId a, BodyId b) const {
  return state_->allowed.contains(std::minmax(a, b));
}

namespace {

using PairOfBodies = std::pair<BodyId, BodyId>;

/// Two bodies, one seen from the other.
struct PosedBodies {
  const Model& model_a;
  const Model& model_b;
  Pose a_from_b;
  bool answerable;  // otherwise they touch
  double rounding;  // a gap that the relative pose may have made of a contact [m]
};
PosedBodies posed(const Scene& scene, const PairOfBodies& bodies) {
  const auto [a, b] = bodies;
  const Pose& world_from_a = scene.world_from_body(a);
  const Pose& world_from_b = scene.world_from_body(b);
  const Pose a_from_b = relative(world_from_a, world_from_b);
  const double coordinates =
      detail::reach(scene.model(b).bvh().bounds()) + norm(a_from_b.translation);
  return {scene.model(a), scene.model(b), a_from_b,
          detail::is_answerable(world_from_a) && detail::is_answerable(world_from_b),
          kRelativeRounding * coordinates};
}

ScenePair in_contact(const Scene& scene, const PairOfBodies& bodies) {
  return {bodies.first, bodies.second, 0.0, Touch::Surfaces,
          scene.is_allowed(bodies.first, bodies.second)};
}

/// A pair in full. Distances at or above the upper bound are infinite.
ScenePair measured(const Scene& scene, const PairOfBodies& bodies, double upper_bound, Work& work) {
  const PosedBodies pair = posed(scene, bodies);
  ScenePair result = in_contact(scene, bodies);
  if (!pair.answerable) return result;
  const double bound = std::max(upper_bound, std::nextafter(pair.rounding, kInfinity));
  const SolidDistance found =
      distance(pair.model_a, pair.model_b, pair.a_from_b, {.upper_bound = bound});
  work += found.work;
  if (found.distance > pair.rounding) {
    result.distance = found.distance >= upper_bound ? kInfinity : found.distance;
    result.touch = Touch::None;
  } else if (found.surface.distance > pair.rounding) {
    result.touch = found.touch;  // one inside the other
  }
  if (found.surface.beyond) return result;
  const Pose& world_from_a = scene.world_from_body(bodies.first);
  result.on_a = world_from_a * found.surface.on_a;
  result.on_b = world_from_a * found.surface.on_b;
  result.triangle_a = found.surface.triangle_a;
  result.triangle_b = found.surface.triangle_b;
  return result;
}

/// Whether a pair touches, and where. The distance is infinite when not.
ScenePair touched(const Scene& scene, const PairOfBodies& bodies, Work& work) {
  const PosedBodies pair = posed(scene, bodies);
  ScenePair result = in_contact(scene, bodies);
  if (!pair.answerable) return result;
  const SolidWithin found = within(pair.model_a, pair.model_b, pair.a_from_b, pair.rounding);
  work += found.work;
  if (!found.within) {
    result.distance = kInfinity;
    result.touch = Touch::None;
    return result;
  }
  if (found.touch != Touch::None) result.touch = found.touch;
  result.triangle_a = found.pair.triangle_a;
  result.triangle_b = found.pair.triangle_b;
  return result;
}

bool comes_before(const ScenePair& x, const ScenePair& y) {
  return std::tie(x.distance, x.a, x.b) < std::tie(y.distance, y.a, y.b);
}

std::vector<PairOfBodies> candidates(const Scene& scene, double limit,
                                     const SceneOptions& options) {
  std::vector<PairOfBodies> pairs = scene.state().tree.pairs_within(limit);
  if (!options.include_allowed)
    std::erase_if(pairs,
                  [&](const PairOfBodies& p) { return scene.is_allowed(p.first, p.second); });
  return pairs;
}

/// Looks at all pairs on all threads and keeps those with a finite distance, sorted.
template <class Look>
ScenePairs look_at_all(const std::vector<PairOfBodies>& pairs, const SceneOptions& options,
                       const Look& look) {
  ScenePairs result;
  result.candidate_count = pairs.size();
  std::vector<ScenePair> found(pairs.size());
  std::vector<Work> work(pairs.size());
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> cancelled = false;
  parallel_for(options.threads, pairs.size(), [&](std::size_t i) {
    if (is_cancelled(options.monitor)) {
      cancelled = true;
      found[i].distance = kInfinity;
      return;
    }
    found[i] = look(pairs[i], work[i]);
    const std::size_t count = ++done;
    if (count % kBatch == 0)
      report_progress(options.monitor, "measuring pairs",
                      static_cast<double>(count) / static_cast<double>(pairs.size()));
  });
  result.complete = !cancelled;
  for (const Work& w : work) result.work += w;
  std::erase_if(found, [](const ScenePair& pair) { return pair.distance == kInfinity; });
  std::sort(found.begin(), found.end(), comes_before);
  result.pairs = std::move(found);
  return result;
}

/// The pairs of leaves of the broad phase by the gap of their boxes, smallest first; among equal
/// gaps in any order.
class NearestFirst {
 public:
  explicit NearestFirst(const detail::SceneTree& tree) : tree_(tree) {
    if (tree.root() != detail::SceneTree::kNone) push(tree.root(), tree.root());
  }
  /// The next pair whose gap is at most the limit.
  std::optional<PairOfBodies> next(double limit) {
    while (!waiting_.empty() && waiting_.top().gap <= limit) {
      const NodePair pair = waiting_.top();
      waiting_.pop();
      const auto& a = tree_.node(pair.a);
      const auto& b = tree_.node(pair.b);
      if (pair.a == pair.b) {
        if (a.is_leaf()) continue;
        push(a.left, a.left);
        push(a.right, a.right);
        push(a.left, a.right);
      } else if (a.is_leaf() && b.is_leaf()) {
        return PairOfBodies(std::minmax(a.body, b.body));
      } else if (!a.is_leaf() && (b.is_leaf() || a.box.diagonal() >= b.box.diagonal())) {
        push(a.left, pair.b);
        push(a.right, pair.b);
      } else {
        push(pair.a, b.left);
        push(pair.a, b.right);
      }
    }
    return std::nullopt;
  }

 private:
  struct NodePair {
    double gap;
    std::uint32_t a, b;
    bool operator<(const NodePair& other) const { return gap > other.gap; }
  };
  void push(std::uint32_t a, std::uint32_t b) {
    const double gap = a == b ? 0.0 : detail::box_gap(tree_.node(a).box, tree_.node(b).box);
    waiting_.push({gap, a, b});
  }

  const detail::SceneTree& tree_;
  std::priority_queue<NodePair> waiting_;
};

}  // namespace

ScenePairs pairs_within(const Scene& scene, double limit, const SceneOptions& options) {
  CLEARANCE_ASSERT(limit >= 0.0);
  // Above the limit by what rounding may have added, and never at it: that would be `beyond`.
  const double upper = std::nextafter(limit * (1.0 + kDistanceSlack), kInfinity);
  return look_at_all(
      candidates(scene, upper, options), options,
      [&](const PairOfBodies& bodies, Work& work) { return measured(scene, bodies, upper, work); });
}

ScenePairs collisions(const Scene& scene, const SceneOptions& options) {
  return look_at_all(
      candidates(scene, 0.0, options), options,
      [&](const PairOfBodies& bodies, Work& work) { return touched(scene, bodies, work); });
}

bool collides(const Scene& scene, const SceneOptions& options) {
  const std::vector<PairOfBodies> pairs = candidates(scene, 0.0, options);
  for (std::size_t first = 0; first < pairs.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, pairs.size() - first);
    std::atomic<bool> hit = false;
    parallel_for(options.threads, count, [&](std::size_t i) {
      Work work;
      if (!hit && touched(scene, pairs[first + i], work).distance == 0.0) hit = true;
    });
    if (hit) return true;
  }
  return false;
}

std::optional<ScenePair> nearest_pair(const Scene& scene, const SceneOptions& options) {
  NearestFirst order(scene.state().tree);
  std::optional<ScenePair> best;
  for (;;) {
    // A pair as near as the best may have lower numbers: it counts, so the bound lies above.
    const double upper =
        best ? std::nextafter(best->distance * (1.0 + kDistanceSlack), kInfinity) : kInfinity;
    std::vector<PairOfBodies> batch;
    while (batch.size() < kBatch) {
      const std::optional<PairOfBodies> next = order.next(upper);
      if (!next) break;
      if (options.include_allowed || !scene.is_allowed(next->first, next->second))
        batch.push_back(*next);
    }
    if (batch.empty()) return best;
    if (is_cancelled(options.monitor)) return std::nullopt;
    report_progress(options.monitor, "looking for the nearest pair", -1.0);
    std::vector<ScenePair> found(batch.size());
    parallel_for(options.threads, batch.size(), [&](std::size_t i) {
      Work work;
      found[i] = measured(scene, batch[i], upper, work);
    });
    for (const ScenePair& pair : found) {
      if (pair.distance < kInfinity && (!best || comes_before(pair, *best))) best = pair;
    }
  }
}

}  // namespace clearance
