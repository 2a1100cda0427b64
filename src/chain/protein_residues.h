// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is known about the residues of proteins: the tree of their side chains, which angles turn
// it, and its usual lengths and angles.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace clearance::detail {

/// A heavy atom of a side chain. Each hangs on a parent that comes before it; that of CB is CA. Its
/// place is given by the distance to the parent, the angle at the parent and the torsion about the
/// bond between parent and grandparent: `torsion_deg`, plus chi number `chi` when that is not 0.
/// The first atom of a chi has torsion_deg 0: it is the one that defines the angle.
struct SideChainAtom {
  std::string_view name;
  std::string_view parent;
  double length;  // [Å]
  double angle_deg;
  std::uint8_t chi;
  double torsion_deg;
};

struct ResidueShape {
  std::string_view name;
  char letter;
  std::span<const SideChainAtom> atoms;
};

/// The residue of this name, names that programs give to other protonations included ("HIE"); null
/// for what is not in the table.
const ResidueShape* find_residue_shape(std::string_view name);

/// Van der Waals radius [Å] by element, in upper case (A. Bondi, J. Phys. Chem. 68, 441, 1964);
/// that of carbon for elements he does not give.
double van_der_waals_radius(std::string_view element);

}  // namespace clearance::detail
