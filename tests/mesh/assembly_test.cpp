// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/mesh/assembly.h>

#include "mesh/assembly_builder.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using detail::Affine;
using detail::AssemblyBuilder;
using test::corner_tetrahedron;

double largest_difference(const Mat3& a, const Mat3& b) {
  double largest = 0.0;
  for (const Vec3& row : (a - b).rows) largest = std::fmax(largest, largest_component(abs(row)));
  return largest;
}

TEST(Assembly, FlattenedPutsPartsInPlaceAsNamedRanges) {
  const Mesh mesh = corner_tetrahedron();
  Assembly assembly;
  assembly.parts.push_back({"left", mesh, Pose::identity()});
  assembly.parts.push_back({"right", mesh, Pose::translate({10, 0, 0})});
  const Mesh flat = assembly.flattened();
  ASSERT_EQ(flat.parts().size(), 2u);
  EXPECT_EQ(flat.parts()[0], (MeshPart{"left", 0, 4}));
  EXPECT_EQ(flat.parts()[1], (MeshPart{"right", 4, 4}));
  EXPECT_EQ(assembly.triangle_count(), 8u);
  EXPECT_EQ(flat.triangle(7).a, Vec3(11, 0, 0));
  EXPECT_EQ(flat.bounds(), assembly.bounds());
}

TEST(Assembly, WithoutTrianglesIsFlattenedToTheEmptyMesh) {
  EXPECT_TRUE(Assembly{}.flattened().empty());
  EXPECT_TRUE(Assembly{}.bounds().empty());
}

TEST(Assembly, FindsPartsByName) {
  Assembly assembly;
  assembly.parts.push_back({"left", corner_tetrahedron(), Pose::identity()});
  EXPECT_EQ(assembly.find("left"), &assembly.parts[0]);
  EXPECT_EQ(assembly.find("right"), nullptr);
}

TEST(AssemblyBuilder, MakesNamesUniqueEvenAgainstNamesThatLookLikeSuffixes) {
  AssemblyBuilder builder("file");
  const std::size_t shape = builder.add_shape(corner_tetrahedron());
  for (const char* name : {"bolt", "bolt#2", "bolt", "bolt", "", ""}) {
    ASSERT_TRUE(builder.place(name, shape, {}).ok());
  }
  const Assembly assembly = std::move(builder).finish().value();
  std::vector<std::string> names;
  for (const AssemblyPart& part : assembly.parts) names.push_back(part.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"bolt", "bolt#2", "bolt#3", "bolt#4", "part", "part#2"}));
}

TEST(AssemblyBuilder, KeepsARigidPlacementAsThePoseAndSharesTheMesh) {
  AssemblyBuilder builder("file");
  const std::size_t shape = builder.add_shape(corner_tetrahedron());
  const Mat3 rotation = rotation_from_rpy(0.3, -0.2, 1.1);
  ASSERT_TRUE(builder.place("a", shape, {}).ok());
  ASSERT_TRUE(builder.place("b", shape, {rotation, {1, 2, 3}}).ok());
  const Assembly assembly = std::move(builder).finish().value();
  EXPECT_EQ(assembly.parts[0].world_from_part, Pose::identity());
  EXPECT_EQ(assembly.parts[1].world_from_part.rotation, rotation);
  EXPECT_EQ(assembly.parts[0].mesh.vertices().data(), assembly.parts[1].mesh.vertices().data());
}

TEST(AssemblyBuilder, BakesScaleShearAndMirrorAndLeavesARigidPose) {
  Random random(7);
  int mirrors = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Affine map;
    for (Vec3& row : map.linear.rows) {
      for (std::size_t c = 0; c < 3; ++c) row[c] = random.uniform(-2, 2);
    }
    map.translation = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    mirrors += determinant(map.linear) < 0.0;
    AssemblyBuilder builder("file");
    ASSERT_TRUE(builder.place("part", builder.add_shape(corner_tetrahedron()), map).ok());
    const Assembly assembly = std::move(builder).finish().value();
    const AssemblyPart& part = assembly.parts[0];
    ASSERT_LE(rigidity_error(part.world_from_part.rotation), 1e-12);
    // The vertices end up where the map sends them, and the surface still faces outward.
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 expected = map.linear * corner_tetrahedron().vertices()[i] + map.translation;
      ASSERT_LT(distance(part.world_from_part * part.mesh.vertices()[i], expected), 1e-12);
    }
    ASSERT_GT(test::signed_volume(part.mesh), 0.0);
  }
  EXPECT_GT(mirrors, 60);
  EXPECT_LT(mirrors, 140);
}

TEST(AssemblyBuilder, SharesTheMeshOfEqualScalesReachedThroughDifferentRotations) {
  AssemblyBuilder builder("file");
  const std::size_t shape = builder.add_shape(corner_tetrahedron());
  for (int i = 0; i < 5; ++i) {
    const Mat3 rotation = rotation_from_rpy(0.1 * i, 0.7 * i, -0.4 * i);
    ASSERT_TRUE(builder.place("uniform", shape, {0.001 * rotation, {}}).ok());
    ASSERT_TRUE(builder.place("uneven", shape, {rotation * Mat3::diagonal({1, 2, -3}), {}}).ok());
  }
  const Assembly assembly = std::move(builder).finish().value();
  for (std::size_t i = 2; i < assembly.parts.size(); ++i) {
    EXPECT_EQ(assembly.parts[i].mesh.vertices().data(),
              assembly.parts[i - 2].mesh.vertices().data());
  }
}

TEST(AssemblyBuilder, TakesARotationWrittenWithSevenDigitsAsRigid) {
  const double c = 0.7071068;  // cos 45° in single precision
  const detail::Split split =
      detail::split_rotation({{Vec3{c, -c, 0}, Vec3{c, c, 0}, Vec3{0, 0, 1}}});
  EXPECT_EQ(split.stretch, Mat3::identity());
  EXPECT_LT(largest_difference(split.rotation, rotation_about({0, 0, 1}, std::numbers::pi / 4)),
            1e-14);
}

TEST(AssemblyBuilder, FlattensAZeroScaleWithAWarning) {
  AssemblyBuilder builder("file");
  ASSERT_TRUE(
      builder
          .place("disc", builder.add_shape(corner_tetrahedron()), {Mat3::diagonal({1, 1, 0}), {}})
          .ok());
  ASSERT_EQ(builder.warnings().size(), 1u);
  EXPECT_NE(builder.warnings()[0].find("'disc'"), std::string::npos);
  EXPECT_EQ(std::move(builder).finish().value().parts[0].mesh.bounds().high, Vec3(1, 1, 0));
}

TEST(AssemblyBuilder, RefusesPlacementsThatAreNotFinite) {
  AssemblyBuilder builder("scene.dae");
  const std::size_t shape = builder.add_shape(corner_tetrahedron());
  const Status status = builder.place("arm", shape, {Mat3::identity(), {NAN, 0, 0}});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().file, "scene.dae");
  EXPECT_EQ(status.error().place, "part 'arm'");
  EXPECT_FALSE(builder.place("arm", shape, {1e308 * 10 * Mat3::identity(), {}}).ok());
}

TEST(AssemblyBuilder, RefusesInstancesBeyondAllProportion) {
  AssemblyBuilder builder("bomb.dae");
  std::vector<Face> faces(1'000'000, Face{0, 1, 2});
  const std::size_t shape =
      builder.add_shape(Mesh::make({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::move(faces)).value());
  Status status;
  int placed = 0;
  while (status.ok() && placed < 200) {
    status = builder.place("part", shape, {});
    ++placed;
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(placed, 101);
}

TEST(AssemblyBuilder, RefusesAnAssemblyWithoutParts) {
  EXPECT_FALSE(AssemblyBuilder("file").finish().ok());
}

}  // namespace
}  // namespace clearance
