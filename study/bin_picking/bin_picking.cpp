// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bin_picking/bin_picking.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <clearance/mesh/generate.h>
#include <clearance/query/solid.h>

#include "bin_picking/readings.h"
#include "words.h"

namespace clearance::study {
namespace {

/// Ways of the evaluation beyond the paper [m].
constexpr double kApproach = 0.1;
constexpr double kRetreat = 0.2;
/// Parts fall within a square of this side, in diagonals of the part: they pile up in the middle of
/// the floor and spread as they like.
constexpr double kDropArea = 1.2;
/// Of the convex pieces in the simulation, as a fraction of the diagonal: half as many pieces as by
/// default, and half the time.
constexpr double kPiecesError = 0.05;
/// Where the nominal grasps are on the shank [m].
constexpr std::array<double, 3> kNominalPlaces{0.045, 0.0825, 0.120};

/// The gripper comes along `approach` and pinches along y.
Grasp nominal_grasp(double x, const Vec3& approach) {
  const Vec3 pinch{0.0, 1.0, 0.0};
  Grasp grasp;
  grasp.part_from_gripper = {Mat3::from_columns(pinch, cross(approach, pinch), approach),
                             {x, 0.0, 0.0}};
  grasp.quality = 1.0;
  return grasp;
}

PileTally tally_of(const PickResult& paper, const std::set<std::size_t>& buried) {
  PileTally tally;
  tally.valid = paper.valid;
  for (const Candidate& candidate : paper.ranked) {
    tally.free += candidate.free.size();
    for (const std::size_t count : candidate.fates) tally.tried += count;
    if (!candidate.free.empty() && buried.contains(candidate.part)) ++tally.buried;
  }
  return tally;
}

struct Evaluated {
  PileTally tally;
  PickResult paper;
  std::set<std::size_t> buried;
};

/// As the paper does, and with ways.
Result<Evaluated> evaluate(const Picker& picker, const Pile& pile, PickOptions options) {
  Result<PickResult> paper = picker.evaluate(pile, {}, options);
  if (!paper) return paper.error();
  options.approach = kApproach;
  options.retreat = kRetreat;
  const Result<PickResult> full = picker.evaluate(pile, {}, options);
  if (!full) return full.error();
  Evaluated out;
  for (const Candidate& candidate : full->ranked)
    if (candidate.is_buried) out.buried.insert(candidate.part);
  out.tally = tally_of(*paper, out.buried);
  out.tally.pickable = full->valid;
  out.paper = std::move(*paper);
  return out;
}

template <class Value>
std::vector<double> column(const std::vector<PileRow>& rows, const Value& value) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const PileRow& row : rows) values.push_back(static_cast<double>(value(row)));
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Result<ConRod> con_rod(std::size_t triangles) {
  const Result<Assembly> made = generate("conrod", {.triangles = triangles});
  if (!made) return made.error();
  Result<Model> model = Model::build(made->flattened());
  if (!model) return model.error();
  ConRod rod{*std::move(model), {}, {}};
  // The shank, both sides of the big end, its cap, and the small end.
  rod.wire_frame = {{{0.033, 0.0, 0.0}, {0.132, 0.0, 0.0}},
                    {{-0.022, 0.034, 0.0}, {0.022, 0.034, 0.0}},
                    {{-0.022, -0.034, 0.0}, {0.022, -0.034, 0.0}},
                    {{-0.0315, -0.022, 0.0}, {-0.0315, 0.022, 0.0}},
                    {{0.1603, -0.011, 0.0}, {0.1603, 0.011, 0.0}}};
  for (const double x : kNominalPlaces)
    for (const double side : {-1.0, 1.0}) rod.nominal.push_back(nominal_grasp(x, {0.0, 0.0, side}));
  return rod;
}

Result<BinPickingStudy> study_bin_picking(const BinPickingOptions& options) {
  const Result<ConRod> rod = con_rod(options.triangles);
  if (!rod) return rod.error();
  const Result<Gripper> gripper = Gripper::of_boxes(study_gripper());
  if (!gripper) return gripper.error();
  for (const Grasp& grasp : rod->nominal) {
    if (collide(rod->model, gripper->open(), grasp.part_from_gripper).hit)
      return Error{ErrorCode::Invalid, "", "nominal grasps", "the gripper hits the part", ""};
  }
  BinPickingStudy study;
  GraspOptions grasp_options;
  grasp_options.step = options.step;
  grasp_options.quality.friction = options.friction;
  grasp_options.threads = options.threads;
  grasp_options.monitor = options.monitor;
  Result<GraspSet> grasps = generate_grasps(rod->model, *gripper, rod->wire_frame, grasp_options);
  if (!grasps) return grasps.error();
  study.grasps = *std::move(grasps);
  const auto robust = static_cast<double>(study.grasps.counts.robust);
  study.tried = std::max(std::size_t{1}, static_cast<std::size_t>(robust * options.top));
  const Result<Picker> generated =
      Picker::make(rod->model, *gripper, study.grasps.robust().first(study.tried));
  if (!generated) return generated.error();
  SpreadGrasps choice = spread_choice(study.grasps, *gripper, study.tried);
  std::vector<Grasp> differing;
  for (const std::uint32_t i : choice.chosen) differing.push_back(study.grasps.grasps[i]);
  study.spread_grasps = std::move(choice.chosen);
  study.spread_reach = choice.reach;
  const Result<Picker> spread = Picker::make(rod->model, *gripper, differing);
  if (!spread) return spread.error();
  const Result<Picker> all = Picker::make(rod->model, *gripper, study.grasps.robust());
  if (!all) return all.error();
  const Result<Picker> nominal = Picker::make(rod->model, *gripper, rod->nominal);
  if (!nominal) return nominal.error();

  const double diagonal = rod->model.mesh().bounds().diagonal();
  PileOptions pile_options;
  pile_options.bin.length = pile_options.bin.width = kDropArea * diagonal;
  pile_options.count = options.parts;
  pile_options.pieces_error = kPiecesError * diagonal;
  pile_options.monitor = options.monitor;
  const Result<PileSimulator> simulator = PileSimulator::make(rod->model, pile_options);
  if (!simulator) return simulator.error();

  PickOptions pick;
  pick.threads = {1};
  pick.measure_clearance = false;
  for (std::size_t i = options.parts - std::min(options.parts, options.candidates);
       i < options.parts; ++i)
    pick.candidates.push_back(i);
  PickOptions pick_rest = pick;
  pick_rest.first = study.spread_grasps;
  // Piles side by side, each on one thread; the first error in the order of piles counts.
  study.piles.resize(options.piles);
  std::vector<Pile> piles(options.piles);
  std::vector<std::optional<Error>> errors(options.piles);
  std::atomic<std::size_t> done{0};
  parallel_for(options.threads, options.piles, [&](std::size_t i) {
    if (is_cancelled(options.monitor)) return;
    PileRow& row = study.piles[i];
    row.seed = options.seed + i;
    const Result<SimulatedPile> simulated = simulator->drop(row.seed);
    if (!simulated) {
      errors[i] = simulated.error();
      return;
    }
    row.overlap = simulated->overlap;
    piles[i] = simulated->pile;
    Result<Evaluated> with_generated = evaluate(*generated, simulated->pile, pick);
    Result<Evaluated> with_nominal = evaluate(*nominal, simulated->pile, pick);
    Result<Evaluated> with_spread = evaluate(*spread, simulated->pile, pick);
    const Result<Evaluated> with_rest = evaluate(*all, simulated->pile, pick_rest);
    const Result<PickResult> with_all = all->evaluate(simulated->pile, {}, pick);
    for (const Result<Evaluated>* evaluated :
         {&std::as_const(with_generated), &std::as_const(with_nominal), &std::as_const(with_spread),
          &with_rest}) {
      if (evaluated->ok()) continue;
      errors[i] = evaluated->error();
      return;
    }
    if (!with_all) {
      errors[i] = with_all.error();
      return;
    }
    row.all = tally_of(*with_all, with_generated->buried);
    row.generated = with_generated->tally;
    row.nominal = with_nominal->tally;
    row.spread = with_spread->tally;
    row.rest = with_rest->tally;
    if (i == 0) {
      study.example = simulated->pile;
      study.example_generated = std::move(with_generated->paper);
      study.example_nominal = std::move(with_nominal->paper);
    }
    report_progress(options.monitor, "piles",
                    static_cast<double>(++done) / static_cast<double>(options.piles));
  });
  if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, "", "", "cancelled", ""};
  for (const std::optional<Error>& error : errors)
    if (error) return *error;
  Result<std::vector<BinPickingReading>> readings = read_otherwise(*rod, piles, pick, options);
  if (!readings) return readings.error();
  study.readings = *std::move(readings);

  const std::vector<double> g =
      column(study.piles, [](const PileRow& row) { return row.generated.valid; });
  const std::vector<double> n =
      column(study.piles, [](const PileRow& row) { return row.nominal.valid; });
  const std::vector<double> every =
      column(study.piles, [](const PileRow& row) { return row.all.valid; });
  const std::vector<double> differ =
      column(study.piles, [](const PileRow& row) { return row.spread.valid; });
  study.mean_spread = mean(differ);
  study.spread = paired_test(differ, n);
  study.spread_best = paired_test(differ, g);
  study.spread_pickable =
      paired_test(column(study.piles, [](const PileRow& row) { return row.spread.pickable; }),
                  column(study.piles, [](const PileRow& row) { return row.nominal.pickable; }));
  const std::vector<double> rest =
      column(study.piles, [](const PileRow& row) { return row.rest.valid; });
  study.mean_rest = mean(rest);
  study.rest = paired_test(rest, n);
  study.rest_pickable =
      paired_test(column(study.piles, [](const PileRow& row) { return row.rest.pickable; }),
                  column(study.piles, [](const PileRow& row) { return row.nominal.pickable; }));
  study.mean_all = mean(every);
  study.all = paired_test(every, n);
  study.mean_generated = mean(g);
  study.mean_nominal = mean(n);
  study.test = paired_test(g, n);
  study.pickable =
      paired_test(column(study.piles, [](const PileRow& row) { return row.generated.pickable; }),
                  column(study.piles, [](const PileRow& row) { return row.nominal.pickable; }));
  return study;
}

std::vector<Claim> claims_of(const BinPickingStudy& study) {
  std::vector<Claim> claims;
  const auto compare = [&](const std::string& which, double average, const PairedTest& test) {
    const double ratio = average / study.mean_nominal;
    claims.push_back({which + " give more valid picks than nominal ones, at least 8 to 5",
                      ratio >= BinPickingPaper::kGenerated / BinPickingPaper::kNominal,
                      number(average) + " to " + number(study.mean_nominal) + " on average, " +
                          number(ratio) + " times as many"});
    constexpr double kBar = 1e-20;
    claims.push_back({"and the difference is no chance: p < 1e-20 in a paired t-test",
                      test.probability < kBar && test.t > 0.0,
                      "t = " + number(test.t) + " over " + grouped(study.piles.size()) + " piles"});
  };
  compare("the best 10 % of the robust grasps", study.mean_generated, study.test);
  compare("as many of them spread (ours, not the paper's)", study.mean_spread, study.spread);
  compare("these, and the rest where none of them is free (ours too)", study.mean_rest, study.rest);
  compare("all robust grasps", study.mean_all, study.all);
  std::size_t valid = 0;
  std::size_t buried = 0;
  for (const PileRow& row : study.piles) {
    valid += row.generated.valid;
    buried += row.generated.buried;
  }
  claims.push_back({"some of the paper's valid picks are buried", buried > 0,
                    grouped(buried) + " of " + grouped(valid) +
                        " candidates with a free grasp do not come out straight up"});
  return claims;
}

}  // namespace clearance::study
