// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The study of "Construction of Bounding Volume Hierarchies for Triangle Meshes with Mixed Face
// Sizes" (Li, Shellshear, Bohlin, Carlson): Table II, total area and volume of all bounding
// volumes, and Table IV, build times, measured on other meshes and set beside the paper's figures.
//
// The paper's meshes are not public. Generated stand-ins of the same triangle counts and a like mix
// of sizes take their place, so its numbers cannot be met; what can be compared is the order of the
// fitters. The work of distance queries is counted beside them, which is what planning time is made
// of; planning.h measures Table III, the planning times themselves.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/mesh/mesh.h>

namespace clearance::study {

/// The trees compared: three fitters with rectangle swept spheres, and ours.
inline constexpr std::array kTrees{"pqp", "rapid2", "inertia", "wide"};
inline constexpr std::size_t kFitterCount = 3;  ///< the first ones are the paper's
inline constexpr std::size_t kPqp = 0;
inline constexpr std::size_t kRapid2 = 1;
inline constexpr std::size_t kInertia = 2;
inline constexpr std::size_t kWide = 3;
/// How the tree of that place in kTrees is built.
[[nodiscard]] BvhOptions tree_options(std::size_t tree);

/// What is measured of a tree.
struct TreeFigures {
  double area = 0.0;      ///< of all bounding volumes [m²]
  double volume = 0.0;    ///< of all bounding volumes [m³]
  double build_ms = 0.0;  ///< the least of all repetitions [ms]
  std::size_t nodes = 0;  ///< bounding volumes
  std::size_t depth = 0;
  double volume_tests = 0.0;    ///< pairs of volumes tested in a distance query, mean
  double triangle_tests = 0.0;  ///< pairs of triangles tested in a distance query, mean
};

/// A row of the paper's tables, by fitter in the order of kTrees.
struct PaperRow {
  const char* name;       ///< "Air Cleaner Subassembly, body"
  const char* generator;  ///< name of the stand-in
  bool body;              ///< the movable body, or the obstacles
  std::size_t triangles;
  std::array<double, kFitterCount> area;
  std::array<double, kFitterCount> volume;
  std::array<double, kFitterCount> build_ms;
};
[[nodiscard]] const std::array<PaperRow, 6>& paper_rows();

/// One mesh, measured.
struct StudyRow {
  std::string name;
  std::size_t triangles = 0;
  const PaperRow* paper = nullptr;  ///< null for meshes that are not in the paper
  std::array<TreeFigures, kTrees.size()> trees;
};

struct StudyOptions {
  Threads threads{1};   ///< for building; the paper does not say what it used
  int repetitions = 1;  ///< builds of each tree, of which the fastest counts
  /// Distance queries whose work is counted: the mesh against itself, turned at random and moved
  /// until a gap of 1 % of its diagonal is left along a random direction. The poses are seeded.
  int queries = 20;
  /// Stand-ins at their least triangle counts instead of the paper's.
  bool quick = false;
  Monitor* monitor = nullptr;
};

/// The stand-in for a row of the paper.
[[nodiscard]] Result<Mesh> stand_in(const PaperRow& row, bool quick);
/// Builds every tree of kTrees over a mesh and asks it. Cancelled between trees.
[[nodiscard]] Result<StudyRow> measure(const std::string& name, const Mesh& mesh,
                                       const PaperRow* paper, const StudyOptions& options);

/// The fitters from least to greatest value: {2, 0, 1} is inertia < pqp < rapid2.
using Order = std::array<std::size_t, kFitterCount>;
[[nodiscard]] Order order_of(const std::array<double, kFitterCount>& values);
/// "inertia < pqp < rapid2"
[[nodiscard]] std::string words_of(const Order& order);

/// One measure of the fitters of one row against the paper's.
struct Ranking {
  std::string measure;  ///< "area", "volume" or "build time"
  Order ours;
  std::optional<Order> paper;
  bool inertia_below_pqp = false;  ///< here
  /// All three in the paper's order; for meshes that are not in the paper, inertia below pqp (above
  /// it in build time), which is what the paper concludes.
  bool holds = false;
};
[[nodiscard]] std::array<Ranking, 3> rankings_of(const StudyRow& row);
/// Whether the paper's ranking holds for a row, in a sentence or two.
[[nodiscard]] std::string verdict(const StudyRow& row);
/// The same over all rows, in a few sentences.
[[nodiscard]] std::string conclusion(const std::vector<StudyRow>& rows);

}  // namespace clearance::study
