// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_spheres.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

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
  // Weights of the corners: those of the circumcentre, or, beyond a side, its two ends.
  const Float8 zero = broadcast8(0.0F);
  const Float8 one = broadcast8(1.0F);
  const Float8 bc = apart_sq(b, c);
  const Float8 ca = apart_sq(c, a);
  const Float8 ab = apart_sq(a, b);
  Float8 wa = bc * (ca + ab - bc);
  Float8 wb = ca * (ab + bc - ca);
  Float8 wc = ab * (bc + ca - ab);
  const Int8 beyond_bc = wa <= zero;
  const Int8 beyond_ca = (wb <= zero) & ~beyond_bc;
  const Int8 beyond_ab = (wc <= zero) & ~beyond_bc & ~beyond_ca;
  wa = beyond_bc ? zero : (beyond_ca | beyond_ab ? one : wa);
  wb = beyond_ca ? zero : (beyond_bc | beyond_ab ? one : wb);
  wc = beyond_ab ? zero : (beyond_bc | beyond_ca ? one : wc);
  const Float8 sum = wa + wb + wc;
  // Squares of squares of tiny triangles may be nothing: any corner will do.
  const Int8 lost = ~(sum > zero);
  wa = lost ? one : wa / sum;
  wb = lost ? zero : wb / sum;
  wc = lost ? zero : wc / sum;

  Sphere8 spheres;
  Float8 center[3];
  for (int k = 0; k < 3; ++k) {
    center[k] = fused(wa, a[k], fused(wb, b[k], wc * c[k]));
    store8(spheres.center[k], center[k]);
  }
  const Float8 radius_sq = max(apart_sq(a, center), max(apart_sq(b, center), apart_sq(c, center)));
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
