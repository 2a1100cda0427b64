// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The study of "Bounding Sphere CAD Model Simplification for Efficient Collision Detection in
// Offline Programming" (Visser, Pan, van Duin): Figure 3, what external spheres leave of a pipe;
// Figures 6 to 8, error, coverage and excess over the number of spheres; the models of Figures 4,
// 5 and 9; and models without filling beside those of other programs. Table I, a robot program
// checked on each representation, is in weld_program.h.
//
// The paper gives the bore of its pipe (40 mm) and no other size. Its +145 % of volume means 52 mm
// outside; 200 mm long is our choice, and so is the three-pipe section.
//
// "Error" is that of simplify.h for every method: the spheres as delivered hold the kept volume, by
// proof, and stick out of it by no more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/mesh/mesh.h>
#include <clearance/simplify/simplify.h>
#include <clearance/simplify/sphere_robot.h>

#include "sphere_simplification/weld_program.h"

namespace clearance::study {

/// Figure 3: what external spheres of a diameter cannot reach, of the box around the pipe.
struct ExternalSizeRow {
  double diameter = 0.0;  ///< [m]
  double kept = 0.0;      ///< fraction of the box
};

/// Figures 6 to 8: a model of the pipe with so many spheres. Packing and Paper: before they are
/// grown by the error.
struct SphereCountRow {
  SimplifyMethod method = SimplifyMethod::Cover;
  std::size_t spheres = 0;
  double error = 0.0;    ///< farthest a point of the kept volume is from them; Cover: proven [m]
  double covered = 0.0;  ///< of the volume of the pipe (volume_samples.h)
  double outside = 0.0;  ///< volume of the spheres outside of the pipe, of that of the pipe
};

/// A finished model.
struct SphereModelRow {
  std::string subject;  ///< "pipe", "three pipes, 52 mm", "IRB 4400, collision meshes"
  SimplifyMethod method = SimplifyMethod::Cover;
  bool filled = false;  ///< with external spheres
  std::size_t triangles = 0;
  std::size_t spheres = 0;
  double error = 0.0;    ///< proven [m]
  double wanted = 0.0;   ///< error asked for [m]; 0: by number
  bool covered = false;  ///< by proof
  double seconds = 0.0;
  std::size_t paper = 0;  ///< spheres in the paper; 0: not there, or not at this error
};

/// A model of the hollow pipe of 60 mm without filling, beside what other programs made of it with
/// as many spheres. Theirs were measured once, with foam and MorphIt, on the same mesh.
struct RivalRow {
  std::size_t spheres = 0;
  double hubbard = 0.0;  ///< largest outward excess [m]; covers
  double medial = 0.0;   ///< leaves up to 1.6 mm uncovered
  double morphit = 0.0;  ///< leaves up to 5 mm uncovered
};
[[nodiscard]] const std::array<RivalRow, 4>& rival_rows();

/// What there is to measure. Each part takes from seconds to many minutes.
struct SphereStudyParts {
  bool pipe = true;      ///< Figures 3, 4 and 6 to 8
  bool unfilled = true;  ///< a pipe without filling, beside other programs; not with `quick`
  bool robot = true;     ///< Figure 5
  bool program = true;   ///< Table I and the models it checks; measures the robot as well
  bool visual = true;    ///< Figure 5 on the visual meshes, where there are any; not with `quick`
};

/// What was not asked for is empty.
struct SphereStudy {
  std::vector<ExternalSizeRow> external;
  std::vector<SphereCountRow> counts;  ///< by method, ascending
  std::vector<SphereModelRow> models;
  std::optional<SphereRobotResult> robot;  ///< of Figure 5, for the picture
  std::vector<Sphere> pipe;                ///< of Figure 4, ours
  std::vector<Sphere> pipe_paper;          ///< by the paper's algorithm, not grown
  std::vector<Sphere> pipe_packed;         ///< sphere packing, not grown
  std::optional<WeldScene> scene;          ///< of Table I,
  std::vector<Sphere> section;             ///< its section of three pipes, ours,
  std::vector<Sphere> section_paper;       ///< by the paper's algorithm, not grown,
  std::vector<Sphere> torch;               ///< and its torch
  WeldProgramResult program;               ///< Table I; no rows: not measured
};

struct SphereStudyOptions {
  /// Folder with robots/abb_irb4400_support; empty or not there: a generated robot takes its place.
  std::string data;
  std::uint64_t seed = 1;
  bool quick = false;  ///< coarse errors, few checks: a minute at most
  SphereStudyParts parts{};
  Threads threads;
  Monitor* monitor = nullptr;
};

/// Errors: cancelled; a robot that cannot be read.
[[nodiscard]] Result<SphereStudy> measure_spheres(const SphereStudyOptions& options);

/// The pipe of the paper.
[[nodiscard]] Result<Mesh> study_pipe();

}  // namespace clearance::study
