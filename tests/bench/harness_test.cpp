// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness.h"

#include <thread>

#include <gtest/gtest.h>

namespace clearance::bench {
namespace {

using namespace std::chrono_literals;

TEST(Harness, MedianAndQuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_DOUBLE_EQ(median({4.0, 1.0, 2.0, 3.0}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0.0, 10.0}, 0.25), 2.5);
  EXPECT_DOUBLE_EQ(quantile({7.0}, 0.75), 7.0);
}

TEST(Harness, ReportsTheBlockWithTheMedianRatio) {
  // Ratios 1, 2 and 10: the block of ratio 2 is reported, per item.
  Measurement result;
  summarize({{100.0, 1000.0}, {300.0, 300.0}, {200.0, 400.0}}, 10, result);
  EXPECT_DOUBLE_EQ(result.ratio, 2.0);
  EXPECT_DOUBLE_EQ(result.ours_ns, 20.0);
  EXPECT_DOUBLE_EQ(result.rival_ns, 40.0);
  EXPECT_DOUBLE_EQ(result.ratio_low, 1.5);
  EXPECT_DOUBLE_EQ(result.ratio_high, 6.0);
}

TEST(Harness, RatioAboveOneMeansOursIsFaster) {
  const Row row{.rival = "sleeper",
                .ours = [] { std::this_thread::sleep_for(1ms); },
                .theirs = [] { std::this_thread::sleep_for(10ms); },
                .equal = [] { return true; },
                .bar = 1.5};
  const Effort effort{.warm_up_s = 0, .sample_s = 0, .samples_per_block = 1, .blocks = 3};
  const Measurement result = measure("sleep", row, effort);
  EXPECT_GT(result.ratio, 1.5);
  EXPECT_TRUE(result.equal);
  EXPECT_TRUE(result.holds());
  EXPECT_EQ(result.block_count, 3U);
}

TEST(Harness, SlowRowsStopAtTheFewestBlocks) {
  int runs = 0;
  const Row row{.rival = "none", .ours = [&] { ++runs; }, .theirs = [] {}};
  const Effort effort{.warm_up_s = 0,
                      .sample_s = 0,
                      .samples_per_block = 1,
                      .blocks = 1001,
                      .fewest_blocks = 3,
                      .budget_s = 0};
  EXPECT_EQ(measure("slow", row, effort).block_count, 3U);
  EXPECT_GE(runs, 3);
}

TEST(Harness, ARowWithoutComparisonIsNeverEqual) {
  const Row row{.rival = "none", .ours = [] {}, .theirs = [] {}};
  const Measurement result =
      measure("x", row, {.warm_up_s = 0, .sample_s = 0, .samples_per_block = 1, .blocks = 1});
  EXPECT_FALSE(result.compared);
  EXPECT_FALSE(result.equal);
}

TEST(Harness, CsvHasTheAgreedColumns) {
  const Measurement row{.name = "read/a,b",
                        .rival = "assimp",
                        .ours_ns = 10,
                        .rival_ns = 25,
                        .ratio = 2.5,
                        .compared = true,
                        .equal = true};
  EXPECT_EQ(ratios_csv({row}),
            "name,ours_ns,rival,rival_ns,ratio,equal\n\"read/a,b\",10,assimp,25,2.5,true\n");
  const FigureResult figure{"memory", {.value = 2.0, .unit = "x mesh", .at_most = 2.5}};
  EXPECT_EQ(figures_csv({figure}), "name,value,unit,bar,holds\nmemory,2,x mesh,<= 2.5,true\n");
}

TEST(Harness, TheTableSaysWhichBarsAreMissedAndWhichAnswersDiffer) {
  const Measurement row{.name = "r",
                        .rival = "x",
                        .ours_ns = 10,
                        .rival_ns = 5,
                        .ratio = 0.5,
                        .compared = true,
                        .equal = false,
                        .bar = 1.0};
  const std::string text = table({row}, {{"f", {.value = 3.0, .unit = "MB", .at_most = 2.5}}});
  EXPECT_NE(text.find("DIFFER"), std::string::npos);
  EXPECT_NE(text.find(">= 1"), std::string::npos);
  EXPECT_NE(text.find("<= 2.5"), std::string::npos);
  EXPECT_NE(text.find("MISSED"), text.rfind("MISSED"));
}

TEST(Harness, DurationsCarryAUnitThatFits) {
  EXPECT_EQ(format_duration(12.34), "12.3 ns");
  EXPECT_EQ(format_duration(999.7), "1 us");
  EXPECT_EQ(format_duration(4.56e6), "4.56 ms");
  EXPECT_EQ(format_duration(2e9), "2 s");
}

TEST(Harness, PeakMemoryCountsWhatIsTouchedAndFreed) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer keeps several bytes for each byte";
#endif
  constexpr std::size_t kBytes = 64 << 20;
  const std::uint64_t growth = peak_memory_growth([] {
    std::vector<char> block(kBytes, 1);
    keep(block.data());
  });
  EXPECT_GE(growth, kBytes * 9 / 10);
  EXPECT_LE(growth, kBytes * 12 / 10);
}

}  // namespace
}  // namespace clearance::bench
