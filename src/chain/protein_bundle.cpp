// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A made-up protein: helices up and down on a hexagonal lattice, in serpentine order, each joined
// to the next by a loop. The helices are ideal; the angles of a loop are searched for until the
// next helix stands on its place and nothing overlaps. Side chains come last, each in a rotamer
// that has room, or as a smaller residue when none has.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <clearance/base/assert.h>
#include <clearance/base/random.h>
#include <clearance/chain/protein.h>

#include "chain/protein_build.h"
#include "chain/protein_geometry.h"
#include "chain/protein_residues.h"

namespace clearance {
namespace {

using detail::FileAtom;
using detail::FileResidue;
using detail::place_atom;
using detail::radians;
using detail::SideChainAtom;

// The usual lengths [Å] and angles of the backbone (Engh and Huber 1991, rounded).
constexpr double kNToCa = 1.458;
constexpr double kCaToC = 1.525;
constexpr double kCToN = 1.329;
constexpr double kCToO = 1.231;
constexpr double kAngleAtCa = radians(111.0);
constexpr double kAngleAtC = radians(116.8);
constexpr double kAngleAtN = radians(121.7);
constexpr double kAngleToO = radians(120.2);
constexpr double kTrans = radians(180.0);

struct PhiPsi {
  double phi;
  double psi;
};
constexpr PhiPsi kHelix{radians(-60.0), radians(-45.0)};
constexpr double kRisePerResidue = 1.5;  // [Å], of that helix

/// Where the angles of a loop start: the populated regions of the Ramachandran plot. Right-handed
/// turn, strand, polyproline, left-handed turn (for glycine).
constexpr std::array<PhiPsi, 4> kLoopRegions{{{radians(-65), radians(-35)},
                                              {radians(-115), radians(130)},
                                              {radians(-70), radians(145)},
                                              {radians(60), radians(40)}}};
constexpr double kLoopSpread = radians(25.0);

/// Residues in a loop at first; more when the search fails.
constexpr std::uint32_t kLoopLength = 5;
/// Fewest residues in a helix: two turns.
constexpr std::uint32_t kShortestHelix = 8;
/// Distance of neighbouring helices [Å]: that of real bundles; wider when side chains or loops find
/// no room.
constexpr double kSpacing = 10.0;
constexpr double kSpacingStep = 1.0;
constexpr int kSpacings = 6;
/// How far the ends of a helix may be off their places [Å].
constexpr double kPlaceTolerance = 1.5;
/// Radii are multiplied with this while building: more than kClashFactor, so that the result has
/// room to move.
constexpr double kRoom = 0.8;

// ---- Overlaps while building --------------------------------------------------------------------

/// Atoms in cells, the last ones removable.
class AtomGrid {
 public:
  struct Entry {
    Vec3 position;
    double radius;
    std::uint32_t link;
  };

  [[nodiscard]] bool has_room(const Entry& atom) const {
    const std::array<std::int32_t, 3> c = cell(atom.position);
    for (std::int32_t x = c[0] - 1; x <= c[0] + 1; ++x) {
      for (std::int32_t y = c[1] - 1; y <= c[1] + 1; ++y) {
        for (std::int32_t z = c[2] - 1; z <= c[2] + 1; ++z) {
          const auto found = cells_.find(key({x, y, z}));
          if (found == cells_.end()) continue;
          for (const std::uint32_t i : found->second) {
            if (overlap(atom, entries_[i])) return false;
          }
        }
      }
    }
    return true;
  }

  void add(const Entry& atom) {
    cells_[key(cell(atom.position))].push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.push_back(atom);
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void shrink(std::size_t size) {
    for (; entries_.size() > size; entries_.pop_back()) {
      cells_[key(cell(entries_.back().position))].pop_back();
    }
  }

 private:
  /// At least the largest sum of two radii (sulfur, 1.8 Å) times kRoom.
  static constexpr double kCell = 3.0;

  static std::array<std::int32_t, 3> cell(const Vec3& p) {
    return {static_cast<std::int32_t>(std::floor(p.x / kCell)),
            static_cast<std::int32_t>(std::floor(p.y / kCell)),
            static_cast<std::int32_t>(std::floor(p.z / kCell))};
  }
  static std::uint64_t key(const std::array<std::int32_t, 3>& c) {
    // 21 bits each: cells of a protein are a few thousand wide at most.
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 21) - 1;
    std::uint64_t k = 0;
    for (const std::int32_t i : c) k = k << 21 | (static_cast<std::uint64_t>(i) & kMask);
    return k;
  }
  static bool overlap(const Entry& a, const Entry& b) {
    const std::uint32_t apart = a.link < b.link ? b.link - a.link : a.link - b.link;
    if (apart <= kProteinNeighbours) return false;
    const double reach = kRoom * (a.radius + b.radius);
    return squared_norm(a.position - b.position) <= reach * reach;
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

// ---- Backbone -----------------------------------------------------------------------------------

struct Backbone {
  Vec3 n, ca, c;
};

/// The residue behind `before`, which has this psi.
Backbone next_residue(const Backbone& before, double psi, double phi) {
  Backbone next;
  next.n = place_atom(before.n, before.ca, before.c, kCToN, kAngleAtC, psi);
  next.ca = place_atom(before.ca, before.c, next.n, kNToCa, kAngleAtN, kTrans);
  next.c = place_atom(before.c, next.n, next.ca, kCaToC, kAngleAtCa, phi);
  return next;
}

/// A first residue: N at the origin, CA on the x axis, C at y > 0: its frame_of() is the identity.
Backbone first_residue() {
  const Vec3 ca{kNToCa, 0, 0};
  return {{}, ca, place_atom({0, 1, 0}, {}, ca, kCaToC, kAngleAtCa, 0.0)};
}

Vec3 oxygen_of(const Backbone& residue, double psi) {
  return place_atom(residue.n, residue.ca, residue.c, kCToO, kAngleToO, psi + kTrans);
}

/// The frame of a residue: N at the origin, CA along x.
Pose frame_of(const Backbone& residue) {
  const Vec3 x = normalized(residue.ca - residue.n);
  const Vec3 z = normalized(cross(x, residue.c - residue.ca));
  return {Mat3::from_columns(x, cross(z, x), z), residue.n};
}

/// Where the axis of a helix starts and ends, beside its first and last CA.
struct Axis {
  Vec3 start, end;
};

/// The axis of an ideal helix that begins with first_residue(), in the frame of that residue.
Axis helix_axis(std::uint32_t length) {
  // Three steps of CA give direction, pitch and radius: the second differences point inwards.
  std::array<Vec3, 4> ca;
  Backbone residue = first_residue();
  const Pose frame = frame_of(residue);
  ca[0] = residue.ca;
  for (std::size_t i = 1; i < ca.size(); ++i) {
    residue = next_residue(residue, kHelix.psi, kHelix.phi);
    ca[i] = residue.ca;
  }
  const Vec3 inward_1 = normalized(ca[0] + ca[2] - 2.0 * ca[1]);
  const Vec3 inward_2 = normalized(ca[1] + ca[3] - 2.0 * ca[2]);
  Vec3 direction = normalized(cross(inward_1, inward_2));
  if (dot(direction, ca[3] - ca[0]) < 0.0) direction = -direction;
  const double rise = dot(direction, ca[2] - ca[1]);
  const double half_turn = 0.5 * std::acos(std::clamp(dot(inward_1, inward_2), -1.0, 1.0));
  const double radius = norm(ca[2] - ca[1] - rise * direction) / (2.0 * std::sin(half_turn));
  const Vec3 start = ca[1] + radius * inward_1 - rise * direction;
  const Vec3 end = start + (length - 1) * rise * direction;
  const Pose local = inverse(frame);
  return {local * start, local * end};
}

/// How many residues each helix has, and where the helices stand.
struct Layout {
  std::vector<std::uint32_t> helices;
  std::uint32_t loop = kLoopLength;
};

/// As many helices as make the bundle about as wide as it is high.
Layout layout_of(std::uint32_t residues) {
  std::uint32_t best = 1;
  double best_difference = std::numeric_limits<double>::infinity();
  for (std::uint32_t count = 1;; ++count) {
    const std::uint32_t loops = (count - 1) * kLoopLength;
    if (count > 1 && residues < loops + count * kShortestHelix) break;
    const double height = kRisePerResidue * (residues - loops) / count;
    // A helix covers a hexagon: sin 60° of a square.
    const double width = kSpacing * std::sqrt(0.866 * count);
    if (const double difference = std::abs(height - width); difference < best_difference) {
      best_difference = difference, best = count;
    }
  }
  const std::uint32_t in_helices = residues - (best - 1) * kLoopLength;
  Layout layout;
  for (std::uint32_t i = 0; i < best; ++i) {
    layout.helices.push_back(in_helices / best + (i < in_helices % best ? 1 : 0));
  }
  return layout;
}

/// The place of helix i: lattice points row by row, every other row backwards, every other helix
/// down.
Axis place_of(std::uint32_t i, const Layout& layout, double spacing) {
  const auto count = static_cast<double>(layout.helices.size());
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(0.866 * count)));
  const std::uint32_t row = i / columns;
  std::uint32_t column = i % columns;
  if (row % 2 == 1) column = columns - 1 - column;
  const double x = spacing * (column + (row % 2 == 1 ? 0.5 : 0.0));
  const double y = spacing * 0.866 * row;
  const double height = kRisePerResidue * (layout.helices[i] - 1);
  const Axis up{{x, y, 0}, {x, y, height}};
  return i % 2 == 0 ? up : Axis{up.end, up.start};
}

class BundleBuilder {
 public:
  BundleBuilder(Layout layout, Random random, double spacing)
      : layout_(std::move(layout)), random_(random), spacing_(spacing) {}

  /// Nothing when a loop was not found.
  std::optional<std::vector<FileResidue>> run() {
    start();
    for (std::uint32_t i = 1; i < layout_.helices.size(); ++i) {
      if (!add_loop_and_helix(i)) return std::nullopt;
    }
    std::vector<FileResidue> residues;
    for (std::uint32_t r = 0; r < backbone_.size(); ++r) residues.push_back(dress(r));
    return residues;
  }

 private:
  /// The first helix, on its place.
  void start() {
    const Axis local = helix_axis(layout_.helices[0]);
    const Axis place = place_of(0, layout_, spacing_);
    Backbone first = first_residue();
    if (layout_.helices[0] > 1) {
      const Vec3 from = normalized(local.end - local.start);
      const Vec3 to = normalized(place.end - place.start);
      // Any turn that takes one direction to the other will do.
      const Vec3 half = normalized(from + to);
      const Vec3 axis = half == Vec3{} ? any_perpendicular(from) : half;
      const Mat3 turn = rotation_about(axis, kTrans);
      const Vec3 shift = place.start - turn * local.start;
      // frame_of(first_residue()) is the identity.
      first = {turn * first.n + shift, turn * first.ca + shift, turn * first.c + shift};
    }
    extend_helix(first, layout_.helices[0]);
    for (std::uint32_t r = 0; r < backbone_.size(); ++r) occupy(r);
  }

  void extend_helix(const Backbone& first, std::uint32_t length) {
    backbone_.push_back(first);
    for (std::uint32_t i = 1; i < length; ++i) {
      psi_.push_back(kHelix.psi);
      backbone_.push_back(next_residue(backbone_.back(), kHelix.psi, kHelix.phi));
    }
    psi_.push_back(kHelix.psi);
    is_loop_.resize(backbone_.size(), false);
  }

  static constexpr std::uint32_t kAtomsPerResidue = 4;

  /// N, CA, C and O of a residue go into the grid; false when one has no room.
  bool occupy(std::uint32_t r) {
    const Backbone& b = backbone_[r];
    const std::array<AtomGrid::Entry, kAtomsPerResidue> atoms{
        {{b.n, detail::van_der_waals_radius("N"), n_link(r)},
         {b.ca, detail::van_der_waals_radius("C"), ca_link(r)},
         {b.c, detail::van_der_waals_radius("C"), c_link(r)},
         {oxygen_of(b, psi_[r]), detail::van_der_waals_radius("O"), c_link(r)}}};
    bool room = true;
    for (const AtomGrid::Entry& atom : atoms) {
      room = room && grid_.has_room(atom);
      grid_.add(atom);
    }
    return room;
  }

  /// Where the frame of the first residue of the next helix is, with these angles: psi of the last
  /// residue, phi and psi of each of the loop.
  [[nodiscard]] Backbone after_loop(std::span<const double> angles) const {
    Backbone residue = backbone_.back();
    for (std::size_t i = 0; i + 1 < angles.size(); i += 2) {
      residue = next_residue(residue, angles[i], angles[i + 1]);
    }
    return next_residue(residue, angles.back(), kHelix.phi);
  }

  /// Squared distances of the two ends of the axis from their places: smooth, unlike their maximum.
  static double miss(const Backbone& first, const Axis& local, const Axis& place) {
    const Pose frame = frame_of(first);
    return squared_norm(frame * local.start - place.start) +
           squared_norm(frame * local.end - place.end);
  }

  bool add_loop_and_helix(std::uint32_t i) {
    const Axis local = helix_axis(layout_.helices[i]);
    const Axis place = place_of(i, layout_, spacing_);
    constexpr int kSearches = 200;
    constexpr int kStarts = 100;
    for (int search = 0; search < kSearches; ++search) {
      // The best of many random starts, improved one angle after the other by shrinking steps. Long
      // helices are long levers: the last steps are small.
      std::vector<double> angles;
      double best = std::numeric_limits<double>::infinity();
      for (int start = 0; start < kStarts; ++start) {
        const std::vector<double> drawn = start_angles();
        const double now = miss(after_loop(drawn), local, place);
        if (now < best) best = now, angles = drawn;
      }
      constexpr double kFirstStep = radians(8.0);
      constexpr double kLastStep = radians(0.05);
      constexpr double kGoal = kPlaceTolerance * kPlaceTolerance;
      for (double step = kFirstStep; step > kLastStep && best > kGoal;) {
        bool better = false;
        for (double& angle : angles) {
          for (const double change : {step, -step}) {
            const double old = std::exchange(angle, angle + change);
            const double now = miss(after_loop(angles), local, place);
            if (now < best) {
              best = now, better = true;
              break;
            }
            angle = old;
          }
        }
        if (!better) step *= 0.5;
      }
      if (best <= kGoal && accept(angles, layout_.helices[i])) return true;
    }
    return false;
  }

  std::vector<double> start_angles() {
    std::vector<double> angles{kHelix.psi + random_.uniform(-kLoopSpread, kLoopSpread)};
    for (std::uint32_t i = 0; i < layout_.loop; ++i) {
      const PhiPsi& region = kLoopRegions[random_.below(kLoopRegions.size())];
      angles.push_back(region.phi + random_.uniform(-kLoopSpread, kLoopSpread));
      angles.push_back(region.psi + random_.uniform(-kLoopSpread, kLoopSpread));
    }
    return angles;
  }

  /// Builds loop and helix; takes them back when something has no room.
  bool accept(std::span<const double> angles, std::uint32_t length) {
    const std::size_t residues_before = backbone_.size();
    // The psi of the last residue changes, and with it its oxygen.
    const std::size_t atoms_before = grid_.size();
    const double psi_before = psi_.back();
    for (std::size_t i = 0; i + 1 < angles.size(); i += 2) {
      psi_.back() = angles[i];
      backbone_.push_back(next_residue(backbone_.back(), angles[i], angles[i + 1]));
      psi_.push_back(0.0);
    }
    is_loop_.resize(backbone_.size(), true);
    psi_.back() = angles.back();
    extend_helix(next_residue(backbone_.back(), angles.back(), kHelix.phi), length);

    grid_.shrink(atoms_before - kAtomsPerResidue);
    bool room = true;
    for (auto r = static_cast<std::uint32_t>(residues_before - 1); r < backbone_.size(); ++r) {
      room = room && occupy(r);
      if (!room) break;
    }
    if (room) return true;
    backbone_.resize(residues_before);
    psi_.resize(residues_before);
    psi_.back() = psi_before;
    is_loop_.resize(residues_before);
    grid_.shrink(atoms_before - kAtomsPerResidue);
    occupy(static_cast<std::uint32_t>(residues_before - 1));
    return false;
  }

  /// The residue with a side chain that has room. Glycine always has.
  FileResidue dress(std::uint32_t r) {
    // What helices and loops are mostly made of; then ever smaller ones.
    constexpr std::array<std::string_view, 18> kInHelix{"ALA", "LEU", "GLU", "LYS", "ARG", "GLN",
                                                        "MET", "ILE", "LEU", "PHE", "TYR", "VAL",
                                                        "TRP", "ASP", "THR", "HIS", "CYS", "GLU"};
    constexpr std::array<std::string_view, 6> kInLoop{"GLY", "SER", "ASN", "ASP", "THR", "GLY"};
    const std::string_view wished = is_loop_[r] ? kInLoop[random_.below(kInLoop.size())]
                                                : kInHelix[random_.below(kInHelix.size())];
    const Backbone& b = backbone_[r];
    FileResidue residue;
    residue.number = static_cast<int>(r + 1);
    residue.kind = detail::ResidueClass::AminoAcid;
    residue.atoms = {{"N", "N", '\0', 1.0, b.n},
                     {"CA", "C", '\0', 1.0, b.ca},
                     {"C", "C", '\0', 1.0, b.c},
                     {"O", "O", '\0', 1.0, oxygen_of(b, psi_[r])}};
    for (const std::string_view name :
         {wished, std::string_view("SER"), std::string_view("ALA"), std::string_view("GLY")}) {
      const detail::ResidueShape& shape = *detail::find_residue_shape(name);
      residue.name = name;
      residue.letter = shape.letter;
      constexpr int kRotamers = 40;
      for (int attempt = 0; attempt < kRotamers; ++attempt) {
        std::optional<std::vector<FileAtom>> atoms = grow_side_chain(r, shape);
        if (!atoms) continue;
        for (FileAtom& atom : *atoms) residue.atoms.push_back(std::move(atom));
        return residue;
      }
    }
    return residue;
  }

  /// A side chain with random staggered angles, entered into the grid; nothing when it has no room.
  std::optional<std::vector<FileAtom>> grow_side_chain(std::uint32_t r,
                                                       const detail::ResidueShape& shape) {
    constexpr std::array<double, 3> kStaggered{radians(-62.0), radians(180.0), radians(62.0)};
    constexpr double kNoise = radians(10.0);
    std::array<double, 5> chi{};
    for (std::size_t k = 1; k < chi.size(); ++k) {
      chi[k] = kStaggered[random_.below(kStaggered.size())] + random_.uniform(-kNoise, kNoise);
    }
    const Backbone& b = backbone_[r];
    const std::size_t atoms_before = grid_.size();
    std::vector<FileAtom> atoms;
    for (const SideChainAtom& row : shape.atoms) {
      // Up the tree: parent, its parent, and the one above; CA, N, C for CB.
      std::array<Vec3, 3> above;
      std::string_view name = row.parent;
      for (Vec3& position : above) {
        if (name == "CA") {
          position = b.ca;
          name = "N";
        } else if (name == "N") {
          position = b.n;
          name = "C";
        } else if (name == "C") {
          position = b.c;
        } else {
          const auto parent = std::ranges::find(atoms, name, &FileAtom::name);
          position = parent->position;
          name = std::ranges::find(shape.atoms, name, &SideChainAtom::name)->parent;
        }
      }
      const double torsion = radians(row.torsion_deg) + (row.chi > 0 ? chi[row.chi] : 0.0);
      FileAtom atom{std::string(row.name), std::string(row.name.substr(0, 1))};
      atom.position =
          place_atom(above[2], above[1], above[0], row.length, radians(row.angle_deg), torsion);
      const AtomGrid::Entry entry{atom.position, detail::van_der_waals_radius(atom.element),
                                  ca_link(r)};
      if (!grid_.has_room(entry)) {
        grid_.shrink(atoms_before);
        return std::nullopt;
      }
      grid_.add(entry);
      atoms.push_back(std::move(atom));
    }
    return atoms;
  }

  Layout layout_;
  Random random_;
  double spacing_;
  AtomGrid grid_;
  std::vector<Backbone> backbone_;
  std::vector<double> psi_;
  std::vector<bool> is_loop_;
};

}  // namespace

Protein make_helix_bundle(std::uint32_t residues, std::uint64_t seed) {
  CLEARANCE_ASSERT(residues > 0);
  const std::string name =
      "helix bundle of " + std::to_string(residues) + " residues, seed " + std::to_string(seed);
  // One long helix is what is left when no loop was found at any spacing: it needs none.
  for (int i = 0;; ++i) {
    const Layout layout = i < kSpacings ? layout_of(residues) : Layout{{residues}};
    BundleBuilder builder(layout, Random(seed).split(static_cast<std::uint64_t>(i)),
                          kSpacing + i * kSpacingStep);
    std::optional<std::vector<FileResidue>> built = builder.run();
    if (!built) continue;
    Result<Protein> protein = detail::build_protein(*built, name, {});
    CLEARANCE_ASSERT(protein);
    protein->chain_name = "A";
    protein->counts.models = 1;
    return std::move(protein).value();
  }
}

}  // namespace clearance
