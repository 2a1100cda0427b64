// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What stands in a PDB or mmCIF file, as far as proteins need it: models, chains, residues, atoms,
// in the order of the file. Nothing is left out or judged here but what cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

struct FileAtom {
  std::string name;
  std::string element;             // upper case; empty when unknown
  char alternate_location = '\0';  // 0: none
  double occupancy = 1.0;
  Vec3 position;
  [[nodiscard]] bool is_hydrogen() const { return element == "H" || element == "D"; }
};

enum class ResidueClass : std::uint8_t {
  AminoAcid,
  Nucleic,
  Water,
  Ligand,   // known to be something else, or not part of a polymer
  Unknown,  // a name nobody tabulated, in a polymer as far as the file says
};

struct FileResidue {
  int number = 0;
  char insertion = ' ';
  std::string name;
  char letter = 'X';
  ResidueClass kind = ResidueClass::Unknown;
  bool heterogen = false;  // HETATM
  std::vector<FileAtom> atoms;
};

struct FileProteinChain {
  std::string name;
  std::vector<FileResidue> residues;
};

struct FileModel {
  int number = 1;
  std::vector<FileProteinChain> chains;  // one per name
};

/// A field without the spaces around it, as a number when it is one and nothing else.
std::string_view trimmed(std::string_view text);
std::optional<double> number_in(std::string_view text);
std::optional<int> integer_in(std::string_view text);

/// What the name alone says about a residue of a polymer.
ResidueClass class_of(const std::string& residue_name);
/// One-letter code in upper case; X when there is none.
char letter_of(const std::string& residue_name);
/// The element in upper case; empty when there is none of that name.
std::string element_of(const std::string& symbol);
/// The chain of this name, a new one when there is none: the waters of a chain often stand apart.
FileProteinChain& chain_named(FileModel& model, const std::string& name);

/// At least one model; every position is finite.
Result<std::vector<FileModel>> parse_pdb(std::string_view text, const std::string& name);
Result<std::vector<FileModel>> parse_mmcif(std::string_view text, const std::string& name);

}  // namespace clearance::detail
