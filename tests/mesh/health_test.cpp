// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/mesh/health.h>
#include <clearance/mesh/read.h>

#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::cube;
using test::soup;
using test::together;
using test::uv_sphere;
using ::testing::HasSubstr;

bool mentions(const MeshHealth& health, Severity severity, const std::string& words) {
  for (const Finding& finding : health.findings) {
    if (finding.severity == severity && finding.sentence.find(words) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST(Examine, CubeIsAClosedSolid) {
  const MeshHealth health = examine(cube(0.5));
  EXPECT_EQ(health.vertices, 8u);
  EXPECT_EQ(health.triangles, 12u);
  EXPECT_EQ(health.distinct_positions, 8u);
  EXPECT_TRUE(health.closed);
  EXPECT_TRUE(health.consistently_oriented);
  EXPECT_TRUE(health.volume_is_meaningful);
  EXPECT_FALSE(health.inside_out);
  EXPECT_DOUBLE_EQ(health.volume, 0.125);
  EXPECT_DOUBLE_EQ(health.surface_area, 1.5);
  EXPECT_EQ(health.center_of_mass, (Vec3{0.25, 0.25, 0.25}));
  EXPECT_EQ(health.bounds.high, (Vec3{0.5, 0.5, 0.5}));
  EXPECT_EQ(health.components, 1u);
  EXPECT_EQ(health.edges, 18u);
  EXPECT_EQ(health.euler_characteristic, 2);
  EXPECT_EQ(health.open_edges + health.non_manifold_edges + health.inconsistent_edges, 0u);
  // All triangles are half squares; 12 edges of 0.5 and 6 diagonals.
  EXPECT_DOUBLE_EQ(health.triangle_area.min, 0.125);
  EXPECT_DOUBLE_EQ(health.triangle_area.max, 0.125);
  EXPECT_DOUBLE_EQ(health.area_max_over_median, 1.0);
  EXPECT_DOUBLE_EQ(health.aspect_ratio.median, std::numbers::sqrt3);
  EXPECT_DOUBLE_EQ(health.edge_length.min, 0.5);
  EXPECT_DOUBLE_EQ(health.edge_length.median, 0.5);
  EXPECT_DOUBLE_EQ(health.edge_length.max, 0.5 * std::numbers::sqrt2);
  EXPECT_EQ(health.unit.unit, LikelyUnit::AsRead);
  EXPECT_TRUE(health.findings.empty());
}

TEST(Examine, SoupReadsLikeTheWeldedMesh) {
  const Mesh sphere = uv_sphere(0.4, 20);
  const MeshHealth welded = examine(sphere);
  const MeshHealth loose = examine(soup(sphere));
  EXPECT_EQ(loose.vertices, 3 * sphere.triangle_count());
  EXPECT_EQ(loose.distinct_positions, sphere.vertex_count());
  EXPECT_EQ(loose.edges, welded.edges);
  EXPECT_EQ(loose.euler_characteristic, 2);
  EXPECT_EQ(loose.components, 1u);
  EXPECT_TRUE(loose.volume_is_meaningful);
  EXPECT_EQ(loose.volume, welded.volume);
  EXPECT_EQ(loose.edge_length.median, welded.edge_length.median);
}

TEST(Examine, MinusZeroIsZero) {
  const MeshHealth health = examine(
      Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, -0.0, 0}, {0, 1, -0.0}, {-1, 0, 0}},
                 {{0, 1, 2}, {3, 4, 5}})
          .value());
  EXPECT_EQ(health.distinct_positions, 4u);
  EXPECT_EQ(health.open_edges, 4u);
}

TEST(Examine, OpenBoxHasABorder) {
  const MeshHealth health = examine(test::without(cube(), {2, 3}));
  EXPECT_FALSE(health.closed);
  EXPECT_TRUE(health.consistently_oriented);
  EXPECT_FALSE(health.volume_is_meaningful);
  EXPECT_EQ(health.open_edges, 4u);
  EXPECT_EQ(health.euler_characteristic, 1);
  EXPECT_DOUBLE_EQ(health.surface_area, 5.0);
  // The centre is that of the surface: four walls at 1/2, the floor at 0.
  EXPECT_DOUBLE_EQ(health.center_of_mass.z, 4.0 * 0.5 / 5.0);
  EXPECT_TRUE(mentions(health, Severity::Warning, "open: 4 edges belong"));
}

TEST(Examine, InsideOutCubeIsClosedButNegative) {
  const MeshHealth health = examine(test::turned(cube()));
  EXPECT_TRUE(health.volume_is_meaningful);
  EXPECT_TRUE(health.inside_out);
  EXPECT_DOUBLE_EQ(health.volume, -1.0);
  EXPECT_TRUE(mentions(health, Severity::Warning, "face inward"));
}

TEST(Examine, OneTurnedTriangleIsInconsistentAlongItsThreeEdges) {
  const Mesh good = cube();
  std::vector<Face> faces(good.faces().begin(), good.faces().end());
  std::swap(faces[5][0], faces[5][1]);
  const MeshHealth health =
      examine(Mesh::make({good.vertices().begin(), good.vertices().end()}, faces).value());
  EXPECT_TRUE(health.closed);
  EXPECT_FALSE(health.consistently_oriented);
  EXPECT_EQ(health.inconsistent_edges, 3u);
  EXPECT_FALSE(health.volume_is_meaningful);
  EXPECT_TRUE(mentions(health, Severity::Warning, "disagree"));
}

TEST(Examine, MoebiusStripCannotBeOriented) {
  const MeshHealth health = examine(test::moebius_strip(24));
  EXPECT_EQ(health.triangles, 48u);
  EXPECT_FALSE(health.closed);
  EXPECT_EQ(health.open_edges, 48u);
  EXPECT_FALSE(health.consistently_oriented);
  EXPECT_EQ(health.inconsistent_edges, 1u);
  EXPECT_EQ(health.euler_characteristic, 0);
  EXPECT_EQ(health.components, 1u);
}

TEST(Examine, CubesThatShareAnEdgeAreOneNonManifoldPiece) {
  const MeshHealth health = examine(together({cube(), cube(1.0, {1, 1, 0})}));
  EXPECT_EQ(health.non_manifold_edges, 1u);
  EXPECT_EQ(health.components, 1u);
  EXPECT_EQ(health.distinct_positions, 14u);
  EXPECT_TRUE(health.closed);
  EXPECT_TRUE(health.volume_is_meaningful);
  EXPECT_DOUBLE_EQ(health.volume, 2.0);
  EXPECT_TRUE(mentions(health, Severity::Note, "1 edge joins more than two"));
}

TEST(Examine, InnerWallIsNotTheBorderOfASolid) {
  // A wall across the cube, along the diagonals of two faces: its four edges join three triangles.
  const MeshHealth health = examine(test::with(cube(), {{0, 3, 7}, {0, 7, 4}}));
  EXPECT_EQ(health.open_edges, 0u);
  EXPECT_FALSE(health.closed);
  EXPECT_EQ(health.non_manifold_edges, 4u);
  EXPECT_TRUE(mentions(health, Severity::Warning, "odd number"));
}

TEST(Examine, CountsSeparatePieces) {
  const MeshHealth health =
      examine(together({cube(), cube(1.0, {3, 0, 0}), uv_sphere(0.5, 8, {0, 5, 0})}));
  EXPECT_EQ(health.components, 3u);
  EXPECT_EQ(health.euler_characteristic, 6);
  EXPECT_TRUE(mentions(health, Severity::Note, "3 separate pieces"));
}

TEST(Examine, CollapsedTrianglesDoNotTouchTheTopology) {
  const MeshHealth health = examine(test::with(cube(), {{0, 0, 1}, {5, 5, 5}, {3, 7, 3}}));
  EXPECT_EQ(health.degenerate_triangles, 3u);
  EXPECT_EQ(health.collapsed_triangles, 3u);
  EXPECT_TRUE(health.closed);
  EXPECT_EQ(health.non_manifold_edges, 0u);
  EXPECT_EQ(health.euler_characteristic, 2);
  EXPECT_EQ(health.triangle_area.min, 0.0);
}

TEST(Examine, FlatTriangleWithThreeCornersIsDegenerateButJoinsItsNeighbours) {
  // A square whose lower side has a middle point m: the triangle (a, m, b) has no area and closes
  // the gap between a-b and a-m-b.
  const Mesh mesh = Mesh::make({{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, -1, 0}},
                               {{0, 2, 3}, {0, 1, 2}, {1, 0, 4}, {2, 1, 4}})
                        .value();
  const MeshHealth health = examine(mesh);
  EXPECT_EQ(health.degenerate_triangles, 1u);
  EXPECT_EQ(health.collapsed_triangles, 0u);
  EXPECT_EQ(health.open_edges, 4u);
  EXPECT_EQ(health.inconsistent_edges, 0u);
}

TEST(Examine, TellsNeedlesFromCaps) {
  const Mesh mesh =
      Mesh::make({{0, 0, 0}, {1, 0, 0}, {1, 1e-5, 0}, {0.5, 1e-5, 5}, {0, 0, 5}, {1, 0, 5}},
                 {{0, 1, 2}, {4, 5, 3}})
          .value();
  const MeshHealth health = examine(mesh);
  EXPECT_EQ(health.needles, 1u);
  EXPECT_EQ(health.caps, 1u);
  EXPECT_EQ(health.degenerate_triangles, 0u);
  EXPECT_TRUE(mentions(health, Severity::Note, "1 triangle is a needle"));
  EXPECT_TRUE(mentions(health, Severity::Note, "1 triangle is a cap"));
  HealthOptions patient;
  patient.nearly_degenerate_aspect_ratio = 1e6;
  EXPECT_EQ(examine(mesh, patient).needles, 0u);
}

TEST(Examine, CountsDuplicatesApartFromOpposites) {
  // Triangle 0 of the cube is (0, 2, 3): twice more the same way round, once the other way.
  const MeshHealth health = examine(test::with(cube(), {{2, 3, 0}, {3, 0, 2}, {0, 3, 2}}));
  EXPECT_EQ(health.duplicate_triangles, 2u);
  EXPECT_EQ(health.opposite_triangles, 1u);
  EXPECT_EQ(health.non_manifold_edges, 3u);
}

TEST(Examine, DuplicatesAreFoundByPosition) {
  const MeshHealth health = examine(together({cube(), cube()}));
  EXPECT_EQ(health.duplicate_triangles, 12u);
  EXPECT_EQ(health.components, 1u);
  EXPECT_EQ(health.distinct_positions, 8u);
}

TEST(Examine, DoubledSurfaceEnclosesNothing) {
  // A box without lid, inside and outside at the same place.
  const Mesh open = test::without(cube(), {2, 3});
  const MeshHealth health = examine(together({open, test::turned(open)}));
  EXPECT_TRUE(health.closed);
  EXPECT_TRUE(health.consistently_oriented);
  EXPECT_EQ(health.opposite_triangles, 10u);
  EXPECT_FALSE(health.volume_is_meaningful);
  EXPECT_FALSE(health.inside_out);
  EXPECT_TRUE(mentions(health, Severity::Warning, "encloses no volume"));
}

TEST(Examine, ThinPlateStillHasAVolume) {
  // A millionth of its size thick.
  const MeshHealth health = examine(scaled(cube(), {1.0, 1.0, 1e-6}));
  EXPECT_TRUE(health.volume_is_meaningful);
  EXPECT_DOUBLE_EQ(health.volume, 1e-6);
}

TEST(Examine, CountsUnusedVertices) {
  const MeshHealth health =
      examine(Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {50, 50, 50}}, {{0, 1, 2}}).value());
  EXPECT_EQ(health.unused_vertices, 1u);
  EXPECT_EQ(health.distinct_positions, 3u);
  EXPECT_EQ(health.bounds.high, (Vec3{1, 1, 0}));
  EXPECT_EQ(health.components, 1u);
}

TEST(Examine, KeepsVolumeFarAwayAndTiny) {
  const double s = 0x1p-10;
  EXPECT_DOUBLE_EQ(examine(cube(s, {1e6, 1e6, -1e6})).volume, s * s * s);
  const MeshHealth tiny = examine(cube(1e-6));
  EXPECT_NEAR(tiny.volume * 1e18, 1.0, 1e-14);
  EXPECT_TRUE(tiny.closed);
  EXPECT_EQ(tiny.degenerate_triangles, 0u);
}

TEST(Examine, EmptyMeshIsAWarning) {
  const MeshHealth health = examine(Mesh());
  EXPECT_EQ(health.triangles, 0u);
  EXPECT_FALSE(health.closed);
  ASSERT_EQ(health.findings.size(), 1u);
  EXPECT_EQ(health.findings[0].severity, Severity::Warning);
}

TEST(Examine, AllTrianglesCollapsedIsNoSolid) {
  const MeshHealth health = examine(Mesh::make({{1, 1, 1}}, {{0, 0, 0}}).value());
  EXPECT_FALSE(health.closed);
  EXPECT_FALSE(health.volume_is_meaningful);
  EXPECT_EQ(health.components, 0u);
  EXPECT_EQ(health.surface_area, 0.0);
}

TEST(Examine, HugeCoordinatesDoNotBreakTheOrder) {
  const double big = 1e200;
  const MeshHealth health = examine(
      Mesh::make({{0, 0, 0}, {big, 0, 0}, {0, big, 0}, {-big, 1, big}}, {{0, 1, 2}, {1, 2, 3}})
          .value());
  EXPECT_EQ(health.triangles, 2u);
  EXPECT_EQ(health.unit.unit, LikelyUnit::Unclear);
}

TEST(Examine, IsTheSameForAnyNumberOfThreads) {
  const Mesh mesh = soup(uv_sphere(0.3, 150, {1, 2, 3}));  // several blocks of every loop
  HealthOptions options;
  options.threads = {1};
  const MeshHealth one = examine(mesh, options);
  for (const int threads : {2, 5}) {
    options.threads = {threads};
    const MeshHealth other = examine(mesh, options);
    EXPECT_EQ(other.volume, one.volume);
    EXPECT_EQ(other.surface_area, one.surface_area);
    EXPECT_EQ(other.center_of_mass, one.center_of_mass);
    EXPECT_EQ(other.edges, one.edges);
    EXPECT_TRUE(other.edge_length == one.edge_length);
    EXPECT_TRUE(other.triangle_area == one.triangle_area);
    EXPECT_TRUE(other.aspect_ratio == one.aspect_ratio);
  }
}

TEST(AssessUnit, PartOf200MetresIsProbablyMillimetres) {
  const UnitAssessment unit = assess_unit(200.0);
  EXPECT_EQ(unit.unit, LikelyUnit::Millimetres);
  EXPECT_THAT(unit.sentence,
              HasSubstr("200 m across: probably millimetres (0.2 m); pass --unit mm"));
}

TEST(AssessUnit, UsualSizesRaiseNoQuestion) {
  for (const double size : {0.001, 0.02, 0.3, 2.0, 15.0}) {
    EXPECT_EQ(assess_unit(size).unit, LikelyUnit::AsRead) << size;
  }
  EXPECT_EQ(assess_unit(0.2, 0.001).unit, LikelyUnit::AsRead);
}

TEST(AssessUnit, ScaledTwiceIsProbablyMetres) {
  // A part of 0.2 m whose metres were taken for millimetres.
  const UnitAssessment unit = assess_unit(0.2 * 0.001, 0.001);
  EXPECT_THAT(unit.sentence, HasSubstr("0.2 mm across: probably metres (0.2 m); pass --unit m"));
  EXPECT_EQ(unit.unit, LikelyUnit::Metres);
}

TEST(AssessUnit, SaysSoWhenNoUnitHelps) {
  EXPECT_EQ(assess_unit(1e7).unit, LikelyUnit::Unclear);
  EXPECT_EQ(assess_unit(0.0).unit, LikelyUnit::Unclear);
  EXPECT_EQ(assess_unit(1e-7).unit, LikelyUnit::Unclear);
}

TEST(AssessUnit, DeclaredUnitMakesAnOddSizeANote) {
  HealthOptions options;
  EXPECT_TRUE(mentions(examine(cube(200.0), options), Severity::Warning, "millimetres"));
  options.unit_is_known = true;
  EXPECT_TRUE(mentions(examine(cube(200.0), options), Severity::Note, "millimetres"));
}

// What the list of data sources states, and what counting with rational numbers gave, about real
// files.

struct Fact {
  const char* file;
  std::size_t triangles;
  std::size_t components;
  std::size_t open_edges;
  std::size_t non_manifold_edges;
  std::size_t inconsistent_edges;
  std::size_t degenerate;
  bool closed;
};

class RealMesh : public ::testing::TestWithParam<Fact> {};

TEST_P(RealMesh, HasTheStatedDefects) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Fact& fact = GetParam();
  const auto loaded = read_mesh(test::data_path(fact.file).string());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  const MeshHealth health = examine(loaded->mesh);
  EXPECT_EQ(health.triangles, fact.triangles);
  EXPECT_EQ(health.components, fact.components);
  EXPECT_EQ(health.open_edges, fact.open_edges);
  EXPECT_EQ(health.non_manifold_edges, fact.non_manifold_edges);
  EXPECT_EQ(health.inconsistent_edges, fact.inconsistent_edges);
  EXPECT_EQ(health.degenerate_triangles, fact.degenerate);
  EXPECT_EQ(health.closed, fact.closed);
}

INSTANTIATE_TEST_SUITE_P(
    Examine, RealMesh,
    ::testing::Values(
        Fact{"parts/conrod/linkrods_fine.stl", 9786, 1, 0, 0, 0, 0, true},
        Fact{"parts/conrod/linkrods_coarse.stl", 2480, 1, 0, 0, 0, 0, true},
        Fact{"parts/trimesh/box.STL", 8954, 10, 0, 0, 0, 0, true},
        Fact{"parts/trimesh/cycloidal.ply", 43368, 100, 0, 242, 0, 0, true},
        Fact{"planning/alpha_puzzle/alpha-1.2.wt2.obj", 5690, 1, 0, 0, 0, 0, true},
        Fact{"planning/alpha_puzzle/alpha_env-1.2.wt2.obj", 5948, 1, 0, 0, 0, 0, true},
        Fact{"anatomy/left_atrium_ct/LA_1.stl", 24854, 1, 432, 0, 0, 0, false},
        Fact{"anatomy/left_atrium_mri/segmentation_10k.stl", 9998, 1, 0, 0, 0, 0, true},
        // Closed, but its triangles face either way.
        Fact{"anatomy/vessel/aneurysm.stl", 6736, 1, 0, 0, 6694, 0, true},
        // Its "open edge" is the side without length of its one collapsed triangle.
        Fact{"parts/occt/propeller_ascii.stl", 7375, 1, 0, 0, 12, 1, true},
        Fact{"assemblies/occt_engine/conrod_arm.stl", 2276, 1, 32, 0, 0, 2, false},
        Fact{"assemblies/occt_engine/head.stl", 414, 1, 0, 0, 0, 4, true},
        Fact{"malformed/assimp/Spider_binary.stl", 1368, 18, 72, 0, 10, 56, false},
        Fact{"malformed/isaac/drawer_handle.stl", 848, 1, 0, 0, 0, 122, true},
        // 145 triangles are flatter than doubles can compute, none of them exactly flat.
        Fact{"malformed/dart/convhull_LWP_merged.stl", 7626, 1, 0, 4239, 0, 0, true}),
    [](const auto& test) {
      std::string name = test.param.file;
      for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      }
      return name;
    });

TEST(Examine, RealPartsMixTriangleSizes) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto conrod = read_mesh(test::data_path("parts/conrod/linkrods_fine.stl").string());
  ASSERT_TRUE(conrod.ok());
  EXPECT_NEAR(examine(conrod->mesh).area_max_over_median, 234.0, 0.5);
  const auto drawer =
      read_mesh(test::data_path("assemblies/furniture_drawer/drawer_container_top.obj").string());
  ASSERT_TRUE(drawer.ok());
  EXPECT_NEAR(examine(drawer->mesh).area_max_over_median, 27000.0, 500.0);
}

TEST(Examine, RealCouplingIsADoubledSurface) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto coupling = read_mesh(test::data_path("parts/drcsim/coupling.stl").string());
  ASSERT_TRUE(coupling.ok());
  const MeshHealth health = examine(coupling->mesh);
  EXPECT_EQ(health.opposite_triangles, health.triangles / 2);
  EXPECT_TRUE(mentions(health, Severity::Warning, "encloses no volume"));
}

}  // namespace
}  // namespace clearance
