// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/mesh/generate.h>

namespace clearance {
namespace {

std::size_t triangles_of(const Assembly& assembly, const std::string& prefix = "") {
  std::size_t total = 0;
  for (const AssemblyPart& part : assembly.parts)
    if (part.name.starts_with(prefix)) total += part.mesh.triangle_count();
  return total;
}

std::uint64_t hash_of(const Assembly& assembly) {
  std::uint64_t hash = 1469598103934665603ULL;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  for (const AssemblyPart& part : assembly.parts) {
    for (const char c : part.name) mix(static_cast<std::uint64_t>(c));
    for (const Vec3& v : part.mesh.vertices())
      for (std::size_t k = 0; k < 3; ++k) mix(std::bit_cast<std::uint64_t>(v[k]));
    for (const Face& f : part.mesh.faces())
      for (const std::uint32_t v : f) mix(v);
    for (std::size_t k = 0; k < 3; ++k)
      mix(std::bit_cast<std::uint64_t>(part.world_from_part.translation[k]));
  }
  return hash;
}

double volume_of(const Mesh& mesh) {
  const Vec3 origin = mesh.vertices()[0];
  double sum = 0.0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    sum += dot(t.a - origin, cross(t.b - origin, t.c - origin)) / 6.0;
  }
  return sum;
}

std::vector<double> areas_of(const Assembly& assembly) {
  std::vector<double> areas;
  for (const AssemblyPart& part : assembly.parts) {
    for (std::size_t i = 0; i < part.mesh.triangle_count(); ++i) {
      const Triangle t = part.mesh.triangle(i);
      areas.push_back(0.5 * norm(cross(t.b - t.a, t.c - t.a)));
    }
  }
  return areas;
}

struct EdgeReport {
  std::size_t open = 0;   // directed edges without their opposite
  std::size_t wrong = 0;  // directed edges that occur twice: non-manifold or turned triangles
};

EdgeReport edges_of(const Mesh& mesh) {
  std::unordered_map<std::uint64_t, int> directed;
  directed.reserve(3 * mesh.triangle_count());
  for (const Face& f : mesh.faces()) {
    for (int k = 0; k < 3; ++k) ++directed[std::uint64_t{f[k]} << 32 | f[(k + 1) % 3]];
  }
  EdgeReport report;
  for (const auto& [edge, count] : directed) {
    if (count > 1) ++report.wrong;
    if (!directed.contains(edge << 32 | edge >> 32)) ++report.open;
  }
  return report;
}

bool is_sheet(const AssemblyPart& part) { return part.name.ends_with("label"); }

class Generators : public testing::TestWithParam<std::string> {
 protected:
  const GeneratorInfo& info() const {
    for (const GeneratorInfo& entry : generators())
      if (entry.name == GetParam()) return entry;
    throw std::out_of_range("no such generator");
  }
  Assembly make(std::size_t triangles) const {
    GenerateOptions options;
    options.triangles = triangles;
    Result<Assembly> result = generate(GetParam(), options);
    if (!result) {
      ADD_FAILURE() << result.error().message();
      return {};
    }
    return std::move(result).value();
  }
  /// The default, the minimum, and one between.
  std::vector<std::size_t> counts() const {
    const std::size_t least = (info().minimum_triangles + 1) / 2 * 2;
    return {info().default_triangles, least, least + info().default_triangles / 14 * 2};
  }
};

TEST_P(Generators, MeetTheRequestedCountExactly) {
  EXPECT_EQ(triangles_of(make(0)), info().default_triangles);
  for (const std::size_t count : counts()) EXPECT_EQ(triangles_of(make(count)), count);
}

TEST_P(Generators, GiveClosedOutwardSolidsWithoutDegenerateTriangles) {
  for (const std::size_t count : counts()) {
    const Assembly assembly = make(count);
    for (const AssemblyPart& part : assembly.parts) {
      SCOPED_TRACE(part.name + " of " + std::to_string(count));
      const EdgeReport edges = edges_of(part.mesh);
      EXPECT_EQ(edges.wrong, 0U);
      if (is_sheet(part)) {
        EXPECT_GT(edges.open, 0U);
      } else {
        EXPECT_EQ(edges.open, 0U);
        EXPECT_GT(volume_of(part.mesh), 0.0);
      }
    }
    const std::vector<double> areas = areas_of(assembly);
    EXPECT_GT(*std::min_element(areas.begin(), areas.end()), 0.0);
  }
}

TEST_P(Generators, AreTheSameBitForBitEachTime) {
  const std::size_t count = counts()[2];
  EXPECT_EQ(hash_of(make(count)), hash_of(make(count)));
}

TEST_P(Generators, RefuseTooFewAndImpossibleCounts) {
  GenerateOptions options;
  options.triangles = info().minimum_triangles - 1;
  const Result<Assembly> too_few = generate(GetParam(), options);
  ASSERT_FALSE(too_few.ok());
  EXPECT_EQ(too_few.error().code, ErrorCode::Invalid);
  EXPECT_NE(too_few.error().reason.find(std::to_string(info().minimum_triangles)),
            std::string::npos)
      << too_few.error().reason;

  options.triangles = info().minimum_triangles + 101 + info().minimum_triangles % 2;
  const Result<Assembly> odd = generate(GetParam(), options);
  if (info().even_only) {
    ASSERT_FALSE(odd.ok());
    EXPECT_NE(odd.error().reason.find("even"), std::string::npos);
  } else {
    ASSERT_TRUE(odd.ok()) << odd.error().message();
    EXPECT_EQ(triangles_of(*odd), options.triangles);
  }
}

TEST_P(Generators, HaveUniqueNamesOfParts) {
  const Assembly assembly = make(counts()[1]);
  std::vector<std::string> names;
  for (const AssemblyPart& part : assembly.parts) names.push_back(part.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const GeneratorInfo& entry : generators()) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Generators, testing::ValuesIn(all_names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Generate, RefusesAnUnknownName) {
  const Result<Assembly> result = generate("teapot");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::NotFound);
  EXPECT_NE(result.error().advice.find("pipe"), std::string::npos);
}

TEST(Generate, RefusesBodyCountsForASinglePart) {
  GenerateOptions options;
  options.body_triangles = 1000;
  EXPECT_FALSE(generate("pipe", options).ok());
}

TEST(MakePipe, HasTheVolumeOfItsDimensions) {
  PipeOptions options;
  options.triangles = 20000;
  const Result<Mesh> pipe = make_pipe(options);
  ASSERT_TRUE(pipe.ok());
  // pi (26^2 - 20^2) * 200 mm^3; inscribed facets lose about (2 pi / n)^2 / 6 of it.
  EXPECT_NEAR(volume_of(*pipe), 173416e-9, 200e-9);
  EXPECT_NEAR(pipe->bounds().size().z, 0.2, 1e-15);
  EXPECT_NEAR(pipe->bounds().size().x, 0.052, 1e-15);
}

TEST(MakePipe, RefusesABoreThatIsNoBore) {
  PipeOptions options;
  options.bore = 0.06;
  EXPECT_FALSE(make_pipe(options).ok());
}

TEST(MakeWall, HasTheHoleAroundTheOriginAndNothingInIt) {
  const Result<Mesh> wall = make_wall();
  ASSERT_TRUE(wall.ok());
  for (const Vec3& v : wall->vertices()) EXPECT_GT(std::hypot(v.y, v.z), 0.15 * 0.95);
  EXPECT_NEAR(wall->bounds().size().x, 0.03, 1e-12);
}

TEST(MakeWall, RefusesAHoleLargerThanTheWall) {
  WallOptions options;
  options.hole_diameter = 2.0;
  EXPECT_FALSE(make_wall(options).ok());
}

}  // namespace
}  // namespace clearance
