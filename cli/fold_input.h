// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance fold works on: a protein from a file, or a made-up one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/fold.h>
#include <clearance/chain/protein.h>

namespace clearance::cli {

struct FoldInput {
  std::string name;  ///< the file, or "helix-bundle:100"
  FoldModel model;
  Protein protein;
  std::vector<Vec3> start;           ///< centres of all spheres, in the frame of the file
  std::vector<std::string> remarks;  ///< what was left out or found, as whole sentences
};

/// Is this the name of a made-up protein, "helix-bundle:RESIDUES[:SEED]", and not of a file?
[[nodiscard]] bool is_made_up(const std::string& name);
/// Reads a protein file, or makes the bundle that "helix-bundle:RESIDUES[:SEED]" names.
[[nodiscard]] Result<FoldInput> read_fold_input(const std::string& name,
                                                const ProteinOptions& options);

/// "76 residues, 602 atoms, 228 links; 150 torsions, 133 in side chains"
[[nodiscard]] std::string describe(const FoldInput& input);

/// "LEU 12 CB": how messages name a sphere.
[[nodiscard]] std::string sphere_name(const FoldInput& input, std::uint32_t link,
                                      std::uint32_t sphere);

}  // namespace clearance::cli
