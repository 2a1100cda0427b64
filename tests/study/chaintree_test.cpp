// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/chaintree.h"

#include <cmath>

#include <gtest/gtest.h>

#include "chaintree/chains.h"
#include "chaintree/claims.h"
#include "chaintree/plots.h"

namespace clearance::study {
namespace {

ChainStudyOptions few_steps() {
  ChainStudyOptions options;
  options.steps = 200;
  options.slow_link_steps = 10'000;
  options.quick = true;
  return options;
}

TEST(ChainStudy, MeasuresEveryMethodOnTheSameMoves) {
  const Result<ChainRow> row = measure({"compact", compact_chain(300, 1), {}, {}}, few_steps());
  ASSERT_TRUE(row);
  EXPECT_EQ(row->links, 300U);
  EXPECT_EQ(row->spheres, 300U);
  EXPECT_GT(row->hits, 0U);
  EXPECT_GT(row->gyration_after, row->gyration_before);
  EXPECT_GT(row->bytes_per_link, 0.0);
  for (const ChainMethod method : kChainMethods) {
    const MethodFigures& figures = (*row)[method];
    EXPECT_EQ(figures.wrong, 0U) << name_of(method);
    EXPECT_GT(figures.sphere_tests, 0.0) << name_of(method);
    // Trees built anew replay a sample: 10,000 / 300 in stretches of ten.
    const bool sampled = method == ChainMethod::OneObbTree || method == ChainMethod::KObbTree;
    EXPECT_EQ(figures.steps, sampled ? 30U : 200U) << name_of(method);
  }
}

TEST(ChainStudy, RefusesAChainThatTouchesItself) {
  Chain chain = compact_chain(20, 1);
  std::get<LinkSpheres>(chain.links[5])[0].radius = 9.0;
  const Result<ChainRow> row = measure({"bloated", chain, {}, {}}, few_steps());
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().file, "bloated");
  EXPECT_NE(row.error().place.find("links"), std::string::npos);
  EXPECT_FALSE(measure({"single", compact_chain(1, 1), {}, {}}, few_steps()));
}

TEST(ChainStudy, SubjectsAreThePapersOrQuickOnes) {
  ChainStudyOptions options;
  const std::vector<ChainSubject> compact = compact_subjects(options);
  ASSERT_EQ(compact.size(), 4U);
  EXPECT_EQ(compact[3].name, "compact 10,000");
  EXPECT_EQ(compact[3].chain.links.size(), 10'000U);
  EXPECT_EQ(compact[3].paper->chain_tree, 964);
  EXPECT_EQ(compact[3].paper->k_obb_tree, 178);
  // Three generated proteins, each as backbone and whole; only the backbone is the paper's.
  const Result<std::vector<ChainSubject>> proteins = protein_subjects("", few_steps());
  ASSERT_TRUE(proteins);
  ASSERT_EQ(proteins->size(), 6U);
  const ChainSubject& backbone = (*proteins)[4];
  EXPECT_EQ(backbone.chain.links.size(), (*proteins)[5].chain.links.size());
  for (const LinkShape& link : backbone.chain.links)
    EXPECT_EQ(std::get<LinkSpheres>(link).size(), 1U);
  EXPECT_FALSE(backbone.joints.empty());
  EXPECT_FALSE(protein_file_subjects("/nowhere/1abc.pdb"));
}

TEST(FitPower, FindsExponentAndFactor) {
  std::vector<double> x;
  std::vector<double> y;
  for (const double value : {1e3, 1e4, 1e6}) {
    x.push_back(value);
    y.push_back(2.5 * std::pow(value, 0.75));
  }
  const PowerFit fit = fit_power(x, y);
  EXPECT_NEAR(fit.exponent, 0.75, 1e-12);
  EXPECT_NEAR(fit.factor, 2.5, 1e-9);
}

// A study with made-up figures: the paper's tree 40 times faster than each rival, the default one
// 100 times.
ChainStudy made_up() {
  ChainRow row;
  row.name = "compact 10,000";
  row.links = 10'000;
  row.paper = ChainPaperRow{"10,000", 964, 178};
  for (const ChainMethod method : kChainMethods) {
    MethodFigures& figures = row.methods[static_cast<std::size_t>(method)];
    figures.steps = 100;
    figures.update_us = 199.0;
    figures.test_us = 1.0;
    figures.box_tests = 500.0;
  }
  row.methods[0] = {.steps = 100, .update_us = 1.5, .test_us = 0.5, .box_tests = 900.0};
  row.methods[1] = {.steps = 100, .update_us = 4.0, .test_us = 1.0, .box_tests = 950.0};
  ChainStudy study;
  study.compact = {row};
  for (const double links : {1e3, 1e6}) {
    GrowthRow growth;
    growth.links = static_cast<std::size_t>(links);
    growth.update_us = std::log(links);
    growth.test_us = 0.1;
    growth.box_tests = 100.0;
    growth.held_us = 1.0;
    growth.held_box_tests = 50.0;
    study.growth.push_back(growth);
    WorstCaseRow worst;
    worst.links = growth.links;
    worst.chain_tree = worst.loose_obb = std::pow(links, 4.0 / 3.0);
    study.worst_case.push_back(worst);
  }
  return study;
}

TEST(Growth, IsMeasuredOnTheWalkAndOnTheChainHeldCompact) {
  ChainStudyOptions options;
  options.quick = true;
  options.steps = 200;
  const std::vector<GrowthRow> rows = measure_growth(options).value();
  ASSERT_EQ(rows.size(), 3U);
  for (const GrowthRow& row : rows) {
    EXPECT_GT(row.held_box_tests, 0.0);
    // A chain that opens up collides less.
    EXPECT_GE(row.held_hit_fraction, row.hit_fraction) << row.links;
  }
}

TEST(Claims, HoldWhereTheFiguresSaySo) {
  for (const Claim& claim : claims_of(made_up()))
    EXPECT_TRUE(claim.holds) << claim.claim << ": " << claim.words;
  EXPECT_EQ(claims_of(made_up()).size(), 7U);
}

TEST(Claims, DoNotHoldWhereTheyDoNot) {
  ChainStudy study = made_up();
  ChainRow& row = study.compact[0];
  row.methods[1].update_us = 6.0;    // 200 / 7: below 30
  row.methods[0].box_tests = 965.0;  // the paper: 964
  row.methods[8].test_us = 3.0;      // more than a hundredth of 199
  row.methods[3].wrong = 1;
  study.growth[1].update_us = 100.0;  // far above the logarithm
  study.growth[1].held_us = 100.0;    // N^0.67
  study.worst_case[1].loose_obb *= 10.0;
  for (const Claim& claim : claims_of(study)) EXPECT_FALSE(claim.holds) << claim.claim;
  EXPECT_FALSE(answers_agree(study));
}

TEST(Plots, ShowWhatWasMeasured) {
  ChainStudy study = made_up();
  std::vector<std::string> names;
  for (const PlotFile& plot : plots_of(study)) {
    names.push_back(plot.name);
    EXPECT_TRUE(plot.svg.starts_with("<svg")) << plot.name;
    EXPECT_EQ(plot.svg.find("nan"), std::string::npos) << plot.name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"figure7-update.svg", "figure7-test.svg", "figure7-total.svg",
                                      "table1.svg", "growth.svg", "worst-case.svg"}));
  EXPECT_TRUE(plots_of({}).empty());
}

}  // namespace
}  // namespace clearance::study
