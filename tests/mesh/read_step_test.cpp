// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <clearance/base/parallel.h>
#include <clearance/base/random.h>
#include <clearance/mesh/read.h>

#include "mesh/readers.h"
#include "mesh/step_syntax.h"
#include "mesh/topology.h"
#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using test::signed_volume;
using ::testing::HasSubstr;

#define CLEARANCE_SKIP_WITHOUT_STEP() \
  if (!detail::can_read_step()) GTEST_SKIP() << "built without OpenCASCADE"

// Writes the entities of a STEP file one by one; each call returns the reference to what it added.
class StepText {
 public:
  std::string add(const std::string& entity) {
    text_ << "#" << ++count_ << "=" << entity << ";\n";
    return "#" + std::to_string(count_);
  }
  std::string point(const Vec3& p) { return add("CARTESIAN_POINT(''," + triple(p) + ")"); }
  std::string direction(const Vec3& d) { return add("DIRECTION(''," + triple(d) + ")"); }
  [[nodiscard]] std::string file() const {
    return "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n"
           "FILE_NAME('','',(''),(''),'','','');\n"
           "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\nDATA;\n" +
           text_.str() + "ENDSEC;\nEND-ISO-10303-21;\n";
  }

 private:
  static std::string triple(const Vec3& v) {
    std::ostringstream text;
    text << std::showpoint << "(" << v.x << "," << v.y << "," << v.z << ")";
    return text.str();
  }
  std::ostringstream text_;
  int count_ = 0;
};

// A tetrahedron of planar faces with corners 0, (10, 0, 0), (0, 20, 0), (0, 0, 30) in the given
// unit (volume 1000), used twice by an assembly: in place, and turned a quarter about z and moved
// by 100 along x.
std::string pair_of_tetrahedra(const std::string& length_unit = "SI_UNIT(.MILLI.,.METRE.)") {
  StepText step;
  const std::string application = step.add("APPLICATION_CONTEXT('design')");
  const std::string product_context =
      step.add("PRODUCT_CONTEXT(''," + application + ",'mechanical')");
  const std::string definition_context =
      step.add("PRODUCT_DEFINITION_CONTEXT('part definition'," + application + ",'design')");
  const std::string length = step.add("(LENGTH_UNIT()NAMED_UNIT(*)" + length_unit + ")");
  const std::string angle = step.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))");
  const std::string solid_angle =
      step.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())");
  const std::string uncertainty =
      step.add("UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-7)," + length + ",'','')");
  const std::string context = step.add(
      "(GEOMETRIC_REPRESENTATION_CONTEXT(3)"
      "GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((" +
      uncertainty +
      "))"
      "GLOBAL_UNIT_ASSIGNED_CONTEXT((" +
      length + "," + angle + "," + solid_angle + "))REPRESENTATION_CONTEXT('',''))");

  // Boundary representation: a straight edge between any two corners, a plane for each face.
  const std::vector<Vec3> corners{{0, 0, 0}, {10, 0, 0}, {0, 20, 0}, {0, 0, 30}};
  std::vector<std::string> vertices;
  for (const Vec3& p : corners) {
    vertices.push_back(step.add("VERTEX_POINT(''," + step.point(p) + ")"));
  }
  std::map<std::pair<int, int>, std::string> edges;
  std::string faces;
  for (const auto& [a, b, c] :
       std::vector<std::array<int, 3>>{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) {
    std::string loop;
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, a)}) {
      const auto [low, high] = std::minmax(from, to);
      std::string& edge = edges[{low, high}];
      const Vec3& start = corners[static_cast<std::size_t>(low)];
      if (edge.empty()) {
        const Vec3 along = corners[static_cast<std::size_t>(high)] - start;
        const std::string vector = step.add("VECTOR(''," + step.direction(along) + ",1.)");
        const std::string line = step.add("LINE(''," + step.point(start) + "," + vector + ")");
        edge = step.add("EDGE_CURVE(''," + vertices[static_cast<std::size_t>(low)] + "," +
                        vertices[static_cast<std::size_t>(high)] + "," + line + ",.T.)");
      }
      loop += (loop.empty() ? "" : ",") +
              step.add("ORIENTED_EDGE('',*,*," + edge + (from < to ? ",.T.)" : ",.F.)"));
    }
    const Vec3& p = corners[static_cast<std::size_t>(a)];
    const Vec3 u = corners[static_cast<std::size_t>(b)] - p;
    const Vec3 normal = cross(u, corners[static_cast<std::size_t>(c)] - p);
    const std::string axes = step.add("AXIS2_PLACEMENT_3D(''," + step.point(p) + "," +
                                      step.direction(normal) + "," + step.direction(u) + ")");
    const std::string plane = step.add("PLANE(''," + axes + ")");
    const std::string bound =
        step.add("FACE_OUTER_BOUND(''," + step.add("EDGE_LOOP('',(" + loop + "))") + ",.T.)");
    faces += (faces.empty() ? "" : ",") +
             step.add("ADVANCED_FACE('',(" + bound + ")," + plane + ",.T.)");
  }
  const std::string solid =
      step.add("MANIFOLD_SOLID_BREP(''," + step.add("CLOSED_SHELL('',(" + faces + "))") + ")");
  const std::string z = step.direction({0, 0, 1});
  const std::string origin = step.add("AXIS2_PLACEMENT_3D(''," + step.point({0, 0, 0}) + "," + z +
                                      "," + step.direction({1, 0, 0}) + ")");
  const std::string turned = step.add("AXIS2_PLACEMENT_3D(''," + step.point({100, 0, 0}) + "," + z +
                                      "," + step.direction({0, 1, 0}) + ")");
  const std::string solid_shape = step.add("ADVANCED_BREP_SHAPE_REPRESENTATION('',(" + solid + "," +
                                           origin + ")," + context + ")");
  const std::string pair_shape =
      step.add("SHAPE_REPRESENTATION('',(" + origin + "," + turned + ")," + context + ")");

  const auto product = [&](const std::string& name, const std::string& shape) {
    const std::string made =
        step.add("PRODUCT('" + name + "','" + name + "',''," + "(" + product_context + "))");
    const std::string version = step.add("PRODUCT_DEFINITION_FORMATION('',''," + made + ")");
    const std::string definition =
        step.add("PRODUCT_DEFINITION('',''," + version + "," + definition_context + ")");
    const std::string of = step.add("PRODUCT_DEFINITION_SHAPE('',''," + definition + ")");
    step.add("SHAPE_DEFINITION_REPRESENTATION(" + of + "," + shape + ")");
    return definition;
  };
  const std::string part = product("tetra", solid_shape);
  const std::string whole = product("pair", pair_shape);
  for (const std::string& place : {origin, turned}) {
    const std::string use =
        step.add("NEXT_ASSEMBLY_USAGE_OCCURRENCE('','',''," + whole + "," + part + ",$)");
    const std::string use_shape = step.add("PRODUCT_DEFINITION_SHAPE('',''," + use + ")");
    const std::string map =
        step.add("ITEM_DEFINED_TRANSFORMATION('',''," + origin + "," + place + ")");
    const std::string relation =
        step.add("(REPRESENTATION_RELATIONSHIP('',''," + solid_shape + "," + pair_shape +
                 ")REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(" + map +
                 ")SHAPE_REPRESENTATION_RELATIONSHIP())");
    step.add("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(" + relation + "," + use_shape + ")");
  }
  return step.file();
}

std::size_t open_edges(const Mesh& mesh) { return detail::analyse_topology(mesh, {}).open_edges; }

// What a call writes to stdout and stderr, past the streams of C++.
template <class Call>
std::string printed_by(Call&& call) {
  std::FILE* sink = std::tmpfile();
  std::array<int, 2> saved{};
  for (int fd : {1, 2}) {
    std::fflush(fd == 1 ? stdout : stderr);
    saved[static_cast<std::size_t>(fd - 1)] = dup(fd);
    dup2(fileno(sink), fd);
  }
  call();
  for (int fd : {1, 2}) {
    std::fflush(fd == 1 ? stdout : stderr);
    dup2(saved[static_cast<std::size_t>(fd - 1)], fd);
    close(saved[static_cast<std::size_t>(fd - 1)]);
  }
  std::string text;
  std::rewind(sink);
  for (int c = std::fgetc(sink); c != EOF; c = std::fgetc(sink))
    text.push_back(static_cast<char>(c));
  std::fclose(sink);
  return text;
}

TEST(ReadStep, ReadsAnAssemblyWithNamesPlacesAndSharedShapes) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  const auto loaded = parse_assembly(pair_of_tetrahedra(), "pair.step");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->info.format, "STEP");
  EXPECT_TRUE(loaded->info.warnings.empty());
  const auto& parts = loaded->assembly.parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "tetra");
  EXPECT_EQ(parts[1].name, "tetra#2");
  EXPECT_EQ(parts[0].mesh.vertices().data(), parts[1].mesh.vertices().data());
  EXPECT_EQ(parts[0].mesh.triangle_count(), 4u);
  EXPECT_EQ(parts[0].mesh.vertex_count(), 4u);
  EXPECT_EQ(open_edges(parts[0].mesh), 0u);
  EXPECT_NEAR(signed_volume(parts[0].mesh), 1e-6, 1e-18);  // 1000 mm³, and facing outward
  // (10, 0, 0) mm turns to (0, 10, 0) and moves by 100 along x.
  EXPECT_LT(distance(parts[1].world_from_part * Vec3{0.01, 0, 0}, {0.1, 0.01, 0}), 1e-15);
}

TEST(ReadStep, TakesTheUnitFromTheFileOrTheOption) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  const auto metres = parse_assembly(pair_of_tetrahedra("SI_UNIT($,.METRE.)"), "pair.stp");
  ASSERT_TRUE(metres.ok()) << metres.error().message();
  EXPECT_EQ(metres->info.metres_per_unit, 1.0);
  EXPECT_EQ(metres->info.unit_source, UnitSource::Declared);
  EXPECT_NEAR(metres->assembly.parts[0].mesh.bounds().high.z, 30.0, 1e-12);
  EXPECT_NEAR(metres->assembly.parts[1].world_from_part.translation.x, 100.0, 1e-12);

  ReadOptions options;
  options.metres_per_unit = 0.0254;
  const auto inches = parse_assembly(pair_of_tetrahedra(), "pair.step", options);
  ASSERT_TRUE(inches.ok());
  EXPECT_EQ(inches->info.unit_source, UnitSource::Option);
  EXPECT_NEAR(inches->assembly.parts[0].mesh.bounds().high.z, 30 * 0.0254, 1e-12);
  EXPECT_NEAR(inches->assembly.parts[1].world_from_part.translation.x, 100 * 0.0254, 1e-12);
}

TEST(ReadStep, PrintsNothing) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  const std::string good = pair_of_tetrahedra();
  // Legal syntax that OpenCASCADE has much to say about.
  std::string odd = good;
  odd.replace(odd.find("CLOSED_SHELL"), 12, "CLOSED_SHILL");
  const std::string text = printed_by([&] {
    EXPECT_TRUE(parse_assembly(good, "good.step").ok());
    EXPECT_FALSE(parse_assembly(odd, "odd.step").ok());
  });
  EXPECT_EQ(text, "");
}

TEST(ReadStep, RefusesOptionsThatAreNoTolerance) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  ReadOptions options;
  options.step_deflection = 0.0;
  const auto loaded = parse_assembly(pair_of_tetrahedra(), "pair.step", options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::Invalid);
}

TEST(ReadStep, StopsWhenAsked) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  struct Impatient : Monitor {
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  } impatient;
  ReadOptions options;
  options.monitor = &impatient;
  const auto loaded = parse_assembly(pair_of_tetrahedra(), "pair.step", options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::Cancelled);
}

TEST(ReadStep, SaysWhatIsWrongWithItsProgram) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  const auto refusal_with = [](const char* program) {
    setenv("CLEARANCE_STEP_PROGRAM", program, 1);
    const auto loaded = parse_assembly(pair_of_tetrahedra(), "pair.step");
    unsetenv("CLEARANCE_STEP_PROGRAM");
    return loaded.ok() ? "" : loaded.error().message();
  };
  EXPECT_THAT(refusal_with("/nowhere/clearance-step"), HasSubstr("does not start"));
  EXPECT_THAT(refusal_with("/bin/true"), HasSubstr("ended without an answer"));
  EXPECT_THAT(refusal_with("/bin/cat"), HasSubstr("pair.step"));
}

TEST(ReadStep, ReadsSeveralFilesAtOnce) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  const std::string text = pair_of_tetrahedra();
  std::atomic<int> read = 0;
  parallel_for({2}, 4, [&](std::size_t) { read += parse_assembly(text, "pair.step").ok(); });
  EXPECT_EQ(read, 4);
}

TEST(ReadStep, RefusesAFileCutAnywhere) {
  const std::string whole = pair_of_tetrahedra();
  for (std::size_t size = 1; size + 18 < whole.size(); size += 37) {
    const auto loaded = parse_assembly(whole.substr(0, size), "cut.step");
    ASSERT_FALSE(loaded.ok()) << size;
  }
}

TEST(ReadStep, SurvivesDamagedEntities) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  // Letters and digits changed at random: the syntax mostly stays legal, the meaning does not.
  Random random(11);
  const std::string good = pair_of_tetrahedra();
  const std::size_t data = good.find("DATA;");
  int refused = 0;
  for (int trial = 0; trial < 40; ++trial) {
    std::string bad = good;
    for (int change = 0; change < 3; ++change) {
      char& c = bad[data + 6 + random.below(bad.size() - data - 40)];
      if (c >= '0' && c <= '9') c = static_cast<char>('0' + random.below(10));
      if (c >= 'A' && c <= 'Z') c = static_cast<char>('A' + random.below(26));
    }
    refused += !parse_assembly(bad, "damaged.step").ok();
  }
  EXPECT_GT(refused, 5);
}

TEST(StepSyntax, NamesTheLineAndTheReason) {
  const auto reason = [](const std::string& data) {
    const Status status = detail::check_step_syntax(
        "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n" + data + "ENDSEC;\nEND-ISO-10303-21;\n",
        "x.step");
    return status.ok() ? "" : status.error().message();
  };
  EXPECT_EQ(reason("#1=A('it''s; fine',(#2,$,.T.),\"0F\");\n/* #9 */ #2 = B(*) ;\n"), "");
  EXPECT_THAT(reason("#1=A(\n#3);\n"), HasSubstr("line 6: refers to #3"));
  EXPECT_THAT(reason("#1=A();\n#1=A();\n"), HasSubstr("line 6: #1 is defined twice"));
  EXPECT_THAT(reason("#1=A(();\n"), HasSubstr("line 5: a parenthesis is not closed"));
  EXPECT_THAT(reason("#1=A());\n"), HasSubstr("was not opened"));
  EXPECT_THAT(reason("#1=A('x);\n"), HasSubstr("a text does not end"));
  EXPECT_THAT(reason("/* x\n"), HasSubstr("a comment does not end"));
  EXPECT_THAT(reason("#1 A();\n"), HasSubstr("'=' was expected"));
  EXPECT_THAT(reason("#99999999999999999999=A();\n"), HasSubstr("number of an entity"));
  EXPECT_THAT(reason("A();\n"), HasSubstr("an entity or ENDSEC; was expected"));
  EXPECT_THAT(reason("#1=A(" + std::string(1000, '(') + ");\n"), HasSubstr("nest too deeply"));
  EXPECT_FALSE(detail::check_step_syntax("", "x.step").ok());
  EXPECT_FALSE(detail::check_step_syntax("solid x", "x.step").ok());
  EXPECT_FALSE(detail::check_step_syntax("ISO-10303-21;\nEND-ISO-10303-21;", "x.step").ok());
}

TEST(ReadStep, ReadsTheAssemblyOfRealData) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto loaded = read_assembly(test::data_path("parts/step/as1-tu-203.stp").string());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  // By hand: 6 bolts, 8 nuts, 2 brackets, a plate and a rod; 5 shapes.
  std::map<std::string, int> uses;
  std::set<const Vec3*> shapes;
  for (const AssemblyPart& part : loaded->assembly.parts) {
    ++uses[part.name.substr(0, part.name.find('#'))];
    shapes.insert(part.mesh.vertices().data());
    EXPECT_EQ(open_edges(part.mesh), 0u) << part.name;
    EXPECT_GT(signed_volume(part.mesh), 0.0) << part.name;
  }
  EXPECT_EQ(uses, (std::map<std::string, int>{
                      {"bolt", 6}, {"nut", 8}, {"l-bracket", 2}, {"plate", 1}, {"rod", 1}}));
  EXPECT_EQ(shapes.size(), 5u);
  // The whole is 200 x 150 x 84 mm, by the dimensions of the CAx-IF test.
  const Vec3 size = loaded->assembly.bounds().size();
  EXPECT_LT(distance(size, {0.2, 0.15, 0.084}), 1e-6);
}

TEST(ReadStep, AgreesWithTheStlMadeOfTheSameFile) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  CLEARANCE_SKIP_WITHOUT_DATA();
  for (const auto& [step, stl, unit] : std::vector<std::tuple<std::string, std::string, double>>{
           {"parts/conrod/linkrods.step", "parts/conrod/linkrods_fine.stl", 1e-3},
           {"parts/screw/screw.step", "parts/screw/screw.stl", 1e-3},
           {"parts/step/component8.step", "parts/step/component8.stl", 1e-3},
           {"parts/trimesh/featuretype.STEP", "parts/trimesh/featuretype.STL", 0.0254}}) {
    ReadOptions options;
    options.metres_per_unit = unit;
    const auto reference = read_mesh(test::data_path(stl).string(), options);
    ASSERT_TRUE(reference.ok()) << stl;
    // As fine as the STL was made: 0.005 to 0.05 of a millimetre.
    ReadOptions fine;
    fine.step_deflection = 5e-6;
    const auto loaded = read_mesh(test::data_path(step).string(), fine);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(open_edges(loaded->mesh), 0u) << step;
    EXPECT_EQ(loaded->info.metres_per_unit, unit) << step;
    EXPECT_NEAR(signed_volume(loaded->mesh), signed_volume(reference->mesh),
                0.005 * signed_volume(reference->mesh))
        << step;
    const Box a = loaded->mesh.bounds();
    const Box b = reference->mesh.bounds();
    EXPECT_LT(distance(a.low, b.low), 1e-4 * b.diagonal() + 5e-5) << step;
    EXPECT_LT(distance(a.high, b.high), 1e-4 * b.diagonal() + 5e-5) << step;
  }
}

TEST(ReadStep, FollowsTheDeflection) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  CLEARANCE_SKIP_WITHOUT_DATA();
  const std::string path = test::data_path("parts/step/component8.step").string();
  ReadOptions coarse;
  coarse.step_deflection = 1e-3;
  ReadOptions fine;
  fine.step_deflection = 1e-5;
  const auto a = read_mesh(path, coarse);
  const auto b = read_mesh(path, fine);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_LT(2 * a->mesh.triangle_count(), b->mesh.triangle_count());
}

TEST(ReadStep, GivesTheSameBitsForAnyNumberOfThreads) {
  CLEARANCE_SKIP_WITHOUT_STEP();
  CLEARANCE_SKIP_WITHOUT_DATA();
  const std::string bytes = test::contents(test::data_path("parts/screw/screw.step"));
  ReadOptions one;
  one.threads.count = 1;
  ReadOptions four;
  four.threads.count = 4;
  const auto a = parse_assembly(bytes, "screw.step", one);
  const auto b = parse_assembly(bytes, "screw.step", four);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(std::ranges::equal(a->assembly.parts[0].mesh.vertices(),
                                 b->assembly.parts[0].mesh.vertices()));
  EXPECT_TRUE(
      std::ranges::equal(a->assembly.parts[0].mesh.faces(), b->assembly.parts[0].mesh.faces()));
}

}  // namespace
}  // namespace clearance
