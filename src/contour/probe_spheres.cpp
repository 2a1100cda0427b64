// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_spheres.h"

#include <algorithm>
#include <cmath>
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

// Calls write(lane, group, i) for the eight members i of every group; members beyond the last
// repeat it.
template <class Write>
void pack(PackedSpheres& packed, std::size_t count, Threads threads, const Write& write) {
  packed.count = count;
  packed.groups.resize((count + 7) / 8);
  const std::size_t tasks = (packed.groups.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  parallel_for(threads, tasks, [&](std::size_t task) {
    const std::size_t end = std::min(packed.groups.size(), (task + 1) * kGroupsPerTask);
    for (std::size_t g = task * kGroupsPerTask; g < end; ++g) {
      for (std::size_t lane = 0; lane < 8; ++lane)
        write(packed.groups[g], lane, std::min(8 * g + lane, count - 1));
    }
  });
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
  const std::size_t members = order.empty() ? mesh.faces.size() : order.size();
  pack(*this, members, threads, [&](Sphere8& group, std::size_t lane, std::size_t i) {
    Triangle t = mesh.triangle(order.empty() ? i : order[i]);
    t = {t.a - center, t.b - center, t.c - center};
    const Vec3 p = put_center(group, lane, sphere_of(t).center);
    const double radius_sq =
        std::max({squared_norm(t.a - p), squared_norm(t.b - p), squared_norm(t.c - p)});
    group.radius[lane] = rounded_up(std::sqrt(radius_sq));
  });
}

void PackedSpheres::pack_vertices(const ProbeMesh& mesh, Threads threads) {
  center = mesh.center;
  extent = mesh.radius;
  pack(*this, mesh.vertices.size(), threads, [&](Sphere8& group, std::size_t lane, std::size_t i) {
    const Vec3 exact = mesh.vertices[i] - center;
    group.radius[lane] = rounded_up(norm(exact - put_center(group, lane, exact)));
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
  // back. The smallest normal float stands for what underflows.
  const double extent = norm(c) + spheres.extent + shell.reach() + std::abs(shell.cone_radius);
  margin = rounded_up(kShellError * extent) + std::numeric_limits<float>::min();
}

}  // namespace clearance::detail
