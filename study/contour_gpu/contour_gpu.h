// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The study of "GPU-based Proximity Query Processing on Unstructured Triangular Mesh Model" (Lee,
// Guo, Chow, Chen, Luk, Kwok, ICRA 2015): Figures 5 and 6, time and speed-up over the size of the
// mesh for 30 segments; Table 1, culling by bisection at a million triangles; scenarios B, a
// catheter in an atrium, and C, a hand in a hole. How far the paper's distances are off is in
// approximation.h.
//
// The paper's machine was an AMD Phenom II at 3.2 GHz with a GeForce GTX 770, and its figures are
// drawn, not printed; what can be compared is ratios, and the times of Table 1 in words. Its meshes
// are not public: scenes.h has ours.
//
// "Paper" is the paper's algorithm (brute_force.h), whose answers are approximate. All others give
// the right answer, the same bit for bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/contour/prober.h>

#include "contour_gpu/approximation.h"
#include "contour_gpu/scenes.h"

namespace clearance::study {

/// The ways compared. One core where nothing else is said.
enum class ContourMethod : std::uint8_t {
  Paper,          ///< the paper's brute force
  PaperAllCores,  ///< on every core
  Scalar,         ///< all pairs, bounded, the rest measured exactly
  Simd,
  SimdAllCores,
  OpenCl,
  OpenClCulled,
  Bisection1,  ///< the paper's culling, one layer; made exact
  Bisection2,
  Bisection3,
  Tree,  ///< ours
};
inline constexpr std::array kContourMethods{
    ContourMethod::Paper,        ContourMethod::PaperAllCores, ContourMethod::Scalar,
    ContourMethod::Simd,         ContourMethod::SimdAllCores,  ContourMethod::OpenCl,
    ContourMethod::OpenClCulled, ContourMethod::Bisection1,    ContourMethod::Bisection2,
    ContourMethod::Bisection3,   ContourMethod::Tree};
/// "paper", "paper-all-cores", "scalar", ...: in JSON and CSV.
[[nodiscard]] const char* name_of(ContourMethod method);

/// What is measured of a method on a mesh.
struct ContourTimes {
  bool measured = false;    ///< false: no OpenCL device here
  double query_ms = 0.0;    ///< median of the queries
  double slowest_ms = 0.0;  ///< 99 % of the queries take at most this
  double first_ms = 0.0;    ///< from the bare mesh to the first answer; 0 where nothing is set up
  std::uint64_t queries = 0;
  /// Of the segments, how many were timed; the times are scaled up from these to all. 1: all.
  double part = 1.0;
  double bounds = 0.0;      ///< pairs bounded, mean of a query (ProbeWork)
  double exact = 0.0;       ///< pairs measured, mean of a query
  std::uint64_t wrong = 0;  ///< answers that differ from the tree's
};

/// Figures 5 and 6: 30 segments and a mesh.
struct ContourSizeRow {
  std::size_t triangles = 0;
  std::array<ContourTimes, kContourMethods.size()> methods;

  [[nodiscard]] const ContourTimes& operator[](ContourMethod method) const {
    return methods[static_cast<std::size_t>(method)];
  }
  [[nodiscard]] ContourTimes& operator[](ContourMethod method) {
    return methods[static_cast<std::size_t>(method)];
  }
  /// Time of the paper's brute force on one core over that of a method; 0 where it is not measured.
  [[nodiscard]] double speedup(ContourMethod method) const;
};

/// Table 1 of the paper: total time of a query in seconds.
struct ContourPaperRow {
  const char* name;  ///< "brute force", "1 layer"
  ContourMethod method;
  double cpu_s;
  double gpu_s;
};
[[nodiscard]] const std::array<ContourPaperRow, 4>& contour_paper_rows();
/// The mesh of Table 1.
inline constexpr std::size_t kTable1Triangles = 1'000'000;

/// A scenario: frame after frame, as a controller asks.
struct ContourScenarioRow {
  std::string name;  ///< "B: catheter"
  std::string mesh_name;
  std::size_t triangles = 0;
  std::size_t segments = 0;
  std::uint64_t frames = 0;
  double least_distance = 0.0;  ///< over all frames [m]
  /// The mesh stands still.
  double median_us = 0.0;
  double slowest_us = 0.0;  ///< 99 %
  double worst_us = 0.0;
  /// All vertices move before each frame; taking them over is in the time.
  double moving_median_us = 0.0;
  double moving_slowest_us = 0.0;
  double map_us = 0.0;      ///< distances of all vertices, as the coloured map needs
  double paper_us = 0.0;    ///< the paper's brute force, one core, median
  std::uint64_t wrong = 0;  ///< answers of the tree that differ from the scalar reference
};

struct ContourStudy {
  std::string device;  ///< what OpenCL ran on; empty: none
  std::vector<ContourSizeRow> sizes;
  std::vector<ContourScenarioRow> scenarios;
  std::vector<ApproximationRow> approximation;
  std::vector<QueryErrorRow> query_errors;
};

struct ContourStudyOptions {
  std::string data;  ///< folder with the scan; empty: generated
  std::uint64_t seed = 1;
  bool quick = false;  ///< small meshes, few frames: seconds
  Monitor* monitor = nullptr;
};

/// The sizes of Figure 5.
[[nodiscard]] std::vector<std::size_t> contour_sizes(const ContourStudyOptions& options);

/// Errors: cancelled; a scan that cannot be read.
[[nodiscard]] Result<ContourSizeRow> measure_size(std::size_t triangles,
                                                  const ContourStudyOptions& options);
[[nodiscard]] Result<ContourScenarioRow> measure_scenario(const std::string& name,
                                                          const ContourScene& scene,
                                                          const ContourStudyOptions& options);
[[nodiscard]] Result<ContourStudy> measure_contours(const ContourStudyOptions& options);

/// Scenarios B and C as the study measures them.
[[nodiscard]] Result<std::array<ContourScene, 2>> contour_scenarios(
    const ContourStudyOptions& options);

}  // namespace clearance::study
