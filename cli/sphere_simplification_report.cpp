// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification_report.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sphere_simplification/claims.h"
#include "text.h"

namespace clearance::cli {
namespace {

using study::ExternalSizeRow;
using study::RepresentationRow;
using study::RivalRow;
using study::SphereCountRow;
using study::SphereModelRow;
using study::SphereStudy;
using study::SphereStudyOptions;
using study::WeldProgramResult;

using Lines = std::vector<std::vector<std::string>>;

std::string millimetres(double metres) { return format_number("%.3g", 1e3 * metres); }
std::string percent(double part) { return format_number("%.3g %%", 100.0 * part); }
std::string seconds(double value) { return format_number("%.3g", value); }

/// Aligned to the right, but for the first `left` columns.
std::string columns(const Lines& lines, std::size_t left) {
  std::vector<std::size_t> right;
  for (std::size_t i = left; i < lines.front().size(); ++i) right.push_back(i);
  return align_columns(lines, right);
}

std::string external_text(const std::vector<ExternalSizeRow>& rows) {
  Lines lines{{"diameter [mm]", "not reached"}};
  for (const ExternalSizeRow& row : rows)
    lines.push_back({millimetres(row.diameter), percent(row.kept)});
  return columns(lines, 0);
}

/// The curves have more points than people read: 1, 2, 5, 10, ... spheres, the 222 of the paper,
/// and all of ours.
bool is_told(const SphereCountRow& row) {
  std::size_t digits = row.spheres;
  while (digits % 10 == 0 && digits > 0) digits /= 10;
  return row.method == SimplifyMethod::Cover || digits == 1 || digits == 2 || digits == 5 ||
         digits == 222;
}

std::string counts_text(const std::vector<SphereCountRow>& rows) {
  Lines lines{{"method", "spheres", "error [mm]", "covered", "outside"}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SphereCountRow& row = rows[i];
    const bool last = i + 1 == rows.size() || rows[i + 1].method != row.method;
    if (!last && !is_told(row)) continue;
    lines.push_back({name_of(row.method), group_digits(row.spheres), millimetres(row.error),
                     percent(row.covered), percent(row.outside)});
  }
  return columns(lines, 1);
}

std::string models_text(const std::vector<SphereModelRow>& rows) {
  Lines lines{{"model", "method", "filled", "triangles", "spheres", "paper", "error [mm]",
               "covered", "time [s]"}};
  for (const SphereModelRow& row : rows) {
    lines.push_back({row.subject, name_of(row.method), row.filled ? "yes" : "no",
                     group_digits(row.triangles), group_digits(row.spheres),
                     row.paper > 0 ? group_digits(row.paper) : "", millimetres(row.error),
                     row.covered ? "proven" : "no", seconds(row.seconds)});
  }
  return columns(lines, 3);
}

std::string rivals_text() {
  Lines lines{{"spheres", "Hubbard [mm]", "medial [mm]", "MorphIt-B [mm]"}};
  for (const RivalRow& row : study::rival_rows()) {
    lines.push_back({group_digits(row.spheres), millimetres(row.hubbard), millimetres(row.medial),
                     millimetres(row.morphit)});
  }
  return columns(lines, 0);
}

std::string program_text(const WeldProgramResult& program) {
  Lines lines{{"representation", "complexity", "covers", "collisions", "missed", "invented",
               "time [s]", "checks/s", "paper's", "collisions", "time [s]"}};
  for (const RepresentationRow& row : program.rows) {
    const bool there = row.paper_seconds > 0.0;
    lines.push_back(
        {row.name, row.complexity, row.covers ? "proven" : "no", group_digits(row.collisions),
         group_digits(row.false_negatives), group_digits(row.false_positives), seconds(row.seconds),
         group_digits(
             static_cast<std::uint64_t>(static_cast<double>(program.checks) / row.seconds)),
         row.paper_complexity, there ? group_digits(row.paper_collisions) : "",
         there ? format_number("%.0f", row.paper_seconds) : ""});
  }
  return "\nTable I: " + program.robot_name + " (" + group_digits(program.robot_triangles) +
         " triangles) with a torch (" + group_digits(program.torch_triangles) +
         ") around three pipes, " + group_digits(program.checks) +
         " checks, one thread;\nmissed and invented: against the exact meshes\n" +
         columns(lines, 2);
}

nlohmann::ordered_json program_json(const WeldProgramResult& program) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const RepresentationRow& row : program.rows) {
    nlohmann::ordered_json json{{"name", row.name},
                                {"complexity", row.complexity},
                                {"covers", row.covers},
                                {"collisions", row.collisions},
                                {"false_negatives", row.false_negatives},
                                {"false_positives", row.false_positives},
                                {"seconds", row.seconds}};
    if (row.paper_seconds > 0.0) {
      json["paper"] = {{"complexity", row.paper_complexity},
                       {"collisions", row.paper_collisions},
                       {"seconds", row.paper_seconds}};
    }
    rows.push_back(std::move(json));
  }
  return {{"robot", program.robot_name},
          {"robot_triangles", program.robot_triangles},
          {"torch_triangles", program.torch_triangles},
          {"checks", program.checks},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string sphere_simplification_text(const SphereStudy& study,
                                       const SphereStudyOptions& options) {
  std::string text =
      "A model of error e holds the kept volume, by proof, and no sphere sticks out of it by more. "
      "Filled: external spheres\nof 100 mm. packing and paper: the paper's algorithms, seed " +
      std::to_string(options.seed) + "; cover: ours.\n\n";
  if (options.parts.pipe) {
    text +=
        "Figure 3: what external spheres do not reach of the box around the pipe\n" +
        external_text(study.external) +
        "\nFigures 6 to 8: the pipe; packing and paper before the spheres are grown by the error; "
        "covered and outside as\nparts of the volume of the pipe\n" +
        counts_text(study.counts) + "\n";
  }
  text += "Models\n" + models_text(study.models);
  if (options.parts.unfilled) {
    text +=
        "\nThe pipe of 60 mm by others: largest outward excess. Only Hubbard's covers; medial "
        "leaves 1.0 to 1.6 mm uncovered,\nMorphIt 3 to 5 mm\n" +
        rivals_text();
  }
  if (options.parts.program) text += program_text(study.program);
  text += "\nWhich claims hold?\n";
  for (const study::Claim& claim : study::claims_of(study)) {
    text += std::string(claim.holds ? "- holds: " : "- DOES NOT HOLD: ") + claim.claim + ": " +
            claim.words + ".\n";
  }
  return text;
}

nlohmann::ordered_json sphere_simplification_json(const SphereStudy& study,
                                                  const SphereStudyOptions& options) {
  nlohmann::ordered_json external = nlohmann::ordered_json::array();
  for (const ExternalSizeRow& row : study.external)
    external.push_back({{"diameter_m", row.diameter}, {"not_reached", row.kept}});
  nlohmann::ordered_json counts = nlohmann::ordered_json::array();
  for (const SphereCountRow& row : study.counts) {
    counts.push_back({{"method", name_of(row.method)},
                      {"spheres", row.spheres},
                      {"error_m", row.error},
                      {"covered", row.covered},
                      {"outside", row.outside}});
  }
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const SphereModelRow& row : study.models) {
    models.push_back({{"subject", row.subject},
                      {"method", name_of(row.method)},
                      {"filled", row.filled},
                      {"triangles", row.triangles},
                      {"spheres", row.spheres},
                      {"paper_spheres", row.paper},
                      {"error_m", row.error},
                      {"covered", row.covered},
                      {"seconds", row.seconds}});
  }
  nlohmann::ordered_json rivals = nlohmann::ordered_json::array();
  for (const RivalRow& row : study::rival_rows()) {
    rivals.push_back({{"spheres", row.spheres},
                      {"hubbard_m", row.hubbard},
                      {"medial_m", row.medial},
                      {"morphit_m", row.morphit}});
  }
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  for (const study::Claim& claim : study::claims_of(study))
    claims.push_back({{"claim", claim.claim}, {"holds", claim.holds}, {"words", claim.words}});
  nlohmann::ordered_json json{{"schema", "clearance.reproduce-sphere-simplification"},
                              {"version", 1},
                              {"quick", options.quick},
                              {"seed", options.seed},
                              {"external", std::move(external)},
                              {"counts", std::move(counts)},
                              {"models", std::move(models)},
                              {"rivals", std::move(rivals)}};
  if (options.parts.program) json["program"] = program_json(study.program);
  json["claims"] = std::move(claims);
  return json;
}

std::string sphere_simplification_csv(const SphereStudy& study) {
  std::string text =
      "table,subject,method,spheres,error_m,covered,outside,missed,invented,seconds\n";
  const auto add = [&](const std::string& table, const std::string& subject,
                       const std::string& method, std::size_t spheres, double error,
                       const std::string& rest) {
    text += table + "," + csv_field(subject) + "," + method + "," + std::to_string(spheres) + "," +
            format_number("%.6g", error) + "," + rest + "\n";
  };
  for (const SphereModelRow& row : study.models) {
    add("models", row.subject, name_of(row.method), row.spheres, row.error,
        std::string(row.covered ? "1" : "0") + ",,,," + format_number("%.6g", row.seconds));
  }
  for (const SphereCountRow& row : study.counts) {
    add("figures_6_to_8", "pipe", name_of(row.method), row.spheres, row.error,
        format_number("%.6g", row.covered) + "," + format_number("%.6g", row.outside) + ",,,");
  }
  for (const RepresentationRow& row : study.program.rows) {
    text += "table_1," + csv_field(row.name) + ",,,," + (row.covers ? "1" : "0") + ",," +
            std::to_string(row.false_negatives) + "," + std::to_string(row.false_positives) + "," +
            format_number("%.6g", row.seconds) + "\n";
  }
  return text;
}

}  // namespace clearance::cli
