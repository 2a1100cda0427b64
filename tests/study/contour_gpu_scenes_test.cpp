// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/mesh/generate.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

#include "contour_gpu/passage.h"
#include "contour_gpu/scenes.h"
#include "support/data.h"

namespace clearance::study {
namespace {

/// The smallest distance of points all over the segments from the surface of a closed mesh;
/// negative when one of them is outside.
double least_room_inside(const Model& model, const ContourFrame& frame) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContourSegment& segment : frame) {
    for (const double eta : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      for (int k = 0; k < 8; ++k) {
        const Vec3 p = segment.at(eta, std::cos(0.8 * k), std::sin(0.8 * k));
        const double room = distance(model.bvh(), p).distance;
        least = std::min(least, model.side(p) == Side::Inside ? room : -room);
      }
    }
  }
  return least;
}

void expect_frames_inside(const ContourScene& scene) {
  const Result<Model> model = Model::build(scene.mesh);
  ASSERT_TRUE(model);
  ASSERT_TRUE(model->is_solid());
  double nearest = std::numeric_limits<double>::infinity();
  for (const ContourFrame& frame : scene.frames)
    nearest = std::min(nearest, least_room_inside(*model, frame));
  // Free everywhere, and close to the wall somewhere: else the scene measures nothing.
  EXPECT_GT(nearest, 1e-4);
  EXPECT_LT(nearest, 4e-3);
}

TEST(ContourScenes, TubeOfThirtySegmentsStaysInsideTheAtrium) {
  const Result<ContourScene> scene = tube_scene(20'000, 12, 1);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->mesh.triangle_count(), 20'000U);
  ASSERT_EQ(scene->frames.size(), 12U);
  for (const ContourFrame& frame : scene->frames) EXPECT_EQ(frame.size(), kTubeSegments);
  expect_frames_inside(*scene);
}

TEST(ContourScenes, CatheterStaysInsideTheGeneratedAtrium) {
  const Result<ContourScene> scene = catheter_scene("", 40, 1);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->mesh.triangle_count(), kAtriumTriangles);
  EXPECT_EQ(scene->segment_count(), kCatheterSegments);
  expect_frames_inside(*scene);
  // Bent: the circles of a segment are not parallel.
  const auto bent = [](const ContourFrame& frame) {
    return std::any_of(frame.begin(), frame.end(),
                       [](const ContourSegment& segment) { return !is_convex(segment); });
  };
  EXPECT_TRUE(std::all_of(scene->frames.begin(), scene->frames.end(), bent));
}

TEST(ContourScenes, CatheterStaysInsideTheScannedAtrium) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<ContourScene> scene = catheter_scene(test::data_folder().string(), 40, 1);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->mesh_name, "scanned atrium");
  EXPECT_EQ(scene->mesh.triangle_count(), 9'998U);
  expect_frames_inside(*scene);
}

void expect_hand_reaches_through(const ContourScene& scene) {
  EXPECT_EQ(scene.mesh.triangle_count(), kWallTriangles);
  const auto farthest_x = [](const ContourFrame& frame) {
    double x = -1.0;
    for (const ContourSegment& segment : frame) x = std::max(x, bounds_of(segment).high.x);
    return x;
  };
  EXPECT_LT(farthest_x(scene.frames.front()), -0.1);
  EXPECT_GT(farthest_x(scene.frames.back()), 0.2);
  const Result<Model> model = Model::build(scene.mesh);
  ASSERT_TRUE(model);
  double nearest = 1.0;
  for (const ContourFrame& frame : scene.frames) {
    for (const ContourSegment& segment : frame) {
      for (int k = 0; k < 16; ++k) {
        const Vec3 p = segment.at(0.5, std::cos(0.4 * k), std::sin(0.4 * k));
        EXPECT_EQ(model->side(p), Side::Outside);
        nearest = std::min(nearest, distance(model->bvh(), p).distance);
      }
    }
  }
  EXPECT_GT(nearest, 0.002);
  EXPECT_LT(nearest, 0.05);
}

TEST(ContourScenes, HandOfThirtyNineSegmentsReachesThroughTheHole) {
  const Result<ContourScene> scene = hand_scene("", 50, 1);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->segment_count(), kHandSegments);
  expect_hand_reaches_through(*scene);
}

TEST(ContourScenes, FittedHandReachesThroughTheHole) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<ContourScene> scene = hand_scene(test::data_folder().string(), 50, 1);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene->name, "fitted hand");
  EXPECT_EQ(scene->segment_count(), kHandSegments);
  expect_hand_reaches_through(*scene);
}

TEST(ContourScenes, AreTheSameForTheSameSeed) {
  const Result<ContourScene> first = catheter_scene("", 3, 7);
  const Result<ContourScene> again = catheter_scene("", 3, 7);
  const Result<ContourScene> other = catheter_scene("", 3, 8);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->frames[1][3].start.center, again->frames[1][3].start.center);
  EXPECT_NE(first->frames[1][3].start.center, other->frames[1][3].start.center);
}

TEST(ContourScenes, EveryVertexBeats) {
  const Mesh mesh = generate("atrium", {.triangles = 2'000})->flattened();
  const std::vector<Vec3> still = beating(mesh, 0, 16);
  const std::vector<Vec3> moved = beating(mesh, 1, 16);
  ASSERT_EQ(moved.size(), mesh.vertex_count());
  EXPECT_EQ(beating(mesh, 16, 16).size(), still.size());
  const double size = mesh.bounds().diagonal();
  for (std::size_t i = 0; i < moved.size(); ++i) {
    EXPECT_NE(moved[i], still[i]);
    EXPECT_LT(distance(moved[i], mesh.vertices()[i]), 0.02 * size);
  }
}

TEST(Passage, LeadsFromVeinToVein) {
  const Mesh mesh = generate("atrium")->flattened();
  const Result<Passage> passage = find_passage(mesh, 0.003);
  ASSERT_TRUE(passage) << passage.error().message();
  EXPECT_GT(passage->length, 0.08);
  EXPECT_GT(*std::min_element(passage->room.begin(), passage->room.end()), 0.0025);
  EXPECT_GT(*std::max_element(passage->room.begin(), passage->room.end()), 0.012);
  EXPECT_EQ(passage->at(-1.0), passage->points.front());
  EXPECT_EQ(passage->at(2.0 * passage->length), passage->points.back());
  EXPECT_FALSE(find_passage(mesh, 1.0));
  // A wall has an inside, but no way through it that long.
  EXPECT_FALSE(find_passage(generate("wall")->flattened(), 0.1));
}

}  // namespace
}  // namespace clearance::study
