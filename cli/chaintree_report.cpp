// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree_report.h"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "chaintree/claims.h"
#include "text.h"

namespace clearance::cli {
namespace {

using study::ChainMethod;
using study::ChainRow;
using study::ChainStudy;
using study::ChainStudyOptions;
using study::GrowthRow;
using study::kChainMethods;
using study::MethodFigures;
using study::WorstCaseRow;

using Lines = std::vector<std::vector<std::string>>;

std::string number(double value) {
  return value < 1000.0 ? format_number("%.3g", value)
                        : group_digits(static_cast<std::uint64_t>(std::llround(value)));
}

/// Aligned to the right, but for the first column.
std::string columns(const Lines& lines) {
  std::vector<std::size_t> right;
  for (std::size_t i = 1; i < lines.front().size(); ++i) right.push_back(i);
  return align_columns(lines, right);
}

/// One figure of all methods: a line for each chain.
std::string table(const std::vector<ChainRow>& rows, const auto& figure) {
  Lines lines{{"chain", "links"}};
  for (const ChainMethod method : kChainMethods) lines.front().emplace_back(name_of(method));
  for (const ChainRow& row : rows) {
    std::vector<std::string> line{row.name, group_digits(row.links)};
    for (const ChainMethod method : kChainMethods) line.push_back(number(figure(row, row[method])));
    lines.push_back(std::move(line));
  }
  return columns(lines);
}

std::string figure_text(const std::string& title, const std::vector<ChainRow>& rows) {
  if (rows.empty()) return {};
  return title + ": update time per step [us]\n" +
         table(rows, [](const ChainRow&, const MethodFigures& m) { return m.update_us; }) + "\n" +
         title + ": test time per step [us]\n" +
         table(rows, [](const ChainRow&, const MethodFigures& m) { return m.test_us; }) + "\n" +
         title + ": update and test, as multiples of chaintree\n" +
         table(rows,
               [](const ChainRow& row, const MethodFigures& m) {
                 return m.total_us() / row[ChainMethod::ChainTree].total_us();
               }) +
         "\n";
}

std::string box_test_text(const std::vector<ChainRow>& rows) {
  Lines lines{{"chain", "links", "chaintree", "loose-obb", "tight-obb", "rss", "paper", "k-obbtree",
               "paper"}};
  for (const ChainRow& row : rows) {
    std::vector<std::string> line{row.name, group_digits(row.links)};
    for (const ChainMethod method :
         {ChainMethod::ChainTree, ChainMethod::LooseObb, ChainMethod::TightObb, ChainMethod::Rss})
      line.push_back(number(std::round(row[method].box_tests)));
    line.push_back(row.paper ? number(row.paper->chain_tree) : "");
    line.push_back(number(std::round(row[ChainMethod::KObbTree].box_tests)));
    line.push_back(row.paper ? number(row.paper->k_obb_tree) : "");
    lines.push_back(std::move(line));
  }
  return columns(lines);
}

std::string memory_text(const std::vector<ChainRow>& rows) {
  Lines lines{{"chain", "steps", "collided", "remembered", "box tests", "without", "spared",
               "bytes/link", "gyration"}};
  for (const ChainRow& row : rows) {
    const double with = row[ChainMethod::ChainTree].box_tests;
    const double without = row.box_tests_without_memory;
    lines.push_back({row.name, group_digits(row.steps), group_digits(row.hits),
                     group_digits(row.remembered), number(with), number(without),
                     format_number("%.0f %%", without > 0.0 ? 100.0 * (1.0 - with / without) : 0.0),
                     number(row.bytes_per_link),
                     number(row.gyration_before) + " to " + number(row.gyration_after)});
  }
  return columns(lines);
}

std::string growth_text(const std::vector<GrowthRow>& rows) {
  Lines lines{{"links", "update [us]", "test [us]", "both [us]", "box tests", "collided",
               "held [us]", "box tests", "collided", "bytes/link", "build [ms]"}};
  for (const GrowthRow& row : rows) {
    lines.push_back({group_digits(row.links), number(row.update_us), number(row.test_us),
                     number(row.total_us()), number(std::round(row.box_tests)),
                     format_number("%.0f %%", 100.0 * row.hit_fraction), number(row.held_us),
                     number(std::round(row.held_box_tests)),
                     format_number("%.0f %%", 100.0 * row.held_hit_fraction),
                     number(row.bytes_per_link), number(row.build_ms)});
  }
  return columns(lines);
}

std::string worst_case_text(const std::vector<WorstCaseRow>& rows) {
  Lines lines{{"links", "chaintree", "/ N^(4/3)", "loose-obb", "/ N^(4/3)"}};
  for (const WorstCaseRow& row : rows) {
    const double bound = std::pow(static_cast<double>(row.links), 4.0 / 3.0);
    lines.push_back({group_digits(row.links), number(row.chain_tree),
                     number(row.chain_tree / bound), number(row.loose_obb),
                     number(row.loose_obb / bound)});
  }
  return columns(lines);
}

nlohmann::ordered_json chain_json(const ChainRow& row, const char* kind) {
  nlohmann::ordered_json methods = nlohmann::ordered_json::object();
  for (const ChainMethod method : kChainMethods) {
    const MethodFigures& m = row[method];
    methods[name_of(method)] = {
        {"steps", m.steps},         {"update_us", m.update_us},       {"test_us", m.test_us},
        {"box_tests", m.box_tests}, {"sphere_tests", m.sphere_tests}, {"wrong_answers", m.wrong}};
  }
  nlohmann::ordered_json chain{{"name", row.name},
                               {"kind", kind},
                               {"links", row.links},
                               {"spheres", row.spheres},
                               {"steps", row.steps},
                               {"hits", row.hits},
                               {"gyration_before", row.gyration_before},
                               {"gyration_after", row.gyration_after},
                               {"methods", std::move(methods)},
                               {"remembered", row.remembered},
                               {"box_tests_without_memory", row.box_tests_without_memory},
                               {"bytes_per_link", row.bytes_per_link}};
  if (row.paper) {
    chain["paper"] = {{"name", row.paper->name},
                      {"chaintree", row.paper->chain_tree},
                      {"k-obbtree", row.paper->k_obb_tree}};
  }
  return chain;
}

}  // namespace

std::string chaintree_text(const ChainStudy& study, const ChainStudyOptions& options) {
  std::vector<ChainRow> all = study.compact;
  all.insert(all.end(), study.proteins.begin(), study.proteins.end());
  std::string text =
      "One torsion a step, up to 10 degrees either way, undone when the chain touches itself; one "
      "thread;\nthe same moves for every method. 1-obbtree and k-obbtree, built anew at each step, "
      "replay an even\nsample of the steps of longer chains (" +
      group_digits(options.slow_link_steps) + " spheres x steps).\n\n";
  text += figure_text("Figure 7", study.compact) + figure_text("Figure 8", study.proteins);
  text += "Table 1: box tests per step\n" + box_test_text(all) +
          "\nThe pair that collided last is tested first (chaintree)\n" + memory_text(all);
  if (study.growth.size() >= 2) {
    const study::GrowthFits fits = study::fit(study.growth);
    text += "\nGrowth: chaintree on compact chains\n" + growth_text(study.growth) + "step ~ N^" +
            number(fits.step.exponent) + ", update ~ N^" + number(fits.update.exponent) +
            ", box tests ~ N^" + number(fits.box_tests.exponent) + "; held ~ N^" +
            number(fits.held.exponent) + ", box tests ~ N^" + number(fits.held_box_tests.exponent) +
            "\n(held: every move starts at the compact chain and is undone)\n";
  }
  if (study.worst_case.size() >= 2) {
    const study::WorstCaseFits fits = study::fit(study.worst_case);
    text += "\nLemma 7: box tests of a whole self-collision test in the worst case\n" +
            worst_case_text(study.worst_case) + "chaintree ~ N^" +
            number(fits.chain_tree.exponent) + ", loose-obb ~ N^" +
            number(fits.loose_obb.exponent) + "\n";
  }
  text += "\nWhich claims hold?\n";
  for (const study::Claim& claim : study::claims_of(study)) {
    text += std::string(claim.holds ? "- holds: " : "- DOES NOT HOLD: ") + claim.claim + ": " +
            claim.words + ".\n";
  }
  return text;
}

nlohmann::ordered_json chaintree_json(const ChainStudy& study, const ChainStudyOptions& options) {
  nlohmann::ordered_json chains = nlohmann::ordered_json::array();
  for (const ChainRow& row : study.compact) chains.push_back(chain_json(row, "compact"));
  for (const ChainRow& row : study.proteins) chains.push_back(chain_json(row, "protein"));
  nlohmann::ordered_json growth = nlohmann::ordered_json::array();
  for (const GrowthRow& row : study.growth) {
    growth.push_back({{"links", row.links},
                      {"steps", row.steps},
                      {"build_ms", row.build_ms},
                      {"update_us", row.update_us},
                      {"test_us", row.test_us},
                      {"box_tests", row.box_tests},
                      {"hit_fraction", row.hit_fraction},
                      {"held_us", row.held_us},
                      {"held_box_tests", row.held_box_tests},
                      {"held_hit_fraction", row.held_hit_fraction},
                      {"bytes_per_link", row.bytes_per_link}});
  }
  nlohmann::ordered_json worst = nlohmann::ordered_json::array();
  for (const WorstCaseRow& row : study.worst_case) {
    worst.push_back({{"d", row.d},
                     {"links", row.links},
                     {"chaintree", row.chain_tree},
                     {"loose-obb", row.loose_obb}});
  }
  nlohmann::ordered_json result{{"schema", "clearance.reproduce-chaintree"},
                                {"version", 1},
                                {"quick", options.quick},
                                {"steps", options.steps},
                                {"seed", options.seed},
                                {"chains", std::move(chains)},
                                {"growth", std::move(growth)},
                                {"worst_case", std::move(worst)}};
  nlohmann::ordered_json exponents = nlohmann::ordered_json::object();
  if (study.growth.size() >= 2) {
    const study::GrowthFits fits = study::fit(study.growth);
    exponents["step"] = fits.step.exponent;
    exponents["update"] = fits.update.exponent;
    exponents["box_tests"] = fits.box_tests.exponent;
    exponents["held"] = fits.held.exponent;
    exponents["held_box_tests"] = fits.held_box_tests.exponent;
  }
  if (study.worst_case.size() >= 2) {
    const study::WorstCaseFits fits = study::fit(study.worst_case);
    exponents["worst_case_chaintree"] = fits.chain_tree.exponent;
    exponents["worst_case_loose_obb"] = fits.loose_obb.exponent;
  }
  result["exponents"] = std::move(exponents);
  nlohmann::ordered_json claims = nlohmann::ordered_json::array();
  for (const study::Claim& claim : study::claims_of(study))
    claims.push_back({{"claim", claim.claim}, {"holds", claim.holds}, {"words", claim.words}});
  result["claims"] = std::move(claims);
  return result;
}

std::string chaintree_csv(const ChainStudy& study) {
  std::string text =
      "chain,links,spheres,hits,method,steps,update_us,test_us,box_tests,sphere_tests,"
      "wrong_answers,paper_box_tests\n";
  for (const auto* rows : {&study.compact, &study.proteins}) {
    for (const ChainRow& row : *rows) {
      for (const ChainMethod method : kChainMethods) {
        const MethodFigures& m = row[method];
        text += csv_field(row.name) + "," + std::to_string(row.links) + "," +
                std::to_string(row.spheres) + "," + std::to_string(row.hits) + "," +
                name_of(method) + "," + std::to_string(m.steps) + "," +
                format_number("%.6g", m.update_us) + "," + format_number("%.6g", m.test_us) + "," +
                format_number("%.10g", m.box_tests) + "," + format_number("%.10g", m.sphere_tests) +
                "," + std::to_string(m.wrong) + ",";
        if (row.paper && method == ChainMethod::LooseObb)
          text += format_number("%g", row.paper->chain_tree);
        if (row.paper && method == ChainMethod::KObbTree)
          text += format_number("%g", row.paper->k_obb_tree);
        text += "\n";
      }
    }
  }
  return text;
}

}  // namespace clearance::cli
