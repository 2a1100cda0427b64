// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/contour_gpu.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "contour_gpu/brute_force.h"

namespace clearance::study {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The value that `fraction` of the values do not exceed.
double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const double place = std::ceil(fraction * static_cast<double>(values.size())) - 1.0;
  return values[static_cast<std::size_t>(std::max(0.0, place))];
}
constexpr double kMedian = 0.5;
constexpr double kMost = 0.99;

/// How long to measure.
struct Effort {
  std::size_t frames;           ///< of the tube
  std::size_t scenario_frames;  ///< of the catheter and the hand
  std::size_t moving_frames;
  std::size_t checked_frames;  ///< against the scalar reference
  double budget_ms;            ///< no new query of a method after this time
  std::uint64_t paper_pairs;   ///< of segments and triangles in a run of the paper's brute force
  std::size_t pairs;           ///< of each kind, for the approximation error
};
Effort effort_of(const ContourStudyOptions& options) {
  if (options.quick) return {8, 40, 16, 4, 200.0, 60'000, 300};
  return {64, 1000, 200, 20, 4000.0, 3'000'000, 20'000};
}

Error cancelled() { return Error{ErrorCode::Cancelled, {}, {}, {}, {}}; }

bool same(const ProbeHit& a, const ProbeHit& b) {
  return a.distance == b.distance && a.triangle == b.triangle && a.segment == b.segment;
}

std::optional<ProberOptions> prober_options(ContourMethod method) {
  switch (method) {
    case ContourMethod::Paper:
    case ContourMethod::PaperAllCores:
      return std::nullopt;
    case ContourMethod::Scalar:
      return ProberOptions{.method = ProbeMethod::Scalar};
    case ContourMethod::Simd:
      return ProberOptions{.method = ProbeMethod::Simd};
    case ContourMethod::SimdAllCores:
      return ProberOptions{.method = ProbeMethod::Simd, .threads = {0}};
    case ContourMethod::OpenCl:
      return ProberOptions{.method = ProbeMethod::OpenCl, .threads = {0}};
    case ContourMethod::OpenClCulled:
      return ProberOptions{.method = ProbeMethod::OpenClCulled, .threads = {0}};
    case ContourMethod::Bisection1:
      return ProberOptions{.method = ProbeMethod::Bisection, .bisections = 1};
    case ContourMethod::Bisection2:
      return ProberOptions{.method = ProbeMethod::Bisection, .bisections = 2};
    case ContourMethod::Bisection3:
      return ProberOptions{.method = ProbeMethod::Bisection, .bisections = 3};
    case ContourMethod::Tree:
      return ProberOptions{.method = ProbeMethod::Tree};
  }
  return std::nullopt;
}

bool needs_device(ContourMethod method) {
  return method == ContourMethod::OpenCl || method == ContourMethod::OpenClCulled;
}

/// Times a method of Prober on the frames of a scene. `answers` holds the tree's, by frame: the
/// tree fills it, the others are held against it.
Result<ContourTimes> time_prober(const ContourScene& scene, ContourMethod method,
                                 const Effort& effort, std::vector<ProbeHit>& answers) {
  ContourTimes times;
  std::vector<double> query_ms;
  // The first answer of all: what setting up costs is in it.
  const Clock::time_point start = Clock::now();
  Result<std::unique_ptr<Prober>> prober = make_prober(scene.mesh, *prober_options(method));
  if (!prober) return needs_device(method) ? Result<ContourTimes>(times) : prober.error();
  if (const Result<ProbeHit> first = (*prober)->closest(scene.frames.front()); !first)
    return first.error();
  times.first_ms = milliseconds_since(start);
  times.measured = true;

  const bool is_tree = method == ContourMethod::Tree;
  const Clock::time_point begin = Clock::now();
  for (std::size_t i = 0; i < scene.frames.size(); ++i) {
    if (!is_tree && i > 0 && milliseconds_since(begin) > effort.budget_ms) break;
    const Clock::time_point query = Clock::now();
    const Result<ProbeHit> hit = (*prober)->closest(scene.frames[i]);
    query_ms.push_back(milliseconds_since(query));
    if (!hit) return hit.error();
    const ProbeWork work = (*prober)->work();
    times.bounds += static_cast<double>(work.bounds);
    times.exact += static_cast<double>(work.exact);
    if (is_tree) {
      answers.push_back(*hit);
    } else if (!same(*hit, answers[i])) {
      ++times.wrong;
    }
  }
  times.queries = query_ms.size();
  times.bounds /= static_cast<double>(times.queries);
  times.exact /= static_cast<double>(times.queries);
  times.query_ms = quantile(query_ms, kMedian);
  times.slowest_ms = quantile(query_ms, kMost);
  return times;
}

/// Times the paper's brute force on as many of the segments, evenly chosen, as the effort allows.
ContourTimes time_paper(const PaperBruteForce& paper, const ContourFrame& frame,
                        std::size_t triangles, bool whole, Threads threads, const Effort& effort) {
  const std::size_t affordable = std::max<std::size_t>(1, effort.paper_pairs / triangles);
  const std::size_t count = whole ? frame.size() : std::min(frame.size(), affordable);
  std::vector<ContourSegment> segments;
  for (std::size_t i = 0; i < count; ++i)
    segments.push_back(frame[(2 * i + 1) * frame.size() / (2 * count)]);
  ContourTimes times;
  times.measured = true;
  times.part = static_cast<double>(count) / static_cast<double>(frame.size());
  std::vector<double> query_ms;
  const Clock::time_point begin = Clock::now();
  do {
    const Clock::time_point query = Clock::now();
    const PaperClosest found = paper.closest(segments, threads);
    query_ms.push_back(milliseconds_since(query) / times.part);
    CLEARANCE_ASSERT(found.distance >= 0.0);
  } while (query_ms.size() < 5 && milliseconds_since(begin) < effort.budget_ms);
  times.queries = query_ms.size();
  times.bounds = 0.0;
  times.exact = static_cast<double>(triangles * frame.size());
  times.query_ms = quantile(query_ms, kMedian);
  times.slowest_ms = quantile(query_ms, kMost);
  return times;
}

/// Frames in their order, the mesh at rest.
Status measure_static(const ContourScene& scene, const Effort& effort, ContourScenarioRow& row) {
  Result<std::unique_ptr<Prober>> tree = make_prober(scene.mesh);
  if (!tree) return tree.error();
  constexpr int kRounds = 3;
  std::vector<double> times;
  row.least_distance = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    for (const ContourFrame& frame : scene.frames) {
      const Clock::time_point start = Clock::now();
      const Result<ProbeHit> hit = (*tree)->closest(frame);
      times.push_back(1e3 * milliseconds_since(start));
      if (!hit) return hit.error();
      row.least_distance = std::min(row.least_distance, hit->distance);
    }
  }
  row.frames = scene.frames.size();
  row.median_us = quantile(times, kMedian);
  row.slowest_us = quantile(times, kMost);
  row.worst_us = quantile(times, 1.0);

  times.clear();
  for (std::size_t i = 0; i < effort.checked_frames; ++i) {
    const ContourFrame& frame = scene.frames[i * scene.frames.size() / effort.checked_frames];
    const Clock::time_point start = Clock::now();
    const Result<std::vector<double>> map = (*tree)->vertex_distances(frame);
    times.push_back(1e3 * milliseconds_since(start));
    if (!map) return map.error();
  }
  row.map_us = quantile(times, kMedian);
  return {};
}

/// All vertices move before each frame.
Status measure_moving(const ContourScene& scene, const Effort& effort, ContourScenarioRow& row) {
  constexpr std::size_t kPeriod = 16;
  std::vector<std::vector<Vec3>> beats;
  for (std::size_t i = 0; i < kPeriod; ++i) beats.push_back(beating(scene.mesh, i, kPeriod));
  Result<std::unique_ptr<Prober>> tree = make_prober(scene.mesh);
  Result<std::unique_ptr<Prober>> scalar =
      make_prober(scene.mesh, {.method = ProbeMethod::Scalar, .threads = {0}});
  if (!tree) return tree.error();
  if (!scalar) return scalar.error();
  const std::size_t check_every =
      std::max<std::size_t>(1, effort.moving_frames / effort.checked_frames);
  std::vector<double> times;
  for (std::size_t i = 0; i < effort.moving_frames; ++i) {
    const ContourFrame& frame = scene.frames[i * scene.frames.size() / effort.moving_frames];
    const std::vector<Vec3>& vertices = beats[i % kPeriod];
    const Clock::time_point start = Clock::now();
    const Status moved = (*tree)->move_vertices(vertices);
    const Result<ProbeHit> hit = (*tree)->closest(frame);
    times.push_back(1e3 * milliseconds_since(start));
    if (!moved) return moved.error();
    if (!hit) return hit.error();
    if (i % check_every != 0) continue;
    if (Status reference = (*scalar)->move_vertices(vertices); !reference) return reference;
    const Result<ProbeHit> right = (*scalar)->closest(frame);
    if (!right) return right.error();
    if (!same(*hit, *right)) ++row.wrong;
  }
  row.moving_median_us = quantile(times, kMedian);
  row.moving_slowest_us = quantile(times, kMost);
  return {};
}

Result<std::vector<ApproximationRow>> measure_pairs(const std::array<ContourScene, 2>& scenes,
                                                    const ContourStudyOptions& options) {
  const Effort effort = effort_of(options);
  constexpr double kTilt = 0.6;
  constexpr double kSmall = 0.3;
  constexpr double kLarge = 3.0;
  std::vector<ContourPairs> kinds;
  for (const ContourScene& scene : scenes) {
    Result<ContourPairs> pairs = deciding_pairs(scene);
    if (!pairs) return pairs.error();
    kinds.push_back(std::move(*pairs));
  }
  kinds.push_back(random_pairs(effort.pairs, 0.0, kSmall, options.seed));
  kinds.push_back(random_pairs(effort.pairs, 0.0, kLarge, options.seed + 1));
  kinds.push_back(random_pairs(effort.pairs, kTilt, kSmall, options.seed + 2));
  kinds.push_back(random_pairs(effort.pairs, kTilt, kLarge, options.seed + 3));
  std::vector<ApproximationRow> rows;
  for (const ContourPairs& pairs : kinds) {
    if (is_cancelled(options.monitor)) return cancelled();
    rows.push_back(measure_approximation(pairs, kPaperOnCpu, "criterion"));
    rows.push_back(measure_approximation(pairs, kPaperOnGpu, "10 rounds"));
    rows.push_back(measure_approximation(pairs, kPaperInHaste, "3 rounds"));
  }
  return rows;
}

}  // namespace

const char* name_of(ContourMethod method) {
  static constexpr std::array<const char*, kContourMethods.size()> kNames{
      "paper",          "paper-all-cores", "scalar",        "simd",
      "simd-all-cores", "opencl",          "opencl-culled", "bisection-1",
      "bisection-2",    "bisection-3",     "tree"};
  return kNames[static_cast<std::size_t>(method)];
}

double ContourSizeRow::speedup(ContourMethod method) const {
  const ContourTimes& times = (*this)[method];
  return times.measured ? (*this)[ContourMethod::Paper].query_ms / times.query_ms : 0.0;
}

const std::array<ContourPaperRow, 4>& contour_paper_rows() {
  static constexpr std::array<ContourPaperRow, 4> kRows{
      {{"brute force", ContourMethod::Paper, 46.04, 0.946},
       {"1 layer", ContourMethod::Bisection1, 10.89, 0.227},
       {"2 layers", ContourMethod::Bisection2, 9.9, 0.220},
       {"3 layers", ContourMethod::Bisection3, 9.5, 0.219}}};
  return kRows;
}

std::vector<std::size_t> contour_sizes(const ContourStudyOptions& options) {
  if (options.quick) return {2'000, 6'000, 20'000};
  return {10'000, 30'000, 100'000, 300'000, kTable1Triangles, 2'000'000, 4'000'000};
}

Result<ContourSizeRow> measure_size(std::size_t triangles, const ContourStudyOptions& options) {
  const Effort effort = effort_of(options);
  report_progress(options.monitor, "making the atrium", 0.0);
  Result<ContourScene> scene = tube_scene(triangles, effort.frames, options.seed);
  if (!scene) return scene.error();
  shuffle_frames(scene->frames, options.seed);
  ContourSizeRow row;
  row.triangles = scene->mesh.triangle_count();
  {
    const PaperBruteForce paper(scene->mesh);
    const bool whole = triangles == kTable1Triangles;
    report_progress(options.monitor, name_of(ContourMethod::Paper), 0.05);
    const ContourFrame& frame = scene->frames.front();
    row[ContourMethod::Paper] = time_paper(paper, frame, row.triangles, whole, {1}, effort);
    if (is_cancelled(options.monitor)) return cancelled();
    row[ContourMethod::PaperAllCores] = time_paper(paper, frame, row.triangles, false, {0}, effort);
  }
  // The tree first: its answers are what the others are held against.
  std::vector<ProbeHit> answers;
  std::vector<ContourMethod> order{ContourMethod::Tree};
  for (const ContourMethod method : kContourMethods) {
    if (method != ContourMethod::Tree && prober_options(method)) order.push_back(method);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    report_progress(options.monitor, name_of(order[i]),
                    0.2 + 0.8 * static_cast<double>(i) / static_cast<double>(order.size()));
    if (is_cancelled(options.monitor)) return cancelled();
    Result<ContourTimes> times = time_prober(*scene, order[i], effort, answers);
    if (!times) return times.error();
    row[order[i]] = *times;
  }
  return row;
}

Result<ContourScenarioRow> measure_scenario(const std::string& name, const ContourScene& scene,
                                            const ContourStudyOptions& options) {
  const Effort effort = effort_of(options);
  ContourScenarioRow row;
  row.name = name;
  row.mesh_name = scene.mesh_name;
  row.triangles = scene.mesh.triangle_count();
  row.segments = scene.segment_count();
  report_progress(options.monitor, "mesh at rest", 0.0);
  if (Status done = measure_static(scene, effort, row); !done) return done.error();
  if (is_cancelled(options.monitor)) return cancelled();
  report_progress(options.monitor, "mesh moving", 0.4);
  if (Status done = measure_moving(scene, effort, row); !done) return done.error();
  if (is_cancelled(options.monitor)) return cancelled();
  report_progress(options.monitor, "the paper's brute force", 0.8);
  const PaperBruteForce paper(scene.mesh);
  row.paper_us = 1e3 * time_paper(paper, scene.frames[scene.frames.size() / 2], row.triangles, true,
                                  {1}, effort)
                           .query_ms;
  return row;
}

Result<std::array<ContourScene, 2>> contour_scenarios(const ContourStudyOptions& options) {
  const std::size_t frames = effort_of(options).scenario_frames;
  Result<ContourScene> catheter = catheter_scene(options.data, frames, options.seed);
  if (!catheter) return catheter.error();
  Result<ContourScene> hand = hand_scene(options.data, frames, options.seed);
  if (!hand) return hand.error();
  return std::array<ContourScene, 2>{std::move(*catheter), std::move(*hand)};
}

Result<ContourStudy> measure_contours(const ContourStudyOptions& options) {
  ContourStudy study;
  // What cannot be read is said before anything is measured.
  report_progress(options.monitor, "making the scenes", -1.0);
  const Result<std::array<ContourScene, 2>> scenes = contour_scenarios(options);
  if (!scenes) return scenes.error();
  if (const std::vector<ProbeDevice> devices = probe_devices(); !devices.empty())
    study.device = devices.front().name;
  for (const std::size_t triangles : contour_sizes(options)) {
    Result<ContourSizeRow> row = measure_size(triangles, options);
    if (!row) return row.error();
    study.sizes.push_back(*row);
  }
  constexpr std::array kNames{"B: catheter", "C: hand"};
  for (std::size_t i = 0; i < scenes->size(); ++i) {
    Result<ContourScenarioRow> row = measure_scenario(kNames[i], (*scenes)[i], options);
    if (!row) return row.error();
    study.scenarios.push_back(std::move(*row));
    report_progress(options.monitor, "the paper's errors", -1.0);
    Result<QueryErrorRow> error =
        measure_query_error(kNames[i], (*scenes)[i], effort_of(options).checked_frames);
    if (!error) return error.error();
    study.query_errors.push_back(std::move(*error));
  }
  Result<std::vector<ApproximationRow>> pairs = measure_pairs(*scenes, options);
  if (!pairs) return pairs.error();
  study.approximation = std::move(*pairs);
  return study;
}

}  // namespace clearance::study
