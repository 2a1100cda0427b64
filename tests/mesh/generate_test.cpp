// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/geometry/intersect.h>
#include <clearance/mesh/generate.h>

#include "mesh/generate_polygon.h"

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
  std::vector<std::uint64_t> directed;
  directed.reserve(3 * mesh.triangle_count());
  for (const Face& f : mesh.faces()) {
    for (int k = 0; k < 3; ++k) directed.push_back(std::uint64_t{f[k]} << 32 | f[(k + 1) % 3]);
  }
  std::vector<std::uint64_t> opposite;
  opposite.reserve(directed.size());
  for (const std::uint64_t edge : directed) opposite.push_back(edge << 32 | edge >> 32);
  std::sort(directed.begin(), directed.end());
  std::sort(opposite.begin(), opposite.end());
  EdgeReport report;
  for (std::size_t i = 1; i < directed.size(); ++i)
    if (directed[i] == directed[i - 1]) ++report.wrong;
  std::vector<std::uint64_t> open;
  std::set_difference(directed.begin(), directed.end(), opposite.begin(), opposite.end(),
                      std::back_inserter(open));
  report.open = open.size();
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
    return {info().default_triangles, least, least + info().default_triangles / 40 * 2};
  }
};

TEST_P(Generators, MeetTheRequestedCountExactly) {
  const Assembly standard = make(0);
  EXPECT_EQ(triangles_of(standard), info().default_triangles);
  EXPECT_EQ(triangles_of(standard, "body/"), info().body_triangles);
  EXPECT_EQ(triangles_of(standard, "obstacle/"), info().obstacle_triangles);
  EXPECT_EQ(triangles_of(make(counts()[1])), counts()[1]);
  EXPECT_EQ(triangles_of(make(counts()[2])), counts()[2]);
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
  names.reserve(assembly.parts.size());
  for (const AssemblyPart& part : assembly.parts) names.push_back(part.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST_P(Generators, HaveTheSizeOfTheThingsTheyStandFor) {
  Box box;
  for (const AssemblyPart& part : make(counts()[1]).parts)
    for (const Vec3& v : part.mesh.vertices()) box.include(part.world_from_part * v);
  EXPECT_GT(box.diagonal(), 0.08);
  EXPECT_LT(box.diagonal(), 3.0);
}

// Those with flat faces beside fine features.
class CadLikeGenerators : public Generators {};

TEST_P(CadLikeGenerators, MixHugeAndTinyTriangles) {
  std::vector<double> areas = areas_of(make(0));
  std::nth_element(areas.begin(), areas.begin() + std::ptrdiff_t(areas.size() / 2), areas.end());
  const double median = areas[areas.size() / 2];
  EXPECT_GT(*std::max_element(areas.begin(), areas.end()) / median, 100.0);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const GeneratorInfo& entry : generators()) names.emplace_back(entry.name);
  return names;
}

// Without the surfaces of one kind, where the spread is not the point.
std::vector<std::string> cad_like_names() {
  std::vector<std::string> names = all_names();
  std::erase_if(names, [](const std::string& name) {
    return name == "atrium" || name.starts_with("pipe") || name == "bin" || name == "torch";
  });
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Generators, testing::ValuesIn(all_names()), test_name);
INSTANTIATE_TEST_SUITE_P(All, CadLikeGenerators, testing::ValuesIn(cad_like_names()), test_name);

// The triangles of some parts of an assembly, and whether others touch them: a grid over their
// boxes, then edges against triangles. Enough for surfaces that cross; not for one inside another.
class Obstacles {
 public:
  explicit Obstacles(std::vector<Triangle> triangles) : triangles_(std::move(triangles)) {
    for (std::uint32_t i = 0; i < triangles_.size(); ++i)
      for_cells(box_of(triangles_[i]), [&](std::uint64_t key) {
        cells_[key].push_back(i);
        return false;
      });
  }

  [[nodiscard]] bool touch(const Triangle& t) const {
    const Box box = box_of(t);
    return for_cells(box, [&](std::uint64_t key) {
      const auto cell = cells_.find(key);
      if (cell == cells_.end()) return false;
      return std::any_of(cell->second.begin(), cell->second.end(), [&](std::uint32_t i) {
        const Triangle& o = triangles_[i];
        if (!intersects(box, box_of(o))) return false;
        return intersects(Segment{t.a, t.b}, o) || intersects(Segment{t.b, t.c}, o) ||
               intersects(Segment{t.c, t.a}, o) || intersects(Segment{o.a, o.b}, t) ||
               intersects(Segment{o.b, o.c}, t) || intersects(Segment{o.c, o.a}, t);
      });
    });
  }

 private:
  static constexpr double kCell = 0.04;  // [m]

  static Box box_of(const Triangle& t) {
    Box box;
    for (const Vec3& v : {t.a, t.b, t.c}) box.include(v);
    return box;
  }
  template <class Visit>
  static bool for_cells(const Box& box, const Visit& visit) {
    const auto cell = [](double x) { return static_cast<std::int64_t>(std::floor(x / kCell)); };
    for (std::int64_t i = cell(box.low.x); i <= cell(box.high.x); ++i)
      for (std::int64_t j = cell(box.low.y); j <= cell(box.high.y); ++j)
        for (std::int64_t k = cell(box.low.z); k <= cell(box.high.z); ++k)
          if (visit(static_cast<std::uint64_t>(((i + 4096) << 32) + ((j + 4096) << 16) + k + 4096)))
            return true;
    return false;
  }

  std::vector<Triangle> triangles_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

std::vector<Triangle> triangles_in_place(const Assembly& assembly, const std::string& prefix) {
  std::vector<Triangle> triangles;
  for (const AssemblyPart& part : assembly.parts) {
    if (!part.name.starts_with(prefix)) continue;
    const Pose& pose = part.world_from_part;
    for (std::size_t i = 0; i < part.mesh.triangle_count(); ++i) {
      const Triangle t = part.mesh.triangle(i);
      triangles.push_back({pose * t.a, pose * t.b, pose * t.c});
    }
  }
  return triangles;
}

/// A scene and the way its body comes out, as its source file states it: straight moves from the
/// start, one after another.
struct Removal {
  std::string name;
  std::vector<Vec3> moves;
};

class Scenes : public testing::TestWithParam<Removal> {
 protected:
  void SetUp() override {
    GenerateOptions options;
    for (const GeneratorInfo& entry : generators())
      if (entry.name == GetParam().name) options.triangles = entry.minimum_triangles + 6000;
    Result<Assembly> scene = generate(GetParam().name, options);
    ASSERT_TRUE(scene.ok()) << scene.error().message();
    body_ = triangles_in_place(*scene, "body/");
    obstacles_.emplace(triangles_in_place(*scene, "obstacle/"));
    ASSERT_FALSE(body_.empty());
  }
  bool touches_at(const Vec3& offset) const {
    return std::any_of(body_.begin(), body_.end(), [&](const Triangle& t) {
      return obstacles_->touch({t.a + offset, t.b + offset, t.c + offset});
    });
  }
  std::vector<Triangle> body_;
  std::optional<Obstacles> obstacles_;
};

TEST_P(Scenes, StartFreeWithSomeMillimetresOfRoom) {
  EXPECT_FALSE(touches_at({}));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double step : {-0.004, 0.004}) {
      Vec3 offset;
      offset[axis] = step;
      EXPECT_FALSE(touches_at(offset)) << "axis " << axis << ", " << step;
    }
  }
}

TEST_P(Scenes, ComeApartAlongTheStatedWay) {
  constexpr double kStep = 0.02;  // [m]
  Vec3 at;
  for (const Vec3& move : GetParam().moves) {
    const int steps = static_cast<int>(std::ceil(norm(move) / kStep));
    for (int k = 1; k <= steps; ++k)
      ASSERT_FALSE(touches_at(at + (double(k) / steps) * move))
          << "at " << k << " of " << steps << " of the move to " << move.x << " " << move.y << " "
          << move.z;
    at += move;
  }
}

TEST_P(Scenes, AreBarredOnTheLastMoveAlone) {
  // The first moves are needed: without them the last one ends in contact.
  constexpr double kStep = 0.02;
  const Vec3 move =
      GetParam().moves[GetParam().name == "tunnel-console" ? 1 : GetParam().moves.size() - 1];
  bool touched = false;
  const int steps = static_cast<int>(std::ceil(norm(move) / kStep));
  for (int k = 1; k <= steps && !touched; ++k) touched = touches_at((double(k) / steps) * move);
  EXPECT_TRUE(touched);
}

INSTANTIATE_TEST_SUITE_P(
    All, Scenes,
    testing::Values(Removal{"tunnel-console",
                            {{-0.08, 0.0, 0.0}, {0.0, 0.0, 0.72}, {0.0, -1.0, 0.0}}},
                    Removal{"cylinder-head", {{-0.06, 0.0, 0.0}, {0.0, 0.6, 0.0}}},
                    Removal{"air-cleaner", {{-0.135, 0.0, 0.0}, {0.0, 0.0, 0.55}}}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Generate, SharesATotalBetweenBodyAndObstacles) {
  GenerateOptions options;
  options.triangles = 100001;
  const Result<Assembly> scene = generate("cylinder-head", options);
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  // 100,001 * 246,584 / 660,326 = 37,343.1
  EXPECT_EQ(triangles_of(*scene, "body/"), 37343U);
  EXPECT_EQ(triangles_of(*scene, "obstacle/"), 62658U);
}

TEST(Generate, TakesBodyAndObstacleCountsApart) {
  GenerateOptions options;
  options.body_triangles = 30001;
  options.obstacle_triangles = 25000;
  const Result<Assembly> scene = generate("tunnel-console", options);
  ASSERT_TRUE(scene.ok()) << scene.error().message();
  EXPECT_EQ(triangles_of(*scene, "body/"), 30001U);
  EXPECT_EQ(triangles_of(*scene, "obstacle/"), 25000U);
  options.triangles = 55001;
  EXPECT_FALSE(generate("tunnel-console", options).ok());
}

TEST(Generate, VariesTheAtriumWithTheSeedAndKeepsItClosed) {
  GenerateOptions options;
  options.triangles = 4000;
  std::vector<std::uint64_t> hashes;
  for (options.seed = 1; options.seed <= 6; ++options.seed) {
    const Result<Assembly> atrium = generate("atrium", options);
    ASSERT_TRUE(atrium.ok()) << options.seed << ": " << atrium.error().message();
    const EdgeReport edges = edges_of(atrium->parts[0].mesh);
    EXPECT_EQ(edges.open + edges.wrong, 0U) << options.seed;
    hashes.push_back(hash_of(*atrium));
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST(Triangulate, CoversAFaceWithHolesExactlyOnce) {
  // Rows of round holes on common lines, the hard case for bridges.
  for (int points = 3; points <= 40; ++points) {
    std::vector<std::vector<parts::Vec2>> loops{{{-2, -2}, {14, -2}, {14, 8}, {-2, 8}}};
    double area = 16.0 * 10.0;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 3; ++j) {
        std::vector<parts::Vec2> hole;
        hole.reserve(std::size_t(points));
        for (int k = 0; k < points; ++k) {
          const double angle = 6.283185307179586 * k / points;
          hole.push_back({3.0 * i + std::cos(angle), 3.0 * j + std::sin(angle)});
        }
        for (int k = 0; k < points; ++k) area -= 0.5 * cross(hole[k], hole[(k + 1) % points]);
        loops.push_back(hole);
      }
    }
    std::vector<parts::Vec2> all;
    for (const auto& loop : loops) all.insert(all.end(), loop.begin(), loop.end());
    const auto triangles = parts::triangulate(loops);
    EXPECT_EQ(triangles.size(), all.size() + 2 * 15 - 2);
    double sum = 0.0;
    for (const auto& [a, b, c] : triangles) {
      const double twice = cross(all[b] - all[a], all[c] - all[a]);
      EXPECT_GT(twice, 0.0) << points;
      sum += 0.5 * twice;
    }
    // No triangle is turned over and the areas add up: nothing is covered twice or left out.
    EXPECT_NEAR(sum, area, 1e-9) << points;
  }
}

TEST(Generate, StopsWhenAsked) {
  struct Impatient : Monitor {
    void progress(std::string_view, double) override {}
    [[nodiscard]] bool cancelled() const override { return true; }
  } impatient;
  for (const char* name : {"pipe", "cylinder-head"}) {
    const auto assembly = generate(name, {.monitor = &impatient});
    ASSERT_FALSE(assembly.ok()) << name;
    EXPECT_EQ(assembly.error().code, ErrorCode::Cancelled) << name;
  }
}

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

TEST(MakePipeJoint, HasItsBoresOpen) {
  const Result<Mesh> joint = make_pipe_joint();
  ASSERT_TRUE(joint.ok());
  // Volume of three walls of 150 mm minus the overlap at the middle: by Euler's formula the genus
  // must be 2, as of a pair of trousers with thick walls.
  const auto v = static_cast<std::ptrdiff_t>(joint->vertex_count());
  const auto f = static_cast<std::ptrdiff_t>(joint->triangle_count());
  EXPECT_EQ(v - 3 * f / 2 + f, 2 - 2 * 2);
}

TEST(MakeBin, HasItsFloorAndOpening) {
  const Result<Mesh> bin = make_bin();
  ASSERT_TRUE(bin.ok());
  EXPECT_NEAR(bin->bounds().low.z, 0.0, 1e-12);
  EXPECT_NEAR(bin->bounds().high.z, 0.25, 1e-12);
  // Thin walls: far less than the box it fills.
  EXPECT_LT(volume_of(*bin), 0.06 * 0.6 * 0.4 * 0.25);
}

TEST(MakeGripper, OpensAsWideAsAsked) {
  GripperOptions options;
  options.opening = 0.05;
  const Result<Assembly> gripper = make_gripper(options);
  ASSERT_TRUE(gripper.ok());
  for (const AssemblyPart& part : gripper->parts) {
    Box box;
    for (const Vec3& v : part.mesh.vertices()) box.include(part.world_from_part * v);
    if (part.name == "pad-left") {
      EXPECT_NEAR(box.high.x, -0.025, 1e-9);
    }
    if (part.name == "pad-right") {
      EXPECT_NEAR(box.low.x, 0.025, 1e-9);
    }
    if (part.name == "finger-left") {
      EXPECT_NEAR(box.high.z, options.grip, 1e-9);
    }
    if (part.name == "palm") {
      EXPECT_LT(box.high.z, options.grip - options.finger_length);
    }
  }
}

TEST(MakeTorch, EndsWithItsWireAtTheTip) {
  for (const double bend : {0.0, 0.4, 1.5}) {
    TorchOptions options;
    options.bend = bend;
    const Result<Assembly> torch = make_torch(options);
    ASSERT_TRUE(torch.ok()) << torch.error().message();
    const Pose tip = torch_tip(options);
    const Vec3 along = tip.rotation * Vec3{0, 0, 1};
    EXPECT_NEAR(norm(along - Vec3{std::sin(bend), 0.0, std::cos(bend)}), 0.0, 1e-12);
    double farthest = -1.0;
    double nearest = 1.0;
    for (const AssemblyPart& part : torch->parts) {
      for (const Vec3& v : part.mesh.vertices()) {
        const Vec3 p = part.world_from_part * v;
        EXPECT_GT(p.z, bend > 1.0 ? -0.02 : -1e-12);
        farthest = std::max(farthest, dot(along, p - tip.translation));
        nearest = std::min(nearest, distance(p, tip.translation));
      }
    }
    EXPECT_NEAR(farthest, 0.0, 1e-9);
    EXPECT_NEAR(nearest, 0.0, 1e-9);
  }
  TorchOptions bent;
  bent.bend = 2.0;
  EXPECT_FALSE(make_torch(bent).ok());
}

TEST(MakeWall, RefusesAHoleLargerThanTheWall) {
  WallOptions options;
  options.hole_diameter = 2.0;
  EXPECT_FALSE(make_wall(options).ok());
}

}  // namespace
}  // namespace clearance
