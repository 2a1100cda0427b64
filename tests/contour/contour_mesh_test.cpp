// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/contour/contour_mesh.h>
#include <clearance/contour/segment_distance.h>

namespace clearance {
namespace {

/// Signed volume by the divergence theorem: positive when the triangles face outward.
double volume_of(const Mesh& mesh) {
  double six = 0.0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    six += dot(t.a, cross(t.b, t.c));
  }
  return six / 6.0;
}

TEST(ContourMesh, OfACylinderIsAPrismThatFacesOutward) {
  for (const double sign : {1.0, -1.0}) {
    const ContourSegment segment =
        make_segment({{0, 0, 0}, {0, 0, sign}, 0.5}, {{0, 0, 2}, {0, 0, sign}, 0.5}).value();
    const Mesh mesh = contour_mesh(std::span(&segment, 1));
    const double prism =
        2.0 * 0.5 * kContourMeshSides * 0.25 * std::sin(2.0 * std::numbers::pi / kContourMeshSides);
    EXPECT_NEAR(volume_of(mesh), prism, 1e-12);
  }
}

TEST(ContourMesh, PointsLieOnTheSegments) {
  const Contour contour = Contour::make({{{0, 0, 0}, {0, 0, 1}, 0.5},
                                         {{0, 0, 1}, {0.6, 0, 0.8}, 0.2},
                                         {{1, 0, 1.2}, {1, 0, 0}, 0.0}})
                              .value();
  const Mesh mesh = contour_mesh(contour.segments());
  ASSERT_EQ(mesh.parts().size(), 2U);
  EXPECT_EQ(mesh.parts()[1].name, "segment 1");
  for (std::size_t p = 0; p < 2; ++p) {
    const MeshPart& part = mesh.parts()[p];
    for (std::uint32_t f = part.first_triangle; f < part.first_triangle + part.triangle_count;
         ++f) {
      for (const std::uint32_t v : mesh.faces()[f])
        EXPECT_LE(distance(contour.segments()[p], mesh.vertices()[v]).distance, 1e-12);
    }
  }
}

}  // namespace
}  // namespace clearance
