// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/claims.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "words.h"

namespace clearance::study {
namespace {

std::string percent(double part) { return number(100.0 * part) + " %"; }

/// "at least 200 times faster than one core" takes a GPU there.
Claim claim_speedup(const ContourSizeRow& row) {
  constexpr double kPaper = 200.0;
  const double tree = row.speedup(ContourMethod::Tree);
  const double first = row[ContourMethod::Paper].query_ms / row[ContourMethod::Tree].first_ms;
  Claim claim;
  claim.claim = "a query can be 200 times faster than brute force on one core (there on a GPU)";
  claim.holds = tree > kPaper;
  claim.words = "the tree on one core is " + number(tree) + " times faster at " +
                grouped(row.triangles) + " triangles, and " + number(first) +
                " times with the tree built inside the time; all pairs looked at with SIMD on one "
                "core " +
                number(row.speedup(ContourMethod::Simd)) + " times, on all cores " +
                number(row.speedup(ContourMethod::SimdAllCores));
  if (row[ContourMethod::OpenCl].measured) {
    claim.words += ", with OpenCL " + number(row.speedup(ContourMethod::OpenCl)) +
                   ", culled there " + number(row.speedup(ContourMethod::OpenClCulled));
  }
  return claim;
}

/// 46.04 s become 10.89 s: the paper says "at least 70 %".
Claim claim_culling(const ContourSizeRow& row) {
  constexpr double kPaper = 0.30;
  const double brute = row[ContourMethod::Scalar].query_ms;
  const double one = row[ContourMethod::Bisection1].query_ms;
  const double three = row[ContourMethod::Bisection3].query_ms;
  Claim claim;
  claim.claim = "bisection with simplified sub-meshes takes at least 70 % off the time";
  claim.holds = std::max(one, three) <= kPaper * brute;
  claim.words = "made exact, 1 layer takes " + percent(one / brute) + " and 3 layers " +
                percent(three / brute) + " of the time of looking at all pairs (scalar, " +
                grouped(row.triangles) + " triangles); the tree " +
                percent(row[ContourMethod::Tree].query_ms / brute);
  return claim;
}

Claim claim_growth(const std::vector<ContourSizeRow>& rows) {
  const ContourSizeRow& first = rows.front();
  const ContourSizeRow& last = rows.back();
  Claim claim;
  claim.claim = "the speed-up grows with the number of triangles (Figure 6)";
  claim.holds = last.speedup(ContourMethod::Tree) > first.speedup(ContourMethod::Tree);
  claim.words = "the tree's does, from " + number(first.speedup(ContourMethod::Tree)) +
                " times at " + grouped(first.triangles) + " to " +
                number(last.speedup(ContourMethod::Tree)) + " times at " + grouped(last.triangles) +
                "; looking at all pairs with SIMD goes from " +
                number(first.speedup(ContourMethod::Simd)) + " to " +
                number(last.speedup(ContourMethod::Simd)) + " times";
  return claim;
}

/// The paper says ">1Hz", where the text around it means a thousand.
Claim claim_rate(const ContourSizeRow& row) {
  constexpr double kMillisecond = 1.0;
  const ContourTimes& tree = row[ContourMethod::Tree];
  Claim claim;
  claim.claim = "30 segments against " + grouped(row.triangles) +
                " triangles at 1 kHz (the paper: 4M at above 1 Hz, on a GPU)";
  claim.holds = tree.slowest_ms < kMillisecond;
  claim.words = "a query takes " + number(1e3 * tree.query_ms) + " us, 99 % at most " +
                number(1e3 * tree.slowest_ms) + " us, on one core";
  return claim;
}

Claim claim_scenario(const ContourScenarioRow& row) {
  constexpr double kMicroseconds = 1000.0;
  Claim claim;
  claim.claim = "scenario " + row.name + " at 1 kHz";
  claim.holds = row.slowest_us < kMicroseconds;
  claim.words = "a frame takes " + number(row.median_us) + " us, 99 % at most " +
                number(row.slowest_us) + " us; brute force on one core " +
                number(row.paper_us / 1e3) + " ms";
  return claim;
}

Claim claim_moving(const ContourScenarioRow& row) {
  constexpr double kMicroseconds = 10'000.0;
  Claim claim;
  claim.claim = "the mesh may change at every frame, scenario " + row.name + " (here: 100 Hz)";
  claim.holds = row.moving_slowest_us < kMicroseconds;
  claim.words = "with all vertices moved a frame takes " + number(row.moving_median_us) +
                " us, 99 % at most " + number(row.moving_slowest_us) + " us";
  return claim;
}

/// Sums over the rows of one variant.
struct PairTotals {
  std::uint64_t pairs = 0, wrong = 0, early = 0, stuck = 0, faces = 0, wrong_faces = 0, contact = 0,
                missed = 0;
  double largest = 0.0;
};
PairTotals totals_of(const std::vector<ApproximationRow>& rows) {
  PairTotals totals;
  for (const ApproximationRow& row : rows) {
    if (row.variant != "10 rounds") continue;
    const auto cause = [&](ApproximationCause c) {
      return row.causes[static_cast<std::size_t>(c)];
    };
    totals.pairs += row.pairs;
    totals.wrong += row.wrong;
    totals.early += cause(ApproximationCause::Early);
    totals.stuck += cause(ApproximationCause::Stuck);
    totals.faces += row.faces;
    totals.wrong_faces += cause(ApproximationCause::Face) + cause(ApproximationCause::Piercing);
    totals.contact += row.contact;
    totals.missed += row.missed;
    totals.largest = std::max({totals.largest, row.largest_above, row.largest_below});
  }
  return totals;
}

Claim claim_convergence(const PairTotals& totals) {
  Claim claim;
  claim.claim = "the iteration converges to the global minimum";
  claim.holds = totals.stuck == 0;
  claim.words = grouped(totals.stuck) + " of " + grouped(totals.pairs) +
                " pairs are off by more than 1 % of the segment's size however many rounds are "
                "taken, and " +
                grouped(totals.early) + " more after the rounds allowed";
  return claim;
}

Claim claim_faces(const PairTotals& totals) {
  constexpr double kRare = 0.05;
  Claim claim;
  claim.claim = "the closest point is rarely inside the face, and then the centroid will do";
  const double share = static_cast<double>(totals.faces) /
                       static_cast<double>(std::max<std::uint64_t>(1, totals.pairs));
  claim.holds = share < kRare && totals.wrong_faces == 0;
  claim.words = "it is there in " + percent(share) + " of the pairs, and " +
                grouped(totals.wrong_faces) + " of these " + grouped(totals.faces) +
                " are off by more than 1 % of the segment's size; the largest error of all is " +
                percent(totals.largest);
  return claim;
}

Claim claim_contact(const PairTotals& totals) {
  Claim claim;
  claim.claim = "a triangle that touches the segment has distance 0";
  claim.holds = totals.missed == 0;
  claim.words = grouped(totals.missed) + " of " + grouped(totals.contact) +
                " pairs that touch are called free";
  return claim;
}

Claim claim_answers(const ContourStudy& study) {
  std::uint64_t queries = 0;
  for (const ContourSizeRow& row : study.sizes) {
    for (const ContourMethod method : kContourMethods) {
      if (method != ContourMethod::Paper && method != ContourMethod::PaperAllCores &&
          method != ContourMethod::Tree)
        queries += row[method].queries;
    }
  }
  return {"all ways but the paper's give the same answer, bit for bit", answers_agree(study),
          grouped(queries) + " queries compared with the tree's"};
}

}  // namespace

bool answers_agree(const ContourStudy& study) {
  for (const ContourSizeRow& row : study.sizes) {
    for (const ContourTimes& times : row.methods) {
      if (times.wrong > 0) return false;
    }
  }
  return std::all_of(study.scenarios.begin(), study.scenarios.end(),
                     [](const ContourScenarioRow& row) { return row.wrong == 0; });
}

const ContourSizeRow* table_1_row(const ContourStudy& study) {
  if (study.sizes.empty()) return nullptr;
  const auto row = std::find_if(
      study.sizes.begin(), study.sizes.end(),
      [](const ContourSizeRow& candidate) { return candidate.triangles == kTable1Triangles; });
  return row != study.sizes.end() ? &*row : &study.sizes.back();
}

std::vector<Claim> claims_of(const ContourStudy& study) {
  std::vector<Claim> claims;
  if (const ContourSizeRow* row = table_1_row(study); row != nullptr) {
    claims.push_back(claim_speedup(*row));
    claims.push_back(claim_culling(*row));
  }
  if (study.sizes.size() >= 2) {
    claims.push_back(claim_growth(study.sizes));
    claims.push_back(claim_rate(study.sizes.back()));
  }
  for (const ContourScenarioRow& row : study.scenarios) {
    claims.push_back(claim_scenario(row));
    claims.push_back(claim_moving(row));
  }
  if (!study.approximation.empty()) {
    const PairTotals totals = totals_of(study.approximation);
    claims.push_back(claim_convergence(totals));
    claims.push_back(claim_faces(totals));
    claims.push_back(claim_contact(totals));
  }
  claims.push_back(claim_answers(study));
  return claims;
}

}  // namespace clearance::study
