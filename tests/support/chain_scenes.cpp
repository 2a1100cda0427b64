// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/chain_scenes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>

#include "chain/link_pair.h"

namespace clearance::test {
namespace {

Vec3 random_unit(Random& random) {
  return normalized(Vec3{random.normal(), random.normal(), random.normal()});
}

LinkSpheres random_group(Random& random, std::size_t count, double radius) {
  LinkSpheres spheres;
  for (std::size_t i = 0; i < count; ++i) {
    spheres.push_back(
        {random.uniform(0.0, 0.7) * random_unit(random), radius * random.uniform(0.6, 1.0)});
  }
  return spheres;
}

/// The corners of a small random body around the origin.
std::vector<Vec3> random_corners(Random& random, double radius) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 6; ++i) corners.push_back(1.5 * radius * random_unit(random));
  return corners;
}

/// Four triangles of a strip.
Bvh random_mesh(Random& random, double radius) {
  struct Surface {
    std::vector<Vec3> vertices;
    std::vector<Face> faces{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}};
  };
  auto surface = std::make_shared<Surface>();
  surface->vertices = random_corners(random, radius);
  return Bvh::build(surface->vertices, surface->faces, {}, surface).value();
}

LinkShape random_shape(Random& random, double radius) {
  switch (random.below(4)) {
    case 0:
      return random_group(random, 1 + random.below(3), radius);
    case 1: {
      const Vec3 end = 0.5 * random_unit(random);
      return Capsule{{-end, end}, 0.7 * radius};
    }
    case 2:
      return ConvexBody::around(random_corners(random, radius)).value();
    default:
      return random_mesh(random, radius);
  }
}

}  // namespace

const char* name_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::Spheres:
      return "Spheres";
    case LinkKind::Sizes:
      return "Sizes";
    case LinkKind::Groups:
      return "Groups";
    case LinkKind::Mixed:
      return "Mixed";
  }
  return "";
}

Chain random_chain(Random& random, std::uint32_t link_count, LinkKind kind) {
  Chain chain;
  chain.neighbours = static_cast<std::uint32_t>(1 + random.below(3));
  // The more links, the more chances to meet: smaller ones even it out.
  const double radius = random.uniform(0.4, 1.8) / std::sqrt(1.0 + 0.12 * std::sqrt(link_count));
  for (std::uint32_t i = 0; i < link_count; ++i) {
    switch (kind) {
      case LinkKind::Spheres:
        chain.links.emplace_back(LinkSpheres{{{}, radius}});
        break;
      case LinkKind::Sizes:
        chain.links.emplace_back(random_group(random, 1, radius));
        break;
      case LinkKind::Groups:
        chain.links.emplace_back(random_group(random, random.below(7), 0.8 * radius));
        break;
      case LinkKind::Mixed:
        chain.links.push_back(random_shape(random, 0.85 * radius));
        break;
    }
  }
  // Straight stretches, helices and knots: each joint bends by the chain's own measure.
  const double bend = random.uniform(0.1, 1.5);
  for (std::uint32_t i = 0; i + 1 < link_count; ++i) {
    const Mat3 turn = rotation_about(random_unit(random), bend * random.normal());
    chain.joints.push_back({turn, {1.0, 0.0, 0.0}});
  }
  if (link_count > 4) {
    for (std::uint64_t i = random.below(4); i-- > 0;) {
      const auto a = static_cast<std::uint32_t>(random.below(link_count));
      const auto b = static_cast<std::uint32_t>(random.below(link_count));
      if (a != b) chain.ignored.push_back({a, b});
    }
  }
  return chain;
}

Pose random_joint(Random& random, const Pose& present) {
  const double angle = std::numbers::pi * std::pow(10.0, random.uniform(-3.0, 0.0));
  const Pose next = turned(present, {}, random_unit(random), random.below(2) == 0 ? angle : -angle);
  // Products of thousands of turns drift; a joint is as long as it was.
  return {nearest_rotation(next.rotation), normalized(next.translation)};
}

LinkSpheres reshaped(Random& random, const LinkSpheres& present) {
  LinkSpheres next = present;
  for (Sphere& s : next) {
    s.center += random.uniform(0.0, 0.2) * random_unit(random);
    if (norm(s.center) > 0.8) s.center = 0.8 * normalized(s.center);
    s.radius = std::clamp(s.radius * random.uniform(0.9, 1.1), 0.05, 1.0);
  }
  return next;
}

BruteChain::BruteChain(const Chain& chain) : chain_(&chain) { update(chain); }

void BruteChain::update(const Chain& chain) {
  chain_ = &chain;
  poses_ = link_poses(chain.joints);
  bounds_.resize(chain.links.size());
  spheres_.resize(chain.links.size());
  single_ = true;
  double extent = 0.0;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const auto* spheres = std::get_if<LinkSpheres>(&chain.links[i]);
    spheres_[i].clear();
    if (spheres != nullptr) {
      for (const Sphere& s : *spheres) spheres_[i].push_back({poses_[i] * s.center, s.radius});
    }
    if (spheres != nullptr && spheres->size() == 1) {
      bounds_[i] = {poses_[i] * (*spheres)[0].center, (*spheres)[0].radius};
    } else {
      single_ = false;
      const Box box = detail::bounds_of(chain.links[i]);
      bounds_[i] = box.empty() ? Sphere{{}, -1.0}
                               : Sphere{poses_[i] * box.center(), 0.5 * box.diagonal() + 1e-9};
    }
    extent = std::max(extent, norm(poses_[i].translation) + std::abs(bounds_[i].radius));
  }
  // One after the other, N products of poses are off by N roundings at most.
  tolerance_ = 1e-15 * static_cast<double>(chain.links.size() + 20) * (extent + 1.0);
}

double BruteChain::gap(std::uint32_t a, std::uint32_t b) const {
  const LinkShape& link_a = chain_->links[a];
  const LinkShape& link_b = chain_->links[b];
  if (!std::holds_alternative<LinkSpheres>(link_a) || !std::holds_alternative<LinkSpheres>(link_b))
    return detail::link_distance(link_a, link_b, relative(poses_[a], poses_[b]));
  double nearest = std::numeric_limits<double>::infinity();
  for (const Sphere& sa : spheres_[a]) {
    for (const Sphere& sb : spheres_[b])
      nearest = std::min(nearest, distance(sa.center, sb.center) - sa.radius - sb.radius);
  }
  return nearest;
}

void BruteChain::rows(std::uint32_t a, std::uint32_t first, double cutoff,
                      const PairVisitor& visit) const {
  const Sphere& own = bounds_[a];
  if (own.radius < 0.0) return;
  first = std::max(first, a + chain_->neighbours + 1);
  for (std::uint32_t b = first; b < bounds_.size(); ++b) {
    const Sphere& other = bounds_[b];
    const double reach = own.radius + other.radius + cutoff;
    if (other.radius < 0.0 || squared_norm(own.center - other.center) > reach * reach) continue;
    const LinkPair pair{a, b};
    const LinkPair turned_around{b, a};
    const bool ignored =
        std::any_of(chain_->ignored.begin(), chain_->ignored.end(),
                    [&](const LinkPair& p) { return p == pair || p == turned_around; });
    if (ignored) continue;
    const double g =
        single_ ? distance(own.center, other.center) - own.radius - other.radius : gap(a, b);
    if (g <= cutoff) visit(a, b, g);
  }
}

void BruteChain::pairs(double cutoff, const PairVisitor& visit) const {
  for (std::uint32_t a = 0; a < bounds_.size(); ++a) rows(a, 0, cutoff, visit);
}

void BruteChain::changed_pairs(double cutoff, const std::vector<std::uint32_t>& joints,
                               const std::vector<std::uint32_t>& links,
                               const PairVisitor& visit) const {
  for (std::uint32_t a = 0; a < bounds_.size(); ++a) {
    // Everything behind the next changed joint moved against a; before it, reshaped links.
    const auto joint = std::lower_bound(joints.begin(), joints.end(), a);
    const auto behind =
        joint == joints.end() ? static_cast<std::uint32_t>(bounds_.size()) : *joint + 1;
    const bool all = std::binary_search(links.begin(), links.end(), a);
    if (!all) {
      for (const std::uint32_t b : links) {
        if (b <= a || b >= behind) continue;
        rows(a, b, cutoff, [&](std::uint32_t i, std::uint32_t j, double g) {
          if (j == b) visit(i, j, g);
        });
      }
    }
    rows(a, all ? 0 : behind, cutoff, visit);
  }
}

double exact_length(const Chain& chain) {
  long double rotation[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  long double place[3] = {0, 0, 0};
  for (const Pose& joint : chain.joints) {
    long double next[3][3];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        place[i] += rotation[i][k] * joint.translation[k];
        next[i][k] = 0;
        for (std::size_t j = 0; j < 3; ++j) next[i][k] += rotation[i][j] * joint.rotation[j][k];
      }
    }
    std::memcpy(rotation, next, sizeof next);
  }
  return static_cast<double>(
      std::sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2]));
}

}  // namespace clearance::test
