// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// mmCIF files: the table _atom_site.
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "chain/cif_table.h"
#include "chain/protein_file.h"

namespace clearance::detail {
namespace {

/// The columns that are used.
enum Column : std::size_t {
  kX,
  kY,
  kZ,
  kGroup,
  kElement,
  kAtomName,
  kAuthAtomName,
  kAlternate,
  kResidueName,
  kAuthResidueName,
  kChain,
  kAuthChain,
  kSequence,
  kAuthSequence,
  kInsertion,
  kOccupancy,
  kModel,
  kColumns
};
/// Their tags, in that order; '?' marks those that may be absent.
constexpr std::array<const char*, kColumns> kTags{"Cartn_x",
                                                  "Cartn_y",
                                                  "Cartn_z",
                                                  "?group_PDB",
                                                  "type_symbol",
                                                  "label_atom_id",
                                                  "?auth_atom_id",
                                                  "?label_alt_id",
                                                  "label_comp_id",
                                                  "?auth_comp_id",
                                                  "label_asym_id",
                                                  "?auth_asym_id",
                                                  "?label_seq_id",
                                                  "?auth_seq_id",
                                                  "?pdbx_PDB_ins_code",
                                                  "?occupancy",
                                                  "?pdbx_PDB_model_num"};

/// Largest coordinate [Å]: a hundred times what fits into PDB columns, and far from where bonds
/// drown in rounding.
constexpr double kLargestCoordinate = 1e6;

/// A number that a standard uncertainty may follow: 1.23(4).
std::optional<double> measured_in(std::string_view text) {
  if (text.ends_with(')')) text = text.substr(0, text.find('('));
  return number_in(text);
}

/// An atom with the residue, chain and model it belongs to.
struct Row {
  FileAtom atom;
  FileResidue residue;
  std::string chain;
  int model = 1;
};

/// One row of the table, or what is wrong with it.
Result<Row> read_row(const CifTable& table, std::size_t row) {
  const std::span values = std::span(table.values).subspan(row * kColumns, kColumns);
  const auto either = [&](Column author, Column label) {
    return values[author].empty() ? values[label] : values[author];
  };
  const auto wrong = [](const std::string& value, const std::string& what) {
    return Error{ErrorCode::Malformed, "", "", "'" + value + "' is not " + what, ""};
  };
  Row result;
  FileAtom& atom = result.atom;
  for (const Column axis : {kX, kY, kZ}) {
    const std::optional<double> value = measured_in(values[axis]);
    if (!value || !std::isfinite(*value)) {
      return wrong(values[axis], std::string("a coordinate ") + "xyz"[axis]);
    }
    if (std::abs(*value) > kLargestCoordinate) {
      return wrong(values[axis], "a coordinate near the origin (1e6 Å at most)");
    }
    atom.position[axis] = *value;
  }
  atom.name = either(kAuthAtomName, kAtomName);
  atom.element = element_of(values[kElement]);
  if (const std::string& location = values[kAlternate]; !location.empty()) {
    if (location.size() != 1) return wrong(location, "a label_alt_id of one letter");
    atom.alternate_location = location[0];
  }
  if (const std::string& text = values[kOccupancy]; !text.empty()) {
    const std::optional<double> value = measured_in(text);
    if (!value || !std::isfinite(*value)) return wrong(text, "an occupancy");
    atom.occupancy = *value;
  }
  if (const std::string& text = values[kModel]; !text.empty()) {
    const std::optional<int> number = integer_in(text);
    if (!number) return wrong(text, "a model number");
    result.model = *number;
  }
  FileResidue& residue = result.residue;
  if (const std::string number_text = either(kAuthSequence, kSequence); !number_text.empty()) {
    const std::optional<int> number = integer_in(number_text);
    if (!number) return wrong(number_text, "a residue number");
    residue.number = *number;
  }
  if (const std::string& code = values[kInsertion]; !code.empty()) {
    if (code.size() != 1) return wrong(code, "an insertion code of one letter");
    residue.insertion = code[0];
  }
  residue.name = either(kAuthResidueName, kResidueName);
  if (atom.name.empty()) return wrong("", "the name of an atom");
  if (residue.name.empty()) return wrong("", "the name of a residue");
  residue.letter = letter_of(residue.name);
  residue.kind = class_of(residue.name);
  // Only residues of polymers have a place in the sequence.
  const bool in_polymer = !table.has_column[kSequence] || !values[kSequence].empty();
  if (!in_polymer && residue.kind != ResidueClass::Water) residue.kind = ResidueClass::Ligand;
  residue.heterogen = values[kGroup] == "HETATM";
  result.chain = either(kAuthChain, kChain);
  return result;
}

FileModel& model_numbered(std::vector<FileModel>& models, int number) {
  for (FileModel& model : models) {
    if (model.number == number) return model;
  }
  models.push_back({number, {}});
  return models.back();
}

bool same_residue(const FileResidue& a, const FileResidue& b) {
  return a.number == b.number && a.insertion == b.insertion && a.name == b.name;
}

}  // namespace

Result<std::vector<FileModel>> parse_mmcif(std::string_view text, const std::string& name) {
  const CifTable table = read_cif_table(text, "_atom_site.", {kTags.begin(), kTags.end()});
  if (!table.error.empty()) {
    return Error{ErrorCode::Malformed, name,
                 table.error_line > 0 ? "line " + std::to_string(table.error_line) : "",
                 "not CIF: " + table.error, "check that the file is complete"};
  }
  if (table.values.empty()) {
    return Error{ErrorCode::Malformed, name, "",
                 "no atoms: no table _atom_site with Cartn_x, Cartn_y, Cartn_z, type_symbol, "
                 "label_atom_id, label_comp_id and label_asym_id",
                 "give the mmCIF file of a structure"};
  }
  std::vector<FileModel> models;
  for (std::size_t i = 0; i < table.values.size() / kColumns; ++i) {
    Result<Row> read = read_row(table, i);
    if (!read) {
      Error error = read.error();
      error.file = name;
      error.place = "_atom_site row " + std::to_string(i + 1);
      error.advice = "write the file again with a program that knows mmCIF";
      return error;
    }
    Row& row = *read;
    FileProteinChain& chain = chain_named(model_numbered(models, row.model), row.chain);
    // The atoms of a residue stand together.
    if (chain.residues.empty() || !same_residue(chain.residues.back(), row.residue)) {
      chain.residues.push_back(std::move(row.residue));
    }
    chain.residues.back().atoms.push_back(std::move(row.atom));
  }
  return models;
}

}  // namespace clearance::detail
