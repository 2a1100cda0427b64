// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What read_protein() promises for any bytes: an error with a reason, or a protein whose chain
// keeps its rules, whose torsions refer to what is there, and which can be written and read again.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/chain/protein.h>

#include "check_reader.h"

namespace clearance::fuzz {

inline void check_written(const Protein& protein) {
  const std::vector<Vec3> positions = atom_positions(protein);
  require(positions.size() == protein.atoms.size());
  for (const Vec3& p : positions) require(is_finite(p));
  const Result<std::string> text = pdb_model(protein, positions, 1);
  if (!text) require(!text.error().reason.empty());
}

inline void check_torsions(const Protein& protein) {
  for (const Torsion& torsion : protein.torsions) {
    require(std::abs(torsion.angle) <= 4.0 && torsion.residue < protein.residues.size());
    require(torsion.link < protein.chain.links.size());
    if (torsion.is_chi()) {
      for (const std::uint32_t i : torsion.turns) {
        require(i < protein.spheres_of(torsion.link).size());
      }
      continue;
    }
    const JointChange change = set_torsion(torsion, 1.0);
    require(change.joint < protein.chain.joints.size() && checked_pose(change.pose).ok());
  }
  for (std::uint32_t r = 0; r < protein.residues.size(); ++r) {
    std::vector<double> chi = chi_angles(protein, r);
    for (double& angle : chi) angle += 1.0;
    for (const Sphere& sphere : side_chain(protein, r, chi)) require(is_finite(sphere.center));
  }
}

/// Reads the bytes as a file of this name, strictly and leniently, and aborts on a broken promise.
inline void check_protein(const std::string& name, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool lenient : {false, true}) {
    ProteinOptions options;
    options.bridge_gaps = options.hydrogens = options.omega = options.surroundings = lenient;
    const Result<Protein> protein = parse_protein(bytes, name, options);
    if (!protein) {
      require(protein.error().file == name && !protein.error().reason.empty());
      continue;
    }
    require(check(protein->chain).ok());
    require(protein->chain.links.size() == 3 * protein->residues.size());
    require(protein->first_atom.back() == protein->atoms.size());
    check_torsions(*protein);
    check_written(*protein);
  }
}

}  // namespace clearance::fuzz
