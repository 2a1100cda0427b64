// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/mesh/read.h>

#include "support/data.h"
#include "support/simple_meshes.h"
#include "support/text.h"

namespace clearance {
namespace {

using test::replaced;
using test::signed_volume;
using ::testing::HasSubstr;

// The corners of a tetrahedron 1 x 2 x 3 with whatever primitives, nodes and asset are given.
std::string dae(
    const std::string& primitives, const std::string& nodes,
    const std::string& asset = R"(<unit name="meter" meter="1"/><up_axis>Z_UP</up_axis>)",
    const std::string& more = "") {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>)" +
         asset + R"(</asset>
<library_geometries><geometry id="shape" name="Shape"><mesh>
<source id="positions">
<float_array id="numbers" count="12">0 0 0  1 0 0  0 2 0  0 0 3</float_array>
<technique_common><accessor source="#numbers" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="corners"><input semantic="POSITION" source="#positions"/></vertices>
)" + primitives +
         R"(
</mesh></geometry></library_geometries>
)" + more +
         R"(
<library_visual_scenes><visual_scene id="scene">)" +
         nodes + R"(</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>)";
}

const char* const kTriangles =
    R"(<triangles count="4"><input semantic="VERTEX" source="#corners" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>)";
const char* const kNode = R"(<node id="n" name="a"><instance_geometry url="#shape"/></node>)";

std::string good() { return dae(kTriangles, kNode); }

LoadedAssembly read(const std::string& text) {
  Result<LoadedAssembly> loaded = parse_assembly(text, "scene.dae");
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message());
  return loaded.ok() ? std::move(loaded).value() : LoadedAssembly{};
}

std::string refusal(const std::string& text) {
  const Result<LoadedAssembly> loaded = parse_assembly(text, "scene.dae");
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? "" : loaded.error().message();
}

// The image of a point of the shape under the transforms of a single node.
Vec3 placed(const std::string& transforms, const Vec3& point) {
  const LoadedAssembly loaded =
      read(dae(kTriangles, "<node>" + transforms + R"(<instance_geometry url="#shape"/></node>)"));
  if (loaded.assembly.parts.empty()) return {NAN, NAN, NAN};
  // Corners keep their order, so that the image of a corner shows the whole map.
  const AssemblyPart& part = loaded.assembly.parts[0];
  const Mesh plain = read(good()).assembly.parts[0].mesh;
  for (std::size_t i = 0; i < plain.vertex_count(); ++i) {
    if (plain.vertices()[i] == point) return part.world_from_part * part.mesh.vertices()[i];
  }
  return {NAN, NAN, NAN};
}

TEST(ReadDae, ReadsTrianglesOfANode) {
  const LoadedAssembly loaded = read(good());
  EXPECT_EQ(loaded.info.format, "COLLADA");
  EXPECT_TRUE(loaded.info.warnings.empty());
  ASSERT_EQ(loaded.assembly.parts.size(), 1u);
  EXPECT_EQ(loaded.assembly.parts[0].name, "a");
  EXPECT_EQ(loaded.assembly.parts[0].world_from_part, Pose::identity());
  EXPECT_DOUBLE_EQ(signed_volume(loaded.assembly.parts[0].mesh), 1.0);
}

TEST(ReadDae, ReadsEveryKindOfPrimitiveAsTheSameSurface) {
  const std::string input = R"(<input semantic="VERTEX" source="#corners" offset="1"/>
    <input semantic="NORMAL" source="#corners" offset="0"/>)";
  const std::map<std::string, std::string> kinds{
      {"polylist", R"(<polylist count="4">)" + input +
                       "<vcount>3 3 3 3</vcount><p>9 0 9 2 9 1  9 0 9 1 9 3  9 0 9 3 9 2  9 1 9 2 "
                       "9 3</p></polylist>"},
      {"polygons",
       R"(<polygons count="4">)" + input +
           "<p>9 0 9 2 9 1</p><p>9 0 9 1 9 3</p><p>9 0 9 3 9 2</p><p>9 1 9 2 9 3</p></polygons>"},
      {"trifans",
       R"(<trifans count="2">)" + input + "<p>9 0 9 2 9 1 9 3 9 2</p><p>9 1 9 2 9 3</p></trifans>"},
      {"tristrips",
       R"(<tristrips count="1">)" + input + "<p>9 0 9 2 9 1 9 3 9 0 9 2</p></tristrips>"}};
  for (const auto& [kind, primitives] : kinds) {
    const Mesh mesh = read(dae(primitives, kNode)).assembly.flattened();
    EXPECT_EQ(mesh.triangle_count(), 4u) << kind;
    EXPECT_DOUBLE_EQ(signed_volume(mesh), 1.0) << kind;
  }
}

TEST(ReadDae, CutsPolygonsIntoFansAndIgnoresLinesWithAWarning) {
  const LoadedAssembly loaded = read(dae(
      R"(<lines count="1"><input semantic="VERTEX" source="#corners" offset="0"/><p>0 1</p></lines>
         <polylist count="3"><input semantic="VERTEX" source="#corners" offset="0"/>
         <vcount>4 2 3</vcount><p>0 1 2 3 0 1 1 2 3</p></polylist>)",
      kNode));
  EXPECT_EQ(loaded.assembly.triangle_count(), 3u);
  ASSERT_EQ(loaded.info.warnings.size(), 2u);
  EXPECT_THAT(loaded.info.warnings[0], HasSubstr("Lines are ignored"));
  EXPECT_THAT(loaded.info.warnings[1], HasSubstr("fewer than three corners"));
}

TEST(ReadDae, TakesTheUnitTheFileDeclares) {
  const std::string node =
      R"(<node><translate>10 0 0</translate><instance_geometry url="#shape"/></node>)";
  const std::string text =
      dae(kTriangles, node, R"(<unit meter="0.01" name="centimeter"/><up_axis>Z_UP</up_axis>)");
  const LoadedAssembly loaded = read(text);
  EXPECT_EQ(loaded.info.metres_per_unit, 0.01);
  EXPECT_EQ(loaded.info.unit_source, UnitSource::Declared);
  EXPECT_TRUE(loaded.info.warnings.empty());
  EXPECT_DOUBLE_EQ(loaded.assembly.bounds().high.x, 0.11);
  ReadOptions options;
  options.metres_per_unit = 1.0;
  const auto overridden = parse_assembly(text, "scene.dae", options);
  ASSERT_TRUE(overridden.ok());
  EXPECT_EQ(overridden->assembly.bounds().high.x, 11.0);
  EXPECT_EQ(overridden->info.unit_source, UnitSource::Option);
}

TEST(ReadDae, SaysWhenTheUnitContradictsItsName) {
  const LoadedAssembly loaded =
      read(dae(kTriangles, kNode, R"(<unit meter="1" name="centimeter"/><up_axis>Z_UP</up_axis>)"));
  ASSERT_EQ(loaded.info.warnings.size(), 1u);
  EXPECT_THAT(loaded.info.warnings[0], HasSubstr("centimeter"));
  EXPECT_EQ(loaded.info.metres_per_unit, 1.0);
  EXPECT_THAT(refusal(dae(kTriangles, kNode, R"(<unit meter="0"/>)")), HasSubstr("no length"));
  EXPECT_THAT(refusal(dae(kTriangles, kNode, R"(<unit meter="abc"/>)")), HasSubstr("no length"));
}

TEST(ReadDae, ReportsAnotherUpAxisAndKeepsTheCoordinates) {
  for (const char* asset : {"<up_axis>Y_UP</up_axis>", "<up_axis>X_UP</up_axis>", ""}) {
    const LoadedAssembly loaded = read(dae(kTriangles, kNode, asset));
    ASSERT_EQ(loaded.info.warnings.size(), 1u);
    EXPECT_THAT(loaded.info.warnings[0], HasSubstr("up axis"));
    EXPECT_EQ(loaded.assembly.bounds().high, Vec3(1, 2, 3));
  }
}

TEST(ReadDae, AppliesTransformsInTheirOrder) {
  const Vec3 x{1, 0, 0};
  const Vec3 y{0, 2, 0};
  EXPECT_LT(distance(placed("<translate>1 0 0</translate><rotate>0 0 1 90</rotate>", x), {1, 1, 0}),
            1e-15);
  EXPECT_LT(distance(placed("<rotate>0 0 1 90</rotate><translate>1 0 0</translate>", x), {0, 2, 0}),
            1e-15);
  EXPECT_LT(distance(placed("<rotate>0 0 5 90</rotate><scale>3 1 1</scale>", x), {0, 3, 0}), 1e-15);
  EXPECT_LT(distance(placed("<matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>", x), {5, 7, 7}),
            1e-15);
  // y leans 45° towards x; the angle is between the axes, so (0, 2, 0) goes to (2, 2, 0).
  EXPECT_LT(distance(placed("<skew>45 0 1 0 1 0 0</skew>", y), {2, 2, 0}), 1e-12);
  // At (10, 0, 0), looking along +x (its -z) with z up (its y): its x is -y of the world.
  EXPECT_LT(distance(placed("<lookat>10 0 0 20 0 0 0 0 1</lookat>", x), {10, -1, 0}), 1e-12);
  EXPECT_LT(distance(placed("<lookat>10 0 0 20 0 0 0 0 1</lookat>", y), {10, 0, 2}), 1e-12);
}

TEST(ReadDae, RefusesTransformsThatMakeNoSense) {
  const auto reason = [](const std::string& transform) {
    return refusal(
        dae(kTriangles, "<node>" + transform + R"(<instance_geometry url="#shape"/></node>)"));
  };
  EXPECT_THAT(reason("<translate>1 2</translate>"), HasSubstr("holds 2 numbers and not 3"));
  EXPECT_THAT(reason("<translate>1 2 nan</translate>"), HasSubstr("not finite"));
  EXPECT_THAT(reason("<translate>1 2 x</translate>"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(reason("<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>"), HasSubstr("last row"));
  EXPECT_THAT(reason("<skew>90 0 1 0 1 0 0</skew>"), HasSubstr("angle"));
  EXPECT_THAT(reason("<lookat>0 0 0 1 0 0 2 0 0</lookat>"), HasSubstr("parallel"));
}

TEST(ReadDae, UnfoldsInstancesOfNodesAndSharesTheirShape) {
  const std::string library = R"(<library_nodes><node id="bolt" name="bolt">
    <instance_geometry url="#shape"/></node></library_nodes>)";
  const std::string nodes = R"(<node><translate>5 0 0</translate><instance_node url="#bolt"/></node>
    <node><translate>7 0 0</translate><instance_node url="#bolt"/>
      <node name="inner"><instance_geometry url="#shape"/></node></node>)";
  const Assembly assembly =
      read(dae(kTriangles, nodes, "<up_axis>Z_UP</up_axis>", library)).assembly;
  ASSERT_EQ(assembly.parts.size(), 3u);
  EXPECT_EQ(assembly.parts[0].name, "bolt");
  EXPECT_EQ(assembly.parts[1].name, "bolt#2");
  EXPECT_EQ(assembly.parts[2].name, "inner");
  EXPECT_EQ(assembly.parts[1].world_from_part.translation, Vec3(7, 0, 0));
  EXPECT_EQ(assembly.parts[2].world_from_part.translation, Vec3(7, 0, 0));
  EXPECT_EQ(assembly.parts[0].mesh.vertices().data(), assembly.parts[2].mesh.vertices().data());
}

TEST(ReadDae, RefusesNodesThatContainThemselves) {
  const std::string library = R"(<library_nodes>
    <node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>
    </library_nodes>)";
  EXPECT_THAT(refusal(dae(kTriangles, R"(<node><instance_node url="#a"/></node>)", "", library)),
              HasSubstr("contains it"));
}

TEST(ReadDae, RefusesInstancesThatMultiplyWithoutEnd) {
  // Each of 60 nodes uses the next one twice: 2^60 parts.
  std::string library = "<library_nodes>";
  for (int i = 0; i < 60; ++i) {
    const std::string use = R"(<instance_node url="#n)" + std::to_string(i + 1) + R"("/>)";
    library += R"(<node id="n)" + std::to_string(i) + R"(">)" + use + use + "</node>";
  }
  library += R"(<node id="n60"><instance_geometry url="#shape"/></node></library_nodes>)";
  EXPECT_THAT(refusal(dae(kTriangles, R"(<node><instance_node url="#n0"/></node>)", "", library)),
              HasSubstr("unfold to more than"));
}

TEST(ReadDae, BoundsTheDepthOfNodesAndOfXml) {
  const auto nested = [](int depth) {
    std::string open;
    std::string close;
    for (int i = 0; i < depth; ++i) open += "<node>", close += "</node>";
    return dae(kTriangles, open + R"(<instance_geometry url="#shape"/>)" + close);
  };
  EXPECT_EQ(read(nested(200)).assembly.parts.size(), 1u);
  EXPECT_THAT(refusal(nested(100'000)), HasSubstr("nest deeper"));
}

TEST(ReadDae, ChecksCountsAndIndices) {
  EXPECT_THAT(refusal(replaced(good(), R"(count="12")", R"(count="13")")),
              HasSubstr("promises 13 numbers"));
  EXPECT_THAT(refusal(replaced(good(), R"(count="4" stride)", R"(count="5" stride)")),
              HasSubstr("too short"));
  EXPECT_THAT(
      refusal(replaced(good(), R"(count="4" stride)", R"(count="18446744073709551615" stride)")),
      HasSubstr("too short"));
  EXPECT_THAT(refusal(replaced(good(), R"(stride="3")", R"(stride="2")")), HasSubstr("stride"));
  EXPECT_THAT(refusal(replaced(good(), R"(stride="3")", R"(stride="18446744073709551615")")),
              HasSubstr("too short"));
  EXPECT_THAT(
      refusal(replaced(good(), R"(stride="3")", R"(stride="3" offset="18446744073709551615")")),
      HasSubstr("too short"));
  EXPECT_THAT(refusal(replaced(good(), "<triangles count=\"4\">", "<triangles count=\"5\">")),
              HasSubstr("promises 5 <triangles>"));
  EXPECT_THAT(refusal(replaced(good(), "1 2 3</p>", "1 2 4</p>")),
              HasSubstr("uses vertex 4, but there are only 4"));
  EXPECT_THAT(refusal(replaced(good(), "1 2 3</p>", "1 2 -3</p>")),
              HasSubstr("'-3' is not an index"));
  EXPECT_THAT(refusal(replaced(good(), "1 2 3</p>", "1 2</p>")), HasSubstr("not a multiple of 3"));
  EXPECT_THAT(refusal(replaced(good(), "0 2 0  0 0 3", "0 2 0  0 INF 3")),
              HasSubstr("number 10 is not finite"));
}

TEST(ReadDae, NamesTheLine) {
  EXPECT_THAT(refusal(replaced(good(), "1 2 3</p>", "1 2 4</p>")),
              HasSubstr("scene.dae: line 12, <p>"));
  EXPECT_THAT(refusal(replaced(good(), "</vertices>", "</vertice>")),
              HasSubstr("line 10: the XML is broken"));
}

TEST(ReadDae, RefusesReferencesToNothingAndToOtherFiles) {
  EXPECT_THAT(refusal(replaced(good(), "#shape", "#shapeless")), HasSubstr("which is absent"));
  EXPECT_THAT(refusal(replaced(good(), "#shape", "#corners")),
              HasSubstr("is a <vertices> and not a <geometry>"));
  EXPECT_THAT(refusal(replaced(good(), "#shape", "other.dae#shape")), HasSubstr("another file"));
}

TEST(ReadDae, RefusesHolesEmptyFilesAndOtherXml) {
  const std::string hole =
      R"(<polygons count="1"><input semantic="VERTEX" source="#corners" offset="0"/>
    <ph><p>0 1 2</p><h>1 2 3</h></ph></polygons>)";
  EXPECT_THAT(refusal(dae(hole, kNode)), HasSubstr("holes"));
  EXPECT_THAT(refusal(dae("", kNode)), HasSubstr("no triangles"));
  EXPECT_THAT(refusal("<html/>"), HasSubstr("no COLLADA"));
  EXPECT_THAT(refusal("COLLADA"), HasSubstr("XML is broken"));
}

TEST(ReadDae, TakesBareGeometriesWhereThereIsNoScene) {
  std::string text = good();
  text.erase(text.find("<library_visual_scenes>"));
  const LoadedAssembly loaded = read(text + "</COLLADA>");
  ASSERT_EQ(loaded.assembly.parts.size(), 1u);
  EXPECT_EQ(loaded.assembly.parts[0].name, "Shape");
  ASSERT_EQ(loaded.info.warnings.size(), 1u);
  EXPECT_THAT(loaded.info.warnings[0], HasSubstr("no scene"));
}

TEST(ReadDae, TakesASkinnedMeshInItsBindShape) {
  const std::string controller = R"(<library_controllers><controller id="c"><skin source="#shape">
    <bind_shape_matrix>1 0 0 9 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>)";
  const LoadedAssembly loaded =
      read(dae(kTriangles, R"(<node><instance_controller url="#c"/></node>)",
               "<up_axis>Z_UP</up_axis>", controller));
  EXPECT_EQ(loaded.assembly.bounds().low.x, 9.0);
  ASSERT_EQ(loaded.info.warnings.size(), 1u);
  EXPECT_THAT(loaded.info.warnings[0], HasSubstr("Skins"));
}

TEST(ReadDae, ReadsRealFilesWithTheCountsOfAssimp) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  // `assimp info` of 5.2.5, whose counts leave out nodes that repeat a mesh (powerplant: SOURCES.md
  // has the count in place) and count each of the four lines of illformated_mesh as a face.
  const std::map<std::string, std::size_t> expected{
      {"planning/powerplant/powerplant.dae", 4693},
      {"parts/drcsim/vrc_standpipe.dae", 380},
      {"parts/drcsim/vrc_valve.dae", 1196},
      {"malformed/coal/illformated_mesh.dae", 14746},
      {"robots/atlas_description/meshes_v3/utorso_pack.dae", 1888},
      {"robots/atlas_description/meshes_v3/utorso.dae", 5504},
      {"robots/atlas_description/meshes_v3/r_scap.dae", 310},
      {"robots/atlas_description/meshes_v3/r_hand.dae", 168},
      {"robots/atlas_description/meshes_v3/r_farm.dae", 222},
      {"robots/atlas_description/meshes_v3/r_uarm.dae", 222},
      {"robots/atlas_description/meshes_v3/r_larm.dae", 280},
      {"robots/atlas_description/meshes_v3/r_clav.dae", 250}};
  for (const auto& [file, count] : expected) {
    const auto loaded = read_assembly(test::data_path(file).string());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(loaded->assembly.triangle_count(), count) << file;
  }
  // In inches, under a tree of matrices; the size by an independent walk over the same XML.
  const auto plant = read_assembly(test::data_path("planning/powerplant/powerplant.dae").string());
  ASSERT_TRUE(plant.ok());
  EXPECT_LT(distance(plant->assembly.bounds().size(), {99.14254760, 64.64769820, 48.03139884}),
            1e-7);
  // Its positions say count="3" and are 24.
  const auto odd =
      read_assembly(test::data_path("malformed/assimp/box_nested_animation_4286.dae").string());
  ASSERT_FALSE(odd.ok());
  EXPECT_THAT(odd.error().message(), HasSubstr("promises 3 numbers, but holds 24"));
}

TEST(ReadDae, AgreesWithTheStlOfTheSameRobotLink) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  // The links of the arm come as STL in metres too: the same unit and the same axes.
  int compared = 0;
  for (const auto& path :
       test::files_below(test::data_path("robots/atlas_description"), {".dae"})) {
    auto stl_path = path;
    stl_path.replace_extension(".stl");
    if (!std::filesystem::exists(stl_path)) continue;
    const auto dae_mesh = read_mesh(path.string());
    const auto stl_mesh = read_mesh(stl_path.string());
    ASSERT_TRUE(dae_mesh.ok() && stl_mesh.ok()) << path;
    EXPECT_EQ(dae_mesh->mesh.triangle_count(), stl_mesh->mesh.triangle_count()) << path;
    EXPECT_LT(distance(dae_mesh->mesh.bounds().low, stl_mesh->mesh.bounds().low), 1e-5) << path;
    EXPECT_LT(distance(dae_mesh->mesh.bounds().high, stl_mesh->mesh.bounds().high), 1e-5) << path;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace clearance
