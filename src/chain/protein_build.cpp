// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/protein_build.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "chain/protein_geometry.h"
#include "chain/protein_residues.h"

namespace clearance::detail {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::array<std::string_view, 3> kBackbone{"N", "CA", "C"};
/// What hangs on C: its oxygen and, at the end of a chain, the second one, in the spelling of the
/// Protein Data Bank and of CHARMM.
constexpr std::array<std::string_view, 4> kCarboxyl{"O", "OXT", "OT1", "OT2"};

std::string two_digits(double length) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", length);
  return text.data();
}

std::string label(const FileResidue& residue) {
  return residue_name({residue.number, residue.insertion, residue.name});
}

std::optional<std::string> repeated_name(const FileResidue& residue) {
  std::vector<std::string> names;
  for (const FileAtom& atom : residue.atoms) names.push_back(atom.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return std::nullopt;
  return *twice;
}

/// The atoms of one residue, sorted into its three links.
struct Sorted {
  struct Member {
    const FileAtom* atom;
    std::uint32_t parent;  // within the link; its own index for the backbone atom
  };
  std::array<std::vector<Member>, 3> links;
};

std::uint32_t index_of(const std::vector<Sorted::Member>& members, std::string_view name) {
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (members[i].atom->name == name) return i;
  }
  return kNone;
}

/// Where a table's atom hangs: on its parent, or, when that is missing, on the nearest of its
/// ancestors that is there.
std::uint32_t ancestor_of(std::span<const SideChainAtom> table, std::string_view name,
                          const std::vector<Sorted::Member>& members) {
  while (true) {
    const auto atom = std::ranges::find(table, name, &SideChainAtom::name);
    if (atom == table.end()) return 0;
    name = atom->parent;
    if (const std::uint32_t found = index_of(members, name); found != kNone) return found;
  }
}

Sorted sort_atoms(const FileResidue& residue, bool hydrogens, ProteinCounts& counts) {
  Sorted sorted;
  for (std::size_t k = 0; k < 3; ++k) {
    sorted.links[k].push_back({find_atom(residue, kBackbone[k]), 0});
  }
  std::vector<Sorted::Member>& side = sorted.links[1];
  const ResidueShape* const shape = find_residue_shape(residue.name);
  const std::span<const SideChainAtom> table =
      shape != nullptr ? shape->atoms : std::span<const SideChainAtom>{};

  // Heavy atoms with a known place first, the others on the nearest of those.
  std::vector<const FileAtom*> others;
  for (const FileAtom& atom : residue.atoms) {
    const bool heavy = !atom.is_hydrogen();
    if (heavy && std::ranges::find(kBackbone, atom.name) != kBackbone.end()) continue;
    if (heavy && std::ranges::find(kCarboxyl, atom.name) != kCarboxyl.end()) {
      sorted.links[2].push_back({&atom, 0});
    } else if (heavy &&
               (shape == nullptr ||
                std::ranges::find(table, atom.name, &SideChainAtom::name) != table.end())) {
      side.push_back({&atom, 0});
    } else {
      others.push_back(&atom);
    }
  }
  for (Sorted::Member& member : side) {
    member.parent = ancestor_of(table, member.atom->name, side);
  }
  const std::array<std::size_t, 3> placed{sorted.links[0].size(), side.size(),
                                          sorted.links[2].size()};
  for (const FileAtom* const atom : others) {
    if (atom->is_hydrogen() && !hydrogens) {
      ++counts.hydrogens_left_out;
      continue;
    }
    std::size_t link = 1;
    std::uint32_t parent = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::uint32_t i = 0; i < placed[k]; ++i) {
        const double gap = distance(sorted.links[k][i].atom->position, atom->position);
        if (gap < nearest) nearest = gap, link = k, parent = i;
      }
    }
    sorted.links[link].push_back({atom, parent});
  }

  if (shape == nullptr) ++counts.unknown_residues;
  std::uint32_t missing = 0;
  for (const SideChainAtom& atom : table) missing += index_of(side, atom.name) == kNone ? 1 : 0;
  counts.missing_atoms += missing;
  counts.incomplete_residues += missing > 0 ? 1 : 0;
  return sorted;
}

/// The turn of chi number `chi` of a side chain, when its four atoms are there.
std::optional<Torsion> chi_torsion(std::uint8_t chi, std::span<const SideChainAtom> table,
                                   const Sorted& sorted) {
  const auto first = std::ranges::find(table, chi, &SideChainAtom::chi);
  if (first == table.end()) return std::nullopt;
  const std::vector<Sorted::Member>& side = sorted.links[1];
  // From the atom that defines the angle up the tree: d, c, b, a; above CA is N.
  std::array<const FileAtom*, 4> atoms{};
  Torsion torsion;
  std::string_view name = first->name;
  for (std::size_t k = 0; k < 4; ++k) {
    if (name == "N") {
      atoms[k] = sorted.links[0][0].atom;
      break;
    }
    const std::uint32_t index = index_of(side, name);
    if (index == kNone) return std::nullopt;
    atoms[k] = side[index].atom;
    if (k == 1) torsion.axis[1] = index;
    if (k == 2) torsion.axis[0] = index;
    const auto row = std::ranges::find(table, name, &SideChainAtom::name);
    name = row == table.end() ? "N" : row->parent;
  }
  torsion.kind = static_cast<TorsionKind>(static_cast<int>(TorsionKind::Chi1) + chi - 1);
  torsion.angle =
      dihedral(atoms[3]->position, atoms[2]->position, atoms[1]->position, atoms[0]->position);
  for (std::uint32_t i = 0; i < side.size(); ++i) {
    // The backbone atom (0) is its own parent and ends the way up.
    std::uint32_t up = i;
    while (up != 0 && up != torsion.axis[1]) up = side[up].parent;
    if (up == torsion.axis[1] && i != torsion.axis[1]) torsion.turns.push_back(i);
  }
  return torsion;
}

/// x along the bond to the next atom, the previous atom at y < 0.
Pose frame_at(const Vec3& origin, const Vec3& next, const Vec3& towards_y) {
  const Vec3 x = normalized(next - origin);
  Vec3 y = normalized(towards_y - dot(towards_y, x) * x);
  // Three atoms in line leave the direction open.
  if (y == Vec3{}) y = any_perpendicular(x);
  y = normalized(y - dot(y, x) * x);
  return {Mat3::from_columns(x, y, cross(x, y)), origin};
}

std::vector<Pose> backbone_frames(std::span<const Vec3> backbone) {
  const std::size_t n = backbone.size();
  std::vector<Pose> frames;
  frames.reserve(n);
  frames.push_back(frame_at(backbone[0], backbone[1], backbone[2] - backbone[1]));
  for (std::size_t i = 1; i + 1 < n; ++i) {
    frames.push_back(frame_at(backbone[i], backbone[i + 1], backbone[i] - backbone[i - 1]));
  }
  frames.push_back({frames.back().rotation, backbone[n - 1]});
  return frames;
}

class Builder {
 public:
  Builder(std::span<const FileResidue> residues, const std::string& name,
          const ProteinOptions& options)
      : residues_(residues), name_(name), options_(options) {}

  Result<Protein> run() {
    if (Status status = check_options(); !status) return status.error();
    if (Status status = check_residues(); !status) return status.error();
    protein_.source = name_;
    protein_.clash_factor = options_.clash_factor;
    protein_.chain.neighbours = options_.neighbours;
    const std::vector<Pose> frames = backbone_frames(backbone_);
    protein_.file_from_chain = frames[0];
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
      protein_.chain.joints.push_back(inverse(frames[i]) * frames[i + 1]);
    }
    protein_.first_atom.push_back(0);
    for (std::uint32_t r = 0; r < residues_.size(); ++r) {
      if (Status status = add_residue(r, frames); !status) return status.error();
    }
    ignore_disulfides();
    return std::move(protein_);
  }

 private:
  Error refuse(const FileResidue& residue, ErrorCode code, std::string reason,
               std::string advice) const {
    return residue_error(name_, residue, code, std::move(reason), std::move(advice));
  }

  [[nodiscard]] Status check_options() const {
    if (!(options_.clash_factor > 0.0 && options_.clash_factor <= 2.0)) {
      return Error{ErrorCode::Invalid, "", "", "the clash factor must be above 0 and at most 2",
                   "the default is " + two_digits(kClashFactor)};
    }
    return {};
  }

  /// Backbone there and without gaps; fills backbone_ and gap_before_.
  Status check_residues() {
    for (const FileResidue& residue : residues_) {
      if (const std::optional<std::string> twice = repeated_name(residue)) {
        return refuse(residue, ErrorCode::Malformed, "has two atoms of the name " + *twice,
                      "give each atom its own name, or mark alternate locations");
      }
      for (const std::string_view atom : kBackbone) {
        const FileAtom* const found = find_atom(residue, atom);
        if (found == nullptr) {
          return refuse(residue, ErrorCode::Unsupported,
                        "has no atom " + std::string(atom) + " of the backbone",
                        "complete the backbone with a modelling program, or remove the residue");
        }
        backbone_.push_back(found->position);
      }
    }
    gap_before_.assign(residues_.size(), false);
    std::size_t gaps = 0;
    Error first_gap;
    for (std::size_t i = 1; i < backbone_.size(); ++i) {
      const double length = distance(backbone_[i - 1], backbone_[i]);
      const FileResidue& residue = residues_[i / 3];
      const FileResidue& before = residues_[(i - 1) / 3];
      const std::string bond = std::string(kBackbone[(i - 1) % 3]) + " and " +
                               std::string(kBackbone[i % 3]) +
                               (i % 3 == 0 ? " of " + label(residue) : "");
      if (length < kShortestBond) {
        return refuse(before, ErrorCode::Malformed,
                      bond + " are only " + two_digits(length) + " Å apart: no bond to turn about",
                      "check the coordinates");
      }
      if (length <= kLongestBackboneBond) continue;
      if (i % 3 != 0) {
        return refuse(residue, ErrorCode::Malformed,
                      bond + " are " + two_digits(length) + " Å apart: no bond is that long",
                      "check the coordinates");
      }
      gap_before_[i / 3] = true;
      if (++gaps == 1) {
        first_gap =
            refuse(before, ErrorCode::Unsupported,
                   "the chain has a gap: " + bond + " are " + two_digits(length) + " Å apart",
                   "model the missing residues, or ask for gaps to be bridged rigidly");
      }
    }
    protein_.counts.gaps_bridged = static_cast<std::uint32_t>(gaps);
    if (gaps > 0 && !options_.bridge_gaps) {
      if (gaps > 1) first_gap.reason += ", the first of " + std::to_string(gaps) + " gaps";
      return first_gap;
    }
    return {};
  }

  Status add_residue(std::uint32_t r, std::span<const Pose> frames) {
    const FileResidue& from = residues_[r];
    const Sorted sorted = sort_atoms(from, options_.hydrogens, protein_.counts);
    for (std::size_t k = 0; k < 3; ++k) {
      const Pose link_from_file = inverse(frames[3 * r + k]);
      LinkSpheres spheres;
      for (const Sorted::Member& member : sorted.links[k]) {
        const double radius = van_der_waals_radius(member.atom->element);
        protein_.atoms.push_back({member.atom->name, member.atom->element, radius});
        // The backbone atom is the origin, exactly.
        spheres.push_back({spheres.empty() ? Vec3{} : link_from_file * member.atom->position,
                           options_.clash_factor * radius});
      }
      protein_.first_atom.push_back(static_cast<std::uint32_t>(protein_.atoms.size()));
      protein_.chain.links.emplace_back(std::move(spheres));
    }
    const ResidueShape* const shape = find_residue_shape(from.name);
    ProteinResidue residue{from.number, from.insertion, from.name, from.letter};
    if (residue.letter == 'X' && shape != nullptr) residue.letter = shape->letter;
    residue.first_torsion = static_cast<std::uint32_t>(protein_.torsions.size());
    add_backbone_torsions(r);
    if (shape != nullptr) {
      for (std::uint8_t chi = 1; chi <= 4; ++chi) {
        std::optional<Torsion> torsion = chi_torsion(chi, shape->atoms, sorted);
        if (!torsion) continue;
        torsion->residue = r;
        torsion->link = ca_link(r);
        const LinkSpheres& spheres = protein_.spheres_of(torsion->link);
        if (distance(spheres[torsion->axis[0]].center, spheres[torsion->axis[1]].center) <
            kShortestBond) {
          return refuse(from, ErrorCode::Malformed,
                        sorted.links[1][torsion->axis[0]].atom->name + " and " +
                            sorted.links[1][torsion->axis[1]].atom->name +
                            " are in the same place: no bond to turn about",
                        "check the coordinates");
        }
        protein_.torsions.push_back(std::move(*torsion));
      }
    }
    residue.torsion_count =
        static_cast<std::uint32_t>(protein_.torsions.size()) - residue.first_torsion;
    protein_.residues.push_back(std::move(residue));
    return {};
  }

  void add_backbone_torsions(std::uint32_t r) {
    const bool gap_after = r + 1 < gap_before_.size() && gap_before_[r + 1];
    const bool proline = residues_[r].name == "PRO";
    add_backbone_torsion(TorsionKind::Phi, r, !proline && !gap_before_[r]);
    add_backbone_torsion(TorsionKind::Psi, r, !gap_after);
    add_backbone_torsion(TorsionKind::Omega, r, options_.omega && !gap_after);
  }

  void add_backbone_torsion(TorsionKind kind, std::uint32_t r, bool movable) {
    const std::uint32_t joint = 3 * r + static_cast<std::uint32_t>(kind);
    if (joint == 0 || joint + 2 >= backbone_.size()) return;
    Torsion torsion;
    torsion.kind = kind;
    torsion.residue = r;
    torsion.movable = movable;
    torsion.link = joint;
    torsion.angle = dihedral(backbone_[joint - 1], backbone_[joint], backbone_[joint + 1],
                             backbone_[joint + 2]);
    Pose& pose = protein_.chain.joints[joint];
    torsion.zero = turned(pose, {}, {1, 0, 0}, -torsion.angle);
    // The chain as the torsion gives it: setting the angle of the file is then no change at all.
    pose = set_torsion(torsion, torsion.angle).pose;
    protein_.torsions.push_back(std::move(torsion));
  }

  void ignore_disulfides() {
    struct Sulfur {
      std::uint32_t link;
      Vec3 position;
    };
    std::vector<Sulfur> sulfurs;
    for (std::uint32_t r = 0; r < residues_.size(); ++r) {
      const FileAtom* const atom = find_atom(residues_[r], "SG");
      if (atom != nullptr) sulfurs.push_back({ca_link(r), atom->position});
    }
    for (std::size_t i = 0; i < sulfurs.size(); ++i) {
      for (std::size_t j = i + 1; j < sulfurs.size(); ++j) {
        if (distance(sulfurs[i].position, sulfurs[j].position) >= kLongestDisulfide) continue;
        protein_.chain.ignored.push_back({sulfurs[i].link, sulfurs[j].link});
        ++protein_.counts.disulfides;
      }
    }
  }

  std::span<const FileResidue> residues_;
  const std::string& name_;
  const ProteinOptions& options_;
  std::vector<Vec3> backbone_;
  std::vector<bool> gap_before_;
  Protein protein_;
};

}  // namespace

const FileAtom* find_atom(const FileResidue& residue, std::string_view name) {
  for (const FileAtom& atom : residue.atoms) {
    if (!atom.is_hydrogen() && atom.name == name) return &atom;
  }
  return nullptr;
}

bool has_backbone(const FileResidue& residue) {
  return std::ranges::all_of(
      kBackbone, [&](std::string_view name) { return find_atom(residue, name) != nullptr; });
}

Error residue_error(const std::string& file, const FileResidue& residue, ErrorCode code,
                    std::string reason, std::string advice) {
  return {code, file, "residue " + label(residue), std::move(reason), std::move(advice)};
}

Result<Protein> build_protein(std::span<const FileResidue> residues, const std::string& name,
                              const ProteinOptions& options) {
  return Builder(residues, name, options).run();
}

}  // namespace clearance::detail
