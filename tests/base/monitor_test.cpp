// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include <clearance/base/monitor.h>

namespace clearance {
namespace {

class Recorder : public Monitor {
 public:
  void progress(std::string_view stage, double fraction) override {
    stage_ = stage;
    fraction_ = fraction;
  }
  [[nodiscard]] bool cancelled() const override { return fraction_ >= 0.5; }

  std::string stage_;
  double fraction_ = 0.0;
};

TEST(Monitor, NoMonitorMeansNoReportAndNoCancel) {
  report_progress(nullptr, "reading", 0.5);
  EXPECT_FALSE(is_cancelled(nullptr));
}

TEST(Monitor, ReportsReachItAndItsAnswerComesBack) {
  Recorder recorder;
  report_progress(&recorder, "reading", 0.25);
  EXPECT_EQ(recorder.stage_, "reading");
  EXPECT_EQ(recorder.fraction_, 0.25);
  EXPECT_FALSE(is_cancelled(&recorder));
  report_progress(&recorder, "building", 0.75);
  EXPECT_TRUE(is_cancelled(&recorder));
}

}  // namespace
}  // namespace clearance
