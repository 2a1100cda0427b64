// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Devices: choosing one, and what happens when one fails; and the kernels by themselves, compiled
// as C++. That the answers are right is the matter of prober_test.cpp.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/contour/prober.h>
#include <clearance/contour/segment_distance.h>

#include "contour/probe_opencl.h"
#include "contour/probe_opencl_cache.h"
#include "contour/probe_opencl_frame.h"
#include "support/contour_scenes.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

using detail::DeviceFrame;
using detail::KernelBuffer;
using detail::KernelDevice;
using detail::ProbeKernel;
using test::ProbeScene;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ------------------------------------------------------------------------------------ the kernels

/// A mesh of one triangle, as a prober would hold it.
struct OneTriangle {
  Triangle triangle;
  Mesh mesh;
  detail::ProbeMesh probe;

  explicit OneTriangle(const Triangle& t)
      : triangle(t), mesh(Mesh::make({t.a, t.b, t.c}, {{0, 1, 2}}).value()) {
    probe.mesh = mesh;
    probe.vertices = mesh.vertices();
    probe.faces = mesh.faces();
    probe.center = mesh.bounds().center();
    for (const Vec3& v : probe.vertices) {
      probe.radius = std::max(probe.radius, norm(v - probe.center));
      probe.reach = std::max(probe.reach, norm(v));
    }
  }
};

struct BoundsOfPair {
  detail::DeviceBounds bounds;  // in units of the device
  double scale = 1.0;
};

BoundsOfPair kernel_bounds_of(const ContourSegment& segment, const Triangle& triangle) {
  const OneTriangle one(triangle);
  const DeviceFrame frame(one.probe);
  const detail::ProbeQuery query(one.probe, std::span(&segment, 1), kInfinity);
  std::array<float, 9> corners{};
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3 p = frame.point(one.probe.vertices[c]);
    for (std::size_t k = 0; k < 3; ++k) corners[3 * c + k] = static_cast<float>(p[k]);
  }
  return {
      detail::kernel_bounds(corners, 2.0F * frame.length(one.probe.radius), frame.segment(segment),
                            frame.slack(query), std::numeric_limits<float>::infinity()),
      frame.scale};
}

TEST(ProbeKernels, BoundsHoldTheExactDistance) {
  Random random(5);
  std::size_t apart = 0;
  std::size_t tight = 0;
  constexpr std::size_t kPairs = 20000;
  for (std::size_t i = 0; i < kPairs; ++i) {
    // Triangles of all sizes, from touching to far off; some of them needles and points.
    const auto vector = [&](double size) {
      return size * Vec3{random.normal(), random.normal(), random.normal()};
    };
    const ContourSegment segment = test::random_contour_segment(random);
    const Vec3 at = vector(std::pow(10.0, random.uniform(-1.0, 1.5)));
    const double size = std::pow(10.0, random.uniform(-5.0, 0.5));
    Triangle triangle{at, at + vector(size), at + vector(size)};
    if (random.below(10) == 0) triangle.c = triangle.b;
    if (random.below(20) == 0) triangle.b = triangle.a;

    const auto [bounds, scale] = kernel_bounds_of(segment, triangle);
    const SegmentDistance exact = distance(segment, triangle);
    ASSERT_LE(bounds.lower, scale * exact.distance) << i;
    ASSERT_GE(bounds.upper, scale * exact.lower) << i;
    if (exact.distance > 0.0) {
      ++apart;
      tight += bounds.upper - bounds.lower < 1e-3 * scale * exact.distance ? 1 : 0;
    }
  }
  // Bounds that are always right and never near would be of no use. (Where circles are tilted a lot
  // the hull of the segment is larger than the segment.)
  EXPECT_GT(apart, kPairs / 2);
  EXPECT_GT(tight, apart / 2);
}

TEST(ProbeKernels, TouchingPairsHaveNoLowerBound) {
  const ContourSegment tube =
      make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 4}, {0, 0, 1}, 1.0}).value();
  // Inside, through the wall, and touching it from outside.
  for (const Triangle& t :
       {Triangle{{0, 0, 1}, {0.1, 0, 1}, {0, 0.1, 1}}, Triangle{{-5, -5, 2}, {5, -5, 2}, {0, 7, 2}},
        Triangle{{1, 0, 2}, {2, 0, 2}, {2, 1, 2}}}) {
    const auto [bounds, scale] = kernel_bounds_of(tube, t);
    EXPECT_EQ(bounds.lower, 0.0F);
    EXPECT_LT(bounds.upper / scale, 1e-2);
  }
}

// ------------------------------------------------------------------------------------ devices

/// Runs on the CPU until a call fails; from then on nothing works until a restart.
class FailingDevice final : public KernelDevice {
 public:
  struct Plan {
    int calls = 0;     ///< made so far
    int fail_at = -1;  ///< this call fails
    int bad_restarts = 0;
    int restarts = 0;
    bool lost = false;
    std::size_t bytes_written = 0;
  };
  explicit FailingDevice(Plan& plan) : plan_(plan), inner_(detail::make_cpu_device(Threads{1})) {}

  [[nodiscard]] std::string description() const override { return "a device that fails"; }
  [[nodiscard]] std::size_t group_count() const override { return inner_->group_count(); }
  [[nodiscard]] std::size_t group_size() const override { return inner_->group_size(); }
  Status reserve(KernelBuffer buffer, std::size_t bytes) override {
    return works() ? inner_->reserve(buffer, bytes) : lost();
  }
  Status write(KernelBuffer buffer, std::size_t offset, std::span<const std::byte> bytes) override {
    plan_.bytes_written += bytes.size();
    return works() ? inner_->write(buffer, offset, bytes) : lost();
  }
  Status fill(KernelBuffer buffer, std::uint32_t word, std::size_t count) override {
    return works() ? inner_->fill(buffer, word, count) : lost();
  }
  Status read(KernelBuffer buffer, std::size_t offset, std::span<std::byte> bytes) override {
    return works() ? inner_->read(buffer, offset, bytes) : lost();
  }
  Status run(ProbeKernel kernel, std::size_t groups,
             const detail::ProbeParameters& parameters) override {
    return works() ? inner_->run(kernel, groups, parameters) : lost();
  }
  Status restart() override {
    if (plan_.bad_restarts > 0) {
      --plan_.bad_restarts;
      return lost();
    }
    ++plan_.restarts;
    plan_.lost = false;
    return inner_->restart();
  }

 private:
  bool works() {
    if (++plan_.calls == plan_.fail_at) plan_.lost = true;
    return !plan_.lost;
  }
  static Error lost() { return {.code = ErrorCode::Unreadable, .reason = "the device is lost"}; }

  Plan& plan_;
  std::unique_ptr<KernelDevice> inner_;
};

std::unique_ptr<Prober> failing_prober(FailingDevice::Plan& plan,
                                       ProbeMethod method = ProbeMethod::OpenClCulled) {
  return detail::make_device_prober({.method = method}, std::make_unique<FailingDevice>(plan));
}

std::unique_ptr<Prober> scalar_prober(const Mesh& mesh) {
  return make_prober(mesh, {.method = ProbeMethod::Scalar}).value();
}

TEST(ProbeDeviceLost, AFailedQueryIsAnErrorAndTheNextIsAnswered) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const auto reference = scalar_prober(scene.mesh);
  const double closest = reference->closest(scene.segments)->distance;
  const auto map = *reference->triangle_distances(scene.segments, 0.1);
  // Every call of the device fails in turn.
  int failed = 0;
  for (int call = 1;; ++call) {
    FailingDevice::Plan plan;
    const auto prober = failing_prober(plan);
    ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
    plan.fail_at = plan.calls + call;
    const auto hit = prober->closest(scene.segments);
    const auto distances = prober->triangle_distances(scene.segments, 0.1);
    if (!plan.lost && plan.restarts == 0) break;
    ++failed;
    EXPECT_NE(hit.ok(), distances.ok()) << call;
    const Error& error = hit.ok() ? distances.error() : hit.error();
    EXPECT_EQ(error.reason, "the device is lost");
    // Whichever was answered was answered rightly.
    EXPECT_TRUE(hit.ok() ? hit->distance == closest : *distances == map);
    EXPECT_EQ(prober->closest(scene.segments)->distance, closest) << call;
    EXPECT_EQ(*prober->triangle_distances(scene.segments, 0.1), map) << call;
    EXPECT_EQ(plan.restarts, 1);
  }
  EXPECT_GT(failed, 8);
}

TEST(ProbeDeviceLost, AfterAFailedMeshTheLastOneStays) {
  const ProbeScene scene = test::large_probe_scene(1000);
  const Mesh other = test::cube(0.01);
  std::vector<Vec3> elsewhere(scene.mesh.vertices().begin(), scene.mesh.vertices().end());
  for (Vec3& v : elsewhere) v += Vec3{10.0, 0.0, 0.0};
  const double closest = scalar_prober(scene.mesh)->closest(scene.segments)->distance;
  for (const bool move : {false, true}) {
    int failed = 0;
    for (int call = 1;; ++call) {
      FailingDevice::Plan plan;
      const auto prober = failing_prober(plan);
      ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
      plan.fail_at = plan.calls + call;
      const Status status = move ? prober->move_vertices(elsewhere) : prober->set_mesh(other);
      if (status.ok()) break;
      ++failed;
      EXPECT_EQ(prober->closest(scene.segments)->distance, closest);
      // And then the new one, when the device works.
      ASSERT_TRUE((move ? prober->move_vertices(elsewhere) : prober->set_mesh(other)).ok());
      EXPECT_NE(prober->closest(scene.segments)->distance, closest);
    }
    EXPECT_GT(failed, 2);
  }
}

TEST(ProbeDeviceLost, WaitsForADeviceThatDoesNotComeBackAtOnce) {
  const ProbeScene scene = test::large_probe_scene(1000);
  FailingDevice::Plan plan;
  const auto prober = failing_prober(plan);
  ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
  plan.fail_at = plan.calls + 1;
  plan.bad_restarts = 2;
  EXPECT_FALSE(prober->closest(scene.segments).ok());
  EXPECT_FALSE(prober->closest(scene.segments).ok());
  EXPECT_FALSE(prober->move_vertices(scene.mesh.vertices()).ok());
  EXPECT_TRUE(prober->closest(scene.segments).ok());
}

TEST(ProbeDevice, MovedVerticesAreAllThatIsSent) {
  const ProbeScene scene = test::large_probe_scene(3000);
  FailingDevice::Plan plan;
  const auto prober = failing_prober(plan);
  ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
  const std::size_t vertices = 12 * scene.mesh.vertex_count();
  EXPECT_EQ(plan.bytes_written, vertices + 12 * scene.mesh.triangle_count());
  plan.bytes_written = 0;
  ASSERT_TRUE(prober->move_vertices(test::disturbed(scene.mesh, 0.01, 1)).ok());
  EXPECT_EQ(plan.bytes_written, vertices);
  plan.bytes_written = 0;
  ASSERT_TRUE(prober->closest(scene.segments).ok());
  EXPECT_LT(plan.bytes_written, 10000U);
}

// ------------------------------------------------------------------------------------ large
// queries

void expect_same_answers(Prober& tested, Prober& reference,
                         std::span<const ContourSegment> segments) {
  const ProbeHit hit = *tested.closest(segments);
  const ProbeHit expected = *reference.closest(segments);
  EXPECT_EQ(hit.distance, expected.distance);
  EXPECT_EQ(hit.segment, expected.segment);
  EXPECT_EQ(hit.triangle, expected.triangle);
  const auto each = *tested.closest_of_each(segments);
  const auto each_expected = *reference.closest_of_each(segments);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    EXPECT_EQ(each[s].distance, each_expected[s].distance) << s;
    EXPECT_EQ(each[s].triangle, each_expected[s].triangle) << s;
  }
  EXPECT_EQ(*tested.triangle_distances(segments, 0.02),
            *reference.triangle_distances(segments, 0.02));
}

TEST(DeviceProber, TakesMoreSegmentsThanABatch) {
  const ProbeScene scene = test::large_probe_scene(2000);
  Random random(3);
  std::vector<ContourSegment> segments;
  for (int i = 0; i < 300; ++i)
    segments.push_back(Pose::translate({3.0, 0.01 * i, 0.0}) *
                       test::random_contour_segment(random));
  const auto reference = scalar_prober(scene.mesh);
  for (const ProbeMethod method : {ProbeMethod::OpenCl, ProbeMethod::OpenClCulled}) {
    const auto prober =
        detail::make_device_prober({.method = method}, detail::make_cpu_device({1}));
    ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
    expect_same_answers(*prober, *reference, segments);
  }
}

// A mesh wholly inside of all segments: every pair is a candidate, far more than there is room for.
TEST(DeviceProber, TakesMoreCandidatesThanThereIsRoomFor) {
  const Mesh mesh = test::uv_sphere(0.5, 24);
  const std::vector<ContourSegment> segments(
      60, make_segment({{0, 0, -3}, {0, 0, 1}, 2.0}, {{0, 0, 3}, {0, 0, 1}, 2.0}).value());
  constexpr std::size_t kLeast = PROBE_BLOCK * PROBE_BATCH;
  ASSERT_GT(mesh.triangle_count() * segments.size(), 4 * kLeast);
  // All at once never fits, then after growing, then in halves.
  for (const auto& [method, most] : {std::pair{ProbeMethod::OpenCl, 8 * kLeast},
                                     {ProbeMethod::OpenCl, kLeast},
                                     {ProbeMethod::OpenClCulled, 2 * kLeast}}) {
    const auto prober = detail::make_device_prober({.method = method}, detail::make_cpu_device({1}),
                                                   {kLeast, most});
    ASSERT_TRUE(prober->set_mesh(mesh).ok());
    const ProbeHit hit = *prober->closest(segments);
    EXPECT_EQ(hit.distance, 0.0);
    EXPECT_EQ(hit.segment, 0U);
    EXPECT_EQ(hit.triangle, 0U);
    const auto each = *prober->closest_of_each(segments);
    for (const ProbeHit& of_one : each) EXPECT_EQ(of_one.triangle, 0U);
    EXPECT_EQ(*prober->triangle_distances(segments),
              std::vector<double>(mesh.triangle_count(), 0.0));
  }
}

// A speck, seen from so far that single precision cannot hold both.
TEST(DeviceProber, MeasuresSegmentsThatAreTooFarForTheDevice) {
  const Mesh mesh = test::cube(1e-8);
  const ContourSegment unit =
      make_segment({{0, 0, 0}, {0, 0, 1}, 0.5}, {{0, 0, 1}, {0, 0, 1}, 0.5}).value();
  const std::vector<ContourSegment> segments{Pose::translate({900.0, 1.0, 2.0}) * unit,
                                             Pose::translate({0.7, 0.0, 0.0}) * unit,
                                             Pose::translate({0.0, 800.0, 0.0}) * unit};
  const auto reference = scalar_prober(mesh);
  const auto prober = make_prober(mesh, {.method = ProbeMethod::KernelOnCpu}).value();
  expect_same_answers(*prober, *reference, segments);
  EXPECT_EQ(*prober->triangle_distances(segments), *reference->triangle_distances(segments));
  EXPECT_EQ(*prober->vertex_distances(segments), *reference->vertex_distances(segments));
}

TEST(DeviceProber, LooksAtEveryPairUnlessItIsCulled) {
  const ProbeScene scene = test::large_probe_scene(20000);
  const std::size_t pairs = scene.mesh.triangle_count() * scene.segments.size();
  std::uint64_t bounds[2] = {};
  for (const ProbeMethod method : {ProbeMethod::OpenCl, ProbeMethod::OpenClCulled}) {
    const auto prober =
        detail::make_device_prober({.method = method}, detail::make_cpu_device({1}));
    ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
    ASSERT_TRUE(prober->closest(scene.segments)->found());
    EXPECT_LT(prober->work().exact, 100U);
    bounds[method == ProbeMethod::OpenCl ? 0 : 1] = prober->work().bounds;
  }
  EXPECT_GE(bounds[0], pairs);
  EXPECT_LT(bounds[1], pairs / 2);
}

// ------------------------------------------------------------------------------------ OpenCL

// PoCL and the LLVM inside it are not built for sanitizers; the kernels are looked at as C++ there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr const char* kWhySanitized =
    "the leak checker does not survive PoCL's threads; KernelOnCpu runs the same kernels here";
constexpr const char* kWhyNoDevice =
    "there is no OpenCL device (pocl-opencl-icd makes one of any processor)";

class OpenClTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << kWhySanitized;
    if (probe_devices().empty()) GTEST_SKIP() << kWhyNoDevice;
  }
};

TEST_F(OpenClTest, DevicesSayWhatTheyAre) {
  for (const ProbeDevice& device : probe_devices()) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_FALSE(device.platform.empty());
    EXPECT_GE(device.compute_units, 1U);
    EXPECT_GE(device.memory_bytes, 1U << 20);
  }
}

TEST_F(OpenClTest, ADeviceIsChosenByAPartOfItsName) {
  const std::string name = probe_devices().front().name;
  std::string part = name.substr(name.size() / 2);
  for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& wanted : {name, part, std::string()}) {
    const auto prober =
        make_prober(test::cube(), {.method = ProbeMethod::OpenCl, .device = wanted});
    ASSERT_TRUE(prober.ok()) << prober.error().message();
    EXPECT_THAT((*prober)->description(), testing::HasSubstr("OpenCL on "));
  }
}

TEST_F(OpenClTest, ADeviceThatIsNotThereIsAnErrorThatTellsThoseThatAre) {
  const auto prober =
      make_prober(test::cube(), {.method = ProbeMethod::OpenCl, .device = "abacus"});
  ASSERT_FALSE(prober.ok());
  EXPECT_EQ(prober.error().code, ErrorCode::NotFound);
  EXPECT_THAT(prober.error().reason, testing::HasSubstr("'abacus'"));
  EXPECT_THAT(prober.error().advice, testing::HasSubstr(probe_devices().front().name));
}

TEST_F(OpenClTest, AnyNumberOfLanesGivesTheSameAnswers) {
  const ProbeScene scene = test::large_probe_scene(3000);
  const auto reference = scalar_prober(scene.mesh);
  for (const std::size_t lanes : {1, 4}) {
    SCOPED_TRACE(lanes);
    auto device = detail::make_opencl_device("", lanes);
    ASSERT_TRUE(device.ok()) << device.error().message();
    const auto prober = detail::make_device_prober({.method = ProbeMethod::OpenClCulled},
                                                   std::move(device).value());
    ASSERT_TRUE(prober->set_mesh(scene.mesh).ok());
    expect_same_answers(*prober, *reference, scene.segments);
  }
}

TEST_F(OpenClTest, WhatTheCompilerSaysIsInTheError) {
  // There are no vectors of five.
  const auto device = detail::make_opencl_device("", 5);
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().advice, testing::HasSubstr("float5"));
}

TEST_F(OpenClTest, ABufferThatDoesNotFitIsAnErrorAndARestartMends) {
  auto device = std::move(detail::make_opencl_device("")).value();
  EXPECT_FALSE(device->reserve(KernelBuffer::Faces, std::size_t{1} << 60).ok());
  EXPECT_TRUE(device->restart().ok());
  EXPECT_TRUE(device->reserve(KernelBuffer::Faces, 1024).ok());
}

// In a process of its own, since OpenCL looks at the environment once.
class OpenClDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << kWhySanitized;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(OpenClDeathTest, WithoutAPlatformThereAreNoDevicesAndTheErrorSaysSo) {
  EXPECT_EXIT(
      {
        setenv("OCL_ICD_VENDORS", "/nowhere", 1);
        const auto prober = make_prober(test::cube(), {.method = ProbeMethod::OpenCl});
        const bool right = probe_devices().empty() && !prober.ok() &&
                           prober.error().reason.find("OpenCL") != std::string::npos &&
                           make_prober(test::cube(), {}).ok();
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(OpenClDeathTest, AHomeThatCannotBeWrittenToDoesNotMatter) {
  if (probe_devices().empty()) GTEST_SKIP() << kWhyNoDevice;
  EXPECT_EXIT(
      {
        unsetenv("POCL_CACHE_DIR");
        unsetenv("XDG_CACHE_HOME");
        setenv("HOME", "/proc/nowhere", 1);
        const auto prober = make_prober(test::cube(), {.method = ProbeMethod::OpenCl});
        std::_Exit(prober.ok() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace clearance
