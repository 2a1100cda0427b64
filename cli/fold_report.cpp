// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_report.h"

#include <algorithm>
#include <filesystem>
#include <numbers>

#include <nlohmann/json.hpp>

#include "fold_charts.h"
#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Overlaps listed for people; all of them are in the JSON.
constexpr std::size_t kMostClashesListed = 20;

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double rate(const FoldReport& report) {
  return report.seconds > 0.0 ? static_cast<double>(report.steps_here) / report.seconds : 0.0;
}

std::vector<std::string> measure_line(const char* name, const FoldMeasure& m, const Fold& fold) {
  std::vector<std::string> line{name, format_number("%.2f", m.energy),
                                format_number("%.2f Å", m.radius), format_number("%.2f Å", m.rmsd)};
  if (fold.native_contacts() > 0) {
    line.push_back(group_digits(static_cast<std::uint64_t>(m.contacts)) + " of " +
                   group_digits(static_cast<std::uint64_t>(fold.native_contacts())));
  }
  return line;
}

Json measure_json(const FoldMeasure& m) {
  return {{"energy", m.energy},
          {"radius_of_gyration", m.radius},
          {"rmsd", m.rmsd},
          {"native_contacts", m.contacts}};
}

}  // namespace

std::string name_of(FoldEnergy energy) {
  switch (energy) {
    case FoldEnergy::None:
      return "none";
    case FoldEnergy::Soft:
      return "soft";
    case FoldEnergy::LennardJones:
      return "lj";
    case FoldEnergy::Go:
      break;
  }
  return "go";
}

std::string fold_heading(const FoldInput& input, const Fold& fold) {
  const FoldOptions& options = fold.options();
  std::string text = input.name + ": " + describe(input) + '\n';
  for (const std::string& remark : input.remarks) text += "  " + remark + '\n';
  text += "energy " + name_of(options.energy);
  if (options.energy == FoldEnergy::Go) {
    text += ", " +
            count_of(static_cast<std::uint64_t>(fold.native_contacts()), "native contact",
                     "native contacts") +
            format_number(" within %.4g Å", options.native_distance);
  }
  if (options.energy != FoldEnergy::None) {
    text += format_number(", cutoff %.4g Å", options.cutoff) +
            format_number(", temperature %.4g", options.temperature);
  }
  return text + ", seed " + std::to_string(options.seed) + '\n';
}

std::string fold_text(const FoldReport& report, const Fold& fold) {
  std::vector<std::vector<std::string>> lines{{"", "energy", "radius", "rmsd"},
                                              measure_line("start", report.start, fold),
                                              measure_line("end", report.end, fold)};
  if (fold.native_contacts() > 0) lines.front().emplace_back("native contacts");
  const std::size_t right[] = {1, 2, 3, 4};
  std::string text = align_columns(lines, right);

  const FoldCounts& counts = report.counts;
  text += count_of(counts.steps, "step", "steps") +
          format_number(": %.1f %% accepted", percent(counts.accepted, counts.steps)) +
          format_number(", %.1f %% clashed", percent(counts.clashed, counts.steps));
  if (counts.refused > 0)
    text += format_number(", %.1f %% refused by the energy", percent(counts.refused, counts.steps));
  if (counts.forbidden > 0)
    text += format_number(", %.1f %% forbidden", percent(counts.forbidden, counts.steps));
  text += '\n';
  text += group_digits(static_cast<std::uint64_t>(rate(report))) + " steps a second (" +
          group_digits(report.steps_here) + format_number(" in %.3g s)\n", report.seconds);
  text += count_of(report.audits, "audit", "audits") +
          format_number(": energy off by at most %.2g", report.worst_energy_drift) +
          format_number(", positions by %.2g Å\n", report.worst_pose_drift);
  for (const std::string& path : report.written) text += "written: " + path + '\n';
  return text;
}

nlohmann::ordered_json fold_json(const FoldReport& report, const FoldInput& input, const Fold& fold,
                                 const FoldPlan& plan) {
  const FoldOptions& options = fold.options();
  const auto steps_here = std::max<std::uint64_t>(report.steps_here, 1);
  static constexpr const char* kEnds[] = {"done", "interrupted", "time_limit"};
  return {{"schema", "clearance.fold"},
          {"version", 1},
          {"file", input.name},
          {"ended", kEnds[static_cast<int>(report.ended)]},
          {"chain",
           {{"name", input.protein.chain_name},
            {"residues", input.protein.residues.size()},
            {"atoms", input.protein.atoms.size()},
            {"links", input.model.chain.links.size()},
            {"torsions", input.model.torsions.size()},
            {"rotors", input.model.rotors.size()},
            {"native_contacts", fold.native_contacts()}}},
          {"remarks", input.remarks},
          {"options",
           {{"energy", name_of(options.energy)},
            {"temperature", options.temperature},
            {"moves", options.moves},
            {"max_angle_deg", options.largest_angle * 180.0 / std::numbers::pi},
            {"cutoff", options.cutoff},
            {"native_distance", options.native_distance},
            {"seed", options.seed},
            {"steps", plan.steps},
            {"every", plan.every},
            {"audit", plan.audit}}},
          {"start", measure_json(report.start)},
          {"end", measure_json(report.end)},
          {"counts",
           {{"steps", report.counts.steps},
            {"accepted", report.counts.accepted},
            {"clashed", report.counts.clashed},
            {"refused", report.counts.refused},
            {"forbidden", report.counts.forbidden}}},
          {"audits",
           {{"count", report.audits},
            {"worst_energy_drift", report.worst_energy_drift},
            {"energy_drift_bound", kFoldEnergyDrift},
            {"worst_position_drift", report.worst_pose_drift}}},
          {"speed",
           {{"steps", report.steps_here},
            {"seconds", report.seconds},
            {"steps_per_second", rate(report)},
            {"volume_tests_per_step",
             static_cast<double>(report.work.volume_tests) / static_cast<double>(steps_here)},
            {"sphere_tests_per_step",
             static_cast<double>(report.work.link_tests) / static_cast<double>(steps_here)},
            {"clashes_remembered", report.remembered}}},
          {"written", report.written}};
}

std::string clashes_text(const FoldInput& input, const std::vector<FoldClash>& clashes) {
  std::vector<std::vector<std::string>> lines;
  for (const FoldClash& clash : clashes) {
    if (lines.size() == kMostClashesListed) break;
    lines.push_back({sphere_name(input, clash.link_a, clash.sphere_a),
                     sphere_name(input, clash.link_b, clash.sphere_b),
                     format_number("overlap %.3f Å", clash.overlap)});
  }
  std::string text = input.name + ": the start clashes: " +
                     count_of(clashes.size(), "pair of atoms overlaps", "pairs of atoms overlap") +
                     '\n' + align_columns(lines);
  if (clashes.size() > lines.size())
    text += "... and " + group_digits(clashes.size() - lines.size()) + " more\n";
  return text;
}

nlohmann::ordered_json clashes_json(const FoldInput& input, const std::vector<FoldClash>& clashes) {
  Json pairs = Json::array();
  for (const FoldClash& clash : clashes) {
    pairs.push_back({{"a", sphere_name(input, clash.link_a, clash.sphere_a)},
                     {"b", sphere_name(input, clash.link_b, clash.sphere_b)},
                     {"overlap", clash.overlap}});
  }
  return {{"schema", "clearance.fold"},
          {"version", 1},
          {"file", input.name},
          {"ended", "start_clashes"},
          {"clashes", std::move(pairs)}};
}

std::string fold_charts(const std::vector<FoldRow>& rows, const FoldInput& input,
                        const Fold& fold) {
  const auto series = [&](const char* name, auto value) {
    LineSeries line{name, {}, false};
    for (const FoldRow& row : rows)
      line.points.push_back({static_cast<double>(row.step), value(row)});
    return line;
  };
  LineSeries accepted = series("accepted", [](const FoldRow& row) { return row.acceptance; });
  LineSeries clashed = series("clashed", [](const FoldRow& row) { return row.clash_rate; });
  // The first row has no steps before it.
  if (!rows.empty()) {
    accepted.points.erase(accepted.points.begin());
    clashed.points.erase(clashed.points.begin());
  }
  std::vector<std::string> charts;
  if (fold.options().energy != FoldEnergy::None) {
    charts.push_back(step_chart(
        std::filesystem::path(input.name).filename().string() + ": energy", "[native contacts]",
        {series("energy", [](const FoldRow& row) { return row.measure.energy; })}));
  }
  charts.push_back(step_chart(
      "Radius of gyration and distance from the start", "[Å]",
      {series("radius of gyration", [](const FoldRow& row) { return row.measure.radius; }),
       series("rmsd from the start", [](const FoldRow& row) { return row.measure.rmsd; })}));
  PlotAxis rates;
  rates.low = 0.0;
  rates.high = 1.0;
  charts.push_back(step_chart("Fate of the steps", "fraction",
                              {std::move(accepted), std::move(clashed)}, std::move(rates)));
  return stacked_charts(std::move(charts));
}

}  // namespace clearance::cli
