// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include <clearance/grasp/grasp.h>
#include <clearance/grasp/wire_frame.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/shapes.h>

#include "grasp/curve_graph.h"
#include "grasp/voxel_thinning.h"
#include "support/data.h"
#include "support/simple_meshes.h"

namespace clearance {
namespace {

std::string message_of(const std::string& text) {
  const Result<std::vector<Segment>> frame = parse_wire_frame(text, "frame.json");
  return frame.ok() ? "" : frame.error().message();
}

TEST(WireFrameFile, ReadsSegmentsInItsUnit) {
  const Result<std::vector<Segment>> frame = parse_wire_frame(
      R"({"clearance": "wire-frame", "version": 1, "units": {"length": "mm"},
          "segments": [[[0, 1, 2], [10, 20, 30]], [[0, 0, 0], [0, 0, -5]]]})",
      "frame.json");
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  ASSERT_EQ(frame->size(), 2U);
  EXPECT_DOUBLE_EQ((*frame)[0].b.y, 0.02);
  EXPECT_DOUBLE_EQ((*frame)[1].b.z, -0.005);
  const Result<std::vector<Segment>> again =
      parse_wire_frame(wire_frame_as_json(*frame), "again.json");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ((*again)[0].b, (*frame)[0].b);
}

TEST(WireFrameFile, NamesPlaceAndReason) {
  EXPECT_NE(message_of("{"), "");
  EXPECT_NE(message_of("[]"), "");
  EXPECT_NE(message_of(R"({"clearance": "cell", "version": 1, "segments": []})"), "");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1})"),
            "frame.json: has no 'segments'");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1, "segments": []})"),
            "frame.json: segments: is empty");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1, "segments": [[[0, 0, 0]]]})"),
            "frame.json: segments/0: is not an array of two points");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1,
                           "segments": [[[0, 0, 0], [0, 0, 0]]]})"),
            "frame.json: segments/0: has no length");
  EXPECT_EQ(message_of(R"({"clearance": "wire-frame", "version": 1,
                           "segments": [[[0, 0, 0], [0, "1", 0]]]})"),
            "frame.json: segments/0/1/1: \"1\" is not a number");
  EXPECT_EQ(read_wire_frame("/none/there.json").error().code, ErrorCode::NotFound);
}

TEST(WireFrameFile, ExampleIsRead) {
  const Result<std::vector<Segment>> frame =
      read_wire_frame(test::source_path("examples/conrod_wire_frame.json"));
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  EXPECT_EQ(frame->size(), 5U);
}

Model model_of(const Mesh& mesh) { return Model::build(mesh).value(); }

double length_of(const WireFrame& frame) {
  double sum = 0.0;
  for (const Segment& s : frame.segments) sum += norm(s.b - s.a);
  return sum;
}

/// How deep the middles of the segments are below the surface, at least; below 0: outside.
double least_depth(const Model& part, const WireFrame& frame) {
  double least = std::numeric_limits<double>::infinity();
  for (const Segment& s : frame.segments) {
    const Vec3 middle = 0.5 * (s.a + s.b);
    const double depth = distance(part.bvh(), middle).distance;
    least = std::min(least, part.side(middle) == Side::Inside ? depth : -depth);
  }
  return least;
}

TEST(DeriveWireFrame, BarIsOneSegmentAlongItsMiddle) {
  const Mesh bar = scaled(test::cube(1.0, {-0.5, -0.5, -0.5}), {0.02, 0.02, 0.12});
  const Result<WireFrame> frame = derive_wire_frame(model_of(bar));
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  EXPECT_TRUE(frame->is_skeleton);
  ASSERT_EQ(frame->segments.size(), 1U);
  const Segment& s = frame->segments[0];
  // To a voxel, a 64th of the length; the ends are about as deep as the middle is.
  EXPECT_LT(std::max({std::abs(s.a.x), std::abs(s.a.y), std::abs(s.b.x), std::abs(s.b.y)}), 0.003);
  EXPECT_GT(norm(s.b - s.a), 0.09);
  EXPECT_LT(norm(s.b - s.a), 0.12);
}

TEST(DeriveWireFrame, PipeBendsWithItsRing) {
  // A ring of 60 mm radius and a tube of 10 mm.
  const Model ring = model_of(test::torus(0.06, 0.01, 48, 16));
  ASSERT_TRUE(ring.is_solid());
  const Result<WireFrame> frame = derive_wire_frame(ring);
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  EXPECT_TRUE(frame->is_skeleton);
  EXPECT_GE(frame->segments.size(), 5U);
  EXPECT_NEAR(length_of(*frame), 2.0 * std::numbers::pi * 0.06, 0.04);
  EXPECT_GT(least_depth(ring, *frame), 0.003);
}

TEST(DeriveWireFrame, ConrodHasARingAtEachEnd) {
  const Model part = model_of(generate("conrod", {.triangles = 3000})->flattened());
  const Result<WireFrame> frame = derive_wire_frame(part);
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  EXPECT_TRUE(frame->is_skeleton);
  EXPECT_GT(least_depth(part, *frame), 0.0);
  // Around both bores: pieces on all four sides of each.
  const auto has_piece = [&](double low_x, double high_x, double low_y, double high_y) {
    return std::ranges::any_of(frame->segments, [&](const Segment& s) {
      const Vec3 m = 0.5 * (s.a + s.b);
      return m.x > low_x && m.x < high_x && m.y > low_y && m.y < high_y;
    });
  };
  EXPECT_TRUE(has_piece(-0.03, 0.03, 0.025, 0.046));
  EXPECT_TRUE(has_piece(-0.03, 0.03, -0.046, -0.025));
  EXPECT_TRUE(has_piece(-0.04, -0.02, -0.02, 0.02));
  EXPECT_TRUE(has_piece(0.135, 0.155, 0.01, 0.02));
  EXPECT_TRUE(has_piece(0.135, 0.155, -0.02, -0.01));
  EXPECT_TRUE(has_piece(0.05, 0.12, -0.015, 0.015));
}

TEST(DeriveWireFrame, PipeHasTheLineInItsBore) {
  // 180 mm of pipe, 40 mm wide with walls of 3 mm, of which the voxels see one.
  constexpr std::uint32_t kAround = 32;
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < kAround; ++i) {
    const double a = 2.0 * std::numbers::pi * i / kAround;
    // Outside below and above, inside above and below: each a ring around the pipe.
    for (const auto& [radius, z] : {std::pair(0.02, -0.09), std::pair(0.02, 0.09),
                                    std::pair(0.017, 0.09), std::pair(0.017, -0.09)})
      vertices.push_back({radius * std::cos(a), radius * std::sin(a), z});
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t next = (i + 1) % kAround * 4;
      const std::uint32_t up = (k + 1) % 4;
      faces.push_back({i * 4 + k, next + k, next + up});
      faces.push_back({i * 4 + k, next + up, i * 4 + up});
    }
  }
  const Model pipe = model_of(Mesh::make(vertices, faces).value());
  ASSERT_TRUE(pipe.is_solid());
  const Result<WireFrame> frame = derive_wire_frame(pipe);
  ASSERT_TRUE(frame.ok()) << frame.error().message();
  EXPECT_TRUE(frame->is_skeleton);
  EXPECT_GT(length_of(*frame), 0.12);
  EXPECT_LT(length_of(*frame), 0.18);
  for (const Segment& s : frame->segments)
    for (const Vec3& end : {s.a, s.b}) EXPECT_LT(std::hypot(end.x, end.y), 0.006);
  // It is in no wall, and grasps are made along it all the same.
  const Result<GraspSet> set = generate_grasps(pipe, Gripper::of_boxes({}).value(), frame->segments,
                                               {.step = 0.01, .quality = {.friction = 1.0}});
  ASSERT_TRUE(set.ok()) << set.error().message();
  EXPECT_GT(set->counts.robust, 0U);
}

TEST(DeriveWireFrame, CompactAndThinPartsHaveTheirPrincipalAxes) {
  const Result<WireFrame> ball = derive_wire_frame(model_of(test::uv_sphere(0.05, 12)));
  ASSERT_TRUE(ball.ok());
  EXPECT_FALSE(ball->is_skeleton);
  ASSERT_EQ(ball->segments.size(), 3U);
  for (const Segment& s : ball->segments) EXPECT_NEAR(norm(s.b - s.a), 0.1, 0.004);
  // A sheet of a hundredth of its length is thinner than the voxels.
  const Result<WireFrame> sheet =
      derive_wire_frame(model_of(scaled(test::cube(1.0, {-0.5, -0.5, -0.5}), {0.1, 0.05, 0.0008})));
  ASSERT_TRUE(sheet.ok());
  EXPECT_FALSE(sheet->is_skeleton);
  ASSERT_EQ(sheet->segments.size(), 3U);
  // The longest axis first, as far as it is in the hull.
  EXPECT_NEAR(norm(sheet->segments[0].b - sheet->segments[0].a), 0.1, 1e-9);
  EXPECT_NEAR(std::abs(sheet->segments[0].a.x), 0.05, 1e-9);
}

TEST(DeriveWireFrame, SameBitsForAnyNumberOfThreads) {
  const Model part = model_of(generate("conrod", {.triangles = 3000})->flattened());
  const Result<WireFrame> one = derive_wire_frame(part, {.threads = Threads{1}});
  const Result<WireFrame> four = derive_wire_frame(part, {.threads = Threads{4}});
  ASSERT_TRUE(one.ok() && four.ok());
  ASSERT_EQ(one->segments.size(), four->segments.size());
  for (std::size_t i = 0; i < one->segments.size(); ++i) {
    EXPECT_EQ(one->segments[i].a, four->segments[i].a);
    EXPECT_EQ(one->segments[i].b, four->segments[i].b);
  }
}

TEST(DeriveWireFrame, RefusesAnOpenMesh) {
  const Result<WireFrame> frame = derive_wire_frame(model_of(test::without(test::cube(), {0})));
  ASSERT_FALSE(frame.ok());
  EXPECT_EQ(frame.error().place, "part");
  EXPECT_FALSE(derive_wire_frame(model_of(test::cube()), {.least_branch = -1.0}).ok());
}

/// A grid of text: '#' filled; one layer of it.
detail::VoxelGrid grid_of(const std::vector<std::string>& rows) {
  detail::VoxelGrid grid;
  grid.counts = {static_cast<int>(rows[0].size()) + 2, static_cast<int>(rows.size()) + 2, 3};
  grid.side = 1.0;
  grid.filled.assign((rows[0].size() + 2) * (rows.size() + 2) * 3, 0);
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < rows[y].size(); ++x)
      grid.filled[grid.index(static_cast<int>(x) + 1, static_cast<int>(y) + 1, 1)] =
          rows[y][x] == '#' ? 1 : 0;
  return grid;
}

TEST(VoxelThinning, KeepsTunnelsAndPieces) {
  detail::VoxelGrid grid = grid_of({"#######...##", "#######...##", "##...##.....", "##...##.....",
                                    "##...##.....", "#######.....", "#######....."});
  const std::vector<std::uint16_t> depths = detail::depths_of(grid);
  detail::thin(grid, depths);
  // A ring of at least twelve around the hole, and a piece of its own.
  const std::vector<detail::CurveBranch> branches = detail::branches_of(grid, depths);
  const auto left = std::count(grid.filled.begin(), grid.filled.end(), std::uint8_t{1});
  EXPECT_GE(left, 12);
  EXPECT_LE(left, 22);
  bool has_ring = false;
  for (const detail::CurveBranch& b : branches)
    has_ring = has_ring || (b.points.front() == b.points.back() && b.points.size() > 10);
  EXPECT_TRUE(has_ring);
  EXPECT_EQ(std::count(grid.filled.begin() + static_cast<std::ptrdiff_t>(grid.index(0, 0, 1)),
                       grid.filled.end(), std::uint8_t{1}),
            left);
}

TEST(VoxelThinning, FillsWhatThePartSurroundsInAPlane) {
  // A ring is filled; a channel, open on one side, and a notch are not.
  detail::VoxelGrid ring = grid_of({"#####", "#...#", "#...#", "#...#", "#####"});
  detail::fill_hollows(ring);
  EXPECT_EQ(std::count(ring.filled.begin(), ring.filled.end(), std::uint8_t{1}), 25);
  detail::VoxelGrid channel = grid_of({"#...#", "#...#", "#...#", "#...#", "#####"});
  const std::vector<std::uint8_t> before = channel.filled;
  detail::fill_hollows(channel);
  EXPECT_EQ(channel.filled, before);
}

TEST(VoxelThinning, EveryVoxelLeftIsNeeded) {
  detail::VoxelGrid grid =
      grid_of({"##########", "##########", "##########", "###....###", "###....###"});
  detail::thin(grid, detail::depths_of(grid));
  const std::array<std::ptrdiff_t, 26> around = grid.around();
  for (std::size_t i = 0; i < grid.filled.size(); ++i) {
    if (grid.filled[i] == 0) continue;
    const auto neighbours = std::ranges::count_if(around, [&](std::ptrdiff_t step) {
      return grid.filled[i + static_cast<std::size_t>(step)] != 0;
    });
    EXPECT_TRUE(neighbours <= 1 || !detail::is_simple(grid, i));
  }
}

TEST(Straightened, CutsAtTheFarthestPoint) {
  const std::vector<Vec3> corner{{0, 0, 0}, {1, 0.05, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}};
  const std::vector<Segment> pieces = detail::straightened(corner, 0.1);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].b, corner[2]);
  EXPECT_EQ(pieces[1].b, corner[4]);
  EXPECT_EQ(detail::straightened(corner, 0.01).size(), 3U);
}

}  // namespace
}  // namespace clearance
