// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "inertia_fit/planning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>

#include <clearance/mesh/generate.h>
#include <clearance/plan/proof.h>
#include <clearance/plan/scene_file.h>

#include "inertia_fit/generator.h"

namespace clearance::study {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of this process: other work on the machine does not count.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

/// "1.07"
std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

/// The parts whose names begin like this, in one mesh.
Mesh part_of(const Assembly& scene, std::string_view prefix) {
  Assembly chosen = scene;
  std::erase_if(chosen.parts,
                [&](const AssemblyPart& part) { return !part.name.starts_with(prefix); });
  return chosen.flattened();
}

/// The stand-in as two meshes, the body made as much smaller as it takes to be free at its start.
struct Stage {
  Mesh body;
  Mesh obstacles;
  double relief = 0.0;
};

Result<Stage> set_stage(const PaperCase& paper, bool quick) {
  const Result<GeneratorInfo> info = generator_named(paper.generator);
  if (!info) return info.error();
  GenerateOptions generate_options;
  generate_options.body_triangles = quick ? info->minimum_body_triangles : paper.body_triangles;
  generate_options.obstacle_triangles =
      quick ? info->minimum_obstacle_triangles : paper.obstacle_triangles;
  const Result<Assembly> scene = generate(paper.generator, generate_options);
  if (!scene) return scene.error();
  Stage stage{part_of(*scene, "body/"), part_of(*scene, "obstacle/")};
  const Result<Model> body = Model::build(stage.body);
  if (!body) return body.error();
  const Result<Model> obstacles = Model::build(stage.obstacles);
  if (!obstacles) return obstacles.error();
  const PlanProblem problem{*body, *obstacles, {}, {}};
  const Result<Relief> relief =
      relieve_start(problem, kMostAutomaticRelief * stage.body.bounds().diagonal());
  if (!relief) return relief.error();
  stage.body = relief->body.mesh();
  stage.relief = relief->depth;
  return stage;
}

Result<PlanProblem> problem_on(const Stage& stage, std::size_t tree, const Threads& threads) {
  BvhOptions build = tree_options(tree);
  build.threads = threads;
  const Result<Model> body = Model::build(stage.body, build);
  if (!body) return body.error();
  const Result<Model> obstacles = Model::build(stage.obstacles, build);
  if (!obstacles) return obstacles.error();
  return PlanProblem{*body, *obstacles, {}, {}};
}

/// `figure` of pqp over that of another tree: how many times as fast the other is.
double speedup(const PlanningRow& row, std::size_t tree, double PlanningFigures::*figure) {
  return row.trees[kPqp].*figure / (row.trees[tree].*figure);
}

bool planned_by_all(const PlanningRow& row) {
  return std::all_of(row.trees.begin(), row.trees.end(),
                     [](const PlanningFigures& figures) { return figures.planned; });
}

bool found_by_all(const PlanningRow& row) {
  return std::all_of(row.trees.begin(), row.trees.end(), [](const PlanningFigures& figures) {
    return !figures.planned || figures.status == PlanStatus::Found;
  });
}

}  // namespace

const std::array<PaperCase, 3>& paper_cases() {
  static constexpr std::array<PaperCase, 3> kCases{{
      {"Air Cleaner Subassembly", "air-cleaner", 1253476, 415378, {21, 77, 19}},
      {"Cylinder Head", "cylinder-head", 246584, 413742, {161, 403, 151}},
      {"Tunnel Console", "tunnel-console", 73469, 300567, {47, 68, 40}},
  }};
  return kCases;
}

Result<PlanningRow> plan_case(const PaperCase& paper, const PlanningOptions& options) {
  report_progress(options.monitor, "generating", -1.0);
  const Result<Stage> stage = set_stage(paper, options.quick);
  if (!stage) return stage.error();
  PlanningRow row;
  row.paper = &paper;
  row.body_triangles = stage->body.triangle_count();
  row.obstacle_triangles = stage->obstacles.triangle_count();
  row.relief = stage->relief;
  // The default tree first: its path is what all prove again.
  std::optional<PlanPath> path;
  std::optional<PathProof> first_proof;
  for (std::size_t i = kTrees.size(); i-- > 0;) {
    report_progress(options.monitor, std::string("planning on ") + kTrees[i],
                    static_cast<double>(kTrees.size() - 1 - i) / kTrees.size());
    if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
    PlanningFigures& figures = row.trees[i];
    auto start = std::chrono::steady_clock::now();
    const Result<PlanProblem> problem = problem_on(*stage, i, options.threads);
    if (!problem) return problem.error();
    figures.build_s = seconds_since(start);

    figures.planned = i == kWide || !options.quick;
    if (figures.planned) {
      PlanOptions plan_options;
      plan_options.seconds = options.seconds;
      plan_options.improve = false;
      plan_options.threads = options.threads;
      plan_options.monitor = options.monitor;
      start = std::chrono::steady_clock::now();
      const Plan plan = plan_path(*problem, plan_options);
      figures.plan_s = seconds_since(start);
      if (plan.status == PlanStatus::Cancelled) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
      figures.status = plan.status;
      figures.method = plan.method;
      figures.operations = plan.operations;
      if (plan.status == PlanStatus::Found) {
        figures.length = length_of(plan.path).translation;
        if (!path) path = plan.path;
      }
    }

    if (!path) continue;
    ProofOptions proof_options;
    proof_options.threads = Threads{1};
    proof_options.monitor = options.monitor;
    const double before = processor_seconds();
    const PathProof proof = prove_path(*problem, *path, proof_options);
    figures.prove_s = processor_seconds() - before;
    if (proof.status == ProofStatus::Cancelled) return Error{ErrorCode::Cancelled, {}, {}, {}, {}};
    figures.prove_tests = proof.work.volume_tests;
    if (!first_proof) {
      first_proof = proof;
      row.looks = proof.looks;
    }
    row.same_proof = row.same_proof && proof.status == first_proof->status &&
                     proof.looks == first_proof->looks &&
                     proof.clearance_lower == first_proof->clearance_lower;
  }
  return row;
}

std::string planning_verdict(const PlanningRow& row) {
  std::string words;
  for (std::size_t i = 0; i < kTrees.size(); ++i) {
    if (!row.trees[i].planned || row.trees[i].status == PlanStatus::Found) continue;
    words += std::string(words.empty() ? "" : " ") + "On " + kTrees[i] + " no path was found (" +
             name_of(row.trees[i].status) + ").";
  }
  if (!words.empty()) return words;
  const auto compared = [&](double PlanningFigures::*figure) {
    return "rapid2 " + times(speedup(row, kRapid2, figure)) + ", inertia " +
           times(speedup(row, kInertia, figure)) + ", ours " + times(speedup(row, kWide, figure));
  };
  words = "Times as fast as pqp: ";
  if (planned_by_all(row)) words += "planning " + compared(&PlanningFigures::plan_s) + "; ";
  words += "proving one path " + compared(&PlanningFigures::prove_s);
  if (row.paper != nullptr) {
    const auto& paper = row.paper->seconds;
    words += " (paper: rapid2 " + times(paper[kPqp] / paper[kRapid2]) + ", inertia " +
             times(paper[kPqp] / paper[kInertia]) + ")";
  }
  return words + ".";
}

std::string planning_conclusion(const std::vector<PlanningRow>& rows) {
  std::size_t proven = 0;
  std::size_t planned = 0;
  std::size_t inertia_plans = 0;
  std::size_t inertia_proves = 0;
  std::size_t wide_plans = 0;
  double mean_plan = 0.0;
  double mean_prove = 0.0;
  for (const PlanningRow& row : rows) {
    if (!found_by_all(row)) continue;
    ++proven;
    inertia_proves += speedup(row, kInertia, &PlanningFigures::prove_s) >= 1.0 ? 1 : 0;
    mean_prove += std::log(row.trees[kInertia].prove_s / row.trees[kWide].prove_s);
    if (!planned_by_all(row)) continue;
    ++planned;
    inertia_plans += speedup(row, kInertia, &PlanningFigures::plan_s) >= 1.0 ? 1 : 0;
    const double wide = row.trees[kWide].plan_s;
    wide_plans += wide < row.trees[kPqp].plan_s && wide < row.trees[kInertia].plan_s ? 1 : 0;
    mean_plan += std::log(row.trees[kInertia].plan_s / wide);
  }
  if (proven == 0) return rows.empty() ? "" : "No case was planned on every tree.";
  const auto of = [](std::size_t count, std::size_t all) {
    return std::to_string(count) + " of " + std::to_string(all);
  };
  const auto mean = [](double sum, std::size_t count) {
    return times(std::exp(sum / static_cast<double>(count)));
  };
  std::string words = "The paper's claim that planning is faster by inertia than by pqp holds on " +
                      of(inertia_proves, proven) + " cases where both prove the same path";
  if (planned > 0) words += ", and on " + of(inertia_plans, planned) + " planned";
  words += " (paper: 3 of 3, 1.07 to 1.18 times). Ours proves " + mean(mean_prove, proven) +
           " times as fast as inertia";
  if (planned > 0) {
    words += " and plans " + mean(mean_plan, planned) +
             " times as fast (geometric means), faster than both on " + of(wide_plans, planned) +
             " cases";
  }
  return words + ".";
}

}  // namespace clearance::study
