// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// clearance reproduce sphere-simplification: parts and robots as spheres, and a program checked on
// them.
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/ball_mesh.h>
#include <clearance/picture/picture.h>

#include "reproduce.h"
#include "session.h"
#include "sphere_simplification/claims.h"
#include "sphere_simplification/plots.h"
#include "sphere_simplification_report.h"
#include "study_output.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

constexpr Colour kSphereColour{0.93, 0.66, 0.30};
constexpr Colour kMeshColour{0.62, 0.68, 0.75};

/// Spheres in the picture; finer where they are few and large.
void add_spheres(std::vector<PictureItem>& items, std::span<const Sphere> spheres,
                 const Pose& world_from_spheres) {
  const int cuts = spheres.size() > 1000 ? 2 : spheres.size() > 100 ? 3 : 4;
  const Mesh mesh = ball_mesh(spheres, cuts);
  if (!mesh.empty()) items.push_back({mesh, world_from_spheres, kSphereColour});
}

/// A mesh and models of it, side by side along x.
Status write_beside(const std::string& path, const Mesh& mesh,
                    std::initializer_list<std::span<const Sphere>> models,
                    const Vec3& towards_eye) {
  constexpr double kApart = 1.3;  // times the width of the mesh
  std::vector<PictureItem> items;
  items.push_back({mesh, Pose::identity(), kMeshColour});
  double x = 0.0;
  for (const std::span<const Sphere> model : models) {
    x += kApart * mesh.bounds().size().x;
    add_spheres(items, model, Pose::translate({x, 0.0, 0.0}));
  }
  PictureOptions options;
  options.width = 1000;
  options.towards_eye = towards_eye;
  return write_png(path, render(items, {}, options));
}

/// Figure 4: the pipe, packed, by the paper's algorithm and by ours, side by side.
Status write_figure_4(const std::string& path, const study::SphereStudy& study) {
  const Result<Mesh> pipe = study::study_pipe();
  if (!pipe) return pipe.error();
  return write_beside(path, *pipe, {study.pipe_packed, study.pipe_paper, study.pipe},
                      {0.15, -1.0, 0.55});
}

/// Figure 5: the robot and its spheres, side by side.
Status write_figure_5(const std::string& path, const SphereRobotResult& result) {
  const Robot& robot = result.model.robot;
  std::vector<double> values = robot.rest();
  const std::vector<Pose> poses = robot.link_poses(values);
  std::vector<PictureItem> items;
  Box box;
  for (std::size_t link = 0; link < poses.size(); ++link) {
    for (const RobotShape& shape : robot.links()[link].collision) {
      items.push_back({surface_of(shape), poses[link], kMeshColour});
      for (const Vec3& v : items.back().mesh.vertices()) box.include(poses[link] * v);
    }
  }
  const Pose beside = Pose::translate({0.0, 1.3 * box.size().y, 0.0});
  for (std::size_t link = 0; link < poses.size(); ++link)
    add_spheres(items, result.model.spheres[link], beside * poses[link]);
  PictureOptions options;
  options.width = 1000;
  options.towards_eye = {1.4, -0.5, 0.5};
  return write_png(path, render(items, {}, options));
}

Status write_pictures(const std::string& name, const study::SphereStudy& study) {
  const std::filesystem::path folder(name);
  if (Status written = write_charts(name, study::plots_of(study)); !written) return written;
  const std::string table = (folder / "figures.csv").string();
  if (Status written = write_file(table, sphere_simplification_csv(study)); !written)
    return written;
  const auto named = [&](const char* file) { return (folder / file).string(); };
  if (!study.pipe.empty()) {
    if (Status written = write_figure_4(named("figure4-pipe.png"), study); !written) return written;
  }
  if (study.robot) {
    if (Status written = write_figure_5(named("figure5-robot.png"), *study.robot); !written)
      return written;
  }
  if (study.section.empty()) return {};
  const study::WeldScene& scene = *study.scene;
  if (Status written = write_beside(named("section.png"), scene.section,
                                    {study.section_paper, study.section}, {0.3, -0.6, 0.8});
      !written) {
    return written;
  }
  return write_beside(named("torch.png"), scene.torch, {study.torch}, {0.2, -1.0, 0.3});
}

}  // namespace

int reproduce_sphere_simplification(const ReproduceOptions& options) {
  if (const Status there = check_data_folder(options); !there) return fail(there.error());
  if (!options.paths.empty()) {
    return fail_usage("reproduce",
                      "sphere-simplification has no use for files; --data names a folder");
  }
  TerminalMonitor monitor;
  study::SphereStudyOptions study_options;
  const auto wanted = [&](const char* part) {
    return options.only.empty() || std::ranges::find(options.only, part) != options.only.end();
  };
  study_options.parts = {.pipe = wanted("pipe"),
                         .unfilled = wanted("unfilled"),
                         .robot = wanted("robot"),
                         .program = wanted("program"),
                         .visual = wanted("visual")};
  study_options.data = options.data;
  study_options.seed = options.seed;
  study_options.quick = options.quick;
  study_options.monitor = &monitor;
  const Result<study::SphereStudy> study = study::measure_spheres(study_options);
  if (!study) {
    monitor.clear();
    return fail(study.error());
  }
  const Status written =
      write_study(options, monitor, sphere_simplification_csv(*study),
                  [&](const std::string& folder) { return write_pictures(folder, *study); });
  if (!written) return fail(written.error());
  if (options.json) {
    std::cout << json_text(sphere_simplification_json(*study, study_options));
  } else {
    std::cout << sphere_simplification_text(*study, study_options);
  }
  return study::covers_miss_nothing(*study) ? kGood : kBad;
}

}  // namespace clearance::cli
