// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Units, warnings about size, names and progress: what read.cpp does for every plain format. And
// the triangle counts of the real files.
#include <algorithm>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include <clearance/mesh/read.h>

#include "support/data.h"

namespace clearance {
namespace {

std::string triangle_of_size(double size) {
  return "v 0 0 0\nv " + std::to_string(size) + " 0 0\nv 0 " + std::to_string(size) +
         " 0\nf 1 2 3\n";
}

TEST(ReadUnits, KnowsUnitsByName) {
  EXPECT_EQ(unit_from_name("m"), 1.0);
  EXPECT_EQ(unit_from_name("MM"), 1e-3);
  EXPECT_EQ(unit_from_name("centimetres"), 1e-2);
  EXPECT_EQ(unit_from_name("um"), 1e-6);
  EXPECT_EQ(unit_from_name("inch"), 0.0254);
  EXPECT_EQ(unit_from_name("ft"), 0.3048);
  EXPECT_EQ(unit_from_name("furlong"), std::nullopt);
  EXPECT_EQ(unit_from_name(""), std::nullopt);
}

TEST(ReadUnits, WarnsOfUnlikelySizesOnlyWhenTheUnitIsAssumed) {
  const LoadedAssembly large = parse_assembly(triangle_of_size(200), "x.obj").value();
  EXPECT_EQ(large.info.unit_source, UnitSource::Assumed);
  ASSERT_EQ(large.info.warnings.size(), 1u);
  EXPECT_NE(large.info.warnings[0].find("200 m"), std::string::npos);
  EXPECT_EQ(parse_assembly(triangle_of_size(0.00005), "x.obj").value().info.warnings.size(), 1u);
  EXPECT_TRUE(parse_assembly(triangle_of_size(2), "x.obj").value().info.warnings.empty());
  ReadOptions metres;
  metres.metres_per_unit = 1.0;
  EXPECT_TRUE(parse_assembly(triangle_of_size(200), "x.obj", metres).value().info.warnings.empty());
}

TEST(ReadUnits, RefusesUnitsThatAreNoLength) {
  for (const double unit : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    ReadOptions options;
    options.metres_per_unit = unit;
    const Result<LoadedAssembly> loaded = parse_assembly(triangle_of_size(1), "x.obj", options);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, ErrorCode::Invalid);
  }
  // A unit so large that the coordinates overflow is found as well.
  ReadOptions huge;
  huge.metres_per_unit = 1e308;
  EXPECT_FALSE(parse_assembly(triangle_of_size(100), "x.obj", huge).ok());
}

TEST(ReadUnits, TakesExtensionsInAnyCase) {
  EXPECT_TRUE(parse_assembly(triangle_of_size(1), "dir.stl/X.ObJ").ok());
  EXPECT_EQ(parse_assembly(triangle_of_size(1), "a/X.y.OBJ").value().assembly.parts[0].name, "X.y");
  const std::vector<std::string> known = readable_extensions();
  for (const std::string extension : {".stl", ".obj", ".ply", ".off", ".dae", ".gltf", ".glb"})
    EXPECT_NE(std::find(known.begin(), known.end(), extension), known.end()) << extension;
}

class Stopper : public Monitor {
 public:
  void progress(std::string_view, double fraction) override { latest = fraction; }
  [[nodiscard]] bool cancelled() const override { return true; }
  double latest = 0.0;
};

TEST(ReadUnits, StopsWhenAskedTo) {
  Stopper stopper;
  ReadOptions options;
  options.monitor = &stopper;
  const std::string off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  std::string stl(84 + 50, '\0');
  stl[80] = 1;
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"x.off", off},
                                    {"x.ply", ply},
                                    {"x.stl", stl},
                                    {"x.obj", triangle_of_size(1)}}) {
    ASSERT_TRUE(parse_assembly(bytes, name).ok()) << name;
    const Result<LoadedAssembly> loaded = parse_assembly(bytes, name, options);
    ASSERT_FALSE(loaded.ok()) << name;
    EXPECT_EQ(loaded.error().code, ErrorCode::Cancelled) << name;
  }
}

// Sums over folders as the notes beside the data give them.
TEST(ReadRealFiles, HaveTheTriangleCountsOfTheirDescription) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const struct {
    const char* path;
    std::size_t triangle_count;
  } cases[] = {
      {"robots/abb_irb4400_support/meshes/irb4400l_30_243/collision", 604},
      {"robots/robotiq_85/collision", 2746},
      {"robots/robotiq_85/visual", 47748},
      {"planning/alpha_puzzle/alpha-1.2.org.obj", 1008},
      {"planning/alpha_puzzle/alpha_env-1.2.wt2.obj", 5948},
      {"planning/fcl_env_rob/env.obj", 2180},
      {"planning/fcl_env_rob/rob.obj", 216},
      {"planning/car_seat", 8612},
      {"assemblies/factory_gear", 9630 + 20532},
      {"assemblies/factory_nut_bolt_m16", 15080 + 25668},
      {"assemblies/furniture_drawer", 3724 + 7360 + 8268},
      {"assemblies/asap_beam", 2 * 7004 + 2 * 4904 + 24606},
      {"assemblies/as1", 8560},
      {"parts/conrod/linkrods_fine.stl", 9786},
      {"parts/conrod/linkrods_coarse.stl", 2480},
      {"parts/screw/screw.stl", 1530},
      {"parts/step/component8.stl", 1672},
      {"parts/occt", 494 + 3290 + 7375},
      {"parts/trimesh/featuretype.STL", 3476},
      {"parts/trimesh/1002_tray_bottom.STL", 4520},
      {"parts/trimesh/torus.STL", 8700},
      {"parts/trimesh/quadknot.obj", 2880},
      {"parts/trimesh/fandisk.obj", 5750},
      {"parts/trimesh/cycloidal.ply", 43368},
      {"parts/trimesh/fixed_top.ply", 4772},
      {"parts/trimesh/box.STL", 8954},
      {"parts/netgen/hinge.stl", 1212},
      {"parts/ariac", 1248 + 1728 + 928 + 108 + 1344 + 528 + 196},
      {"anatomy/left_atrium_ct", 24854 + 9999},
      {"anatomy/left_atrium_mri/segmentation_10k.stl", 9998},
      {"anatomy/vessel/aneurysm.stl", 6736},
  };
  for (const auto& c : cases) {
    const std::filesystem::path path = test::data_path(c.path);
    ASSERT_FALSE(path.empty()) << c.path;
    std::vector<std::filesystem::path> files{path};
    if (std::filesystem::is_directory(path))
      files = test::files_below(path, {".stl", ".obj", ".ply"});
    std::size_t count = 0;
    for (const std::filesystem::path& file : files) {
      const Result<LoadedMesh> loaded = read_mesh(file.string());
      ASSERT_TRUE(loaded.ok()) << loaded.error().message();
      count += loaded->mesh.triangle_count();
    }
    EXPECT_EQ(count, c.triangle_count) << c.path;
  }
}

TEST(ReadRealFiles, AreAllRead) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  for (const char* folder : {"parts", "robots", "planning", "assemblies", "anatomy"}) {
    for (const std::filesystem::path& file :
         test::files_below(test::data_path(folder), {".stl", ".obj", ".ply"})) {
      const Result<LoadedMesh> loaded = read_mesh(file.string());
      EXPECT_TRUE(loaded.ok()) << loaded.error().message();
    }
  }
}

}  // namespace
}  // namespace clearance
