// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "inertia_fit_report.h"

#include <array>
#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "inertia_fit_claims.h"
#include "text.h"

namespace clearance::cli {
namespace {

using study::kFitterCount;
using study::kTrees;
using study::PaperRow;
using study::PlanningFigures;
using study::PlanningRow;
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

/// Table III: planning on each tree, proving one path on each, and the paper's planning.
std::string planning_table(const std::vector<PlanningRow>& rows) {
  std::vector<std::vector<std::string>> lines{{"case", "triangles", ""}};
  for (const char* tree : kTrees) lines.front().emplace_back(tree);
  const auto number = [](double value) { return format_number("%.3g", value); };
  for (const PlanningRow& row : rows) {
    std::vector<std::string> plan{
        row.paper->name,
        group_digits(row.body_triangles) + " + " + group_digits(row.obstacle_triangles),
        "plan, here"};
    std::vector<std::string> prove{"", "", "prove one path, here"};
    for (const PlanningFigures& tree : row.trees) {
      if (!tree.planned) {
        plan.emplace_back("-");
      } else {
        plan.push_back(tree.status == PlanStatus::Found ? number(tree.plan_s)
                                                        : name_of(tree.status));
      }
      prove.push_back(tree.prove_s > 0.0 ? number(tree.prove_s) : "");
    }
    std::vector<std::string> paper{"",
                                   group_digits(row.paper->body_triangles) + " + " +
                                       group_digits(row.paper->obstacle_triangles),
                                   "plan, paper"};
    for (const double value : row.paper->seconds) paper.push_back(number(value));
    paper.emplace_back("");
    lines.push_back(std::move(plan));
    lines.push_back(std::move(prove));
    lines.push_back(std::move(paper));
  }
  const std::size_t right[] = {1, 3, 4, 5, 6};
  return align_columns(lines, right);
}

nlohmann::ordered_json planning_json(const PlanningRow& row) {
  nlohmann::ordered_json trees = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kTrees.size(); ++i) {
    const PlanningFigures& tree = row.trees[i];
    trees[kTrees[i]] = {{"status", tree.planned ? name_of(tree.status) : "not_planned"},
                        {"method", tree.method},
                        {"build_s", tree.build_s},
                        {"plan_s", tree.plan_s},
                        {"operations", tree.operations},
                        {"length", tree.length},
                        {"prove_s", tree.prove_s},
                        {"prove_tests", tree.prove_tests}};
  }
  nlohmann::ordered_json paper = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kFitterCount; ++i) paper[kTrees[i]] = row.paper->seconds[i];
  return {{"name", row.paper->name},
          {"body_triangles", row.body_triangles},
          {"obstacle_triangles", row.obstacle_triangles},
          {"relief", row.relief},
          {"looks", row.looks},
          {"same_proof", row.same_proof},
          {"trees", std::move(trees)},
          {"paper_s", std::move(paper)},
          {"verdict", study::planning_verdict(row)}};
}

nlohmann::ordered_json order_json(const study::Order& order) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const std::size_t i : order) names.push_back(kTrees[i]);
  return names;
}

std::string conclusion_of(const InertiaFit& found) {
  const std::string planning = study::planning_conclusion(found.planning);
  return study::conclusion(found.rows) + (planning.empty() ? "" : " " + planning);
}

}  // namespace

std::string inertia_fit_text(const InertiaFit& found) {
  const std::vector<StudyRow>& rows = found.rows;
  const std::string planning =
      found.planning.empty() ? std::string()
                             : "\nTable III: planning time [s]\n" + planning_table(found.planning);
  std::string text = "Table II: total area of all bounding volumes [m²]\n" +
                     table(rows, &TreeFigures::area, &PaperRow::area) +
                     "\nTable II: total volume of all bounding volumes [m³]\n" +
                     table(rows, &TreeFigures::volume, &PaperRow::volume) + planning +
                     "\nTable IV: build time [ms]\n" +
                     table(rows, &TreeFigures::build_ms, &PaperRow::build_ms) +
                     "\nNot in the paper: pairs of volumes tested in a distance query, mean\n" +
                     table(rows, &TreeFigures::volume_tests) + "\nDoes the paper's ranking hold?\n";
  for (const StudyRow& row : rows) text += "- " + row.name + ": " + study::verdict(row) + "\n";
  for (const PlanningRow& row : found.planning)
    text += std::string("- ") + row.paper->name + ": " + study::planning_verdict(row) + "\n";
  return text + "\n" + conclusion_of(found) + "\n";
}

nlohmann::ordered_json inertia_fit_json(const InertiaFit& found,
                                        const study::StudyOptions& options) {
  nlohmann::ordered_json planning = nlohmann::ordered_json::array();
  for (const PlanningRow& row : found.planning) planning.push_back(planning_json(row));
  nlohmann::ordered_json meshes = nlohmann::ordered_json::array();
  for (const StudyRow& row : found.rows) {
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
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  for (const study::Claim& claim : inertia_fit_claims(found))
    claims.push_back({{"claim", claim.claim}, {"holds", claim.holds}, {"words", claim.words}});
  return {{"schema", "clearance.reproduce-inertia-fit"},
          {"version", 1},
          {"quick", options.quick},
          {"threads", options.threads.resolved()},
          {"repetitions", options.repetitions},
          {"queries", options.queries},
          {"meshes", std::move(meshes)},
          {"planning", std::move(planning)},
          {"claims", std::move(claims)},
          {"conclusion", conclusion_of(found)}};
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
