// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "inertia_fit_report.h"

#include <array>
#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using study::kFitterCount;
using study::kTrees;
using study::PaperRow;
using study::StudyRow;
using study::TreeFigures;

/// A table of one figure: for each mesh our trees, and below them the paper's, where it has them.
std::string table(const std::vector<StudyRow>& rows, double TreeFigures::*figure,
                  const std::array<double, kFitterCount> PaperRow::*paper_figure = nullptr) {
  const auto number = [](double value) {
    // Larger ones would not fit into a whole number, or into a column.
    constexpr double kLargestInFull = 1e12;
    return value >= 1000.0 && value < kLargestInFull
               ? group_digits(static_cast<std::uint64_t>(std::llround(value)))
               : format_number("%.4g", value);
  };
  std::vector<std::vector<std::string>> lines{{"mesh", "triangles", ""}};
  for (const char* tree : kTrees) lines.front().emplace_back(tree);
  for (const StudyRow& row : rows) {
    std::vector<std::string> ours{row.name, group_digits(row.triangles), "here"};
    for (const TreeFigures& tree : row.trees) ours.push_back(number(tree.*figure));
    lines.push_back(std::move(ours));
    if (row.paper == nullptr || paper_figure == nullptr) continue;
    std::vector<std::string> paper{"", group_digits(row.paper->triangles), "paper"};
    for (const double value : row.paper->*paper_figure) paper.push_back(number(value));
    paper.emplace_back("");
    lines.push_back(std::move(paper));
  }
  const std::size_t right[] = {1, 3, 4, 5, 6};
  return align_columns(lines, right);
}

nlohmann::ordered_json order_json(const study::Order& order) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const std::size_t i : order) names.push_back(kTrees[i]);
  return names;
}

}  // namespace

std::string inertia_fit_text(const std::vector<StudyRow>& rows) {
  std::string text = "Table II: total area of all bounding volumes [m²]\n" +
                     table(rows, &TreeFigures::area, &PaperRow::area) +
                     "\nTable II: total volume of all bounding volumes [m³]\n" +
                     table(rows, &TreeFigures::volume, &PaperRow::volume) +
                     "\nTable IV: build time [ms]\n" +
                     table(rows, &TreeFigures::build_ms, &PaperRow::build_ms) +
                     "\nNot in the paper: pairs of volumes tested in a distance query, mean\n" +
                     table(rows, &TreeFigures::volume_tests) + "\nDoes the paper's ranking hold?\n";
  for (const StudyRow& row : rows) text += "- " + row.name + ": " + study::verdict(row) + "\n";
  return text + "\n" + study::conclusion(rows) + "\n";
}

nlohmann::ordered_json inertia_fit_json(const std::vector<StudyRow>& rows,
                                        const study::StudyOptions& options) {
  nlohmann::ordered_json meshes = nlohmann::ordered_json::array();
  for (const StudyRow& row : rows) {
    nlohmann::ordered_json trees = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < kTrees.size(); ++i) {
      const TreeFigures& tree = row.trees[i];
      trees[kTrees[i]] = {{"area", tree.area},
                          {"volume", tree.volume},
                          {"build_ms", tree.build_ms},
                          {"nodes", tree.nodes},
                          {"depth", tree.depth},
                          {"volume_tests", tree.volume_tests},
                          {"triangle_tests", tree.triangle_tests}};
    }
    nlohmann::ordered_json mesh{
        {"name", row.name}, {"triangles", row.triangles}, {"trees", std::move(trees)}};
    if (row.paper != nullptr) {
      nlohmann::ordered_json fitters = nlohmann::ordered_json::object();
      for (std::size_t i = 0; i < kFitterCount; ++i) {
        fitters[kTrees[i]] = {{"area", row.paper->area[i]},
                              {"volume", row.paper->volume[i]},
                              {"build_ms", row.paper->build_ms[i]}};
      }
      mesh["paper"] = {{"triangles", row.paper->triangles}, {"trees", std::move(fitters)}};
    }
    nlohmann::ordered_json rankings = nlohmann::ordered_json::array();
    for (const study::Ranking& ranking : study::rankings_of(row)) {
      nlohmann::ordered_json entry{{"measure", ranking.measure},
                                   {"here", order_json(ranking.ours)}};
      if (ranking.paper) entry["paper"] = order_json(*ranking.paper);
      entry["inertia_below_pqp"] = ranking.inertia_below_pqp;
      entry["holds"] = ranking.holds;
      rankings.push_back(std::move(entry));
    }
    mesh["rankings"] = std::move(rankings);
    mesh["verdict"] = study::verdict(row);
    meshes.push_back(std::move(mesh));
  }
  return {{"schema", "clearance.reproduce-inertia-fit"},
          {"version", 1},
          {"quick", options.quick},
          {"threads", options.threads.resolved()},
          {"repetitions", options.repetitions},
          {"queries", options.queries},
          {"meshes", std::move(meshes)},
          {"conclusion", study::conclusion(rows)}};
}

std::string inertia_fit_csv(const std::vector<StudyRow>& rows) {
  std::string text =
      "mesh,triangles,tree,area_m2,volume_m3,build_ms,nodes,depth,volume_tests,triangle_tests,"
      "paper_area_m2,paper_volume_m3,paper_build_ms\n";
  for (const StudyRow& row : rows) {
    const std::string name = csv_field(row.name);
    for (std::size_t i = 0; i < kTrees.size(); ++i) {
      const TreeFigures& tree = row.trees[i];
      text += name + "," + std::to_string(row.triangles) + "," + kTrees[i] + "," +
              format_number("%.17g", tree.area) + "," + format_number("%.17g", tree.volume) + "," +
              format_number("%.3f", tree.build_ms) + "," + std::to_string(tree.nodes) + "," +
              std::to_string(tree.depth) + "," + format_number("%.10g", tree.volume_tests) + "," +
              format_number("%.10g", tree.triangle_tests);
      if (row.paper != nullptr && i < kFitterCount) {
        text += "," + format_number("%g", row.paper->area[i]) + "," +
                format_number("%g", row.paper->volume[i]) + "," +
                format_number("%g", row.paper->build_ms[i]) + "\n";
      } else {
        text += ",,,\n";
      }
    }
  }
  return text;
}

}  // namespace clearance::cli
