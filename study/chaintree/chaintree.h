// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The study of "Efficient Maintenance and Self-Collision Testing for Kinematic Chains" (Lotan,
// Schwarzer, Halperin, Latombe, SoCG 2002): Figures 7 and 8, time to update and to test a chain
// after a torsion, Table 1, box tests, the worst case of Lemma 7, and beyond the paper the growth
// of the cost to a million links.
//
// The paper's machine is gone and its times are drawn, not printed; what can be compared is which
// method is faster, by how much, and the number of box tests. Its compact chains are described in a
// sentence (chains.h has ours); its proteins are replaced by others of the same length.
//
// The moves of a row are recorded once, with the default tree, and replayed by every method; each
// must give the recorded answer at every step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/chain/chain.h>

#include "chaintree/step_method.h"

namespace clearance::study {

/// The methods compared: chain trees (ours, the paper's, its two extensions), grids (the paper's
/// and two stronger ones), and the paper's trees built anew at each step.
enum class ChainMethod : std::uint8_t {
  ChainTree,
  LooseObb,
  TightObb,
  Rss,
  Grid,
  StrongGrid,
  LazyGrid,
  OneObbTree,
  KObbTree,
};
inline constexpr std::array kChainMethods{
    ChainMethod::ChainTree, ChainMethod::LooseObb,   ChainMethod::TightObb,
    ChainMethod::Rss,       ChainMethod::Grid,       ChainMethod::StrongGrid,
    ChainMethod::LazyGrid,  ChainMethod::OneObbTree, ChainMethod::KObbTree};
/// "chaintree", "loose-obb", ...: in JSON and CSV.
[[nodiscard]] const char* name_of(ChainMethod method);
/// The method on a chain of spheres that is in order and free.
[[nodiscard]] std::unique_ptr<StepMethod> make_method(ChainMethod method, const Chain& chain);

/// What is measured of a method. Times are means per step in microseconds, the cost of looking at
/// the clock taken off.
struct MethodFigures {
  std::uint64_t steps = 0;  ///< replayed: all, or an even sample for the trees built anew
  double update_us = 0.0;   ///< change the joint; keep or undo
  double test_us = 0.0;
  double box_tests = 0.0;     ///< per step; 0 for grids
  double sphere_tests = 0.0;  ///< per step
  std::uint64_t wrong = 0;    ///< answers that differ from the recorded ones

  [[nodiscard]] double total_us() const { return update_us + test_us; }
};

/// Table 1 of the paper for one chain: box tests per step.
struct ChainPaperRow {
  const char* name;  ///< "1,000", "1SHG"
  double chain_tree;
  double k_obb_tree;
};

/// One chain, measured with every method.
struct ChainRow {
  std::string name;  ///< "compact 1,000", "1ckb"
  std::size_t links = 0;
  std::size_t spheres = 0;
  std::optional<ChainPaperRow> paper;  ///< what it stands in for
  std::uint64_t steps = 0;
  std::uint64_t hits = 0;        ///< steps that collided
  double gyration_before = 0.0;  ///< radius of gyration of the spheres' centres
  double gyration_after = 0.0;
  std::array<MethodFigures, kChainMethods.size()> methods;
  std::uint64_t remembered = 0;           ///< hits by a pair of an earlier hit, without a descent
  double box_tests_without_memory = 0.0;  ///< of the default tree, per step
  double bytes_per_link = 0.0;            ///< of the default tree

  [[nodiscard]] const MethodFigures& operator[](ChainMethod method) const {
    return methods[static_cast<std::size_t>(method)];
  }
  /// Total time of a method over that of the default tree.
  [[nodiscard]] double speedup_over(ChainMethod method) const;
};

/// The default tree on the same walk over compact chains of any length. Chains open up on the way,
/// long ones less: so many steps turn a smaller part of their joints. `held` is the same without
/// that: each move starts at the compact chain and is undone, whether it collided or not.
struct GrowthRow {
  std::size_t links = 0;
  std::uint64_t steps = 0;
  double build_ms = 0.0;
  double update_us = 0.0;
  double test_us = 0.0;
  double box_tests = 0.0;
  double hit_fraction = 0.0;
  double bytes_per_link = 0.0;
  double held_us = 0.0;  ///< change, test and undo
  double held_box_tests = 0.0;
  double held_hit_fraction = 0.0;

  [[nodiscard]] double total_us() const { return update_us + test_us; }
};

/// Box tests of a whole self-collision test of the chain of Lemma 7.
struct WorstCaseRow {
  std::size_t d = 0;
  std::size_t links = 0;
  double chain_tree = 0.0;  ///< the default tree: eight boxes a node
  double loose_obb = 0.0;   ///< the paper's
};

struct ChainStudy {
  std::vector<ChainRow> compact;
  std::vector<ChainRow> proteins;
  std::vector<GrowthRow> growth;
  std::vector<WorstCaseRow> worst_case;
};

struct ChainStudyOptions {
  std::uint64_t steps = 20'000;
  /// Trees built anew at each step replay at most this many links x steps, spread evenly.
  std::uint64_t slow_link_steps = 6'000'000;
  std::uint64_t seed = 1;
  /// Short chains and few steps: seconds.
  bool quick = false;
  Monitor* monitor = nullptr;
};

/// A chain to be measured, and the joints that may turn about the x axis of their link (all when
/// empty).
struct ChainSubject {
  std::string name;
  Chain chain;
  std::vector<std::uint32_t> joints;
  std::optional<ChainPaperRow> paper;
};
/// The compact chains of Figure 7.
[[nodiscard]] std::vector<ChainSubject> compact_subjects(const ChainStudyOptions& options);
/// The proteins of Figure 8: from the files named "1ckb.pdb" and so on in `folder` (or its folder
/// "proteins"), generated where there is none or `folder` is empty. Each as its backbone, as in the
/// paper, and with its side chains.
[[nodiscard]] Result<std::vector<ChainSubject>> protein_subjects(const std::string& folder,
                                                                 const ChainStudyOptions& options);
/// A protein file, likewise as backbone and with side chains.
[[nodiscard]] Result<std::vector<ChainSubject>> protein_file_subjects(const std::string& path);

/// Measures a chain with every method. An error when it is not in order, touches itself at the
/// start, or when cancelled.
[[nodiscard]] Result<ChainRow> measure(const ChainSubject& subject,
                                       const ChainStudyOptions& options);
[[nodiscard]] Result<std::vector<GrowthRow>> measure_growth(const ChainStudyOptions& options);
[[nodiscard]] Result<std::vector<WorstCaseRow>> measure_worst_case(
    const ChainStudyOptions& options);

/// The exponent p of y = a x^p that fits best (least squares of logarithms). At least two points.
struct PowerFit {
  double exponent = 0.0;
  double factor = 0.0;
};
[[nodiscard]] PowerFit fit_power(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace clearance::study
