// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bin_picking/readings.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include <clearance/base/random.h>
#include <clearance/query/solid.h>

namespace clearance::study {
namespace {

/// Of the gripper [m]. The paper draws its gripper and gives no sizes; all but this one are the
/// defaults, and this one is the multiple of 5 mm whose shares of feasible, stable and robust
/// grasps are nearest to Table II (least squares); no pile was looked at for it.
constexpr double kFingerLength = 0.105;
/// Of a laser scanner: standard deviation of each vertex along each axis [m].
constexpr double kScanNoise = 0.0002;

constexpr Vec3 kAlong{1.0, 0.0, 0.0};
constexpr Vec3 kAcross{0.0, 1.0, 0.0};
/// The middle of the shank [m].
constexpr double kMiddle = 0.0825;

Grasp grasp_at(const Vec3& at, const Vec3& approach, const Vec3& pinch) {
  Grasp grasp;
  grasp.part_from_gripper = {Mat3::from_columns(pinch, cross(approach, pinch), approach), at};
  grasp.quality = 1.0;
  return grasp;
}

struct NominalSet {
  const char* name;
  std::vector<Grasp> grasps;
};

/// Six grasps each, from either flat side of the part.
std::vector<NominalSet> nominal_sets() {
  std::vector<NominalSet> sets{
      {"three places 15 mm apart in the middle of the shank", {}},
      {"the middle of the shank, tilted by -30, 0 and 30 degrees", {}},
      {"near the centre of mass, tilted by -30, 0 and 30 degrees", {}},
      {"the shank, the small end, the cap of the big end", {}},
      {"the shank, the small end, a side of the big end", {}},
  };
  for (const double side : {-1.0, 1.0}) {
    const Vec3 flat{0.0, 0.0, side};
    for (const double off : {-1.0, 0.0, 1.0}) {
      const double tilt = off * std::numbers::pi / 6.0;
      const Vec3 slanted{std::sin(tilt), 0.0, side * std::cos(tilt)};
      sets[0].grasps.push_back(grasp_at({kMiddle + 0.015 * off, 0.0, 0.0}, flat, kAcross));
      sets[1].grasps.push_back(grasp_at({kMiddle, 0.0, 0.0}, slanted, kAcross));
      sets[2].grasps.push_back(grasp_at({0.06, 0.0, 0.0}, slanted, kAcross));
    }
    for (const std::size_t set : {std::size_t{3}, std::size_t{4}}) {
      sets[set].grasps.push_back(grasp_at({kMiddle, 0.0, 0.0}, flat, kAcross));
      sets[set].grasps.push_back(grasp_at({0.1603, 0.0, 0.0}, flat, kAcross));
    }
    sets[3].grasps.push_back(grasp_at({-0.0315, 0.0, 0.0}, flat, kAlong));
    sets[4].grasps.push_back(grasp_at({0.0, 0.034, 0.0}, flat, kAcross));
  }
  return sets;
}

/// The part as a scanner would have it: every vertex off a little. Nothing where it is no mesh.
Result<Model> scanned(const Model& part, std::uint64_t seed) {
  Random random(seed);
  // The sum of twelve is as good as normal here.
  const auto noise = [&] {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    return kScanNoise * sum;
  };
  std::vector<Vec3> vertices(part.mesh().vertices().begin(), part.mesh().vertices().end());
  for (Vec3& vertex : vertices) {
    const double x = noise();
    const double y = noise();
    vertex += Vec3{x, y, noise()};
  }
  const Result<Mesh> mesh =
      Mesh::make(std::move(vertices),
                 std::vector<Face>(part.mesh().faces().begin(), part.mesh().faces().end()));
  if (!mesh) return mesh.error();
  return Model::build(*mesh);
}

/// Valid picks by pile, as the paper counts them.
class Counter {
 public:
  Counter(const ConRod& rod, std::span<const Pile> piles, const PickOptions& pick, Threads threads)
      : rod_(rod), piles_(piles), pick_(pick), threads_(threads) {}

  [[nodiscard]] Result<std::vector<double>> valid(const Gripper& gripper,
                                                  std::span<const Grasp> grasps) const {
    std::vector<double> counts(piles_.size(), 0.0);
    std::vector<Grasp> usable;
    // A set that is not made for this gripper may hit the part.
    for (const Grasp& grasp : grasps)
      if (!collide(rod_.model, gripper.open(), grasp.part_from_gripper).hit)
        usable.push_back(grasp);
    if (usable.empty()) return counts;
    const Result<Picker> picker = Picker::make(rod_.model, gripper, usable);
    if (!picker) return picker.error();
    std::vector<std::optional<Error>> errors(piles_.size());
    parallel_for(threads_, piles_.size(), [&](std::size_t i) {
      const Result<PickResult> result = picker->evaluate(piles_[i], {}, pick_);
      if (result)
        counts[i] = static_cast<double>(result->valid);
      else
        errors[i] = result.error();
    });
    for (const std::optional<Error>& error : errors)
      if (error) return *error;
    return counts;
  }

 private:
  const ConRod& rod_;
  std::span<const Pile> piles_;
  const PickOptions& pick_;
  Threads threads_;
};

double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// How grasps are made for a reading.
struct Setup {
  const char* choice;
  const char* reading;
  GripperSizes sizes = study_gripper();
  GraspOptions grasps;
  bool is_scanned = false;
};

std::vector<Setup> setups(const BinPickingOptions& options) {
  GraspOptions grasps;
  grasps.step = options.step;
  grasps.quality.friction = options.friction;
  grasps.threads = options.threads;
  grasps.monitor = options.monitor;
  std::vector<Setup> all{{"", "as in the study", study_gripper(), grasps}};
  if (!options.all_readings) return all;
  const auto add = [&](const char* choice, const char* reading, const auto& change) {
    all.push_back({choice, reading, study_gripper(), grasps});
    change(all.back());
  };
  add("grasps", "alpha = 1", [](Setup& s) { s.grasps.alpha = 1.0; });
  add("grasps", "alpha = 4", [](Setup& s) { s.grasps.alpha = 4.0; });
  add("grasps", "friction 0.7", [](Setup& s) { s.grasps.quality.friction = 0.7; });
  add("grasps", "friction 0.5", [](Setup& s) { s.grasps.quality.friction = 0.5; });
  add("grasps", "forces limited for each finger",
      [](Setup& s) { s.grasps.quality.limit = WrenchLimit::Each; });
  add("grasps", "of a scan, 0.2 mm of noise", [](Setup& s) { s.is_scanned = true; });
  add("gripper", "fingers 60 mm long", [](Setup& s) { s.sizes.finger_length = 0.06; });
  add("gripper", "fingers 5 mm thick", [](Setup& s) { s.sizes.finger_thickness = 0.005; });
  add("gripper", "fingers 20 mm thick", [](Setup& s) { s.sizes.finger_thickness = 0.020; });
  add("gripper", "fingers 20 mm wide", [](Setup& s) { s.sizes.finger_width = 0.020; });
  add("gripper", "opens 50 mm", [](Setup& s) { s.sizes.opening = 0.050; });
  return all;
}

}  // namespace

GripperSizes study_gripper() {
  GripperSizes sizes;
  sizes.finger_length = kFingerLength;
  return sizes;
}

SpreadGrasps spread_choice(const GraspSet& set, const Gripper& gripper, std::size_t count) {
  return spread_grasps(set.robust(), count, {mean_radius(set), is_symmetric(gripper)});
}

Result<std::vector<BinPickingReading>> read_otherwise(const ConRod& rod,
                                                      std::span<const Pile> piles,
                                                      const PickOptions& pick,
                                                      const BinPickingOptions& options) {
  const Counter counter(rod, piles, pick, options.threads);
  std::vector<BinPickingReading> readings;
  const auto add = [&](const char* choice, const char* reading, std::span<const double> generated,
                       std::span<const double> nominal, std::span<const double> spread) {
    readings.push_back({choice, reading, mean(generated), mean(nominal),
                        paired_test(generated, nominal), mean(spread),
                        paired_test(spread, nominal)});
  };
  for (const Setup& setup : setups(options)) {
    if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, "", "", "cancelled", ""};
    const Result<Gripper> gripper = Gripper::of_boxes(setup.sizes);
    if (!gripper) return gripper.error();
    Result<Model> part = setup.is_scanned ? scanned(rod.model, options.seed) : rod.model;
    if (!part) return part.error();
    const Result<GraspSet> set = generate_grasps(*part, *gripper, rod.wire_frame, setup.grasps);
    if (!set) return set.error();
    const std::span<const Grasp> robust = set->robust();
    const auto share = static_cast<std::size_t>(static_cast<double>(robust.size()) * options.top);
    const std::size_t used = std::min(std::max<std::size_t>(share, 1), robust.size());
    const Result<std::vector<double>> generated = counter.valid(*gripper, robust.first(used));
    if (!generated) return generated.error();
    std::vector<Grasp> differing;
    for (const std::uint32_t i : spread_choice(*set, *gripper, used).chosen)
      differing.push_back(robust[i]);
    const Result<std::vector<double>> spread = counter.valid(*gripper, differing);
    if (!spread) return spread.error();
    const Result<std::vector<double>> nominal = counter.valid(*gripper, rod.nominal);
    if (!nominal) return nominal.error();
    add(setup.choice, setup.reading, *generated, *nominal, *spread);
    if (readings.size() > 1) continue;
    for (const NominalSet& other : nominal_sets()) {
      const Result<std::vector<double>> counts = counter.valid(*gripper, other.grasps);
      if (!counts) return counts.error();
      add("nominal", other.name, *generated, *counts, *spread);
    }
  }
  return readings;
}

}  // namespace clearance::study
