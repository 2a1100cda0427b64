// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What can be folded: checks, and proteins as models.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <clearance/chain/fold.h>

namespace clearance {
namespace {

/// How far the length of an axis may be from 1: what dividing by it leaves.
constexpr double kUnitTolerance = 1e-9;

/// Mass [u] and depth of the Lennard-Jones well [energy]. The depths are those of common force
/// fields (0.02 to 0.25 kcal/mol) over 0.6 kcal/mol, kT at 300 K, so that a temperature of 1 is
/// about that of a room.
struct Element {
  std::string_view name;
  double mass;
  double depth;
};
constexpr std::array<Element, 7> kElements{{{"C", 12.011, 0.18},
                                            {"N", 14.007, 0.28},
                                            {"O", 15.999, 0.33},
                                            {"S", 32.06, 0.41},
                                            {"H", 1.008, 0.03},
                                            {"SE", 78.971, 0.48},
                                            {"P", 30.974, 0.33}}};
constexpr Element kOtherElement{"", 12.0, 0.2};

const Element& element_of(std::string_view name) {
  const auto same = [](char a, char b) {
    return a == b || (b >= 'a' && b <= 'z' && a == b - 'a' + 'A');
  };
  for (const Element& element : kElements) {
    if (std::equal(element.name.begin(), element.name.end(), name.begin(), name.end(), same))
      return element;
  }
  return kOtherElement;
}

Error invalid(std::string place, std::string reason) {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), ""};
}

Status check_torsion(const FoldTorsion& torsion, const std::string& place, const Chain& chain) {
  if (torsion.joint >= chain.joints.size()) {
    return invalid(place, "joint " + std::to_string(torsion.joint) +
                              " does not exist: the chain has " +
                              std::to_string(chain.joints.size()));
  }
  if (!is_finite(torsion.point) || !(std::abs(norm(torsion.unit_axis) - 1.0) <= kUnitTolerance))
    return invalid(place, "its axis is not a unit vector");
  // Written so that NaN fails.
  if (!(torsion.lowest <= 0.0 && torsion.highest >= 0.0))
    return invalid(place, "its limits do not hold the start, angle 0");
  return {};
}

Status check_rotor(const FoldRotor& rotor, const std::string& place, const Chain& chain) {
  const LinkSpheres* spheres = rotor.link < chain.links.size()
                                   ? std::get_if<LinkSpheres>(&chain.links[rotor.link])
                                   : nullptr;
  if (spheres == nullptr)
    return invalid(place, "link " + std::to_string(rotor.link) + " is not a group of spheres");
  const auto exists = [&](std::uint32_t sphere) { return sphere < spheres->size(); };
  if (!exists(rotor.from) || !exists(rotor.to) ||
      !std::all_of(rotor.moved.begin(), rotor.moved.end(), exists))
    return invalid(place,
                   "names a sphere that link " + std::to_string(rotor.link) + " does not have");
  if (!(distance((*spheres)[rotor.from].center, (*spheres)[rotor.to].center) > 0.0))
    return invalid(place, "its axis is a bond of no length");
  return {};
}

}  // namespace

Status check(const FoldModel& model) {
  if (Status status = check(model.chain); !status) return status;
  std::vector<bool> turned(model.chain.joints.size(), false);
  for (std::size_t i = 0; i < model.torsions.size(); ++i) {
    const std::string place = "torsion " + std::to_string(i);
    if (Status status = check_torsion(model.torsions[i], place, model.chain); !status)
      return status;
    if (turned[model.torsions[i].joint])
      return invalid(place, "is the second of joint " + std::to_string(model.torsions[i].joint));
    turned[model.torsions[i].joint] = true;
  }
  for (std::size_t i = 0; i < model.rotors.size(); ++i) {
    Status status = check_rotor(model.rotors[i], "rotor " + std::to_string(i), model.chain);
    if (!status) return status;
  }
  std::size_t spheres = 0;
  for (const LinkShape& link : model.chain.links) {
    if (const auto* group = std::get_if<LinkSpheres>(&link)) spheres += group->size();
  }
  if (!model.atoms.empty() && model.atoms.size() != spheres) {
    return invalid("atoms", "there are " + std::to_string(model.atoms.size()) + " for " +
                                std::to_string(spheres) + " spheres");
  }
  for (std::size_t i = 0; i < model.atoms.size(); ++i) {
    const FoldAtom& atom = model.atoms[i];
    const bool good = atom.radius > 0.0 && atom.depth >= 0.0 && atom.mass > 0.0 &&
                      std::isfinite(atom.radius) && std::isfinite(atom.depth) &&
                      std::isfinite(atom.mass);
    if (!good) return invalid("atom " + std::to_string(i), "radius, depth or mass is out of range");
  }
  for (const std::uint32_t marker : model.markers) {
    if (marker >= spheres)
      return invalid("markers", "sphere " + std::to_string(marker) + " does not exist");
  }
  return {};
}

FoldModel fold_model(const Protein& protein) {
  FoldModel model;
  model.chain = protein.chain;
  for (const Torsion& torsion : protein.torsions) {
    if (!torsion.movable) continue;
    if (torsion.is_chi()) {
      model.rotors.push_back({torsion.link, torsion.axis[0], torsion.axis[1], torsion.turns});
    } else {
      // The frame of a link has its origin at the first atom of the bond and x along it.
      model.torsions.push_back({torsion.link, Vec3{}, Vec3{1.0, 0.0, 0.0}});
    }
  }
  model.atoms.reserve(protein.atoms.size());
  for (std::uint32_t link = 0; link < protein.chain.links.size(); ++link) {
    if (link % 3 == 1) model.markers.push_back(protein.first_atom[link]);
    for (const ProteinAtom& atom : protein.atoms_of(link)) {
      const Element& element = element_of(atom.element);
      model.atoms.push_back(
          {atom.radius, element.depth, element.mass, link / 3, element.name != "H"});
    }
  }
  return model;
}

Result<std::vector<Vec3>> native_positions(const Protein& protein, const Protein& native) {
  const auto refuse = [&](const std::string& place, const std::string& reason) {
    return Error{ErrorCode::Invalid, native.source, place, reason,
                 "the native state must be one of the same protein"};
  };
  if (native.residues.size() != protein.residues.size()) {
    return refuse("", "has " + std::to_string(native.residues.size()) + " residues, " +
                          protein.source + " has " + std::to_string(protein.residues.size()));
  }
  const std::vector<Vec3> all = atom_positions(native);
  std::vector<Vec3> positions;
  for (std::uint32_t link = 0; link < protein.chain.links.size(); ++link) {
    const ProteinResidue& wanted = protein.residues[link / 3];
    const ProteinResidue& found = native.residues[link / 3];
    if (wanted.name != found.name)
      return refuse(residue_name(found), "is " + residue_name(wanted) + " in " + protein.source);
    const std::span<const ProteinAtom> candidates = native.atoms_of(link);
    for (const ProteinAtom& atom : protein.atoms_of(link)) {
      const auto at = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const ProteinAtom& c) { return c.name == atom.name; });
      if (at == candidates.end())
        return refuse(residue_name(found),
                      "has no atom " + atom.name + ", unlike " + protein.source);
      positions.push_back(
          all[native.first_atom[link] + static_cast<std::size_t>(at - candidates.begin())]);
    }
  }
  return positions;
}

}  // namespace clearance
