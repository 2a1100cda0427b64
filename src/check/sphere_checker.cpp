// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <clearance/base/assert.h>
#include <clearance/check/sphere_checker.h>

#include "check/forward_lanes.h"
#include "check/robot_reach.h"
#include "check/sphere_clusters.h"
#include "check/sphere_field.h"

namespace clearance {

using detail::Float8;
using detail::FloatSphere;
using detail::kClusterSize;
using detail::kLanes;
using detail::PointLanes;
using detail::SphereClusters;
using detail::SphereField;

namespace {

/// What each radius grows by, as a fraction of the reach. A centre is three products and three sums
/// of floats, each right to 2^-24 of the reach, of a rotation, a centre and a translation rounded
/// to floats before: below ten such errors in all; and the square root of the squares' is another
/// two.
constexpr double kMargin = 0x1p-19;
constexpr unsigned kAllLanes = 0xffU;

/// A body that moves.
struct MovingBody {
  std::uint32_t link = 0;
  SphereClusters spheres;
  /// The field of what it is held against, or none.
  std::uint32_t field = kNoLink;
};

PointLanes placed(const detail::PoseLanes& pose, const FloatSphere& s) {
  return detail::placed(pose, s.x, s.y, s.z);
}

/// Lanes in which the two are no farther apart than their radii. A NaN counts as touching.
unsigned touching(const PointLanes& a, const PointLanes& b, float radii) {
  const Float8 apart_sq = detail::squared_distances(a, b);
  return ~detail::bits(apart_sq > detail::broadcast8(radii * radii * (1.0F + 1e-6F))) & kAllLanes;
}

Error invalid(std::string reason) { return {ErrorCode::Invalid, "", "", std::move(reason), ""}; }

bool is_sound(const Sphere& s) {
  return is_finite(s.center) && std::isfinite(s.radius) && s.radius >= 0.0;
}

}  // namespace

struct SphereChecker::Data {
  std::size_t degrees_of_freedom = 0;
  double margin = 0.0;
  std::vector<double> largest;  // by value: beyond, the margin does not hold
  std::size_t moving_spheres = 0;
  std::size_t standing_spheres = 0;
  std::optional<detail::ForwardLanes> forward;
  std::vector<MovingBody> bodies;
  std::vector<SphereField> fields;
  std::vector<BodyPair> pairs;  // of moving bodies
};

/// Where the spheres of each body are; what is not needed is not placed.
struct SphereChecker::Scratch::State {
  std::vector<detail::Lanes> values;
  std::vector<detail::ForwardLanes::LinkPose> links;
  std::vector<detail::PoseLanes> poses;
  struct Placed {
    PointLanes whole;
    bool has_clusters = false;
    std::vector<PointLanes> clusters;
    std::vector<std::uint8_t> has_spheres;  // by cluster
    std::vector<PointLanes> spheres;
  };
  std::vector<Placed> bodies;
};

SphereChecker::Scratch::Scratch() : state_(std::make_unique<State>()) {}
SphereChecker::Scratch::~Scratch() = default;
SphereChecker::Scratch::Scratch(Scratch&&) noexcept = default;
SphereChecker::Scratch& SphereChecker::Scratch::operator=(Scratch&&) noexcept = default;

namespace {

using Placed = SphereChecker::Scratch::State::Placed;

/// Eight configurations against everything.
class Block {
 public:
  Block(const SphereChecker::Data& data, SphereChecker::Scratch::State& state)
      : data_(data), state_(state) {}

  /// Lanes that touch. The values are in the scratch.
  unsigned hits(unsigned asked) {
    data_.forward->place(state_.values, state_.links, state_.poses);
    state_.bodies.resize(data_.bodies.size());
    for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
      const MovingBody& body = data_.bodies[i];
      state_.bodies[i].whole = placed(state_.poses[body.link], body.spheres.whole);
      state_.bodies[i].has_clusters = false;
    }
    open_ = asked;
    // The bodies at the end of the arm first: they hit most.
    for (std::size_t i = data_.bodies.size(); i-- > 0 && open_ != 0;) against_field(i);
    for (const auto& [a, b] : data_.pairs) {
      if (open_ == 0) break;
      against(a, b);
    }
    return asked & ~open_;
  }

 private:
  const Placed& with_clusters(std::size_t i) {
    Placed& body = state_.bodies[i];
    if (body.has_clusters) return body;
    const SphereClusters& spheres = data_.bodies[i].spheres;
    const detail::PoseLanes& pose = state_.poses[data_.bodies[i].link];
    body.clusters.resize(spheres.clusters.size());
    for (std::size_t k = 0; k < spheres.clusters.size(); ++k)
      body.clusters[k] = placed(pose, spheres.clusters[k]);
    body.has_spheres.assign(spheres.clusters.size(), 0);
    body.spheres.resize(spheres.spheres.size());
    body.has_clusters = true;
    return body;
  }
  /// The eight spheres of a cluster.
  const PointLanes* spheres_of(std::size_t i, std::size_t cluster) {
    Placed& body = state_.bodies[i];
    PointLanes* first = &body.spheres[kClusterSize * cluster];
    if (body.has_spheres[cluster] != 0) return first;
    const detail::PoseLanes& pose = state_.poses[data_.bodies[i].link];
    const FloatSphere* spheres = &data_.bodies[i].spheres.spheres[kClusterSize * cluster];
    for (std::size_t k = 0; k < kClusterSize; ++k) first[k] = placed(pose, spheres[k]);
    body.has_spheres[cluster] = 1;
    return first;
  }

  void against_field(std::size_t i) {
    const MovingBody& body = data_.bodies[i];
    if (body.field == kNoLink) return;
    const SphereField& field = data_.fields[body.field];
    if (field.may_touch(state_.bodies[i].whole, body.spheres.whole.radius, open_) == 0) return;
    const Placed& at = with_clusters(i);
    for (std::size_t k = 0; k < at.clusters.size() && open_ != 0; ++k) {
      const unsigned near = field.may_touch(at.clusters[k], body.spheres.clusters[k].radius, open_);
      if (near == 0) continue;
      const PointLanes* spheres = spheres_of(i, k);
      const FloatSphere* sizes = &body.spheres.spheres[kClusterSize * k];
      unsigned left = near;
      for (std::size_t s = 0; s < kClusterSize && left != 0; ++s)
        left &= ~field.touches(spheres[s], sizes[s].radius, left);
      open_ &= ~(near & ~left);
    }
  }

  void against(std::size_t i, std::size_t j) {
    const SphereClusters& a = data_.bodies[i].spheres;
    const SphereClusters& b = data_.bodies[j].spheres;
    const unsigned near = open_ & touching(state_.bodies[i].whole, state_.bodies[j].whole,
                                           a.whole.radius + b.whole.radius);
    if (near == 0) return;
    const Placed& at_a = with_clusters(i);
    const Placed& at_b = with_clusters(j);
    for (std::size_t k = 0; k < at_a.clusters.size(); ++k) {
      if ((open_ & touching(at_a.clusters[k], state_.bodies[j].whole,
                            a.clusters[k].radius + b.whole.radius)) == 0)
        continue;
      for (std::size_t m = 0; m < at_b.clusters.size(); ++m) {
        const unsigned close = open_ & touching(at_a.clusters[k], at_b.clusters[m],
                                                a.clusters[k].radius + b.clusters[m].radius);
        if (close != 0) against_clusters(i, k, j, m, close);
        if (open_ == 0) return;
      }
    }
  }

  void against_clusters(std::size_t i, std::size_t k, std::size_t j, std::size_t m,
                        unsigned close) {
    const PointLanes* spheres_a = spheres_of(i, k);
    const PointLanes* spheres_b = spheres_of(j, m);
    const FloatSphere* sizes_a = &data_.bodies[i].spheres.spheres[kClusterSize * k];
    const FloatSphere* sizes_b = &data_.bodies[j].spheres.spheres[kClusterSize * m];
    const FloatSphere& whole_b = data_.bodies[j].spheres.clusters[m];
    const PointLanes& at_b = state_.bodies[j].clusters[m];
    for (std::size_t s = 0; s < kClusterSize; ++s) {
      unsigned near =
          close & open_ & touching(spheres_a[s], at_b, sizes_a[s].radius + whole_b.radius);
      for (std::size_t t = 0; t < kClusterSize && near != 0; ++t) {
        const unsigned hit =
            near & touching(spheres_a[s], spheres_b[t], sizes_a[s].radius + sizes_b[t].radius);
        open_ &= ~hit;
        near &= ~hit;
      }
    }
  }

  const SphereChecker::Data& data_;
  SphereChecker::Scratch::State& state_;
  unsigned open_ = 0;  // lanes not known to touch
};

/// No coordinate of a sphere is larger than this for values up to the largest [m].
double reach_of(const SphereScene& scene, const std::vector<double>& largest) {
  double size = 0.0;
  for (const SphereBody& body : scene.bodies) {
    for (const Sphere& s : body.spheres) size = std::max(size, norm(s.center) + s.radius);
    for (const Model& model : body.models) {
      const Box box = model.mesh().bounds();
      size = std::max(size, norm(max(abs(box.low), abs(box.high))));
    }
  }
  return detail::robot_reach(scene.robot, scene.world_from_base, largest) + size;
}

Status check_scene(const SphereScene& scene) {
  for (const SphereBody& body : scene.bodies) {
    if (body.link != kNoLink && body.link >= scene.robot.links().size())
      return invalid("a body moves with a link that is not there");
    if (body.link != kNoLink && !body.models.empty())
      return invalid("a body that moves has meshes instead of spheres");
    if (!std::ranges::all_of(body.spheres, is_sound))
      return invalid("a sphere has a number that is not finite, or a radius below 0");
  }
  for (const auto& [a, b] : scene.pairs) {
    if (a >= scene.bodies.size() || b >= scene.bodies.size() || a == b)
      return invalid("a pair names a body that is not there, or one twice");
  }
  return {};
}

}  // namespace

SphereScene sphere_scene(const ReadyCell& cell, bool standing_meshes) {
  CLEARANCE_ASSERT(cell.has_spheres);
  SphereScene scene{cell.cell.robot, cell.cell.world_from_base, {}, cell.matrix.tested};
  for (const CheckBody& body : cell.bodies) {
    if (standing_meshes && body.link == kNoLink) {
      scene.bodies.push_back({body.link, {}, body.models});
    } else {
      scene.bodies.push_back({body.link, body.spheres, {}});
    }
  }
  return scene;
}

Result<SphereChecker> SphereChecker::make(const SphereScene& scene,
                                          const SphereCheckerOptions& options) {
  if (Status status = check_scene(scene); !status) return status.error();
  if (options.grid < 1 || options.grid > 256 || options.mesh_grid < 1 || options.mesh_grid > 256)
    return invalid("a grid has 1 to 256 cells along its longest side");
  auto data = std::make_shared<Data>();
  data->degrees_of_freedom = scene.robot.degrees_of_freedom();
  data->largest = detail::largest_values(scene.robot);
  data->margin = kMargin * reach_of(scene, data->largest);

  // Bodies that move get numbers of their own.
  std::vector<std::uint32_t> moving(scene.bodies.size(), kNoLink);
  std::vector<bool> needed(scene.robot.links().size(), false);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SphereBody& body = scene.bodies[i];
    if (body.link == kNoLink) {
      data->standing_spheres += body.spheres.size();
      continue;
    }
    if (body.spheres.empty()) continue;
    moving[i] = static_cast<std::uint32_t>(data->bodies.size());
    needed[body.link] = true;
    data->moving_spheres += body.spheres.size();
    data->bodies.push_back({body.link, detail::clusters_of(body.spheres, data->margin)});
  }
  data->forward.emplace(scene.robot, scene.world_from_base, needed);

  // What each body is held against; bodies with the same company share a field.
  std::vector<std::set<std::uint32_t>> company(data->bodies.size());
  for (const auto& [a, b] : scene.pairs) {
    const bool stands_a = scene.bodies[a].link == kNoLink;
    const bool stands_b = scene.bodies[b].link == kNoLink;
    if (!stands_a && !stands_b && moving[a] != kNoLink && moving[b] != kNoLink)
      data->pairs.emplace_back(moving[a], moving[b]);
    if (stands_a && !stands_b && moving[b] != kNoLink) company[moving[b]].insert(a);
    if (stands_b && !stands_a && moving[a] != kNoLink) company[moving[a]].insert(b);
  }
  std::map<std::set<std::uint32_t>, std::uint32_t> fields;
  for (std::size_t i = 0; i < data->bodies.size(); ++i) {
    if (company[i].empty()) continue;
    const auto [found, is_new] =
        fields.try_emplace(company[i], static_cast<std::uint32_t>(data->fields.size()));
    if (is_new) {
      std::vector<Sphere> spheres;
      std::vector<Model> models;
      for (const std::uint32_t body : company[i]) {
        const SphereBody& one = scene.bodies[body];
        spheres.insert(spheres.end(), one.spheres.begin(), one.spheres.end());
        models.insert(models.end(), one.models.begin(), one.models.end());
      }
      const int cells = models.empty() ? options.grid : options.mesh_grid;
      data->fields.emplace_back(spheres, std::move(models), data->margin, cells, options.threads);
    }
    if (!data->fields[found->second].empty()) data->bodies[i].field = found->second;
  }
  return SphereChecker(std::move(data));
}

bool SphereChecker::collides(std::span<const double> values, Scratch& scratch) const {
  std::uint8_t hit = 0;
  collides(values, {&hit, 1}, scratch);
  return hit != 0;
}

void SphereChecker::collides(std::span<const double> values, std::span<std::uint8_t> hits,
                             Scratch& scratch) const {
  const std::size_t freedom = data_->degrees_of_freedom;
  CLEARANCE_ASSERT(values.size() == freedom * hits.size());
  Scratch::State& state = scratch.state();
  state.values.resize(freedom);
  for (std::size_t first = 0; first < hits.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, hits.size() - first);
    unsigned wrong = 0;
    for (std::size_t k = 0; k < freedom; ++k) {
      std::array<double, kLanes> row{};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // Lanes left over repeat the last configuration.
        const double value = values[freedom * (first + std::min(lane, count - 1)) + k];
        if (!std::isfinite(value) || std::abs(value) > data_->largest[k]) {
          wrong |= 1U << lane;
        } else {
          row[lane] = value;
        }
      }
      // Not lane by lane: GCC 12 loses a store to a lane of one of two vectors chosen by ?: when it
      // compiles for AddressSanitizer.
      std::memcpy(&state.values[k], row.data(), sizeof row);
    }
    const auto asked = static_cast<unsigned>((1U << count) - 1U);
    const unsigned hit = wrong | Block(*data_, state).hits(asked & ~wrong);
    for (std::size_t lane = 0; lane < count; ++lane)
      hits[first + lane] = static_cast<std::uint8_t>((hit >> lane) & 1U);
  }
}

double SphereChecker::margin() const { return data_->margin; }
std::size_t SphereChecker::degrees_of_freedom() const { return data_->degrees_of_freedom; }
std::size_t SphereChecker::moving_spheres() const { return data_->moving_spheres; }
std::size_t SphereChecker::standing_spheres() const { return data_->standing_spheres; }

}  // namespace clearance
