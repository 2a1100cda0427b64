// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/contour_gpu.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/contour/paper_distance.h>
#include <clearance/contour/segment_distance.h>
#include <clearance/mesh/generate.h>

#include "contour_gpu/brute_force.h"
#include "contour_gpu/claims.h"
#include "contour_gpu/plots.h"

namespace clearance::study {
namespace {

ContourStudyOptions quick() {
  ContourStudyOptions options;
  options.quick = true;
  return options;
}

/// A cylinder of radius 1 and length 2 along z from the origin.
ContourSegment cylinder() {
  return make_segment({{0, 0, 0}, {0, 0, 1}, 1.0}, {{0, 0, 2}, {0, 0, 1}, 1.0}).value();
}

TEST(PaperBruteForce, IsTheSmallestOfThePapersDistances) {
  const Result<ContourScene> scene = catheter_scene("", 2, 1);
  ASSERT_TRUE(scene);
  const ContourFrame& frame = scene->frames[1];
  const PaperBruteForce paper(scene->mesh);
  double least = std::numeric_limits<double>::infinity();
  for (const ContourSegment& segment : frame) {
    for (std::size_t t = 0; t < scene->mesh.triangle_count(); ++t)
      least =
          std::min(least, paper_distance(segment, scene->mesh.triangle(t), kPaperOnCpu).distance);
  }
  const PaperClosest one = paper.closest(frame);
  // Edges are measured once, in the direction of one of their triangles: rounding differs.
  EXPECT_NEAR(one.distance, least, 1e-12);
  EXPECT_NEAR(
      paper_distance(frame[one.segment], scene->mesh.triangle(one.triangle), kPaperOnCpu).distance,
      one.distance, 1e-12);
  const PaperClosest two = paper.closest(frame, {2});
  EXPECT_EQ(one.distance, two.distance);
  EXPECT_EQ(one.triangle, two.triangle);
  EXPECT_EQ(one.segment, two.segment);
  // About three edges for two triangles, not three for one.
  EXPECT_LT(paper.edge_count(), 17 * scene->mesh.triangle_count() / 10);
}

TEST(Approximation, KnowsWhyAPairIsWrong) {
  // A large triangle above the upper disc, whose edges are far away: the closest point is inside
  // the face, 1 above it.
  const Triangle above{{9, 0, 3}, {-6, 7, 3}, {-6, -7, 3}};
  // Pierced by the cylinder: contact, and no edge is near.
  const Triangle pierced{{9, 0, 1}, {-6, 7, 1}, {-6, -7, 1}};
  // One edge runs past the side, 1 from it: the paper's own case.
  const Triangle beside{{2, -0.3, 1}, {2, 0.4, 1}, {9, 0, 1}};
  const ContourPairs pairs{
      "hand-made", {cylinder(), cylinder(), cylinder()}, {above, pierced, beside}};
  const ApproximationRow row = measure_approximation(pairs, kPaperOnGpu, "10 rounds", {1});
  EXPECT_EQ(row.pairs, 3U);
  EXPECT_EQ(row.faces, 2U);
  EXPECT_EQ(row.contact, 1U);
  EXPECT_LE(row.missed, 1U);
  EXPECT_EQ(row.causes[static_cast<std::size_t>(ApproximationCause::Early)], 0U);
  EXPECT_EQ(row.causes[static_cast<std::size_t>(ApproximationCause::Stuck)], 0U);
  EXPECT_NEAR(distance(cylinder(), above).distance, 1.0, 1e-9);
}

TEST(Approximation, RandomPairsAreOfAllKinds) {
  const ContourPairs pairs = random_pairs(400, 0.6, 3.0, 1);
  const ApproximationRow row = measure_approximation(pairs, kPaperOnGpu, "10 rounds");
  EXPECT_EQ(row.pairs, 400U);
  // Some touch, most do not; some are closest on the face, some on an edge.
  EXPECT_GT(row.contact, 20U);
  EXPECT_LT(row.contact, 300U);
  EXPECT_GT(row.faces, 20U);
  EXPECT_LT(row.faces, 380U);
  // With no tilt and small triangles the paper is nearly always right.
  const ApproximationRow easy =
      measure_approximation(random_pairs(400, 0.0, 0.05, 1), kPaperOnGpu, "10 rounds");
  EXPECT_LT(easy.wrong, row.wrong);
}

TEST(ContourStudy, AllWaysGiveTheAnswersOfTheTree) {
  const Result<ContourSizeRow> row = measure_size(3'000, quick());
  ASSERT_TRUE(row) << row.error().message();
  EXPECT_EQ(row->triangles, 3'000U);
  for (const ContourMethod method : kContourMethods) {
    const ContourTimes& times = (*row)[method];
    if (method == ContourMethod::OpenCl || method == ContourMethod::OpenClCulled) {
      if (!times.measured) continue;
    }
    EXPECT_TRUE(times.measured) << name_of(method);
    EXPECT_EQ(times.wrong, 0U) << name_of(method);
    EXPECT_GT(times.query_ms, 0.0) << name_of(method);
    EXPECT_GT(times.queries, 0U) << name_of(method);
  }
  // What a tree is for.
  EXPECT_LT((*row)[ContourMethod::Tree].exact, 3'000.0);
}

TEST(ContourStudy, ScenariosAnswerAsTheReferenceWhileTheMeshMoves) {
  const Result<std::array<ContourScene, 2>> scenes = contour_scenarios(quick());
  ASSERT_TRUE(scenes);
  const Result<ContourScenarioRow> row = measure_scenario("C: hand", (*scenes)[1], quick());
  ASSERT_TRUE(row) << row.error().message();
  EXPECT_EQ(row->wrong, 0U);
  EXPECT_EQ(row->segments, kHandSegments);
  EXPECT_GT(row->least_distance, 0.0);
  EXPECT_GE(row->slowest_us, row->median_us);
  EXPECT_GT(row->moving_median_us, row->median_us / 2.0);
}

TEST(ContourStudy, ThePapersAnswerIsNotBelowTheRightOneByMuch) {
  const Result<std::array<ContourScene, 2>> scenes = contour_scenarios(quick());
  ASSERT_TRUE(scenes);
  const Result<QueryErrorRow> row = measure_query_error("B", (*scenes)[0], 4);
  ASSERT_TRUE(row) << row.error().message();
  EXPECT_EQ(row->frames, 4U);
  EXPECT_LT(row->largest_relative, 0.2);
}

/// Made-up figures in which every claim holds.
ContourStudy made_up() {
  ContourStudy study;
  for (const std::size_t triangles : {std::size_t{10'000}, kTable1Triangles}) {
    ContourSizeRow row;
    row.triangles = triangles;
    for (const ContourMethod method : kContourMethods) {
      ContourTimes& times = row[method];
      times.measured = true;
      times.queries = 1;
      times.query_ms = static_cast<double>(triangles) / 1000.0;
      times.first_ms = 2.0 * times.query_ms;
    }
    row[ContourMethod::Paper].query_ms = static_cast<double>(triangles) / 10.0;
    row[ContourMethod::Bisection1].query_ms = row[ContourMethod::Bisection2].query_ms =
        row[ContourMethod::Bisection3].query_ms = static_cast<double>(triangles) / 5000.0;
    row[ContourMethod::Tree].query_ms = row[ContourMethod::Tree].slowest_ms = 0.2;
    study.sizes.push_back(row);
  }
  ContourScenarioRow scenario;
  scenario.name = "B: catheter";
  scenario.median_us = scenario.slowest_us = 50.0;
  scenario.moving_median_us = scenario.moving_slowest_us = 900.0;
  study.scenarios.push_back(scenario);
  ApproximationRow pairs;
  pairs.name = "random";
  pairs.variant = "10 rounds";
  pairs.pairs = 100;
  pairs.contact = 10;
  study.approximation.push_back(pairs);
  return study;
}

TEST(ContourClaims, HoldWhereTheFiguresSaySo) {
  const std::vector<Claim> claims = claims_of(made_up());
  EXPECT_EQ(claims.size(), 10U);
  for (const Claim& claim : claims) EXPECT_TRUE(claim.holds) << claim.claim << ": " << claim.words;
}

TEST(ContourClaims, DoNotHoldWhereTheyDoNot) {
  ContourStudy study = made_up();
  ContourSizeRow& large = study.sizes[1];
  large[ContourMethod::Tree].query_ms = 600.0;  // 167 times; less than at 10,000
  large[ContourMethod::Tree].slowest_ms = 1.5;
  large[ContourMethod::Bisection1].query_ms = 400.0;  // of 1,000
  large[ContourMethod::Simd].wrong = 1;
  study.scenarios[0].slowest_us = 1100.0;
  study.scenarios[0].moving_slowest_us = 11'000.0;
  ApproximationRow& pairs = study.approximation[0];
  pairs.wrong = 1;
  pairs.causes[static_cast<std::size_t>(ApproximationCause::Stuck)] = 1;
  pairs.faces = 6;
  pairs.missed = 1;
  for (const Claim& claim : claims_of(study)) EXPECT_FALSE(claim.holds) << claim.claim;
  EXPECT_FALSE(answers_agree(study));
}

TEST(ContourPlots, ShowWhatWasMeasured) {
  std::vector<std::string> names;
  for (const PlotFile& plot : plots_of(made_up())) {
    names.push_back(plot.name);
    EXPECT_TRUE(plot.svg.starts_with("<svg")) << plot.name;
    EXPECT_EQ(plot.svg.find("nan"), std::string::npos) << plot.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"figure5-time.svg", "figure6-speedup.svg",
                                             "table1-culling.svg", "approximation.svg"}));
  EXPECT_TRUE(plots_of(ContourStudy{}).empty());
}

}  // namespace
}  // namespace clearance::study
