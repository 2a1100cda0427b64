// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/claims.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <clearance/base/assert.h>

#include "words.h"

namespace clearance::study {
namespace {

constexpr double kMillimetres = 1e3;

std::string percent(double part) { return number(100.0 * part) + " %"; }
std::string millimetres(double metres) { return number(kMillimetres * metres) + " mm"; }

const SphereModelRow* model_of(const SphereStudy& study, const std::string& subject,
                               SimplifyMethod method, bool filled) {
  const auto row =
      std::find_if(study.models.begin(), study.models.end(), [&](const SphereModelRow& candidate) {
        return candidate.subject == subject && candidate.method == method &&
               candidate.filled == filled;
      });
  return row == study.models.end() ? nullptr : &*row;
}

/// "419 spheres" of Figure 4e and its like.
Claim claim_count(const SphereModelRow& paper, const SphereModelRow* ours) {
  Claim claim;
  claim.claim = paper.subject + ": " + grouped(paper.paper) + " spheres at " +
                millimetres(paper.wanted) + " by the paper's algorithm";
  claim.holds = paper.covered && paper.spheres <= paper.paper && paper.error <= paper.wanted;
  claim.words = grouped(paper.spheres) + " spheres, error " + millimetres(paper.error) +
                (paper.covered ? ", covered by proof" : ", not covered");
  if (ours != nullptr) {
    claim.words += "; ours: " + grouped(ours->spheres) + ", error " + millimetres(ours->error) +
                   (ours->covered ? ", covered by proof" : ", not covered");
  }
  return claim;
}

/// "180 spheres" of Figure 5 and its like: ours alone.
Claim claim_ours(const SphereModelRow& row) {
  Claim claim;
  claim.claim = row.subject + (row.filled ? "" : ", nothing filled") + ": " + grouped(row.paper) +
                " spheres at " + millimetres(row.wanted);
  claim.holds = row.covered && row.spheres <= row.paper && row.error <= row.wanted;
  claim.words = grouped(row.spheres) + " spheres, error " + millimetres(row.error) +
                (row.covered ? ", covered by proof" : ", not covered") + ", " +
                number(row.seconds) + " s";
  return claim;
}

Claim claim_packing(const SphereCountRow& packing, const SphereCountRow& paper) {
  constexpr double kPaperCovered = 0.97;
  Claim claim;
  claim.claim =
      "filling covers more of the pipe with fewer spheres than packing (97 % at 222 against 66 % "
      "at 4,546)";
  claim.holds = paper.covered > packing.covered && paper.spheres < packing.spheres;
  claim.words = "the paper's algorithm covers " + percent(paper.covered) + " with " +
                grouped(paper.spheres) + " spheres, packing " + percent(packing.covered) +
                " with " + grouped(packing.spheres) + ", before they are grown";
  claim.words += paper.covered >= kPaperCovered ? "" : "; 97 % are not reached";
  return claim;
}

Claim claim_outside(const SphereCountRow& packing, const SphereCountRow& paper) {
  constexpr double kPaper = 1.45;
  constexpr double kNear = 0.25;
  Claim claim;
  claim.claim = "the filled bore adds 145 % to the volume of the pipe, packing 7 %";
  claim.holds = std::abs(paper.outside - kPaper) <= kNear && packing.outside < 0.5;
  claim.words = "the paper's algorithm adds " + percent(paper.outside) + ", packing " +
                percent(packing.outside);
  return claim;
}

Claim claim_rivals(const SphereStudy& study) {
  Claim claim;
  claim.claim =
      "without filling: closer than Hubbard, medial and MorphIt at as many spheres, and "
      "covered by proof (not in the paper)";
  claim.holds = true;
  for (const RivalRow& rival : rival_rows()) {
    for (const SphereModelRow& row : study.models) {
      if (row.filled || row.wanted > 0.0 || row.method != SimplifyMethod::Cover ||
          row.spheres > rival.spheres || 2 * row.spheres <= rival.spheres)
        continue;
      const double least = std::min({rival.hubbard, rival.medial, rival.morphit});
      claim.holds = claim.holds && row.covered && row.error < least;
      if (!claim.words.empty()) claim.words += "; ";
      claim.words += grouped(row.spheres) + " spheres: " + millimetres(row.error) +
                     (row.covered ? "" : " (not covered)") + " against " +
                     millimetres(rival.hubbard) + ", " + millimetres(rival.medial) + " and " +
                     millimetres(rival.morphit);
    }
  }
  return claim;
}

const RepresentationRow& row_named(const WeldProgramResult& program, const std::string& name) {
  const auto row = std::ranges::find(program.rows, name, &RepresentationRow::name);
  CLEARANCE_ASSERT(row != program.rows.end());
  return *row;
}

Claim claim_misses(const WeldProgramResult& program) {
  Claim claim;
  claim.claim = "spheres that cover miss no collision";
  claim.holds = true;
  for (const RepresentationRow& row : program.rows) {
    if (row.covers && row.false_negatives > 0) claim.holds = false;
    if (!claim.words.empty()) claim.words += "; ";
    claim.words += row.name + " misses " + grouped(row.false_negatives) + " and invents " +
                   grouped(row.false_positives);
  }
  claim.words += " of " + grouped(program.checks) + " checks";
  return claim;
}

Claim claim_decimation(const RepresentationRow& exact, const RepresentationRow& decimated) {
  Claim claim;
  claim.claim = "half of the triangles lose collisions (1,801 of 2,032 are left)";
  claim.holds = decimated.false_negatives > 0;
  claim.words = grouped(decimated.collisions) + " of " + grouped(exact.collisions) + " are left";
  return claim;
}

Claim claim_mixed(const RepresentationRow& exact, const RepresentationRow& bounding) {
  Claim claim;
  claim.claim = "the pipes alone as spheres, robot and torch as meshes, are 18 times as fast";
  claim.holds = bounding.seconds < exact.seconds;
  claim.words = number(1e3 * bounding.seconds) + " ms against " + number(1e3 * exact.seconds) +
                " ms for meshes alone, on our trees";
  return claim;
}

Claim claim_speed(const WeldProgramResult& program, const RepresentationRow& exact,
                  const RepresentationRow& all) {
  constexpr double kPaperRate = 2000.0;
  Claim claim;
  claim.claim = "all simplified: over 2,000 checks a second, 257 times the original meshes";
  const double rate = static_cast<double>(program.checks) / all.seconds;
  claim.holds = rate > kPaperRate;
  claim.words = grouped(static_cast<std::uint64_t>(rate)) + " checks a second on one core, " +
                number(exact.seconds / all.seconds) + " times the original meshes, which take " +
                number(1e6 * exact.seconds / static_cast<double>(program.checks)) + " us a check";
  return claim;
}

}  // namespace

const SphereCountRow* last_of(const SphereStudy& study, SimplifyMethod method) {
  const auto row = std::find_if(study.counts.rbegin(), study.counts.rend(),
                                [&](const SphereCountRow& r) { return r.method == method; });
  return row == study.counts.rend() ? nullptr : &*row;
}

bool covers_miss_nothing(const SphereStudy& study) {
  return std::ranges::all_of(study.program.rows, [](const RepresentationRow& row) {
    return !row.covers || row.false_negatives == 0;
  });
}

std::vector<Claim> claims_of(const SphereStudy& study) {
  std::vector<Claim> claims;
  for (const SphereModelRow& row : study.models) {
    if (row.paper == 0) continue;
    if (row.method == SimplifyMethod::Paper)
      claims.push_back(claim_count(row, model_of(study, row.subject, SimplifyMethod::Cover, true)));
    else if (row.method == SimplifyMethod::Cover &&
             model_of(study, row.subject, SimplifyMethod::Paper, true) == nullptr)
      claims.push_back(claim_ours(row));
  }
  const SphereCountRow* packing = last_of(study, SimplifyMethod::Packing);
  const SphereCountRow* paper = last_of(study, SimplifyMethod::Paper);
  if (packing != nullptr && paper != nullptr) {
    claims.push_back(claim_packing(*packing, *paper));
    claims.push_back(claim_outside(*packing, *paper));
  }
  if (Claim claim = claim_rivals(study); !claim.words.empty()) claims.push_back(std::move(claim));
  const WeldProgramResult& program = study.program;
  if (program.rows.empty()) return claims;
  claims.push_back(claim_misses(program));
  const RepresentationRow& exact = row_named(program, "original CAD");
  claims.push_back(claim_decimation(exact, row_named(program, "decimated CAD")));
  claims.push_back(claim_mixed(exact, row_named(program, "bounding, grown")));
  claims.push_back(claim_speed(program, exact, row_named(program, "all simplified")));
  return claims;
}

}  // namespace clearance::study
