// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The surfaces of shapes, round ones from the outside.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <clearance/base/assert.h>
#include <clearance/robot/robot.h>

namespace clearance {
namespace {

/// Added to the radius and half length of round shapes, as a fraction of them: corners are rounded
/// when they are computed and when they are turned, and no face may come to lie inside for that.
constexpr double kOutward = 1e-12;
/// The same for the rounding of corners far from the origin of the link, as a fraction of that
/// distance. A corner is off by about two units in the last place in each coordinate.
constexpr double kOutwardOfPlace = 16.0 * std::numeric_limits<double>::epsilon();

struct Surface {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;

  void quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    faces.push_back({a, b, c});
    faces.push_back({a, c, d});
  }
};

/// A radius or half length, enlarged so that rounding at this place cannot make it too small.
double outward(double size, const Pose& pose) {
  return size * (1.0 + kOutward) + kOutwardOfPlace * norm(pose.translation);
}

Surface box(const Vec3& half) {
  Surface out;
  for (const double z : {-half.z, half.z})
    for (const double y : {-half.y, half.y})
      for (const double x : {-half.x, half.x}) out.vertices.push_back({x, y, z});
  // Corner i: bit 0 is x, bit 1 is y, bit 2 is z.
  out.quad(0, 2, 3, 1);  // below
  out.quad(4, 5, 7, 6);  // above
  out.quad(0, 1, 5, 4);
  out.quad(1, 3, 7, 5);
  out.quad(3, 2, 6, 7);
  out.quad(2, 0, 4, 6);
  return out;
}

double angle_of_side(int i) { return 2.0 * std::numbers::pi * i / kRoundSides; }

/// A prism whose sides touch the cylinder.
Surface prism(double radius, double half_length) {
  constexpr auto kSides = static_cast<std::uint32_t>(kRoundSides);
  const double reach = radius / std::cos(std::numbers::pi / kRoundSides);
  Surface out;
  for (const double z : {-half_length, half_length}) {
    for (int i = 0; i < kRoundSides; ++i)
      out.vertices.push_back(
          {reach * std::cos(angle_of_side(i)), reach * std::sin(angle_of_side(i)), z});
  }
  for (std::uint32_t i = 0; i < kSides; ++i) {
    const std::uint32_t next = (i + 1) % kSides;
    out.quad(i, next, kSides + next, kSides + i);
  }
  for (std::uint32_t i = 1; i + 1 < kSides; ++i) {
    out.faces.push_back({0, i + 1, i});
    out.faces.push_back({kSides, kSides + i, kSides + i + 1});
  }
  return out;
}

/// Rings of kRoundSides corners on a larger sphere, half as many bands from pole to pole.
///
/// How large? The corners of a band between two latitudes lie in planes, one for each side. In the
/// half plane through the middle of a side, its plane is the line through (c cos a, sin a) and
/// (c cos b, sin b), where a and b are the latitudes and c = cos(pi / kRoundSides). The sphere
/// through the corners is enlarged until the nearest of these lines touches the sphere wanted.
Surface globe(double radius) {
  constexpr int kBands = kRoundSides / 2;
  constexpr auto kSides = static_cast<std::uint32_t>(kRoundSides);
  const double squeezed = std::cos(std::numbers::pi / kRoundSides);
  const auto latitude = [](int ring) {
    return std::numbers::pi * (static_cast<double>(ring) / kBands - 0.5);
  };
  double nearest = 1.0;
  for (int band = 0; band < kBands; ++band) {
    const Vec3 a{squeezed * std::cos(latitude(band)), 0.0, std::sin(latitude(band))};
    const Vec3 b{squeezed * std::cos(latitude(band + 1)), 0.0, std::sin(latitude(band + 1))};
    nearest = std::min(nearest, norm(cross(a, b)) / norm(b - a));
  }
  const double reach = radius / nearest;

  Surface out;
  out.vertices.push_back({0.0, 0.0, -reach});
  for (int ring = 1; ring < kBands; ++ring) {
    const double across = reach * std::cos(latitude(ring));
    const double z = reach * std::sin(latitude(ring));
    for (int i = 0; i < kRoundSides; ++i)
      out.vertices.push_back(
          {across * std::cos(angle_of_side(i)), across * std::sin(angle_of_side(i)), z});
  }
  out.vertices.push_back({0.0, 0.0, reach});
  const auto corner = [](std::uint32_t ring, std::uint32_t side) {
    return 1 + ring * kSides + side % kSides;
  };
  const auto top = static_cast<std::uint32_t>(out.vertices.size() - 1);
  const std::uint32_t last = kBands - 2;
  for (std::uint32_t i = 0; i < kSides; ++i) {
    out.faces.push_back({0, corner(0, i + 1), corner(0, i)});
    for (std::uint32_t ring = 0; ring < last; ++ring)
      out.quad(corner(ring, i), corner(ring, i + 1), corner(ring + 1, i + 1), corner(ring + 1, i));
    out.faces.push_back({top, corner(last, i), corner(last, i + 1)});
  }
  return out;
}

}  // namespace

Mesh surface_of(const RobotShape& shape) {
  const Pose& pose = shape.link_from_shape;
  if (const auto* mesh = std::get_if<MeshShape>(&shape.geometry))
    return transformed(mesh->mesh, pose);
  Surface out;
  if (const auto* size = std::get_if<BoxShape>(&shape.geometry)) {
    out = box(size->half_size);
  } else if (const auto* round = std::get_if<CylinderShape>(&shape.geometry)) {
    out = prism(outward(round->radius, pose), outward(0.5 * round->length, pose));
  } else {
    out = globe(outward(std::get<SphereShape>(shape.geometry).radius, pose));
  }
  for (Vec3& v : out.vertices) v = pose * v;
  Result<Mesh> mesh = Mesh::make(std::move(out.vertices), std::move(out.faces));
  CLEARANCE_ASSERT(mesh.ok());
  return std::move(mesh.value());
}

}  // namespace clearance
