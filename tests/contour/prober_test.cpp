// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One suite for all ways to probe: each gives, bit for bit, what measuring every pair gives.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <new>

#include <gtest/gtest.h>

#include <clearance/contour/prober.h>
#include <clearance/contour/segment_distance.h>

#include "support/contour_scenes.h"
#include "support/simple_meshes.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Counted, for the queries that promise to do without. Not inlined: GCC would take the halves of a
// pair for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace clearance {
namespace {

using test::MeasuredPairs;
using test::probe_scenes;
using test::ProbeScene;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Measured once for all ways.
const MeasuredPairs& measured(const ProbeScene& scene) {
  static std::map<std::string, std::unique_ptr<MeasuredPairs>> all;
  std::unique_ptr<MeasuredPairs>& pairs = all[scene.name];
  if (!pairs) pairs = std::make_unique<MeasuredPairs>(scene);
  return *pairs;
}

void expect_same(const ProbeHit& actual, const ProbeHit& expected) {
  EXPECT_EQ(actual.distance, expected.distance);
  EXPECT_EQ(actual.segment, expected.segment);
  EXPECT_EQ(actual.triangle, expected.triangle);
  EXPECT_EQ(actual.on_mesh, expected.on_mesh);
  EXPECT_EQ(actual.on_contour, expected.on_contour);
  EXPECT_EQ(actual.place.eta, expected.place.eta);
  EXPECT_EQ(actual.place.theta, expected.place.theta);
  EXPECT_EQ(actual.place.rho, expected.place.rho);
}

void expect_same(const std::vector<ProbeHit>& actual, const std::vector<ProbeHit>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("segment " + std::to_string(i));
    expect_same(actual[i], expected[i]);
  }
}

struct Way {
  ProbeMethod method;
  ProbeTree tree = ProbeTree::Full;
};

class ProberTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    // Only a missing device is a reason: with one, a prober that cannot be made is a failure.
    const bool on_device =
        GetParam().method == ProbeMethod::OpenCl || GetParam().method == ProbeMethod::OpenClCulled;
    if (on_device && probe_devices().empty())
      GTEST_SKIP() << "there is no OpenCL device (pocl-opencl-icd makes one of any processor)";
  }
  static std::unique_ptr<Prober> prober_for(const Mesh& mesh, int threads = 1, int bisections = 3) {
    auto prober = make_prober(mesh, {.method = GetParam().method,
                                     .tree = GetParam().tree,
                                     .threads = Threads{threads},
                                     .bisections = bisections});
    EXPECT_TRUE(prober.ok()) << prober.error().message();
    return std::move(prober).value();
  }
};

INSTANTIATE_TEST_SUITE_P(
    AllWays, ProberTest,
    testing::Values(Way{ProbeMethod::Tree}, Way{ProbeMethod::Tree, ProbeTree::Quick},
                    Way{ProbeMethod::Tree, ProbeTree::AsNeeded}, Way{ProbeMethod::Scalar},
                    Way{ProbeMethod::Simd}, Way{ProbeMethod::Bisection}, Way{ProbeMethod::OpenCl},
                    Way{ProbeMethod::OpenClCulled}, Way{ProbeMethod::KernelOnCpu}),
    [](const auto& tested) {
      std::string name = name_of(tested.param.method);
      std::erase(name, '-');
      if (tested.param.tree == ProbeTree::Quick) name += "_quick";
      if (tested.param.tree == ProbeTree::AsNeeded) name += "_as_needed";
      return name;
    });

TEST_P(ProberTest, FindsTheClosestOfAllPairs) {
  for (const ProbeScene& scene : probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const auto prober = prober_for(scene.mesh);
    const ProbeHit expected = measured(scene).closest(kInfinity);
    ASSERT_TRUE(expected.found());
    expect_same(*prober->closest(scene.segments), expected);
    EXPECT_GE(prober->work().exact, 1U);
    EXPECT_GE(prober->work().bounds, 1U);
    // Asked again, with what it remembers.
    expect_same(*prober->closest(scene.segments), expected);
  }
}

TEST_P(ProberTest, FindsTheClosestOfEachSegment) {
  for (const ProbeScene& scene : probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const auto prober = prober_for(scene.mesh);
    std::vector<ProbeHit> expected;
    for (std::size_t s = 0; s < scene.segments.size(); ++s)
      expected.push_back(measured(scene).closest_of(s, kInfinity));
    expect_same(*prober->closest_of_each(scene.segments), expected);
    expect_same(*prober->closest_of_each(scene.segments), expected);
  }
}

TEST_P(ProberTest, FindsNothingBeyondTheRange) {
  for (const ProbeScene& scene : probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const auto prober = prober_for(scene.mesh);
    const MeasuredPairs& pairs = measured(scene);
    const double least = pairs.closest(kInfinity).distance;
    // At the distance itself it is found; just below it is not. And between segments.
    std::vector<double> ranges{0.0, least, 1.5 * least, 3.0 * least + 1e-3};
    if (least > 0.0) ranges.push_back(std::nextafter(least, 0.0));
    for (const double range : ranges) {
      SCOPED_TRACE(range);
      expect_same(*prober->closest(scene.segments, range), pairs.closest(range));
      std::vector<ProbeHit> expected;
      for (std::size_t s = 0; s < scene.segments.size(); ++s)
        expected.push_back(pairs.closest_of(s, range));
      expect_same(*prober->closest_of_each(scene.segments, range), expected);
    }
  }
}

TEST_P(ProberTest, MapsEveryTriangle) {
  for (const ProbeScene& scene : probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const auto prober = prober_for(scene.mesh);
    const MeasuredPairs& pairs = measured(scene);
    const double least = pairs.closest(kInfinity).distance;
    for (const double range : {kInfinity, least, 2.0 * least, 0.3}) {
      const auto map = *prober->triangle_distances(scene.segments, range);
      ASSERT_EQ(map.size(), scene.mesh.triangle_count());
      std::size_t wrong = 0;
      for (std::size_t t = 0; t < map.size(); ++t)
        wrong += map[t] == pairs.triangle_distance(t, range) ? 0 : 1;
      EXPECT_EQ(wrong, 0U) << range;
    }
    EXPECT_GE(prober->work().bounds, 1U);
  }
}

TEST_P(ProberTest, MapsEveryVertex) {
  for (const ProbeScene& scene : probe_scenes()) {
    SCOPED_TRACE(scene.name);
    const auto prober = prober_for(scene.mesh);
    for (const double range : {kInfinity, 0.3}) {
      const auto map = *prober->vertex_distances(scene.segments, range);
      ASSERT_EQ(map.size(), scene.mesh.vertex_count());
      std::size_t wrong = 0;
      for (std::size_t v = 0; v < map.size(); ++v) {
        double least = kInfinity;
        for (const ContourSegment& s : scene.segments)
          least = std::min(least, distance(s, scene.mesh.vertices()[v]).distance);
        wrong += map[v] == (least <= range ? least : kInfinity) ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0U) << range;
    }
  }
}

TEST_P(ProberTest, AnswersTheSameWithAnyNumberOfThreads) {
  const ProbeScene scene = test::large_probe_scene(20000);
  const auto reference = make_prober(scene.mesh, {.method = ProbeMethod::Scalar}).value();
  // Near the wall, and through it.
  for (const Vec3& shift : {Vec3{}, Vec3{0.6, 0.0, 0.0}}) {
    const auto segments = test::moved(Pose::translate(shift), scene.segments);
    const ProbeHit closest = *reference->closest(segments);
    const auto each = *reference->closest_of_each(segments);
    const auto near = *reference->closest_of_each(segments, 0.1);
    const auto map = *reference->triangle_distances(segments, 0.05);
    for (const int threads : {1, 2, 4}) {
      SCOPED_TRACE(threads);
      const auto prober = prober_for(scene.mesh, threads);
      expect_same(*prober->closest(segments), closest);
      expect_same(*prober->closest_of_each(segments), each);
      expect_same(*prober->closest_of_each(segments, 0.1), near);
      EXPECT_EQ(*prober->triangle_distances(segments, 0.05), map);
    }
  }
}

TEST_P(ProberTest, AnswersAlongAPathAsIfItWereNew) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const auto used = prober_for(scene.mesh);
  for (int step = 0; step < 12; ++step) {
    SCOPED_TRACE(step);
    // Small steps, and two jumps: through the wall and far off.
    const double angle = step == 7 ? 2.0 : 0.02 * step;
    const Pose pose{rotation_about({0.0, 0.6, 0.8}, angle),
                    {step == 9 ? 5.0 : 0.01 * step, 0.0, step == 4 ? 0.7 : 0.0}};
    // Fewer and more segments than before.
    auto segments = test::moved(pose, scene.segments);
    if (step % 3 == 1) segments.resize(11);
    const auto fresh = prober_for(scene.mesh);
    expect_same(*used->closest(segments), *fresh->closest(segments));
    expect_same(*used->closest_of_each(segments), *fresh->closest_of_each(segments));
  }
}

TEST_P(ProberTest, AnswersForMovedVerticesAsIfTheyWereANewMesh) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const auto used = prober_for(scene.mesh);
  // A little elsewhere, all turned, squashed beyond recognition, and back.
  const Pose turn{rotation_about({0.0, 0.6, 0.8}, 1.0), {0.1, 0.2, 0.3}};
  const std::vector<std::vector<Vec3>> places{
      test::disturbed(scene.mesh, 0.002, 1), test::moved(turn, scene.mesh.vertices()),
      test::disturbed(scene.mesh, 0.5, 2),
      std::vector<Vec3>(scene.mesh.vertices().begin(), scene.mesh.vertices().end())};
  for (std::size_t i = 0; i < places.size(); ++i) {
    SCOPED_TRACE(i);
    const Mesh there =
        Mesh::make(places[i], {scene.mesh.faces().begin(), scene.mesh.faces().end()}).value();
    const auto fresh = prober_for(there);
    const auto expected = *fresh->closest_of_each(scene.segments);
    ASSERT_TRUE(used->move_vertices(places[i]).ok());
    // Often enough to go from brute force to a tree that was fitted.
    for (int again = 0; again < 8; ++again) {
      expect_same(*used->closest(scene.segments), *fresh->closest(scene.segments));
      expect_same(*used->closest_of_each(scene.segments), expected);
    }
    EXPECT_EQ(*used->triangle_distances(scene.segments, 0.05),
              *fresh->triangle_distances(scene.segments, 0.05));
    EXPECT_EQ(*used->vertex_distances(scene.segments, 0.05),
              *fresh->vertex_distances(scene.segments, 0.05));
  }
}

TEST_P(ProberTest, AnswersForAnotherMeshAsIfItWereNew) {
  const auto used = prober_for(probe_scenes()[0].mesh);
  for (const ProbeScene& scene : probe_scenes()) {
    SCOPED_TRACE(scene.name);
    ASSERT_TRUE(used->set_mesh(scene.mesh).ok());
    expect_same(*used->closest(scene.segments), measured(scene).closest(kInfinity));
  }
}

TEST_P(ProberTest, FindsNothingForNoSegments) {
  const auto prober = prober_for(test::cube());
  EXPECT_FALSE(prober->closest({})->found());
  EXPECT_TRUE(prober->closest_of_each({})->empty());
  EXPECT_EQ(*prober->triangle_distances({}), std::vector<double>(12, kInfinity));
  EXPECT_EQ(*prober->vertex_distances({}), std::vector<double>(8, kInfinity));
}

TEST_P(ProberTest, RefusesAnEmptyMesh) {
  const auto none = make_prober(Mesh{}, {.method = GetParam().method, .tree = GetParam().tree});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::Invalid);
  const auto prober = prober_for(test::cube());
  EXPECT_FALSE(prober->set_mesh(Mesh{}).ok());
  // The last mesh stays.
  EXPECT_TRUE(prober->closest(probe_scenes()[0].segments)->found());
}

TEST_P(ProberTest, RefusesNumbersThatAreNone) {
  const auto prober = prober_for(test::cube());
  const std::vector<ContourSegment> good{probe_scenes()[0].segments[0]};
  const ProbeHit expected = *prober->closest(good);
  for (const double bad : {std::nan(""), kInfinity, 1e300}) {
    std::vector<ContourSegment> segments = probe_scenes()[0].segments;
    segments[3].end.u.y = bad;
    for (const Error& error :
         {prober->closest(segments).error(), prober->closest_of_each(segments).error(),
          prober->triangle_distances(segments).error(),
          prober->vertex_distances(segments).error()}) {
      EXPECT_EQ(error.code, ErrorCode::Invalid);
      EXPECT_EQ(error.place, "segment 3");
    }
    std::vector<Vec3> vertices(8);
    vertices[5].z = bad;
    const Status refused = prober->move_vertices(vertices);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().place, "vertex 5");
  }
  for (const double range : {std::nan(""), -1.0}) {
    EXPECT_FALSE(prober->closest(good, range).ok());
    EXPECT_FALSE(prober->triangle_distances(good, range).ok());
  }
  EXPECT_FALSE(prober->move_vertices(std::vector<Vec3>(7)).ok());
  expect_same(*prober->closest(good), expected);
}

TEST_P(ProberTest, SaysWhatItIs) {
  const auto prober = prober_for(test::cube());
  EXPECT_EQ(prober->method(), GetParam().method);
  EXPECT_FALSE(prober->description().empty());
}

TEST(Prober, BisectsOneToTenTimes) {
  const ProbeScene& scene = probe_scenes()[0];
  for (const int layers : {1, 2, 5, 10}) {
    const auto prober =
        make_prober(scene.mesh, {.method = ProbeMethod::Bisection, .bisections = layers}).value();
    expect_same(*prober->closest(scene.segments), measured(scene).closest(kInfinity));
  }
  for (const int layers : {0, 11, -1}) {
    EXPECT_FALSE(
        make_prober(scene.mesh, {.method = ProbeMethod::Bisection, .bisections = layers}).ok());
  }
}

TEST(Prober, PaysForTreesWhenQueriesAreWorthThem) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const std::size_t triangles = scene.mesh.triangle_count();
  const auto quick = make_prober(scene.mesh, {.tree = ProbeTree::Quick}).value();
  const auto full = make_prober(scene.mesh).value();
  const auto used = make_prober(scene.mesh, {.tree = ProbeTree::AsNeeded}).value();
  // Of the same place again and again: from the second time on the work is always the same.
  for (const auto& prober : {quick.get(), full.get()}) {
    for (int again = 0; again < 2; ++again)
      ASSERT_TRUE(prober->closest_of_each(scene.segments).ok());
  }
  const auto expected = *full->closest_of_each(scene.segments);
  ASSERT_LT(full->work().bounds, quick->work().bounds);
  ASSERT_LT(quick->work().bounds, triangles * scene.segments.size() / 2);
  const auto queries_until = [&](std::uint64_t bounds) {
    for (int count = 0; count < 10000; ++count) {
      expect_same(*used->closest_of_each(scene.segments), expected);
      if (used->work().bounds == bounds) return count;
    }
    return -1;
  };
  expect_same(*used->closest_of_each(scene.segments), expected);
  EXPECT_GE(used->work().bounds, triangles * scene.segments.size());
  const int until_quick = queries_until(quick->work().bounds);
  EXPECT_GE(until_quick, 1);
  const int until_full = queries_until(full->work().bounds);
  EXPECT_GT(until_full, until_quick);
  // Another mesh, and moved vertices: all over again.
  ASSERT_TRUE(used->set_mesh(scene.mesh).ok());
  expect_same(*used->closest_of_each(scene.segments), expected);
  EXPECT_GE(used->work().bounds, triangles * scene.segments.size());
  EXPECT_EQ(queries_until(quick->work().bounds), until_quick);
  ASSERT_TRUE(used->move_vertices(scene.mesh.vertices()).ok());
  expect_same(*used->closest_of_each(scene.segments), expected);
  EXPECT_GE(used->work().bounds, triangles * scene.segments.size());
}

TEST(Prober, DoesNotAllocateOnceItHasAnswered) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const auto through = test::moved(Pose::translate({0.6, 0.0, 0.0}), scene.segments);
  for (const ProbeMethod method :
       {ProbeMethod::Tree, ProbeMethod::Scalar, ProbeMethod::Simd, ProbeMethod::Bisection}) {
    const auto prober = make_prober(scene.mesh, {.method = method}).value();
    // Near, in contact, and for fewer segments.
    const auto ask = [&] {
      double sum = prober->closest(scene.segments)->distance + prober->closest(through)->distance;
      return sum + prober->closest(std::span(scene.segments).first(9))->distance;
    };
    const double first = ask();
    const std::size_t before = allocations;
    const double second = ask();
    EXPECT_EQ(allocations, before) << name_of(method);
    EXPECT_EQ(first, second);
  }
}

// Nearly all pairs are dropped by bounds; else the ways would be right, and of no use.
TEST(Prober, MeasuresFewPairs) {
  const ProbeScene scene = test::large_probe_scene(20000);
  for (const ProbeMethod method : {ProbeMethod::Tree, ProbeMethod::Scalar, ProbeMethod::Simd}) {
    const auto prober = make_prober(scene.mesh, {.method = method}).value();
    ASSERT_TRUE(prober->closest(scene.segments)->found());
    EXPECT_LT(prober->work().exact, 200U) << name_of(method);
    if (method == ProbeMethod::Tree) {
      EXPECT_LT(prober->work().bounds, 20000U);
    } else {
      EXPECT_GE(prober->work().bounds, 30U * scene.mesh.triangle_count());
    }
  }
}

}  // namespace
}  // namespace clearance
