// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/claims.h"

#include <algorithm>
#include <cmath>

#include "words.h"

namespace clearance::study {
namespace {

/// How a figure of the rows grows with their links.
template <typename Row, typename Value>
PowerFit growth_of(const std::vector<Row>& rows, const Value& value) {
  std::vector<double> links;
  std::vector<double> values;
  for (const Row& row : rows) {
    links.push_back(static_cast<double>(row.links));
    // A time below the clock's resolution must not become the logarithm of zero.
    constexpr double kLeast = 1e-6;
    values.push_back(std::max(value(row), kLeast));
  }
  return fit_power(links, values);
}

/// "703 / 715 / 905"
std::string listed(const std::vector<ChainRow>& rows, const auto& value) {
  std::string text;
  for (const ChainRow& row : rows) {
    if (row.paper) text += (text.empty() ? "" : " / ") + number(std::round(value(row)));
  }
  return text;
}

Claim claim_speed(const ChainRow& row) {
  constexpr double kPaper = 30.0;
  const double loose = row[ChainMethod::LooseObb].total_us();
  const double grid = row[ChainMethod::Grid].total_us();
  const double one = row[ChainMethod::OneObbTree].total_us();
  const double k = row[ChainMethod::KObbTree].total_us();
  const double least = std::min({grid, one, k});
  Claim claim;
  claim.claim =
      "the paper's tree is better than 30 times faster than its three rivals (" + row.name + ")";
  claim.holds = least > kPaper * loose;
  claim.words = "Grid / 1-OBBTree / K-OBBTree take " + number(grid / loose) + " / " +
                number(one / loose) + " / " + number(k / loose) +
                " times as long as the paper's tree (loose OBB), and " +
                number(row.speedup_over(ChainMethod::Grid)) + " / " +
                number(row.speedup_over(ChainMethod::OneObbTree)) + " / " +
                number(row.speedup_over(ChainMethod::KObbTree)) +
                " times as long as the default tree; the two stronger grids " +
                number(row.speedup_over(ChainMethod::StrongGrid)) + " and " +
                number(row.speedup_over(ChainMethod::LazyGrid)) + " times";
  return claim;
}

Claim claim_test_time(const ChainRow& row) {
  // "May be too small to be discernable in the graph": a hundredth of its highest bar.
  constexpr double kDiscernable = 0.01;
  double highest = 0.0;
  for (const ChainMethod method :
       {ChainMethod::Grid, ChainMethod::OneObbTree, ChainMethod::KObbTree})
    highest = std::max({highest, row[method].update_us, row[method].test_us});
  const double tree = row[ChainMethod::LooseObb].test_us;
  const double k = row[ChainMethod::KObbTree].test_us;
  Claim claim;
  claim.claim =
      "the test times of ChainTree and K-OBBTree are too small to be seen (" + row.name + ")";
  claim.holds = std::max(tree, k) < kDiscernable * highest;
  claim.words = "they are " + number(100.0 * tree / highest) + " % (loose OBB), " +
                number(100.0 * row[ChainMethod::ChainTree].test_us / highest) +
                " % (default tree) and " + number(100.0 * k / highest) + " % of the highest bar";
  return claim;
}

Claim claim_boxes(const std::vector<ChainRow>& rows, const std::string& which) {
  Claim claim;
  claim.claim =
      "box tests per step of the default tree are at most those of the paper's (" + which + ")";
  claim.holds = true;
  for (const ChainRow& row : rows) {
    if (row.paper && row[ChainMethod::ChainTree].box_tests > row.paper->chain_tree)
      claim.holds = false;
  }
  claim.words =
      "default tree " +
      listed(rows, [](const ChainRow& row) { return row[ChainMethod::ChainTree].box_tests; }) +
      ", loose OBB " +
      listed(rows, [](const ChainRow& row) { return row[ChainMethod::LooseObb].box_tests; }) +
      ", paper " + listed(rows, [](const ChainRow& row) { return row.paper->chain_tree; }) +
      "; K-OBBTree " +
      listed(rows, [](const ChainRow& row) { return row[ChainMethod::KObbTree].box_tests; }) +
      ", paper " + listed(rows, [](const ChainRow& row) { return row.paper->k_obb_tree; });
  return claim;
}

Claim claim_answers(const ChainStudy& study) {
  std::uint64_t steps = 0;
  for (const auto* rows : {&study.compact, &study.proteins}) {
    for (const ChainRow& row : *rows) {
      for (const MethodFigures& method : row.methods) steps += method.steps;
    }
  }
  return {"all methods give the same answer at every step", answers_agree(study),
          std::to_string(steps) + " steps compared"};
}

}  // namespace

bool answers_agree(const ChainStudy& study) {
  for (const auto* rows : {&study.compact, &study.proteins}) {
    for (const ChainRow& row : *rows) {
      for (const MethodFigures& method : row.methods) {
        if (method.wrong > 0) return false;
      }
    }
  }
  return true;
}

GrowthFits fit(const std::vector<GrowthRow>& rows) {
  return {growth_of(rows, [](const GrowthRow& row) { return row.total_us(); }),
          growth_of(rows, [](const GrowthRow& row) { return row.update_us; }),
          growth_of(rows, [](const GrowthRow& row) { return row.box_tests; }),
          growth_of(rows, [](const GrowthRow& row) { return row.held_us; }),
          growth_of(rows, [](const GrowthRow& row) { return row.held_box_tests; })};
}

WorstCaseFits fit(const std::vector<WorstCaseRow>& rows) {
  return {growth_of(rows, [](const WorstCaseRow& row) { return row.chain_tree; }),
          growth_of(rows, [](const WorstCaseRow& row) { return row.loose_obb; })};
}

std::vector<Claim> claims_of(const ChainStudy& study) {
  std::vector<Claim> claims;
  if (!study.compact.empty()) {
    claims.push_back(claim_speed(study.compact.back()));
    claims.push_back(claim_test_time(study.compact.back()));
  }
  const auto in_paper = [](const ChainRow& row) { return row.paper.has_value(); };
  if (std::any_of(study.compact.begin(), study.compact.end(), in_paper))
    claims.push_back(claim_boxes(study.compact, "compact chains"));
  if (std::any_of(study.proteins.begin(), study.proteins.end(), in_paper))
    claims.push_back(claim_boxes(study.proteins, "proteins"));
  if (study.growth.size() >= 2) {
    const GrowthRow& first = study.growth.front();
    const GrowthRow& last = study.growth.back();
    const GrowthFits fits = fit(study.growth);
    // A logarithm grows by as much as the exponents of two differ; caches are not in the theory.
    const double logarithm =
        std::log(static_cast<double>(last.links)) / std::log(static_cast<double>(first.links));
    Claim update;
    update.claim = "an update costs O(log N)";
    constexpr double kCaches = 1.5;
    update.holds = last.update_us <= kCaches * logarithm * first.update_us;
    update.words = number(last.update_us) + " us at " + std::to_string(last.links) + " links, " +
                   number(first.update_us) + " us at " + std::to_string(first.links) + ": " +
                   number(last.update_us / first.update_us) +
                   " times (log N: " + number(logarithm) + " times), as N^" +
                   number(fits.update.exponent);
    claims.push_back(update);
    Claim step;
    constexpr double kExponent = 0.35;
    step.claim = "a step on a compact chain grows slower than N^0.35 (not in the paper)";
    step.holds = fits.step.exponent < kExponent && fits.held.exponent < kExponent;
    step.words = "as N^" + number(fits.step.exponent) + " during the walk, box tests as N^" +
                 number(fits.box_tests.exponent) + "; as N^" + number(fits.held.exponent) +
                 " when it is kept compact, box tests as N^" + number(fits.held_box_tests.exponent);
    claims.push_back(step);
  }
  if (study.worst_case.size() >= 2) {
    const WorstCaseFits fits = fit(study.worst_case);
    // Between N and N^(4/3) there is room for any tree that is not convex boxes along the chain.
    constexpr double kLow = 1.2;
    constexpr double kHigh = 1.45;
    Claim worst;
    worst.claim = "the worst case (Lemma 7) needs N^(4/3) box tests";
    worst.holds = fits.loose_obb.exponent > kLow && fits.loose_obb.exponent < kHigh;
    worst.words = "N^" + number(fits.loose_obb.exponent) + " (loose OBB), N^" +
                  number(fits.chain_tree.exponent) + " (default tree)";
    claims.push_back(worst);
  }
  claims.push_back(claim_answers(study));
  return claims;
}

}  // namespace clearance::study
