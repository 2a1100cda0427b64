// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_spheres.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "bvh/wide_tree.h"
#include "contour/probe_contest.h"

namespace clearance::detail {
namespace {

// Groups a task packs at a time.
constexpr std::size_t kGroupsPerTask = 2048;

float rounded_up(double v) {
  const auto f = static_cast<float>(v);
  return static_cast<double>(f) < v ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

// Calls write(g) for every group of eight.
template <class Write>
void for_groups(PackedSpheres& packed, Threads threads, const Write& write) {
  packed.groups.resize((packed.count + 7) / 8);
  const std::size_t tasks = (packed.groups.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  const auto write_task = [&](std::size_t task) {
    const std::size_t end = std::min(packed.groups.size(), (task + 1) * kGroupsPerTask);
    for (std::size_t g = task * kGroupsPerTask; g < end; ++g) write(g);
  };
  parallel_for(threads, tasks, std::ref(write_task));
}

// The spheres of sphere_of() for eight triangles, about: any centre is right that a radius fits.
Sphere8 spheres_around(const float (&corners)[9][8], float grown) {
  Float8 a[3];
  Float8 b[3];
  Float8 c[3];
  for (int k = 0; k < 3; ++k) {
    a[k] = load8(corners[k]);
    b[k] = load8(corners[3 + k]);
    c[k] = load8(corners[6 + k]);
  }
  const auto apart_sq = [](const Float8(&p)[3], const Float8(&q)[3]) {
    const Float8 x = p[0] - q[0];
    const Float8 y = p[1] - q[1];
    const Float8 z = p[2] - q[2];
    return fused(x, x, fused(y, y, z * z));
  };
  // About the middle of the longest edge, or about the circumcentre where that is less.
  const Float8 half = broadcast8(0.5F);
  const Float8 bc = apart_sq(b, c);
  const Float8 ca = apart_sq(c, a);
  const Float8 ab = apart_sq(a, b);
  const Int8 is_bc = (bc >= ca) & (bc >= ab);
  const Int8 is_ca = ca >= ab;
  // Weights of the circumcentre, of squares relative to the largest: fourth powers would overflow.
  const Float8 unit = broadcast8(1.0F) / max(bc, max(ca, ab));
  const Float8 wa = unit * bc * (unit * (ca + ab - bc));
  const Float8 wb = unit * ca * (unit * (ab + bc - ca));
  const Float8 wc = unit * ab * (unit * (bc + ca - ab));
  const Float8 inverse = broadcast8(1.0F) / (wa + wb + wc);
  Float8 middle[3];
  Float8 circumcenter[3];
  for (int k = 0; k < 3; ++k) {
    middle[k] = half * (is_bc ? b[k] + c[k] : (is_ca ? c[k] + a[k] : a[k] + b[k]));
    circumcenter[k] = fused(wa, a[k], fused(wb, b[k], wc * c[k])) * inverse;
  }
  const auto farthest_sq = [&](const Float8(&p)[3]) {
    return max(apart_sq(a, p), max(apart_sq(b, p), apart_sq(c, p)));
  };
  const Float8 middle_sq = farthest_sq(middle);
  const Float8 circumscribed_sq = farthest_sq(circumcenter);
  // False where the circumcentre is infinite or no number.
  const Int8 is_less = circumscribed_sq < middle_sq;
  Sphere8 spheres;
  for (int k = 0; k < 3; ++k) store8(spheres.center[k], is_less ? circumcenter[k] : middle[k]);
  const Float8 radius_sq = is_less ? circumscribed_sq : middle_sq;
  store8(spheres.radius, sqrt(radius_sq) * broadcast8(1.000001F) + broadcast8(grown));
  return spheres;
}

// Writes a centre, and gives back where it came to lie by rounding.
Vec3 put_center(Sphere8& group, std::size_t lane, const Vec3& p) {
  const float x = group.center[0][lane] = static_cast<float>(p.x);
  const float y = group.center[1][lane] = static_cast<float>(p.y);
  const float z = group.center[2][lane] = static_cast<float>(p.z);
  return {x, y, z};
}

}  // namespace

Sphere sphere_of(const Triangle& t) {
  // The circle on the longest edge, when it holds the third corner; else the circumscribed one.
  const Vec3 ab = t.b - t.a;
  const Vec3 ac = t.c - t.a;
  const Vec3 bc = t.c - t.b;
  const double ab_sq = squared_norm(ab);
  const double ac_sq = squared_norm(ac);
  const double bc_sq = squared_norm(bc);
  Vec3 center;
  if (ab_sq + ac_sq <= bc_sq) {
    center = t.b + 0.5 * bc;
  } else if (ab_sq + bc_sq <= ac_sq) {
    center = t.a + 0.5 * ac;
  } else if (ac_sq + bc_sq <= ab_sq) {
    center = t.a + 0.5 * ab;
  } else {
    const double along = dot(ab, ac);
    const double area = ab_sq * ac_sq - along * along;  // four times, squared; positive here
    if (area > 0.0) {
      center = t.a + (0.5 * ac_sq * (ab_sq - along) / area) * ab +
               (0.5 * ab_sq * (ac_sq - along) / area) * ac;
    } else {
      center = t.a + 0.5 * ab;
    }
  }
  // Whatever rounding did to the centre, the radius makes up for it.
  const double radius_sq = std::max(
      {squared_norm(t.a - center), squared_norm(t.b - center), squared_norm(t.c - center)});
  return {center, std::sqrt(radius_sq)};
}

void PackedSpheres::pack_triangles(const ProbeMesh& mesh, Threads threads,
                                   std::span<const std::uint32_t> order) {
  center = mesh.center;
  extent = mesh.radius;
  count = order.empty() ? mesh.faces.size() : order.size();
  // Corners are rounded by 2^-24 of the extent in each coordinate, and so is what is computed of
  // them; a few of these make up the growth.
  const float grown = rounded_up(5e-7 * extent) + kVanishingLength;
  for_groups(*this, threads, [&](std::size_t g) {
    alignas(32) float corners[9][8];
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const std::size_t i = std::min(8 * g + lane, count - 1);
      const Face& face = mesh.faces[order.empty() ? i : order[i]];
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3 p = mesh.vertices[face[c]] - center;
        for (std::size_t k = 0; k < 3; ++k) corners[3 * c + k][lane] = static_cast<float>(p[k]);
      }
    }
    groups[g] = spheres_around(corners, grown);
  });
}

void PackedSpheres::pack_vertices(const ProbeMesh& mesh, Threads threads) {
  center = mesh.center;
  extent = mesh.radius;
  count = mesh.vertices.size();
  for_groups(*this, threads, [&](std::size_t g) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const Vec3 exact = mesh.vertices[std::min(8 * g + lane, count - 1)] - center;
      const Vec3 put = put_center(groups[g], lane, exact);
      groups[g].radius[lane] = rounded_up(norm(exact - put));
    }
  });
}

Shell8::Shell8(const SegmentShell& shell, const PackedSpheres& spheres) {
  const Vec3 c = shell.center - spheres.center;
  for (std::size_t k = 0; k < 3; ++k) {
    center[k] = static_cast<float>(c[k]);
    axis[k] = static_cast<float>(shell.axis[k]);
  }
  half_length = static_cast<float>(shell.half_length);
  radius = static_cast<float>(shell.radius);
  cone_radius = static_cast<float>(shell.cone_radius);
  cone_slope = static_cast<float>(shell.cone_slope);
  cone_cosine = static_cast<float>(shell.cone_cosine);
  // The slope of a cone multiplies the error of the height, by four at most; its cosine takes that
  // back.
  const double extent = norm(c) + spheres.extent + shell.reach() + std::abs(shell.cone_radius);
  margin = rounded_up(kShellError * extent) + kVanishingLength;
}

}  // namespace clearance::detail
