// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From the residues of one chain, one location per atom, to links, joints and torsions.
#pragma once

#include <span>
#include <string>

#include <clearance/base/result.h>
#include <clearance/chain/protein.h>

#include "chain/protein_file.h"

namespace clearance::detail {

/// The heavy atom of this name; null when there is none.
const FileAtom* find_atom(const FileResidue& residue, std::string_view name);
/// Has N, CA and C.
bool has_backbone(const FileResidue& residue);
/// The error for a residue of a file.
Error residue_error(const std::string& file, const FileResidue& residue, ErrorCode code,
                    std::string reason, std::string advice);

/// Residues, atoms, torsions, chain and the counts of the chain are filled in; `name` is the file
/// in errors. Of the options those about hydrogens, clashes, gaps and omega are used.
Result<Protein> build_protein(std::span<const FileResidue> residues, const std::string& name,
                              const ProteinOptions& options);

}  // namespace clearance::detail
