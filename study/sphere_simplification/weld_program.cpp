// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/weld_program.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <clearance/check/cell_checker.h>
#include <clearance/check/sphere_checker.h>
#include <clearance/mesh/level_of_detail.h>
#include <clearance/simplify/representations.h>
#include <clearance/simplify/sphere_tree.h>

#include "sphere_simplification/weld_checks.h"
#include "words.h"

namespace clearance::study {
namespace {

using Clock = std::chrono::steady_clock;

// Of the paper.
constexpr double kVoxelSize = 0.005;  // [m]
constexpr std::size_t kDecimatedTriangles = 996;

// Checks between two looks at the monitor: a tenth of a second where they are slow.
constexpr std::size_t kChecksAtOnce = 128;

/// Runs all checks once, timed, and compares them with the exact answers. Cut short when cancelled.
template <typename Check>
RepresentationRow run(const std::string& name, const WeldScene& scene, const Check& check,
                      const std::vector<bool>& exact, Monitor* monitor,
                      std::vector<bool>* answers = nullptr) {
  RepresentationRow row;
  row.name = name;
  std::vector<bool> hits(scene.configurations.size());
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (i % kChecksAtOnce == 0) {
      if (is_cancelled(monitor)) break;
      report_progress(monitor, "Table I, " + name,
                      static_cast<double>(i) / static_cast<double>(hits.size()));
    }
    hits[i] = check(scene.configurations[i]);
  }
  row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    row.collisions += hits[i] ? 1 : 0;
    if (exact.empty()) continue;
    row.false_negatives += exact[i] && !hits[i] ? 1 : 0;
    row.false_positives += hits[i] && !exact[i] ? 1 : 0;
  }
  if (answers != nullptr) *answers = std::move(hits);
  return row;
}

void set_paper(RepresentationRow& row, std::string complexity, std::uint64_t collisions,
               double seconds) {
  row.paper_complexity = std::move(complexity);
  row.paper_collisions = collisions;
  row.paper_seconds = seconds;
}

std::string spheres_of(std::size_t count) { return grouped(count) + " spheres"; }
std::string triangles_of(const Mesh& mesh) { return grouped(mesh.triangle_count()) + " triangles"; }

/// Everything as spheres.
Result<RepresentationRow> run_on_spheres(const WeldScene& scene, const ReadyCell& cell,
                                         const WeldModels& models, const std::vector<bool>& exact,
                                         Monitor* monitor) {
  const Result<SphereChecker> checker =
      weld_spheres(scene, cell, models.robot.model, models.torch.spheres, models.ours.spheres);
  if (!checker) return checker.error();
  bool covers = models.ours.covered && models.torch.covered;
  for (const LinkSimplification& link : models.robot.links) covers = covers && link.covered;

  // All at once, as a planner asks.
  const std::vector<double> values = scene.all_values();
  std::vector<std::uint8_t> hits(scene.configurations.size());
  SphereChecker::Scratch scratch;
  const Clock::time_point start = Clock::now();
  checker->collides(values, hits, scratch);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::size_t next = 0;
  RepresentationRow row = run(
      "all simplified", scene, [&](std::span<const double>) { return hits[next++] != 0; }, exact,
      monitor);
  row.seconds = seconds;
  row.covers = covers;
  row.complexity = grouped(models.robot.model.sphere_count()) + " + " +
                   grouped(models.torch.spheres.size()) + " + " +
                   spheres_of(models.ours.spheres.size());
  return row;
}

}  // namespace

std::vector<Sphere> ungrown(const Simplification& model) {
  std::vector<Sphere> spheres = model.spheres;
  for (Sphere& sphere : spheres) sphere.radius = std::max(0.0, sphere.radius - model.grown_by);
  return spheres;
}

Result<WeldProgramResult> measure_weld_program(const WeldScene& scene, const WeldModels& models,
                                               Monitor* monitor) {
  const Result<ReadyCell> cell = weld_cell(scene, scene.section);
  if (!cell) return cell.error();
  WeldProgramResult result;
  result.robot_name = scene.robot_name;
  for (std::size_t i = 0; i + 2 < cell->bodies.size(); ++i)
    result.robot_triangles += cell->bodies[i].triangle_count();
  result.torch_triangles = scene.torch.triangle_count();
  result.checks = scene.configurations.size();

  // Meshes.
  std::vector<bool> exact;
  const auto on_meshes = [](const ReadyCell& ready) {
    return [checker = std::make_shared<CellChecker>(ready)](std::span<const double> values) {
      return checker->collides(values);
    };
  };
  RepresentationRow row = run("original CAD", scene, on_meshes(*cell), {}, monitor, &exact);
  row.complexity = triangles_of(scene.section);
  row.covers = true;
  set_paper(row, "1,942 triangles", 2032, 1798);
  result.rows.push_back(row);
  LevelOfDetailOptions half;
  half.target_triangles = kDecimatedTriangles;
  const Result<LevelOfDetail> decimated = simplified(scene.section, half);
  if (!decimated) return decimated.error();
  const Result<ReadyCell> coarse = weld_cell(scene, decimated->mesh);
  if (!coarse) return coarse.error();
  row = run("decimated CAD", scene, on_meshes(*coarse), exact, monitor);
  row.complexity = triangles_of(decimated->mesh);
  set_paper(row, "996 triangles", 1801, 894);
  result.rows.push_back(row);

  // Meshes against spheres.
  const auto add = [&](const std::string& name, const std::vector<Sphere>& spheres,
                       bool covers) -> RepresentationRow& {
    SphereCheck check(*cell, SphereTree::build(spheres).value());
    const auto collides = [&](std::span<const double> values) { return check.collides(values); };
    result.rows.push_back(run(name, scene, collides, exact, monitor));
    result.rows.back().complexity = spheres_of(spheres.size());
    result.rows.back().covers = covers;
    return result.rows.back();
  };
  set_paper(add("packing", ungrown(models.packed), false), "4,752 spheres", 2134, 258);
  add("packing, grown", models.packed.spheres, models.packed.covered);
  const Result<std::vector<Sphere>> voxels =
      voxel_spheres(models.section, kVoxelSize, VoxelSpheres::Inscribed, false);
  if (!voxels) return voxels.error();
  set_paper(add("voxels, 5 mm", *voxels, false), "2,675 spheres", 2865, 170);
  set_paper(add("bounding", ungrown(models.paper), false), "283 spheres", 2222, 102);
  add("bounding, grown", models.paper.spheres, models.paper.covered);
  add("bounding, ours", models.ours.spheres, models.ours.covered);

  Result<RepresentationRow> all = run_on_spheres(scene, *cell, models, exact, monitor);
  if (!all) return all.error();
  if (is_cancelled(monitor)) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
  set_paper(*all, "180 + 63 + 283 spheres", 2289, 7);
  result.rows.push_back(std::move(*all));
  return result;
}

}  // namespace clearance::study
