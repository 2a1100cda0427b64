// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu_report.h"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "contour_gpu/claims.h"
#include "text.h"

namespace clearance::cli {
namespace {

using study::ApproximationCause;
using study::ApproximationRow;
using study::ContourMethod;
using study::ContourPaperRow;
using study::ContourScenarioRow;
using study::ContourSizeRow;
using study::ContourStudy;
using study::ContourStudyOptions;
using study::ContourTimes;
using study::kApproximationCauses;
using study::kContourMethods;
using study::QueryErrorRow;

using Lines = std::vector<std::vector<std::string>>;

std::string number(double value) {
  return std::abs(value) < 1000.0 ? format_number("%.3g", value)
                                  : group_digits(static_cast<std::uint64_t>(std::llround(value)));
}

std::string percent(double part) { return format_number("%.3g %%", 100.0 * part); }

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

/// Aligned to the right, but for the first `left` columns.
std::string columns(const Lines& lines, std::size_t left = 1) {
  std::vector<std::size_t> right;
  for (std::size_t i = left; i < lines.front().size(); ++i) right.push_back(i);
  return align_columns(lines, right);
}

/// One figure of all methods: a line for each method, a column for each size.
std::string by_size(const std::vector<ContourSizeRow>& rows, const auto& value) {
  Lines lines{{"triangles"}};
  for (const ContourSizeRow& row : rows) lines.front().push_back(group_digits(row.triangles));
  for (const ContourMethod method : kContourMethods) {
    std::vector<std::string> line{name_of(method)};
    for (const ContourSizeRow& row : rows) {
      line.push_back(row[method].measured ? number(value(row, method)) : "-");
      if (row[method].part < 1.0) line.back() += " *";
    }
    lines.push_back(std::move(line));
  }
  std::vector<std::string> first{"tree, built inside"};
  for (const ContourSizeRow& row : rows) {
    const ContourTimes& tree = row[ContourMethod::Tree];
    // The same figure, if the first query were any.
    ContourSizeRow built = row;
    built[ContourMethod::Tree].query_ms = tree.first_ms;
    first.push_back(number(value(built, ContourMethod::Tree)));
  }
  lines.push_back(std::move(first));
  return columns(lines);
}

std::string table_1_text(const ContourSizeRow& row) {
  Lines lines{{"", "here [ms]", "times faster", "first [ms]", "pairs bounded", "pairs measured",
               "paper's CPU [s]", "its GPU [s]"}};
  const auto add = [&](const std::string& name, ContourMethod method,
                       const ContourPaperRow* paper) {
    const ContourTimes& times = row[method];
    if (!times.measured) return;
    lines.push_back({name, number(times.query_ms), number(row.speedup(method)),
                     times.first_ms > 0.0 ? number(times.first_ms) : "",
                     number(std::round(times.bounds)), number(std::round(times.exact)),
                     paper != nullptr ? number(paper->cpu_s) : "",
                     paper != nullptr ? number(paper->gpu_s) : ""});
  };
  for (const ContourPaperRow& paper : study::contour_paper_rows()) {
    add(paper.name, paper.method, &paper);
    if (paper.method == ContourMethod::Paper) {
      add("all pairs, scalar", ContourMethod::Scalar, nullptr);
      add("all pairs, SIMD", ContourMethod::Simd, nullptr);
    }
  }
  add("tree", ContourMethod::Tree, nullptr);
  return columns(lines);
}

std::string scenario_text(const std::vector<ContourScenarioRow>& rows) {
  Lines lines{{"scenario", "mesh", "triangles", "segments", "median [us]", "99 % [us]",
               "worst [us]", "rate [Hz]", "moving [us]", "99 % [us]", "rate [Hz]", "map [us]",
               "paper's [us]"}};
  for (const ContourScenarioRow& row : rows) {
    lines.push_back({row.name, row.mesh_name, group_digits(row.triangles),
                     std::to_string(row.segments), number(row.median_us), number(row.slowest_us),
                     number(row.worst_us), number(1e6 / row.median_us),
                     number(row.moving_median_us), number(row.moving_slowest_us),
                     number(1e6 / row.moving_median_us), number(row.map_us), number(row.paper_us)});
  }
  return columns(lines, 2);
}

std::string approximation_text(const std::vector<ApproximationRow>& rows) {
  Lines lines{{"pairs", "variant", "count", "too large", "too small", "mean", "wrong"}};
  for (const ApproximationCause cause : kApproximationCauses)
    lines.front().emplace_back(name_of(cause));
  for (const char* title : {"on a face", "touching", "called free", "rounds"})
    lines.front().emplace_back(title);
  for (const ApproximationRow& row : rows) {
    std::vector<std::string> line{row.name,
                                  row.variant,
                                  group_digits(row.pairs),
                                  percent(row.largest_above),
                                  percent(row.largest_below),
                                  percent(row.mean),
                                  percent(share(row.wrong, row.pairs))};
    for (const std::uint64_t count : row.causes) line.push_back(group_digits(count));
    line.push_back(percent(share(row.faces, row.pairs)));
    line.push_back(group_digits(row.contact));
    line.push_back(group_digits(row.missed));
    line.push_back(number(row.rounds));
    lines.push_back(std::move(line));
  }
  return columns(lines, 2);
}

std::string query_error_text(const std::vector<QueryErrorRow>& rows) {
  Lines lines{{"scenario", "frames", "largest [um]", "mean [um]", "largest, of the distance",
               "another triangle"}};
  for (const QueryErrorRow& row : rows) {
    lines.push_back({row.name, group_digits(row.frames), number(1e6 * row.largest),
                     number(1e6 * row.mean), percent(row.largest_relative),
                     group_digits(row.other_triangle)});
  }
  return columns(lines);
}

nlohmann::ordered_json size_json(const ContourSizeRow& row) {
  nlohmann::ordered_json methods = nlohmann::ordered_json::object();
  for (const ContourMethod method : kContourMethods) {
    const ContourTimes& times = row[method];
    if (!times.measured) continue;
    methods[name_of(method)] = {{"query_ms", times.query_ms},    {"slowest_ms", times.slowest_ms},
                                {"first_ms", times.first_ms},    {"queries", times.queries},
                                {"part_measured", times.part},   {"pairs_bounded", times.bounds},
                                {"pairs_measured", times.exact}, {"speedup", row.speedup(method)},
                                {"wrong_answers", times.wrong}};
  }
  return {{"triangles", row.triangles},
          {"segments", study::kTubeSegments},
          {"methods", std::move(methods)}};
}

nlohmann::ordered_json scenario_json(const ContourScenarioRow& row) {
  return {{"name", row.name},
          {"mesh", row.mesh_name},
          {"triangles", row.triangles},
          {"segments", row.segments},
          {"frames", row.frames},
          {"least_distance_m", row.least_distance},
          {"median_us", row.median_us},
          {"slowest_us", row.slowest_us},
          {"worst_us", row.worst_us},
          {"moving_median_us", row.moving_median_us},
          {"moving_slowest_us", row.moving_slowest_us},
          {"map_us", row.map_us},
          {"paper_us", row.paper_us},
          {"wrong_answers", row.wrong}};
}

nlohmann::ordered_json approximation_json(const ApproximationRow& row) {
  nlohmann::ordered_json causes = nlohmann::ordered_json::object();
  for (const ApproximationCause cause : kApproximationCauses)
    causes[name_of(cause)] = row.causes[static_cast<std::size_t>(cause)];
  return {{"pairs", row.name},
          {"variant", row.variant},
          {"count", row.pairs},
          {"largest_above", row.largest_above},
          {"largest_below", row.largest_below},
          {"mean", row.mean},
          {"wrong", row.wrong},
          {"causes", std::move(causes)},
          {"on_a_face", row.faces},
          {"touching", row.contact},
          {"called_free", row.missed},
          {"rounds", row.rounds}};
}

}  // namespace

std::string contour_gpu_text(const ContourStudy& study, const ContourStudyOptions& options) {
  std::string text =
      "30 segments of a bent tube in a generated atrium, seed " + std::to_string(options.seed) +
      "; frames in random order, medians; one core where nothing\nelse is said. paper: the paper's "
      "own algorithm, approximate; all others give the right answer. * timed on some\nof the "
      "segments, evenly chosen, and scaled up. OpenCL: " +
      (study.device.empty() ? "no device here" : study.device) + ".\n\n";
  text += "Figure 5: time of a query [ms]\n" +
          by_size(study.sizes, [](const ContourSizeRow& row,
                                  ContourMethod method) { return row[method].query_ms; }) +
          "\nFigure 6: times faster than the paper's brute force on one core\n" +
          by_size(study.sizes, [](const ContourSizeRow& row, ContourMethod method) {
            return row.speedup(method);
          });
  if (const ContourSizeRow* row = study::table_1_row(study); row != nullptr) {
    text += "\nTable 1: " + group_digits(row->triangles) + " triangles, culling by bisection\n" +
            table_1_text(*row);
  }
  text += "\nScenarios B and C: frames in their order; at rest, and with every vertex moving\n" +
          scenario_text(study.scenarios) +
          "\nThe paper's distance of a pair against the right one, in parts of the segment's size; "
          "wrong: by more than 1 %. Pairs:\nthe closest triangle of each segment in each frame; "
          "random ones, circles parallel or tilted by up to 0.6 rad,\ntriangles of 0.3 or 3 times "
          "the segment's size\n" +
          approximation_text(study.approximation) +
          "\nThe paper's answer to the whole query against the right one\n" +
          query_error_text(study.query_errors) + "\nWhich claims hold?\n";
  for (const study::Claim& claim : study::claims_of(study)) {
    text += std::string(claim.holds ? "- holds: " : "- DOES NOT HOLD: ") + claim.claim + ": " +
            claim.words + ".\n";
  }
  return text;
}

nlohmann::ordered_json contour_gpu_json(const ContourStudy& study,
                                        const ContourStudyOptions& options) {
  nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
  for (const ContourSizeRow& row : study.sizes) sizes.push_back(size_json(row));
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  for (const ContourPaperRow& row : study::contour_paper_rows()) {
    table.push_back({{"method", name_of(row.method)}, {"cpu_s", row.cpu_s}, {"gpu_s", row.gpu_s}});
  }
  nlohmann::ordered_json scenarios = nlohmann::ordered_json::array();
  for (const ContourScenarioRow& row : study.scenarios) scenarios.push_back(scenario_json(row));
  nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
  for (const ApproximationRow& row : study.approximation) pairs.push_back(approximation_json(row));
  nlohmann::ordered_json queries = nlohmann::ordered_json::array();
  for (const QueryErrorRow& row : study.query_errors) {
    queries.push_back({{"name", row.name},
                       {"frames", row.frames},
                       {"largest_m", row.largest},
                       {"mean_m", row.mean},
                       {"largest_relative", row.largest_relative},
                       {"another_triangle", row.other_triangle}});
  }
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  for (const study::Claim& claim : study::claims_of(study))
    claims.push_back({{"claim", claim.claim}, {"holds", claim.holds}, {"words", claim.words}});
  return {{"schema", "clearance.reproduce-contour-gpu"},
          {"version", 1},
          {"quick", options.quick},
          {"seed", options.seed},
          {"device", study.device},
          {"sizes", std::move(sizes)},
          {"paper_table_1", std::move(table)},
          {"scenarios", std::move(scenarios)},
          {"approximation", std::move(pairs)},
          {"query_errors", std::move(queries)},
          {"claims", std::move(claims)}};
}

std::string contour_gpu_csv(const ContourStudy& study) {
  std::string text =
      "scene,triangles,segments,method,query_ms,slowest_ms,first_ms,queries,part_measured,"
      "pairs_bounded,pairs_measured,wrong_answers\n";
  const auto add = [&](const std::string& scene, std::size_t triangles, std::size_t segments,
                       const char* method, const ContourTimes& times) {
    text += csv_field(scene) + "," + std::to_string(triangles) + "," + std::to_string(segments) +
            "," + method + "," + format_number("%.6g", times.query_ms) + "," +
            format_number("%.6g", times.slowest_ms) + "," + format_number("%.6g", times.first_ms) +
            "," + std::to_string(times.queries) + "," + format_number("%.6g", times.part) + "," +
            format_number("%.10g", times.bounds) + "," + format_number("%.10g", times.exact) + "," +
            std::to_string(times.wrong) + "\n";
  };
  for (const ContourSizeRow& row : study.sizes) {
    for (const ContourMethod method : kContourMethods) {
      if (row[method].measured)
        add("tube", row.triangles, study::kTubeSegments, name_of(method), row[method]);
    }
  }
  for (const ContourScenarioRow& row : study.scenarios) {
    ContourTimes times;
    times.queries = row.frames;
    times.query_ms = 1e-3 * row.median_us;
    times.slowest_ms = 1e-3 * row.slowest_us;
    times.wrong = row.wrong;
    add(row.name, row.triangles, row.segments, "tree", times);
    times.query_ms = 1e-3 * row.moving_median_us;
    times.slowest_ms = 1e-3 * row.moving_slowest_us;
    add(row.name + ", moving", row.triangles, row.segments, "tree", times);
  }
  return text;
}

}  // namespace clearance::cli
