// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "inertia_fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include <clearance/base/random.h>
#include <clearance/bvh/bvh.h>
#include <clearance/mesh/generate.h>
#include <clearance/query/query.h>

#include "inertia_fit/generator.h"

namespace clearance::study {
namespace {

std::array<double, kFitterCount> fitters_of(const StudyRow& row, double TreeFigures::*figure) {
  return {row.trees[kPqp].*figure, row.trees[kRapid2].*figure, row.trees[kInertia].*figure};
}

/// "12 % below", or with other words "12 % fewer".
std::string percent_below(double value, double reference, const char* below = "below",
                          const char* above = "above") {
  const double percent = 100.0 * (1.0 - value / reference);
  return std::to_string(static_cast<int>(std::lround(std::abs(percent)))) + " % " +
         (percent >= 0.0 ? below : above);
}

/// The mesh against itself: turned, and moved until it is just clear along some direction.
std::vector<Pose> query_poses(const Mesh& mesh, int count) {
  constexpr std::uint64_t kSeed = 1;
  constexpr double kGap = 0.01;  // of the diagonal
  Random random(kSeed);
  const auto direction = [&] {
    const double x = random.normal();
    const double y = random.normal();
    return normalized({x, y, random.normal()});
  };
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i) {
    const Vec3 axis = direction();
    const Mat3 rotation = rotation_about(axis, random.uniform(-std::numbers::pi, std::numbers::pi));
    const Vec3 along = direction();
    const Vec3 along_in_b = transpose_times(rotation, along);
    double high = -std::numeric_limits<double>::infinity();
    double low = std::numeric_limits<double>::infinity();
    for (const Vec3& p : mesh.vertices()) {
      high = std::max(high, dot(along, p));
      low = std::min(low, dot(along_in_b, p));
    }
    poses.push_back({rotation, (high - low + kGap * mesh.bounds().diagonal()) * along});
  }
  return poses;
}

std::string of_rows(std::size_t count, std::size_t rows) {
  return std::to_string(count) + " of " + std::to_string(rows);
}

}  // namespace

BvhOptions tree_options(std::size_t tree) {
  constexpr std::array<BvhOptions, kTrees.size()> kOptions{
      BvhOptions{Volume::Rss, Fitter::Pqp, {}}, BvhOptions{Volume::Rss, Fitter::Rapid2, {}},
      BvhOptions{Volume::Rss, Fitter::Inertia, {}}, BvhOptions{Volume::Wide, Fitter::Binned, {}}};
  return kOptions[tree];
}

const std::array<PaperRow, 6>& paper_rows() {
  static constexpr std::array<PaperRow, 6> kRows{{
      {"Air Cleaner Subassembly, body",
       "air-cleaner",
       true,
       1253476,
       {59.28, 94.54, 54.76},
       {0.40, 0.73, 0.35},
       {3609, 4069, 4115}},
      {"Air Cleaner Subassembly, obstacles",
       "air-cleaner",
       false,
       415378,
       {70.71, 181.26, 72.20},
       {0.88, 3.68, 0.81},
       {1024, 1132, 1145}},
      {"Cylinder Head, body",
       "cylinder-head",
       true,
       246584,
       {23.92, 33.14, 22.13},
       {0.14, 0.22, 0.13},
       {617, 674, 676}},
      {"Cylinder Head, obstacles",
       "cylinder-head",
       false,
       413742,
       {125.72, 187.59, 111.69},
       {1.73, 3.41, 1.34},
       {1058, 1183, 1174}},
      {"Tunnel Console, body",
       "tunnel-console",
       true,
       73469,
       {87.19, 89.05, 76.69},
       {1.39, 1.37, 0.99},
       {169, 193, 192}},
      {"Tunnel Console, obstacles",
       "tunnel-console",
       false,
       300567,
       {635.41, 862.44, 554.54},
       {26.91, 49.07, 19.64},
       {751, 854, 864}},
  }};
  return kRows;
}

Result<Mesh> stand_in(const PaperRow& row, bool quick) {
  const Result<GeneratorInfo> info = generator_named(row.generator);
  if (!info) return info.error();
  // The half that is not looked at is made as small as it can be.
  GenerateOptions options;
  options.body_triangles = info->minimum_body_triangles;
  options.obstacle_triangles = info->minimum_obstacle_triangles;
  if (!quick) (row.body ? options.body_triangles : options.obstacle_triangles) = row.triangles;
  Result<Assembly> scene = generate(row.generator, options);
  if (!scene) return scene.error();
  const std::string_view prefix = row.body ? "body/" : "obstacle/";
  std::erase_if(scene->parts,
                [&](const AssemblyPart& part) { return !part.name.starts_with(prefix); });
  return scene->flattened();
}

Result<StudyRow> measure(const std::string& name, const Mesh& mesh, const PaperRow* paper,
                         const StudyOptions& options) {
  StudyRow row;
  row.name = name;
  row.triangles = mesh.triangle_count();
  row.paper = paper;
  const std::vector<Pose> poses = query_poses(mesh, options.queries);
  for (std::size_t i = 0; i < kTrees.size(); ++i) {
    BvhOptions build = tree_options(i);
    build.threads = options.threads;
    double least = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < std::max(1, options.repetitions); ++repetition) {
      report_progress(options.monitor, std::string("building ") + kTrees[i],
                      static_cast<double>(i) / kTrees.size());
      if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
      const auto start = std::chrono::steady_clock::now();
      const Result<Bvh> tree = Bvh::build(mesh.vertices(), mesh.faces(), build);
      const std::chrono::duration<double, std::milli> passed =
          std::chrono::steady_clock::now() - start;
      if (!tree) return tree.error();
      least = std::min(least, passed.count());
      if (repetition > 0) continue;
      const BvhStatistics statistics = tree->statistics();
      row.trees[i].area = statistics.total_area;
      row.trees[i].volume = statistics.total_volume;
      row.trees[i].nodes = statistics.node_count;
      row.trees[i].depth = statistics.depth;
      Work work;
      for (const Pose& pose : poses) work += distance(*tree, *tree, pose).work;
      const auto queries = static_cast<double>(std::max<std::size_t>(1, poses.size()));
      row.trees[i].volume_tests = static_cast<double>(work.volume_tests) / queries;
      row.trees[i].triangle_tests = static_cast<double>(work.triangle_tests) / queries;
    }
    row.trees[i].build_ms = least;
  }
  return row;
}

Order order_of(const std::array<double, kFitterCount>& values) {
  Order order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  return order;
}

std::string words_of(const Order& order) {
  return std::string(kTrees[order[0]]) + " < " + kTrees[order[1]] + " < " + kTrees[order[2]];
}

std::array<Ranking, 3> rankings_of(const StudyRow& row) {
  const auto rank = [&](const char* measure, double TreeFigures::*figure, const auto* paper) {
    const std::array<double, kFitterCount> values = fitters_of(row, figure);
    Ranking ranking;
    ranking.measure = measure;
    ranking.ours = order_of(values);
    ranking.inertia_below_pqp = values[kInertia] < values[kPqp];
    if (paper != nullptr) {
      ranking.paper = order_of(*paper);
      ranking.holds = ranking.ours == *ranking.paper;
    } else {
      const bool is_time = figure == &TreeFigures::build_ms;
      ranking.holds = ranking.inertia_below_pqp != is_time;
    }
    return ranking;
  };
  const PaperRow* paper = row.paper;
  return {
      rank("area", &TreeFigures::area, paper != nullptr ? &paper->area : nullptr),
      rank("volume", &TreeFigures::volume, paper != nullptr ? &paper->volume : nullptr),
      rank("build time", &TreeFigures::build_ms, paper != nullptr ? &paper->build_ms : nullptr)};
}

std::string verdict(const StudyRow& row) {
  std::string words;
  for (const Ranking& ranking : rankings_of(row)) {
    words += (words.empty() ? "" : "; ") + ranking.measure + " " + words_of(ranking.ours);
    if (!ranking.paper) continue;
    words += ranking.holds ? ", as in the paper"
                           : ", not as in the paper (" + words_of(*ranking.paper) + ")";
  }
  const auto area = fitters_of(row, &TreeFigures::area);
  const auto volume = fitters_of(row, &TreeFigures::volume);
  const auto tests = fitters_of(row, &TreeFigures::volume_tests);
  words += ". Inertia against pqp: area " + percent_below(area[kInertia], area[kPqp]) +
           ", volume " + percent_below(volume[kInertia], volume[kPqp]);
  if (row.paper != nullptr) {
    words += " (paper: " + percent_below(row.paper->area[kInertia], row.paper->area[kPqp]) + ", " +
             percent_below(row.paper->volume[kInertia], row.paper->volume[kPqp]) + ")";
  }
  return words + "; volume tests of a query " + percent_below(tests[kInertia], tests[kPqp]) + ".";
}

std::string conclusion(const std::vector<StudyRow>& rows) {
  std::size_t less_area = 0;
  std::size_t less_volume = 0;
  std::size_t rapid2_most_area = 0;
  std::size_t in_paper = 0;
  std::size_t same_order = 0;
  std::size_t less_work = 0;
  double work_ratio = 0.0;
  double wide_area = 0.0;
  double wide_time = 0.0;
  for (const StudyRow& row : rows) {
    const auto rankings = rankings_of(row);
    less_area += rankings[0].inertia_below_pqp ? 1 : 0;
    less_volume += rankings[1].inertia_below_pqp ? 1 : 0;
    const auto tests = fitters_of(row, &TreeFigures::volume_tests);
    less_work += tests[kInertia] < tests[kPqp] ? 1 : 0;
    work_ratio += std::log(tests[kInertia] / tests[kPqp]);
    rapid2_most_area += rankings[0].ours[2] == kRapid2 ? 1 : 0;
    if (row.paper != nullptr) {
      ++in_paper;
      same_order += rankings[0].holds && rankings[1].holds ? 1 : 0;
    }
    wide_area += std::log(row.trees[kInertia].area / row.trees[kWide].area);
    wide_time += std::log(row.trees[kInertia].build_ms / row.trees[kWide].build_ms);
  }
  const std::size_t count = rows.size();
  if (count == 0) return {};
  const auto number = [](double value) {
    const std::string digits = std::to_string(value);
    return digits.substr(0, digits.find('.') + 2);
  };
  std::string words = "The paper's claim that inertia gives tighter volumes than pqp holds on " +
                      of_rows(less_area, count) + " meshes by area and " +
                      of_rows(less_volume, count) + " by volume (paper: 5 and 6 of 6). ";
  words += "Its finding that rapid2 is the loosest holds on " + of_rows(rapid2_most_area, count) +
           " by area (paper: 6 of 6). ";
  if (in_paper > 0) {
    words += "All three fitters are in the paper's order of area and volume on " +
             of_rows(same_order, in_paper) + " stand-ins. ";
  }
  words += "Distance queries need fewer volume tests by inertia than by pqp on " +
           of_rows(less_work, count) + ", " +
           percent_below(std::exp(work_ratio / static_cast<double>(count)), 1.0, "fewer", "more") +
           " in the geometric mean. ";
  words += "Ours (wide) has " + number(std::exp(wide_area / static_cast<double>(count))) +
           " times less area than inertia and builds " +
           number(std::exp(wide_time / static_cast<double>(count))) +
           " times faster (geometric means).";
  return words;
}

}  // namespace clearance::study
