// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>

#include <clearance/base/random.h>
#include <clearance/chain/fold.h>

#include "chain/fold_audit.h"
#include "chain/fold_energy.h"
#include "chain/fold_moves.h"

namespace clearance {
namespace {

/// Largest sum of magnitudes that a start may have [quanta]: what is left of 64 bits is room for
/// the changes of a run.
constexpr double kLargestStartQuanta = 0x1p60;

Error invalid(std::string place, std::string reason, std::string advice = {}) {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), std::move(advice)};
}

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

Status check_options(const FoldOptions& options, const FoldModel& model) {
  if (!(options.temperature >= 0.0) || !std::isfinite(options.temperature))
    return invalid("temperature", "must be 0 or more");
  if (options.moves == 0) return invalid("moves", "a step turns at least one angle");
  if (!is_positive(options.largest_angle)) return invalid("largest angle", "must be above 0");
  if (!is_positive(options.largest_slide)) return invalid("largest slide", "must be above 0");
  if (options.energy == FoldEnergy::None) return {};
  if (!is_positive(options.cutoff)) return invalid("cutoff", "must be above 0");
  if (model.atoms.empty())
    return invalid("energy", "nothing is known of the spheres", "use the energy none");
  for (std::size_t i = 0; i < model.chain.links.size(); ++i) {
    if (!std::holds_alternative<LinkSpheres>(model.chain.links[i])) {
      return invalid("link " + std::to_string(i), "has no energy: it is not a group of spheres",
                     "use the energy none");
    }
  }
  if (options.energy == FoldEnergy::Go) {
    if (!(options.native_distance > 0.0 && options.native_distance < options.cutoff))
      return invalid("native distance", "must be above 0 and below the cutoff");
    if (!options.native.empty() && options.native.size() != model.atoms.size())
      return invalid("native state", "has another number of spheres than the chain");
  }
  return {};
}

/// The pairs of spheres that are close in the native state, though far apart along the chain.
std::vector<detail::PairEnergy::NativePair> native_pairs(const FoldModel& model,
                                                         const FoldOptions& options,
                                                         const detail::SphereIndex& index) {
  std::vector<detail::PairEnergy::NativePair> pairs;
  if (options.energy != FoldEnergy::Go) return pairs;
  std::vector<Vec3> positions = options.native;
  if (positions.empty()) {
    const std::vector<double> start(model.torsions.size() + model.rotors.size(), 0.0);
    positions = detail::conformation_from_scratch(model, start).centers;
  }
  const detail::TestedPairs tested(model.chain);
  detail::visit_close_points(
      positions, options.native_distance, [&](std::uint32_t a, std::uint32_t b, double distance) {
        const FoldAtom& x = model.atoms[a];
        const FoldAtom& y = model.atoms[b];
        if (x.contact && y.contact && distance > 0.0 &&
            std::max(x.group, y.group) - std::min(x.group, y.group) >= options.native_separation &&
            tested.contains(index.link[a], index.link[b]))
          pairs.push_back({a, b, distance});
      });
  return pairs;
}

}  // namespace

FoldCounts operator-(const FoldCounts& a, const FoldCounts& b) {
  return {a.steps - b.steps, a.accepted - b.accepted, a.clashed - b.clashed,
          a.forbidden - b.forbidden, a.refused - b.refused};
}

struct Fold::State {
  State(FoldModel given_model, FoldOptions given_options, ChainTree built)
      : model(std::move(given_model)),
        options(std::move(given_options)),
        tree(std::move(built)),
        index(model.chain),
        moves(model),
        energy(options.energy, options.cutoff, model.atoms, native_pairs(model, options, index)),
        random(options.seed),
        angles(moves.angle_count(), 0.0) {}

  [[nodiscard]] bool has_energy() const { return options.energy != FoldEnergy::None; }

  /// The sum over all pairs of the proposed state; `magnitude`, when given, that of their sizes.
  [[nodiscard]] detail::FoldTally sum_all(double* magnitude = nullptr) const {
    detail::FoldTally tally;
    if (!has_energy()) return tally;
    tree.sphere_pairs_within(options.cutoff, [&](const ChainTree::SpherePair& pair) {
      detail::FoldTally one;
      add(pair, 1, one);
      tally.quanta += one.quanta;
      tally.contacts += one.contacts;
      if (magnitude != nullptr) *magnitude += std::abs(static_cast<double>(one.quanta));
    });
    return tally;
  }
  void add(const ChainTree::SpherePair& pair, std::int64_t sign, detail::FoldTally& tally) const {
    energy.add(index.first[pair.link_a] + pair.sphere_a, index.first[pair.link_b] + pair.sphere_b,
               pair.center_distance, sign, tally);
  }
  /// What the proposed state has more than the accepted one: only pairs that changed are looked at.
  [[nodiscard]] detail::FoldTally difference() {
    detail::FoldTally tally;
    const auto sum_changed = [&](std::int64_t sign) {
      tree.changed_sphere_pairs_within(
          options.cutoff, [&](const ChainTree::SpherePair& pair) { add(pair, sign, tally); });
    };
    sum_changed(1);
    tree.exchange();
    sum_changed(-1);
    tree.exchange();
    return tally;
  }

  /// Puts `turns` to the tree, and their angles into `angles`.
  void propose() {
    changes.clear();
    links.clear();
    for (detail::FoldTurn& turn : turns) {
      std::swap(angles[turn.index], turn.angle);  // the turn keeps the old angle for undo()
      if (moves.is_torsion(turn.index)) {
        changes.push_back(moves.joint_at(turn.index, angles[turn.index]));
      } else if (const std::uint32_t link = moves.link_of(turn.index);
                 std::find(links.begin(), links.end(), link) == links.end()) {
        links.push_back(link);
      }
    }
    if (!changes.empty()) tree.change(changes);
    for (const std::uint32_t link : links) tree.reshape(link, moves.spheres_at(link, angles));
  }
  void undo() {
    for (const detail::FoldTurn& turn : turns) angles[turn.index] = turn.angle;
    tree.reject();
  }
  /// Puts all angles to the tree; the caller accepts or rejects.
  void propose_all() {
    changes.clear();
    for (std::uint32_t i = 0; i < model.torsions.size(); ++i) {
      changes.push_back(moves.joint_at(i, angles[i]));
      // The joint of the start is kept bit for bit, as a run that never turned it has it.
      if (angles[i] == 0.0) changes.back().pose = model.chain.joints[model.torsions[i].joint];
    }
    tree.change(changes);
    for (const std::uint32_t link : moves.rotor_links())
      tree.reshape(link, moves.spheres_at(link, angles));
  }
  [[nodiscard]] bool metropolis(std::int64_t quanta, Random& numbers) const {
    if (quanta <= 0) return true;
    if (options.temperature == 0.0) return false;
    const double rise = static_cast<double>(quanta) * kFoldEnergyQuantum;
    return numbers.uniform() < std::exp(-rise / options.temperature);
  }

  FoldModel model;
  FoldOptions options;
  ChainTree tree;
  detail::SphereIndex index;
  detail::FoldMoves moves;
  detail::PairEnergy energy;
  Random random;  // step i uses its piece i, so that the number of steps is all its state
  std::vector<double> angles;
  detail::FoldTally maintained;  // the energy of the accepted state
  FoldCounts counts;
  ChainMemory memory;
  ChainWork work;
  std::uint64_t remembered = 0;
  // Scratch of a step.
  std::vector<detail::FoldTurn> turns;
  std::vector<JointChange> changes;
  std::vector<std::uint32_t> links;
};

Fold::Fold(std::unique_ptr<State> state) : state_(std::move(state)) {}
Fold::Fold(Fold&&) noexcept = default;
Fold& Fold::operator=(Fold&&) noexcept = default;
Fold::~Fold() = default;

Result<Fold> Fold::start(FoldModel model, FoldOptions options) {
  if (Status status = check(model); !status) return status.error();
  if (model.torsions.empty() && model.rotors.empty())
    return invalid("", "there is no angle to turn");
  if (Status status = check_options(options, model); !status) return status.error();
  Result<ChainTree> tree = ChainTree::build(model.chain, {options.volume});
  if (!tree) return tree.error();
  auto state = std::make_unique<State>(std::move(model), std::move(options), std::move(*tree));
  if (const ChainCollision hit = state->tree.collide_self(); hit.hit) {
    return invalid("links " + std::to_string(hit.pair.a) + " and " + std::to_string(hit.pair.b),
                   "touch at the start");
  }
  if (state->options.forbidden && state->options.forbidden(state->tree))
    return invalid("", "the start touches an obstacle");
  double magnitude = 0.0;
  state->maintained = state->sum_all(&magnitude);
  if (!(magnitude < kLargestStartQuanta)) {
    return invalid("energy", "is too large to be summed exactly",
                   "shorten the cutoff, or use the energy none");
  }
  return Fold(std::move(state));
}

const FoldModel& Fold::model() const { return state_->model; }
const FoldOptions& Fold::options() const { return state_->options; }
const ChainTree& Fold::tree() const { return state_->tree; }
double Fold::energy() const {
  return static_cast<double>(state_->maintained.quanta) * kFoldEnergyQuantum;
}
std::int64_t Fold::native_contacts() const { return state_->energy.native_count(); }
std::int64_t Fold::formed_contacts() const { return state_->maintained.contacts; }
const FoldCounts& Fold::counts() const { return state_->counts; }
const ChainWork& Fold::work() const { return state_->work; }
std::uint64_t Fold::remembered_clashes() const { return state_->remembered; }

FoldOutcome Fold::step() {
  State& s = *state_;
  Random numbers = s.random.split(s.counts.steps);
  ++s.counts.steps;
  s.moves.draw(numbers, s.options, s.angles, s.turns);
  const bool within_limits = std::all_of(s.turns.begin(), s.turns.end(),
                                         [](const detail::FoldTurn& t) { return t.within_limits; });
  if (!within_limits) {
    ++s.counts.forbidden;
    return FoldOutcome::Forbidden;
  }

  // Cheapest reason to refuse first: touch, then obstacles, then energy.
  s.propose();
  const ChainCollision hit = s.tree.collide_changed(&s.memory);
  s.work.volume_tests += hit.work.volume_tests;
  s.work.link_tests += hit.work.link_tests;
  if (hit.hit) {
    s.undo();
    ++s.counts.clashed;
    s.remembered += hit.remembered ? 1 : 0;
    return FoldOutcome::Clashed;
  }
  if (s.options.forbidden && s.options.forbidden(s.tree)) {
    s.undo();
    ++s.counts.forbidden;
    return FoldOutcome::Forbidden;
  }
  detail::FoldTally difference;
  if (s.has_energy()) difference = s.difference();
  if (!s.metropolis(difference.quanta, numbers)) {
    s.undo();
    ++s.counts.refused;
    return FoldOutcome::Refused;
  }
  s.tree.accept();
  s.maintained.quanta += difference.quanta;
  s.maintained.contacts += difference.contacts;
  ++s.counts.accepted;
  return FoldOutcome::Accepted;
}

std::vector<Vec3> Fold::positions() const {
  const State& s = *state_;
  const std::vector<Pose> poses = s.tree.poses();
  std::vector<Vec3> centers;
  centers.reserve(s.index.link.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (const auto* group = std::get_if<LinkSpheres>(&s.tree.link(i))) {
      for (const Sphere& sphere : *group) centers.push_back(poses[i] * sphere.center);
    }
  }
  return centers;
}

FoldAudit Fold::audit() const {
  const State& s = *state_;
  const detail::Conformation scratch = detail::conformation_from_scratch(s.model, s.angles);
  FoldAudit audit;

  const std::vector<Pose> poses = s.tree.poses();
  const std::vector<Vec3> centers = positions();
  Box bounds;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    bounds.include(poses[i].translation);
    audit.pose_drift =
        std::max(audit.pose_drift, distance(poses[i].translation, scratch.poses[i].translation));
  }
  for (std::size_t i = 0; i < centers.size(); ++i) {
    bounds.include(centers[i]);
    audit.pose_drift = std::max(audit.pose_drift, distance(centers[i], scratch.centers[i]));
  }
  audit.extent = bounds.diagonal();

  if (s.has_energy()) {
    const detail::TestedPairs tested(s.model.chain);
    detail::FoldTally tally;
    detail::visit_close_points(scratch.centers, s.options.cutoff,
                               [&](std::uint32_t a, std::uint32_t b, double gap) {
                                 if (!tested.contains(s.index.link[a], s.index.link[b])) return;
                                 s.energy.add(a, b, gap, 1, tally);
                                 ++audit.pairs;
                               });
    audit.energy = static_cast<double>(tally.quanta) * kFoldEnergyQuantum;
    audit.energy_drift =
        std::abs(static_cast<double>(tally.quanta - s.maintained.quanta)) * kFoldEnergyQuantum;
    audit.contacts = tally.contacts;
    audit.contacts_agree = tally.contacts == s.maintained.contacts;
  }
  audit.clashes =
      detail::overlapping_spheres(s.model.chain, scratch.centers, kFoldPoseDrift * audit.extent);

  const bool only_spheres =
      std::all_of(s.model.chain.links.begin(), s.model.chain.links.end(),
                  [](const LinkShape& link) { return std::holds_alternative<LinkSpheres>(link); });
  if (!only_spheres) {
    Chain chain = s.model.chain;
    for (std::size_t i = 0; i < chain.joints.size(); ++i) chain.joints[i] = s.tree.joint(i);
    for (std::size_t i = 0; i < chain.links.size(); ++i) chain.links[i] = s.tree.link(i);
    const Result<ChainTree> fresh = ChainTree::build(std::move(chain));
    audit.free = fresh.ok() && !fresh->collide_self().hit;
  }
  return audit;
}

FoldState Fold::state() const {
  const State& s = *state_;
  return {s.angles, s.maintained.quanta, s.maintained.contacts, s.counts, s.memory.recent};
}

Status Fold::restore(const FoldState& wanted) {
  State& s = *state_;
  if (wanted.angles.size() != s.angles.size()) {
    return invalid("", "there are " + std::to_string(wanted.angles.size()) +
                           " angles, the chain has " + std::to_string(s.angles.size()));
  }
  for (const double angle : wanted.angles) {
    if (!std::isfinite(angle)) return invalid("", "an angle is not a number");
  }
  for (const LinkPair& pair : wanted.remembered) {
    if (std::max(pair.a, pair.b) >= s.tree.link_count())
      return invalid("", "names a link that does not exist");
  }
  const std::vector<double> before = s.angles;
  s.angles = wanted.angles;
  s.propose_all();
  const detail::FoldTally tally = s.sum_all();
  const double drift =
      std::abs(static_cast<double>(tally.quanta - wanted.energy_quanta)) * kFoldEnergyQuantum;
  const bool clashes = s.tree.collide_self().hit;
  const bool forbidden = s.options.forbidden && s.options.forbidden(s.tree);
  const bool same_energy = drift <= kFoldEnergyDrift && tally.contacts == wanted.contacts;
  if (clashes || forbidden || !same_energy) {
    s.tree.reject();
    s.angles = before;
    if (clashes) return invalid("", "the conformation clashes");
    if (forbidden) return invalid("", "the conformation touches an obstacle");
    return invalid("", "the energy is not that of the conformation");
  }
  s.tree.accept();
  s.maintained = {wanted.energy_quanta, wanted.contacts};
  s.counts = wanted.counts;
  s.memory.recent = wanted.remembered;
  s.work = {};
  s.remembered = 0;
  return {};
}

}  // namespace clearance
