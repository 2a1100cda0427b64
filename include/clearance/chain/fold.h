// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Monte Carlo over the angles of a chain: a protein that folds and unfolds, a snake robot that
// wanders through its postures. A step turns a few joints by random angles and refuses the result
// when links touch; else the change of energy is summed over the pairs of spheres whose distance
// changed, and the Metropolis rule decides.
//
//   Result<Fold> fold = Fold::start(model, {.energy = FoldEnergy::Go, .seed = 7});
//   for (int i = 0; i < 100'000; ++i) fold->step();
//   const FoldAudit audit = fold->audit();   // everything again, from scratch
//
// Units. Lengths are those of the chain (ångström for proteins). Energies are reduced: the unit is
// that of FoldAtom::depth and of a native contact between two groups, and `temperature` is kT in
// the same unit; 1 makes a contact worth one kT.
//
// The state is the angles, nothing else: each joint is set from its pose at the start and its
// angle, so that nothing drifts over millions of steps. Energies are sums of whole multiples of
// kFoldEnergyQuantum, so that they do not depend on the order of the sum. The same model, options
// and seed give the same states, bit for bit, also across FoldState and back.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/chain.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/chain/protein.h>

namespace clearance {

/// A joint that turns about an axis: phi or psi of a protein, a hinge of a robot. Or one that
/// slides along it, the "angle" being a length in units of the chain.
struct FoldTorsion {
  std::uint32_t joint = 0;
  Vec3 point;      ///< on the axis, in the frame of the link before the joint
  Vec3 unit_axis;  ///< right-handed, in the same frame
  /// The angle from the start may not leave this [rad, or length].
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool slides = false;
};

/// Part of a link that turns about the line through two of its spheres: chi of a side chain. The
/// rotors of a link are listed from the backbone outward; an outer one is carried by the inner.
struct FoldRotor {
  std::uint32_t link = 0;
  std::uint32_t from = 0;  ///< spheres of the link on the axis, which points from `from` to `to`
  std::uint32_t to = 0;
  std::vector<std::uint32_t> moved;  ///< spheres of the link that turn
};

/// What the energy knows of a sphere. Its radius in the chain is the one that may not touch; this
/// one is where neighbours sit at ease.
struct FoldAtom {
  double radius = 1.0;      ///< van der Waals
  double depth = 1.0;       ///< of the Lennard-Jones well with its like
  double mass = 1.0;        ///< weight in the radius of gyration
  std::uint32_t group = 0;  ///< residue: contacts are counted between groups
  bool contact = true;      ///< takes part in native contacts (heavy atoms do)
};

/// A chain and what turns in it. Its joints are those of the start: all angles 0.
struct FoldModel {
  Chain chain;
  std::vector<FoldTorsion> torsions;  ///< at most one a joint
  std::vector<FoldRotor> rotors;
  /// One for each sphere, links in order; may be empty when there is no energy.
  std::vector<FoldAtom> atoms;
  /// Spheres by which conformations are compared (the CA atoms), as indices into `atoms`; all
  /// spheres when empty.
  std::vector<std::uint32_t> markers;
};

/// An error that names the torsion, rotor or atom at fault: an index out of range, two torsions of
/// one joint, an axis that is not a unit vector (a bond of no length), limits that do not hold the
/// start, radii or masses that are not positive, a number of atoms that is not that of the spheres;
/// and those of check(chain).
[[nodiscard]] Status check(const FoldModel& model);

/// A protein with its movable torsions; depths and masses by element. Markers are the CA atoms.
[[nodiscard]] FoldModel fold_model(const Protein& protein);
/// The atoms of `protein` where `native` has them, for FoldOptions::native. An error names the
/// first residue or atom that `native` lacks; residues are matched by their order.
[[nodiscard]] Result<std::vector<Vec3>> native_positions(const Protein& protein,
                                                         const Protein& native);

enum class FoldEnergy : std::uint8_t {
  None,          ///< only clashes count: a walk through the free space
  Soft,          ///< pairs closer than their radii are pushed apart
  LennardJones,  ///< 12-6 for all pairs, cut and shifted to 0 at the cutoff
  Go,            ///< native contacts attract (12-10, shifted), all others are soft
};

struct FoldOptions {
  FoldEnergy energy = FoldEnergy::None;
  double temperature = 1.0;     ///< kT in energy units; 0 takes only steps that do not go up
  std::uint32_t moves = 1;      ///< a step turns 1 to this many angles, each number equally likely
  double largest_angle = 0.1;   ///< each by an angle uniform in ± this [rad]
  double largest_slide = 0.01;  ///< joints that slide by a length uniform in ± this
  double cutoff = 6.0;          ///< pairs of spheres farther apart have no energy
  /// Two spheres are a native contact when their centres are at this or closer in the native state.
  /// Below `cutoff`, else the well has no room.
  double native_distance = 4.5;
  /// And when their groups are this far apart or more along the chain: the contacts of neighbours
  /// are there in any conformation.
  std::uint32_t native_separation = 3;
  /// Centres of all spheres in the native state, in any one frame; the start when empty.
  std::vector<Vec3> native;
  std::uint64_t seed = 1;
  ChainVolume volume = ChainVolume::Wide;
  /// A further reason to refuse a proposed state: an obstacle that is touched. Asked after the
  /// clash test and before the energy; must depend on the state alone.
  std::function<bool(const ChainTree&)> forbidden;
};

/// Energies of pairs are rounded to whole multiples of this (about 1e-9): sums are exact, whatever
/// their order, and far below what temperature can tell apart.
inline constexpr double kFoldEnergyQuantum = 0x1p-30;
/// No pair counts more than this. Bounds the sum: 64 bits hold eight million such pairs.
inline constexpr double kFoldLargestPairEnergy = 1000.0;
/// Stiffness of soft pairs [energy]: k (1 - r/R)² for r below the sum R of the radii.
inline constexpr double kFoldSoftStiffness = 10.0;
/// A native contact counts as formed up to this many times its native distance.
inline constexpr double kFoldContactStretch = 1.2;

enum class FoldOutcome : std::uint8_t {
  Accepted,
  Clashed,    ///< links touch
  Forbidden,  ///< beyond a limit of a torsion, or FoldOptions::forbidden
  Refused,    ///< free, but the Metropolis rule said no
};

struct FoldCounts {
  std::uint64_t steps = 0;
  std::uint64_t accepted = 0;
  std::uint64_t clashed = 0;
  std::uint64_t forbidden = 0;
  std::uint64_t refused = 0;
  bool operator==(const FoldCounts&) const = default;
};
[[nodiscard]] FoldCounts operator-(const FoldCounts& a, const FoldCounts& b);

/// All that a run needs to go on from where it is.
struct FoldState {
  /// Angles from the start, those of the torsions, then those of the rotors [rad]. In [-pi, pi],
  /// except where a torsion has limits or slides.
  std::vector<double> angles;
  std::int64_t energy_quanta = 0;    ///< the maintained energy, in kFoldEnergyQuantum
  std::int64_t contacts = 0;         ///< native contacts formed
  FoldCounts counts;                 ///< counts.steps is also where the random numbers are
  std::vector<LinkPair> remembered;  ///< of ChainMemory, so that the work is the same too
  bool operator==(const FoldState&) const = default;
};

/// Two spheres that overlap.
struct FoldClash {
  std::uint32_t link_a = 0, sphere_a = 0;
  std::uint32_t link_b = 0, sphere_b = 0;
  double overlap = 0.0;  ///< how deep
};

/// What came out when everything was computed again from the angles alone, by code that shares
/// nothing with the tree: rotations through quaternions, one sphere after the other, neighbours
/// found in a grid of cells.
struct FoldAudit {
  double energy = 0.0;        ///< from scratch
  double energy_drift = 0.0;  ///< of the maintained energy, absolute
  std::int64_t contacts = 0;
  bool contacts_agree = true;
  double pose_drift = 0.0;  ///< farthest a sphere is from where the tree has it, absolute
  double extent = 0.0;      ///< of the chain, to judge that
  std::uint64_t pairs = 0;  ///< within the cutoff
  /// Overlaps deeper than what rounding explains: the tree missed them.
  std::vector<FoldClash> clashes;
  /// The links that are not spheres, by a tree built afresh: free as they should be?
  bool free = true;

  /// Drifts within the bounds below, contacts equal, no clash.
  [[nodiscard]] bool good() const;
};
/// Largest drift of the energy that is taken for rounding [energy]. A few hundred pairs whose
/// distance, off in its last digits, rounds to the other quantum; a missed pair costs far more.
inline constexpr double kFoldEnergyDrift = 1e-5;
/// The same for positions, as a fraction of the extent of the chain.
inline constexpr double kFoldPoseDrift = 1e-10;

class Fold {
 public:
  /// Errors: those of check(model); no angle to turn; options out of range; an energy without
  /// atoms, or where links are not spheres; an energy beyond what can be summed; the start clashes
  /// (find_clashes() tells where) or is forbidden.
  static Result<Fold> start(FoldModel model, FoldOptions options);
  Fold(Fold&&) noexcept;
  Fold& operator=(Fold&&) noexcept;
  ~Fold();

  [[nodiscard]] const FoldModel& model() const;
  [[nodiscard]] const FoldOptions& options() const;
  [[nodiscard]] const ChainTree& tree() const;

  /// One step. Cost: a few microseconds when it clashes; else the pairs that changed.
  FoldOutcome step();

  [[nodiscard]] double energy() const;
  /// Native contacts, and how many of them are formed; both 0 when the energy is not Go.
  [[nodiscard]] std::int64_t native_contacts() const;
  [[nodiscard]] std::int64_t formed_contacts() const;
  [[nodiscard]] const FoldCounts& counts() const;
  /// Bounding volume and link tests of all clash tests since start() or restore().
  [[nodiscard]] const ChainWork& work() const;
  /// Clashes that the memory of recent pairs found at once, since start() or restore().
  [[nodiscard]] std::uint64_t remembered_clashes() const;
  /// Centres of all spheres in the frame of link 0. O(N).
  [[nodiscard]] std::vector<Vec3> positions() const;
  /// See FoldAudit. O(N) plus the pairs within the cutoff.
  [[nodiscard]] FoldAudit audit() const;

  [[nodiscard]] FoldState state() const;
  /// Goes to a state of the same model and options. Errors, and nothing changes: wrong numbers of
  /// angles, or not finite; a state that clashes; an energy that is not that of the angles.
  Status restore(const FoldState& state);

 private:
  struct State;
  explicit Fold(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The pairs of spheres that overlap at the start, deepest first; neighbours and ignored pairs left
/// out. Links that are not spheres are left out as well. The model must be sound (check()).
[[nodiscard]] std::vector<FoldClash> find_clashes(const FoldModel& model);

/// Square root of the mean squared distance from the centre of mass; masses 1 when empty.
[[nodiscard]] double radius_of_gyration(std::span<const Vec3> points,
                                        std::span<const FoldAtom> atoms = {});

/// The rigid motion that brings `points` closest to `onto` (least squares over the spheres in
/// `markers`, all when empty; Horn's quaternion), and what distance is left (root mean square).
struct Superposition {
  Pose onto_from_points;
  double rmsd = 0.0;
};
[[nodiscard]] Superposition superpose(std::span<const Vec3> points, std::span<const Vec3> onto,
                                      std::span<const std::uint32_t> markers = {});

/// Where a file stood that grows with the run.
struct FoldFileMark {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< of those bytes, see Checksum
  bool operator==(const FoldFileMark&) const = default;
};

/// FNV-1a, 64 bits: notices damage, not malice.
class Checksum {
 public:
  void add(const void* data, std::size_t size);
  void add(std::string_view text) { add(text.data(), text.size()); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};
/// Of chain, torsions, rotors and atoms: tells models apart.
[[nodiscard]] std::uint64_t checksum_of(const FoldModel& model);

/// A run on disk: JSON with a version and a checksum, doubles as their 64 bits in hexadecimal.
struct FoldCheckpoint {
  /// What must be the same to go on, by name: {"seed", "7"}. In the order in which it is compared.
  std::vector<std::pair<std::string, std::string>> identity;
  FoldState state;
  FoldCounts reported;              ///< counts at the last row of the table
  double worst_energy_drift = 0.0;  ///< of the audits so far
  double worst_pose_drift = 0.0;
  std::uint64_t audits = 0;
  std::vector<std::pair<std::string, FoldFileMark>> files;  ///< by what they are: {"trajectory", …}
  bool operator==(const FoldCheckpoint&) const = default;
};
[[nodiscard]] std::string to_text(const FoldCheckpoint& checkpoint);
/// Whole or not at all.
Status write_checkpoint(const std::string& path, const FoldCheckpoint& checkpoint);
/// Errors name the file: not there, not a checkpoint, another version, damaged.
[[nodiscard]] Result<FoldCheckpoint> read_checkpoint(const std::string& path);
/// An error that names the first thing that is not the same: "is of another seed: 1, not 2".
Status check_identity(const FoldCheckpoint& checkpoint, const std::string& path,
                      std::span<const std::pair<std::string, std::string>> identity);

}  // namespace clearance
