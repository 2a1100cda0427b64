// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PDB files through gemmi. gemmi is lenient: a blank or shifted column reads as 0, which is a place
// like any other. So every field is checked here first, and gemmi sees only records that are as the
// format wants them: atoms and ends of chains, one model at a time. gemmi throws; nothing leaves
// this file but Errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>

#include <gemmi/pdb.hpp>

#include "chain/protein_file.h"

namespace clearance::detail {
namespace {

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
  const bool hybrid =
      number[0] >= 'A' && number[0] <= 'Z' &&
      number.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
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
  if (element_of(record.substr(76, 2)).empty()) blank(76, 2);
  return record;
}

/// The records of one model that gemmi shall see: atoms and ends of chains.
struct ModelText {
  int number = 1;
  std::string records;
};

/// The text with every atom checked, model by model; at least one model with an atom.
Result<std::vector<ModelText>> checked_models(std::string_view text, const std::string& name) {
  std::vector<ModelText> models;
  bool in_model = false;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    ++line_number;
    const auto place = [&] { return "line " + std::to_string(line_number); };
    const std::string_view word = trimmed(line);
    if (word.starts_with("ATOM") || word.starts_with("HETATM")) {
      if (word.data() != line.data()) {
        return Error{ErrorCode::Malformed, name, place(),
                     "the record of an atom does not start in the first column", kColumnAdvice};
      }
      Result<std::string> record = checked_atom(line, name, place());
      if (!record) return record.error();
      // A single model usually has no MODEL record; some programs write only the ends of models.
      if (!in_model) models.push_back({static_cast<int>(models.size() + 1), {}});
      in_model = true;
      models.back().records += *record + '\n';
    } else if (line.starts_with("MODEL ")) {
      const std::optional<int> number = integer_in(line.substr(6, 8));
      if (!number || *number < 0) {
        return Error{ErrorCode::Malformed, name, place(), "MODEL without a number",
                     "number the models from 1"};
      }
      models.push_back({*number, {}});
      in_model = true;
    } else if (line.starts_with("ENDMDL")) {
      in_model = false;
    } else if (in_model && (line == "TER" || line.starts_with("TER "))) {
      models.back().records += "TER\n";
    } else if (line == "END" || line.starts_with("END ")) {
      break;
    }
  }
  std::erase_if(models, [](const ModelText& model) { return model.records.empty(); });
  if (models.empty()) {
    return Error{ErrorCode::Malformed, name, "",
                 text.empty() ? "the file is empty" : "no atom (ATOM or HETATM record) in the file",
                 "give a PDB or mmCIF file"};
  }
  return models;
}

ResidueClass class_in_chain(const gemmi::Residue& residue) {
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
  residue.kind = class_in_chain(from);
  residue.heterogen = from.het_flag == 'H';
  residue.atoms.reserve(from.atoms.size());
  for (const gemmi::Atom& atom : from.atoms) {
    residue.atoms.push_back({atom.name,
                             element_of(atom.element.uname()),
                             atom.altloc,
                             atom.occ,
                             {atom.pos.x, atom.pos.y, atom.pos.z}});
  }
  return residue;
}

}  // namespace

Result<std::vector<FileModel>> parse_pdb(std::string_view text, const std::string& name) {
  const Result<std::vector<ModelText>> checked = checked_models(text, name);
  if (!checked) return checked.error();
  try {
    std::vector<FileModel> models;
    for (const ModelText& from : *checked) {
      const gemmi::Structure structure =
          gemmi::read_pdb_from_memory(from.records.data(), from.records.size(), name);
      FileModel& model = models.emplace_back(FileModel{from.number, {}});
      for (const gemmi::Chain& part : structure.first_model().chains) {
        FileProteinChain& chain = chain_named(model, part.name);
        for (const gemmi::Residue& residue : part.residues) {
          chain.residues.push_back(residue_from(residue));
        }
      }
    }
    return models;
  } catch (const std::exception& problem) {
    return Error{ErrorCode::Malformed, name, "", problem.what(), ""};
  }
}

}  // namespace clearance::detail
