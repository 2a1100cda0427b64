// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps of a chain: change a torsion, test the chain against itself, undo when it touches. Ours is
// the default ChainTree; the rivals are the grids of study/chaintree, written for this comparison.
// All get the same 20,000 moves, recorded once; every answer is compared. A run is the whole
// recording and, as a last step, all joints back to where they were at the start.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "chaintree/chains.h"
#include "chaintree/chaintree.h"
#include "chaintree/claims.h"
#include "chaintree/torsion_walk.h"
#include "harness.h"

namespace clearance::bench {
namespace {

using study::ChainMethod;
using study::ChainSubject;
using study::StepMethod;

constexpr std::uint64_t kSteps = 20'000;

/// A chain and the moves it went through.
struct Scene {
  ChainSubject subject;
  study::Recording recording;
  std::vector<JointChange> back_to_start;
  double box_tests = 0.0;  ///< of the default tree, per step
};

std::shared_ptr<Scene> make_scene(ChainSubject subject) {
  auto scene = std::make_shared<Scene>();
  scene->subject = std::move(subject);
  const Chain& chain = scene->subject.chain;
  const auto recorder = study::make_method(ChainMethod::ChainTree, chain);
  study::TorsionWalk walk(chain, scene->subject.joints, seed());
  scene->recording = study::record(*recorder, walk, kSteps);
  scene->box_tests = static_cast<double>(recorder->work().box_tests) / kSteps;
  std::vector<bool> moved(chain.joints.size(), false);
  for (std::size_t i = 0; i < kSteps; ++i) {
    if (!scene->recording.hits[i]) moved[scene->recording.moves[i].joint] = true;
  }
  for (std::uint32_t j = 0; j < moved.size(); ++j) {
    if (moved[j]) scene->back_to_start.push_back({j, chain.joints[j]});
  }
  return scene;
}

/// One method on a scene, at the start between two runs.
class Player {
 public:
  Player(std::shared_ptr<const Scene> scene, ChainMethod method)
      : scene_(std::move(scene)), method_(study::make_method(method, scene_->subject.chain)) {}

  void run() {
    for (const JointChange& move : scene_->recording.moves) keep(method_->step({&move, 1}));
    keep(method_->step(scene_->back_to_start));
  }
  /// The same, and whether every answer was the recorded one.
  [[nodiscard]] bool answers_equal() {
    for (std::size_t i = 0; i < kSteps; ++i) {
      if (method_->step({&scene_->recording.moves[i], 1}) != scene_->recording.hits[i])
        return false;
    }
    return !method_->step(scene_->back_to_start);
  }

 private:
  std::shared_ptr<const Scene> scene_;
  std::unique_ptr<StepMethod> method_;
};

Row make_row(const std::shared_ptr<Scene>& scene, ChainMethod rival, std::optional<double> bar) {
  auto ours = std::make_shared<Player>(scene, ChainMethod::ChainTree);
  auto theirs = std::make_shared<Player>(scene, rival);
  return Row{.rival = study::name_of(rival),
             .ours = [=] { ours->run(); },
             .theirs = [=] { theirs->run(); },
             .equal = [=] { return ours->answers_equal() && theirs->answers_equal(); },
             .bar = bar,
             .items = kSteps};
}

/// Scenes are shared by the rows about them.
const std::shared_ptr<Scene>& compact_scene(std::size_t links) {
  static std::map<std::size_t, std::shared_ptr<Scene>> scenes;
  std::shared_ptr<Scene>& scene = scenes[links];
  if (!scene) scene = make_scene({"compact", study::compact_chain(links, seed()), {}, {}});
  return scene;
}

std::string data_path(const std::string& file) {
  const char* named = std::getenv("CLEARANCE_DATA");
  return std::string(named != nullptr ? named : CLEARANCE_BESIDE_SOURCE "/shared/data") + "/" +
         file;
}

/// The backbone or the whole of a protein: a file's, or where there is none, generated helices.
std::shared_ptr<Scene> protein_scene(const std::string& path, bool whole) {
  std::vector<ChainSubject> subjects;
  if (path.empty()) {
    // The last two are the longest.
    subjects = study::protein_subjects("", {}).value();
    subjects.erase(subjects.begin(), subjects.end() - 2);
  } else {
    subjects = study::protein_file_subjects(path).value();
  }
  return make_scene(std::move(subjects[whole ? 1 : 0]));
}

// Compact chains: Grid is the paper's, the others are stronger.
const RowEntry kGrid1000{"chain/compact_1000/grid",
                         [] { return make_row(compact_scene(1'000), ChainMethod::Grid, 25.0); }};
const RowEntry kStrong1000{"chain/compact_1000/strong-grid", [] {
                             return make_row(compact_scene(1'000), ChainMethod::StrongGrid, {});
                           }};
const RowEntry kGrid10000{"chain/compact_10000/grid",
                          [] { return make_row(compact_scene(10'000), ChainMethod::Grid, 100.0); }};
const RowEntry kStrong10000{"chain/compact_10000/strong-grid", [] {
                              return make_row(compact_scene(10'000), ChainMethod::StrongGrid, 20.0);
                            }};
const RowEntry kLazy10000{"chain/compact_10000/lazy-grid", [] {
                            return make_row(compact_scene(10'000), ChainMethod::LazyGrid, {});
                          }};

/// Monte Carlo steps with the clash check only, proteins of about 650 residues.
struct ProteinRows {
  ProteinRows() {
    constexpr double kBar = 10.0;
    add("helices_647", "", kBar);
    for (const char* name : {"7ddo", "af_q9y223"}) {
      const std::string path = data_path(std::string("proteins/") + name + ".pdb");
      std::error_code error;
      if (std::filesystem::is_regular_file(path, error)) add(name, path, kBar);
    }
  }

 private:
  static void add(const std::string& name, const std::string& path, double bar) {
    for (const bool whole : {false, true}) {
      const RowEntry entry("chain/protein_" + name + (whole ? "_whole" : "") + "/grid", [=] {
        return make_row(protein_scene(path, whole), ChainMethod::Grid, bar);
      });
    }
  }
};
const ProteinRows kProteinRows;

// Box tests per step: at most those of the paper's Table 1.
Figure box_tests(std::size_t links, double paper) {
  return {.value = compact_scene(links)->box_tests, .unit = "tests", .at_most = paper};
}
const FigureEntry kBoxes1000{"chain/box_tests_1000", [] { return box_tests(1'000, 703); }};
const FigureEntry kBoxes2500{"chain/box_tests_2500", [] { return box_tests(2'500, 715); }};
const FigureEntry kBoxes5000{"chain/box_tests_5000", [] { return box_tests(5'000, 905); }};
const FigureEntry kBoxes10000{"chain/box_tests_10000", [] { return box_tests(10'000, 964); }};

/// Chains of 1,000 to 1,000,000 links, measured once for the figures about them.
const std::vector<study::GrowthRow>& growth() {
  static const std::vector<study::GrowthRow> rows = [] {
    study::ChainStudyOptions options;
    options.seed = seed();
    return study::measure_growth(options).value();
  }();
  return rows;
}
const FigureEntry kUpdateGrowth{
    "chain/update_1e6_over_1e3", [] {
      return Figure{.value = growth().back().update_us / growth().front().update_us,
                    .unit = "x",
                    .at_most = 3.0};
    }};
const FigureEntry kStepGrowth{
    "chain/step_growth_exponent", [] {
      return Figure{.value = study::fit(growth()).step.exponent, .unit = "of N", .at_most = 0.35};
    }};
// The same for chains that are kept compact: no step is.
const FigureEntry kHeldGrowth{
    "chain/held_growth_exponent", [] {
      return Figure{.value = study::fit(growth()).held.exponent, .unit = "of N", .at_most = 0.35};
    }};
const FigureEntry kMemory{"chain/bytes_per_link", [] {
                            double most = 0.0;
                            for (const study::GrowthRow& row : growth())
                              most = std::max(most, row.bytes_per_link);
                            return Figure{.value = most, .unit = "bytes", .at_most = 400.0};
                          }};

}  // namespace
}  // namespace clearance::bench
