// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PDB and mmCIF through gemmi. gemmi is lenient: a blank or shifted column reads as 0, which is a
// place like any other. So every field is checked here first, and gemmi sees only records that are
// as the format wants them: atoms, models and ends of chains. gemmi throws; nothing leaves this
// file but Errors.
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include <gemmi/cif.hpp>
#include <gemmi/numb.hpp>
#include <gemmi/pdb.hpp>
#include <gemmi/resinfo.hpp>

#include "chain/protein_file.h"

namespace clearance::detail {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> integer_in(std::string_view text) {
  text = trimmed(text);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What a name says about a residue of a polymer.
ResidueClass class_of(const std::string& residue_name) {
  const gemmi::ResidueInfo info = gemmi::find_tabulated_residue(residue_name);
  if (info.is_water()) return ResidueClass::Water;
  if (info.is_amino_acid()) return ResidueClass::AminoAcid;
  if (info.is_nucleic_acid()) return ResidueClass::Nucleic;
  return info.found() ? ResidueClass::Ligand : ResidueClass::Unknown;
}

char letter_of(const std::string& residue_name) {
  const char letter = gemmi::find_tabulated_residue(residue_name).one_letter_code;
  if (letter >= 'A' && letter <= 'Z') return letter;
  if (letter >= 'a' && letter <= 'z') return static_cast<char>(letter - 'a' + 'A');
  return 'X';
}

std::string symbol_of(gemmi::Element element) {
  return element == gemmi::El::X ? std::string() : element.uname();
}

/// The chain of this name, a new one when there is none: the waters of a chain often stand apart.
FileChain& chain_named(FileModel& model, const std::string& name) {
  for (FileChain& chain : model.chains) {
    if (chain.name == name) return chain;
  }
  model.chains.push_back({name, {}});
  return model.chains.back();
}

// ---- PDB ----------------------------------------------------------------------------------------

constexpr std::size_t kLineLength = 80;
/// Enough of an atom's line to hold its position.
constexpr std::size_t kShortestAtomLine = 54;

struct CoordinateField {
  std::size_t first;  // column, from 0
  char axis;
};
constexpr std::array<CoordinateField, 3> kCoordinates{{{30, 'x'}, {38, 'y'}, {46, 'z'}}};

std::string columns(std::size_t first, std::size_t count) {
  return "columns " + std::to_string(first + 1) + "-" + std::to_string(first + count);
}

constexpr const char* kColumnAdvice =
    "PDB is a format of fixed columns; write the file again with a program that keeps them, or "
    "use mmCIF";

/// The record of an atom as gemmi shall see it (80 columns, what is not used blanked), or why not.
Result<std::string> checked_atom(std::string_view line, const std::string& name,
                                 const std::string& place) {
  const auto malformed = [&](std::string reason) {
    return Error{ErrorCode::Malformed, name, place, std::move(reason), kColumnAdvice};
  };
  if (line.size() < kShortestAtomLine) {
    return malformed("the record of an atom ends after " + std::to_string(line.size()) +
                     " columns, before its coordinates do");
  }
  std::string record(line.substr(0, kLineLength));
  record.resize(kLineLength, ' ');
  for (const char c : record) {
    if (c < ' ' || c > '~') return malformed("a character that is not plain text");
  }
  if (trimmed(std::string_view(record).substr(12, 4)).empty()) {
    return malformed("no atom name in " + columns(12, 4));
  }
  if (trimmed(std::string_view(record).substr(17, 3)).empty()) {
    return malformed("no residue name in " + columns(17, 3));
  }
  // Numbers of residues beyond 9999 are written in letters (hybrid-36).
  const std::string_view number = std::string_view(record).substr(22, 4);
  const bool hybrid = number[0] >= 'A' && number.find(' ') == std::string_view::npos;
  if (!hybrid && !integer_in(number)) {
    return malformed("'" + std::string(number) + "' in " + columns(22, 4) +
                     " is not a residue number");
  }
  for (const CoordinateField& field : kCoordinates) {
    const std::string text = record.substr(field.first, 8);
    const std::optional<double> value = number_in(text);
    // The point has its own column too: digits cut off a neighbouring field still look like a
    // number.
    if (!value || (std::isfinite(*value) && text[4] != '.')) {
      return malformed("'" + text + "' in " + columns(field.first, 8) + " is not a coordinate " +
                       field.axis);
    }
    if (!std::isfinite(*value)) {
      return malformed(std::string("coordinate ") + field.axis + " is not finite");
    }
  }
  const std::string occupancy = record.substr(54, 6);
  if (const std::optional<double> value = number_in(occupancy);
      !trimmed(occupancy).empty() && (!value || !std::isfinite(*value))) {
    return malformed("'" + occupancy + "' in " + columns(54, 6) + " is not an occupancy");
  }
  // Serial number, B factor, segment and charge are of no use here and often filled with other
  // things; so is the element in old files.
  const auto blank = [&](std::size_t first, std::size_t count) {
    record.replace(first, count, count, ' ');
  };
  blank(6, 5);
  blank(60, 16);
  blank(78, 2);
  if (gemmi::Element(record.substr(76, 2)) == gemmi::El::X) blank(76, 2);
  return record;
}

/// The text with the atoms checked and all records but atoms, models and ends of chains emptied.
/// Lines keep their numbers.
Result<std::string> checked_pdb(std::string_view text, const std::string& name) {
  std::string checked;
  checked.reserve(text.size());
  std::size_t line_number = 0;
  std::size_t atoms = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    const std::string place = "line " + std::to_string(++line_number);
    if (line.starts_with("ATOM  ") || line.starts_with("HETATM")) {
      Result<std::string> record = checked_atom(line, name, place);
      if (!record) return record.error();
      checked += *record;
      ++atoms;
    } else if (line.starts_with("MODEL ")) {
      const std::optional<int> number = integer_in(line.substr(6));
      // gemmi reads columns 11 to 14; numbers that long come from nowhere.
      if (!number || *number < 0 || *number > 9999) {
        return Error{ErrorCode::Malformed, name, place, "MODEL without a number from 0 to 9999",
                     "number the models from 1"};
      }
      std::array<char, 16> record{};
      std::snprintf(record.data(), record.size(), "MODEL     %4d", *number);
      checked += record.data();
    } else if (line == "END" || line.starts_with("END ")) {
      break;
    } else if (line.starts_with("ENDMDL")) {
      checked += "ENDMDL";
    } else if (line == "TER" || line.starts_with("TER ")) {
      checked += "TER";
    }
    checked += '\n';
  }
  if (atoms == 0) {
    return Error{ErrorCode::Malformed, name, "",
                 text.empty() ? "the file is empty" : "no atom (ATOM or HETATM record) in the file",
                 "give a PDB or mmCIF file"};
  }
  return checked;
}

ResidueClass class_of(const gemmi::Residue& residue) {
  const ResidueClass by_name = class_of(residue.name);
  // What stands behind the end of its chain (TER) is no part of the polymer, whatever its name.
  if (residue.entity_type == gemmi::EntityType::NonPolymer && by_name != ResidueClass::Water) {
    return ResidueClass::Ligand;
  }
  return by_name;
}

FileResidue residue_from(const gemmi::Residue& from) {
  FileResidue residue;
  residue.number = from.seqid.num ? *from.seqid.num : 0;
  residue.insertion = from.seqid.icode;
  residue.name = from.name;
  residue.letter = letter_of(from.name);
  residue.kind = class_of(from);
  residue.heterogen = from.het_flag == 'H';
  residue.atoms.reserve(from.atoms.size());
  for (const gemmi::Atom& atom : from.atoms) {
    residue.atoms.push_back({atom.name,
                             symbol_of(atom.element),
                             atom.altloc,
                             atom.occ,
                             {atom.pos.x, atom.pos.y, atom.pos.z}});
  }
  return residue;
}

// ---- mmCIF --------------------------------------------------------------------------------------

/// The columns of _atom_site that are used; '?' marks those that may be absent.
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
  kModel
};  // clang-format keeps one line each otherwise
const std::vector<std::string> kTags{"Cartn_x",
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

/// The value of the author's column, else that of the dictionary's.
std::string value_of(const gemmi::cif::Table::Row& row, Column author, Column label) {
  return gemmi::cif::as_string(row.has2(author) ? row[author] : row[label]);
}

Result<std::vector<FileModel>> models_from(gemmi::cif::Table& table, const std::string& name) {
  std::vector<FileModel> models;
  std::size_t row_number = 0;
  // Where the last atom went, when it is the same residue: rows come in order.
  FileResidue* residue = nullptr;
  std::string residue_key;
  for (const gemmi::cif::Table::Row row : table) {
    const auto malformed = [&](std::string reason) {
      return Error{ErrorCode::Malformed, name, "_atom_site row " + std::to_string(row_number),
                   std::move(reason), "write the file again with a program that knows mmCIF"};
    };
    ++row_number;
    FileAtom atom;
    for (const Column axis : {kX, kY, kZ}) {
      // A standard uncertainty may follow, 1.23(4): gemmi knows.
      const double value = gemmi::cif::as_number(row[axis]);
      if (!std::isfinite(value)) {
        return malformed("'" + row[axis] + "' is not a coordinate " +
                         static_cast<char>('x' + axis - kX));
      }
      atom.position[axis - kX] = value;
    }
    atom.name = value_of(row, kAuthAtomName, kAtomName);
    atom.element = symbol_of(gemmi::Element(gemmi::cif::as_string(row[kElement])));
    if (row.has2(kAlternate)) {
      const std::string alternate = gemmi::cif::as_string(row[kAlternate]);
      if (alternate.size() != 1) return malformed("label_alt_id is more than one letter");
      atom.alternate_location = alternate[0];
    }
    if (row.has2(kOccupancy)) {
      atom.occupancy = gemmi::cif::as_number(row[kOccupancy]);
      if (!std::isfinite(atom.occupancy)) {
        return malformed("'" + row[kOccupancy] + "' is not an occupancy");
      }
    }
    int model_number = 1;
    if (row.has2(kModel)) {
      const std::optional<int> number = integer_in(gemmi::cif::as_string(row[kModel]));
      if (!number) return malformed("'" + row[kModel] + "' is not a model number");
      model_number = *number;
    }
    std::optional<int> number;
    const Column sequence = row.has2(kAuthSequence) ? kAuthSequence : kSequence;
    if (row.has2(sequence)) {
      number = integer_in(gemmi::cif::as_string(row[sequence]));
      if (!number) return malformed("'" + row[sequence] + "' is not a residue number");
    }
    FileResidue next;
    next.number = number.value_or(0);
    next.name = value_of(row, kAuthResidueName, kResidueName);
    if (row.has2(kInsertion)) {
      const std::string code = gemmi::cif::as_string(row[kInsertion]);
      if (code.size() != 1) return malformed("pdbx_PDB_ins_code is more than one letter");
      next.insertion = code[0];
    }
    const std::string chain_name = value_of(row, kAuthChain, kChain);
    if (atom.name.empty() || next.name.empty()) return malformed("no name of atom or residue");

    std::string key = std::to_string(model_number) + '\t' + chain_name + '\t' +
                      std::to_string(next.number) + next.insertion + '\t' + next.name;
    if (residue == nullptr || key != residue_key) {
      std::size_t model = 0;
      while (model < models.size() && models[model].number != model_number) ++model;
      if (model == models.size()) models.push_back({model_number, {}});
      FileChain& chain = chain_named(models[model], chain_name);
      next.letter = letter_of(next.name);
      next.kind = class_of(next.name);
      // Only residues of polymers have a place in the sequence.
      const bool in_polymer = !row.has(kSequence) || row.has2(kSequence);
      if (!in_polymer && next.kind != ResidueClass::Water) next.kind = ResidueClass::Ligand;
      next.heterogen = row.has2(kGroup) && gemmi::cif::as_string(row[kGroup]) == "HETATM";
      chain.residues.push_back(std::move(next));
      residue = &chain.residues.back();
      residue_key = std::move(key);
    }
    residue->atoms.push_back(std::move(atom));
  }
  return models;
}

}  // namespace

Result<std::vector<FileModel>> parse_pdb(std::string_view text, const std::string& name) {
  Result<std::string> checked = checked_pdb(text, name);
  if (!checked) return checked.error();
  try {
    const gemmi::Structure structure =
        gemmi::read_pdb_from_memory(checked->data(), checked->size(), name);
    std::vector<FileModel> models;
    for (const gemmi::Model& from : structure.models) {
      FileModel model{integer_in(from.name).value_or(1), {}};
      for (const gemmi::Chain& part : from.chains) {
        FileChain& chain = chain_named(model, part.name);
        for (const gemmi::Residue& residue : part.residues) {
          chain.residues.push_back(residue_from(residue));
        }
      }
      if (!model.chains.empty()) models.push_back(std::move(model));
    }
    return models;
  } catch (const std::exception& problem) {
    return Error{ErrorCode::Malformed, name, "", problem.what(), ""};
  }
}

Result<std::vector<FileModel>> parse_mmcif(std::string_view text, const std::string& name) {
  try {
    gemmi::cif::Document document = gemmi::cif::read_memory(text.data(), text.size(), name.c_str());
    for (gemmi::cif::Block& block : document.blocks) {
      gemmi::cif::Table table = block.find("_atom_site.", kTags);
      if (!table.ok() || table.length() == 0) continue;
      return models_from(table, name);
    }
    return Error{ErrorCode::Malformed, name, "",
                 "no atoms: no _atom_site table with Cartn_x, Cartn_y, Cartn_z, type_symbol, "
                 "label_atom_id, label_comp_id and label_asym_id",
                 "give the mmCIF file of a structure"};
  } catch (const std::exception& problem) {
    return Error{ErrorCode::Malformed, name, "", problem.what(), ""};
  }
}

}  // namespace clearance::detail
