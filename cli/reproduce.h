// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The studies that `clearance reproduce` can run. To add one: write study/<name>/ and
// cli/reproduce_<name>.cpp, declare it here, and list it in reproduce.cpp with the options it
// takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace clearance::cli {

/// What may be asked of a study. Which options a study takes, its row in reproduce.cpp says; the
/// others are refused.
struct ReproduceOptions {
  std::vector<std::string> paths;
  std::string data;
  std::string csv;
  std::string out;
  std::vector<std::string> only;  ///< parts of the study; empty: all
  int threads = 1;
  int repetitions = 1;
  int queries = 20;
  std::uint64_t steps = 20'000;
  std::uint64_t seed = 1;
  bool quick = false;
  bool no_generated = false;
  bool json = false;
};

/// Each runs a study, prints and writes what it found, and returns the exit status.
int reproduce_inertia_fit(const ReproduceOptions& options);
int reproduce_chaintree(const ReproduceOptions& options);
int reproduce_contour_gpu(const ReproduceOptions& options);
int reproduce_bin_picking(const ReproduceOptions& options);
int reproduce_sphere_simplification(const ReproduceOptions& options);

/// A study as `reproduce all` runs it.
struct StudyToRun {
  const char* name;
  const char* description;
  bool draws;  ///< takes --out
  int (*run)(const ReproduceOptions& options);
};
/// Runs all of them and writes one HTML report into the folder --out ("report" by default). Returns
/// the worst of their exit statuses.
int reproduce_all(const ReproduceOptions& options, std::span<const StudyToRun> studies);

}  // namespace clearance::cli
