// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simple_solids.h"

#include <cmath>
#include <numbers>

namespace clearance::scenes {

SolidBuilder& SolidBuilder::box(const Vec3& low, const Vec3& high) {
  const auto first = static_cast<std::uint32_t>(vertices_.size());
  for (unsigned i = 0; i < 8; ++i) {
    vertices_.push_back({(i & 1U) != 0 ? high.x : low.x, (i & 2U) != 0 ? high.y : low.y,
                         (i & 4U) != 0 ? high.z : low.z});
  }
  constexpr std::uint32_t kQuads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                          {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : kQuads) {
    faces_.push_back({first + q[0], first + q[1], first + q[2]});
    faces_.push_back({first + q[0], first + q[2], first + q[3]});
  }
  return *this;
}

SolidBuilder& SolidBuilder::plate_with_window(const Box& plate, double window_low_y,
                                              double window_high_y, double window_low_z,
                                              double window_high_z) {
  const Vec3& low = plate.low;
  const Vec3& high = plate.high;
  box(low, {high.x, window_low_y, high.z});
  box({low.x, window_high_y, low.z}, high);
  box({low.x, window_low_y, low.z}, {high.x, window_high_y, window_low_z});
  box({low.x, window_low_y, window_high_z}, {high.x, window_high_y, high.z});
  return *this;
}

SolidBuilder& SolidBuilder::rod(std::span<const Vec3> line, double radius, int sides) {
  const auto first = static_cast<std::uint32_t>(vertices_.size());
  const auto n = static_cast<std::uint32_t>(sides);
  const std::size_t last = line.size() - 1;
  const auto direction = [&](std::size_t i) { return normalized(line[i + 1] - line[i]); };
  // The first circle, carried along the line: projected along each leg onto the mitre plane at its
  // end, it stays the section of one and the same cylinder.
  const Vec3 side = any_perpendicular(direction(0));
  const Vec3 up = cross(direction(0), side);
  std::vector<Vec3> circle;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    circle.push_back(line[0] + radius * (std::cos(angle) * side + std::sin(angle) * up));
  }
  for (std::size_t i = 0; i <= last; ++i) {
    if (i > 0) {
      const Vec3 along = direction(i - 1);
      const Vec3 plane = i == last ? along : normalized(along + direction(i));
      for (Vec3& p : circle) p += (dot(line[i] - p, plane) / dot(along, plane)) * along;
    }
    vertices_.insert(vertices_.end(), circle.begin(), circle.end());
  }
  for (std::uint32_t i = 0; i < last; ++i) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = first + i * n + k;
      const std::uint32_t b = first + i * n + (k + 1) % n;
      faces_.push_back({a, b, b + n});
      faces_.push_back({a, b + n, a + n});
    }
  }
  const auto end = first + static_cast<std::uint32_t>(last) * n;
  for (std::uint32_t k = 1; k + 1 < n; ++k) {
    faces_.push_back({first, first + k + 1, first + k});
    faces_.push_back({end, end + k, end + k + 1});
  }
  return *this;
}

SolidBuilder& SolidBuilder::ring(const Vec3& center, double radius, double section, int around,
                                 int sides) {
  const auto first = static_cast<std::uint32_t>(vertices_.size());
  const auto n = static_cast<std::uint32_t>(sides);
  const auto m = static_cast<std::uint32_t>(around);
  for (int i = 0; i < around; ++i) {
    const double turn = 2.0 * std::numbers::pi * i / around;
    for (int k = 0; k < sides; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / sides;
      const double out = radius + section * std::cos(angle);
      vertices_.push_back(
          center + Vec3{out * std::cos(turn), out * std::sin(turn), section * std::sin(angle)});
    }
  }
  for (std::uint32_t i = 0; i < m; ++i) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = first + i * n + k;
      const std::uint32_t b = first + i * n + (k + 1) % n;
      const std::uint32_t c = first + (i + 1) % m * n + (k + 1) % n;
      const std::uint32_t d = first + (i + 1) % m * n + k;
      faces_.push_back({a, d, c});
      faces_.push_back({a, c, b});
    }
  }
  return *this;
}

Mesh SolidBuilder::mesh() const { return Mesh::make(vertices_, faces_).value(); }

}  // namespace clearance::scenes
