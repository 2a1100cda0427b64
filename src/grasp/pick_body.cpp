// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/pick_body.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/geometry/convex_hull.h>
#include <clearance/query/shapes.h>

#include "geometry/simd.h"

namespace clearance::detail {
namespace {

/// Shapes around a body are enlarged and those inside made smaller by this fraction of their
/// coordinates: far more than rounding takes, here and in what they are used for.
constexpr double kRounding = 1e-10;
/// Balls inside a body at most: each costs a little every time.
constexpr std::size_t kMostInnerBalls = 64;
constexpr std::size_t kMostSurfacePoints = 192;
/// Inner balls are looked for on a grid of so many cells along the longest side...
constexpr int kInnerCells = 32;
/// ...and count when they are as large as this, as a fraction of the diagonal.
constexpr double kLeastInnerRadius = 0.01;
/// A ball inside takes the place of points that it holds when made smaller by this factor.
constexpr double kInnerSpacing = 0.6;
/// The box inside a piece is its bounds, made smaller by such factors until it is inside.
constexpr std::array<double, 5> kInsideFactors{1.0 - 1e-9, 0.95, 0.85, 0.7, 0.5};

Sphere ball_around(std::span<const Vec3> points) {
  Box box;
  for (const Vec3& p : points) box.include(p);
  Sphere ball{box.center(), 0.0};
  for (const Vec3& p : points) ball.radius = std::max(ball.radius, distance(p, ball.center));
  ball.radius += kRounding * (ball.radius + norm(ball.center));
  return ball;
}

Box enlarged(Box box) {
  const double more = kRounding * largest_component(max(abs(box.low), abs(box.high)));
  box.low -= {more, more, more};
  box.high += {more, more, more};
  return box;
}

/// A box within the solid, empty where none is found: its surface does not reach into it, and its
/// middle is inside.
Box box_inside(const Model& body) {
  if (!body.is_solid()) return {};
  const Box bounds = body.mesh().bounds();
  const Vec3 center = bounds.center();
  if (body.side(center) != Side::Inside) return {};
  for (const double factor : kInsideFactors) {
    const Vec3 half = 0.5 * factor * bounds.size();
    if (!collide(body.bvh(), OrientedBox{Pose::translate(center), half}).hit)
      return Box{center - half, center + half};
  }
  return {};
}

/// Large balls inside a solid: the deepest points of a grid, each away from those before.
std::vector<Sphere> balls_inside(const Model& body) {
  if (!body.is_solid()) return {};
  const Box bounds = body.mesh().bounds();
  const double step = largest_component(bounds.size()) / kInnerCells;
  const double least = kLeastInnerRadius * bounds.diagonal();
  std::vector<Sphere> found;
  for (double x = bounds.low.x + 0.5 * step; x < bounds.high.x; x += step) {
    for (double y = bounds.low.y + 0.5 * step; y < bounds.high.y; y += step) {
      for (double z = bounds.low.z + 0.5 * step; z < bounds.high.z; z += step) {
        const Vec3 p{x, y, z};
        if (body.side(p) != Side::Inside) continue;
        const double depth = distance(body.bvh(), p).distance;
        if (depth >= least) found.push_back({p, depth * (1.0 - 1e-6)});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Sphere& a, const Sphere& b) { return a.radius > b.radius; });
  std::vector<Sphere> taken;
  for (const Sphere& ball : found) {
    if (taken.size() == kMostInnerBalls) break;
    const bool is_held = std::any_of(taken.begin(), taken.end(), [&](const Sphere& t) {
      return distance(t.center, ball.center) < kInnerSpacing * t.radius;
    });
    if (!is_held) taken.push_back(ball);
  }
  return taken;
}

/// Points of the surface, far from each other: each next is the farthest from those before.
std::vector<Vec3> points_on(const Mesh& mesh) {
  std::vector<Vec3> all(mesh.vertices().begin(), mesh.vertices().end());
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    all.push_back((t.a + t.b + t.c) / 3.0);
  }
  std::vector<double> gap(all.size(), std::numeric_limits<double>::infinity());
  std::vector<Vec3> taken;
  std::size_t next = 0;
  while (taken.size() < kMostSurfacePoints && gap[next] > 0.0) {
    taken.push_back(all[next]);
    for (std::size_t i = 0; i < all.size(); ++i)
      gap[i] = std::min(gap[i], squared_norm(all[i] - taken.back()));
    next = static_cast<std::size_t>(std::max_element(gap.begin(), gap.end()) - gap.begin());
  }
  return taken;
}

}  // namespace

PickBalls::PickBalls(std::span<const Sphere> balls) {
  if (balls.empty()) return;
  const std::size_t count = (balls.size() + kLanes - 1) / kLanes * kLanes;
  for (std::size_t i = 0; i < count; ++i) {
    const Sphere& ball = balls[std::min(i, balls.size() - 1)];
    x_.push_back(ball.center.x);
    y_.push_back(ball.center.y);
    z_.push_back(ball.center.z);
    radius_.push_back(ball.radius);
  }
}

bool PickBalls::reaches(std::span<const Box> boxes, const Pose& frame_from_balls, double limit,
                        std::size_t& first) const {
  const Mat3& r = frame_from_balls.rotation;
  const Vec3& t = frame_from_balls.translation;
  const Double4 zero = broadcast4(0.0);
  std::size_t at = first < x_.size() ? first / kLanes * kLanes : 0;
  for (std::size_t done = 0; done < x_.size(); done += kLanes) {
    const auto load = [at](const std::vector<double>& values) {
      const double* v = values.data() + at;
      return Double4{v[0], v[1], v[2], v[3]};
    };
    const Double4 x = load(x_);
    const Double4 y = load(y_);
    const Double4 z = load(z_);
    const Double4 px = r[0].x * x + r[0].y * y + r[0].z * z + t.x;
    const Double4 py = r[1].x * x + r[1].y * y + r[1].z * z + t.y;
    const Double4 pz = r[2].x * x + r[2].y * y + r[2].z * z + t.z;
    const Double4 reach = load(radius_) + limit;
    Mask4 is_beyond{-1, -1, -1, -1};
    for (const Box& box : boxes) {
      const Double4 dx = max(max(box.low.x - px, px - box.high.x), zero);
      const Double4 dy = max(max(box.low.y - py, py - box.high.y), zero);
      const Double4 dz = max(max(box.low.z - pz, pz - box.high.z), zero);
      is_beyond &= dx * dx + dy * dy + dz * dz > reach * reach;
    }
    if (!all(is_beyond)) {
      first = at;
      return true;
    }
    at += kLanes;
    if (at == x_.size()) at = 0;
  }
  return false;
}

PickBody::PickBody(const Model& body, Standing /*tag*/)
    : model(body), ball(ball_around(body.mesh().vertices())) {
  add_piece(enlarged(body.mesh().bounds()), {});
}

PickBody PickBody::standing(const Model& body) { return {body, Standing{}}; }

PickBody::PickBody(const Model& body) : PickBody(body, Standing{}) {
  const Mesh& mesh = body.mesh();
  if (const Result<ConvexHull> hull = convex_hull(mesh.vertices())) {
    for (const std::uint32_t v : hull->vertices) corners.push_back(mesh.vertices()[v]);
  } else {
    corners.assign(mesh.vertices().begin(), mesh.vertices().end());
  }
}

PickBody::PickBody(const Model& body, std::span<const Model> pieces) : PickBody(body) {
  CLEARANCE_ASSERT(pieces.size() <= kMostPieces);
  forget_pieces();
  for (const Model& piece : pieces) add_piece(enlarged(piece.mesh().bounds()), box_inside(piece));
}

void PickBody::forget_pieces() {
  around.clear();
  around_radius.clear();
  inside.clear();
}

void PickBody::add_piece(const Box& around_piece, const Box& inside_piece) {
  around.push_back(around_piece);
  around_radius.push_back(0.5 * around_piece.diagonal() * (1.0 + kRounding));
  inside.push_back(inside_piece);
}

void PickBody::add_balls() {
  std::vector<Sphere> balls = balls_inside(model);
  for (const Vec3& p : points_on(model.mesh())) balls.push_back({p, 0.0});
  inner_balls = PickBalls(balls);
}

Result<PickBody> PickBody::swept(const Vec3& way) const {
  const Result<Mesh> mesh = swept_along(model.mesh(), way);
  if (!mesh) return mesh.error();
  const Result<Model> swept_model = Model::build(*mesh);
  if (!swept_model) return swept_model.error();
  PickBody body(*swept_model);
  body.forget_pieces();
  // A box that goes along an axis goes through a box; along other ways it stays where it was.
  const bool is_along_axis = (way.x != 0.0) + (way.y != 0.0) + (way.z != 0.0) == 1;
  for (std::size_t i = 0; i < around.size(); ++i) {
    Box outer = around[i];
    outer.include(Box{outer.low + way, outer.high + way});
    Box inner = inside[i];
    if (is_along_axis && !inner.empty()) inner.include(Box{inner.low + way, inner.high + way});
    body.add_piece(outer, inner);
  }
  return body;
}

Result<Mesh> swept_along(const Mesh& mesh, const Vec3& way) {
  const auto count = static_cast<std::uint32_t>(mesh.vertex_count());
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  for (std::uint32_t i = 0; i < count; ++i) vertices.push_back(vertices[i] + way);
  std::vector<Face> faces;
  for (const Face& face : mesh.faces()) {
    const Triangle t{vertices[face[0]], vertices[face[1]], vertices[face[2]]};
    // The prism faces outward when the triangle at its start faces away from the way.
    const bool along = dot(cross(t.b - t.a, t.c - t.a), way) > 0.0;
    const auto [a, b, c] = along ? Face{face[0], face[2], face[1]} : face;
    const std::uint32_t d = a + count;
    const std::uint32_t e = b + count;
    const std::uint32_t f = c + count;
    for (const Face& side : {Face{a, b, c}, Face{d, f, e}, Face{a, d, b}, Face{b, d, e},
                             Face{b, e, c}, Face{c, e, f}, Face{c, f, a}, Face{a, f, d}})
      faces.push_back(side);
  }
  return Mesh::make(std::move(vertices), std::move(faces));
}

}  // namespace clearance::detail
