// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Text of PDB files for tests: that of a small helix bundle, to be spoilt line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/chain/protein.h>

namespace clearance::test {

/// Lines of a PDB file of a small bundle, without MODEL and ENDMDL, to be changed by tests.
class PdbLines {
 public:
  explicit PdbLines(std::uint32_t residues = 12) {
    const Protein bundle = make_helix_bundle(residues, 7);
    const std::string text = *pdb_model(bundle, atom_positions(bundle), 1);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      if (line.starts_with("ATOM")) lines.push_back(line);
      at = end + 1;
    }
  }
  /// Index of the line of an atom.
  [[nodiscard]] std::size_t find(int residue, const std::string& atom) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (std::stoi(lines[i].substr(22, 4)) == residue && lines[i].substr(12, 4) == field(atom)) {
        return i;
      }
    }
    ADD_FAILURE() << "no atom " << atom << " of residue " << residue;
    return 0;
  }
  void remove(int residue, const std::string& atom) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(find(residue, atom)));
  }
  void remove_residue(int residue) {
    std::erase_if(lines,
                  [&](const std::string& l) { return std::stoi(l.substr(22, 4)) == residue; });
  }
  void put(int residue, const std::string& atom, std::size_t column, const std::string& text) {
    lines[find(residue, atom)].replace(column - 1, text.size(), text);
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all + "END\n";
  }
  std::vector<std::string> lines;

 private:
  static std::string field(const std::string& atom) {
    std::string name = " " + atom;
    name.resize(4, ' ');
    return name;
  }
};

/// The message parse_protein() refuses the text with; "read" when it does not.
inline std::string refusal(const std::string& text, const ProteinOptions& options = {}) {
  const Result<Protein> protein = parse_protein(text, "x.pdb", options);
  if (protein) return "read";
  EXPECT_FALSE(protein.error().reason.empty());
  EXPECT_EQ(protein.error().file, "x.pdb");
  return protein.error().message();
}

/// The protein of a text that must be read.
inline Protein accepted(const std::string& text, const ProteinOptions& options = {}) {
  Result<Protein> protein = parse_protein(text, "x.pdb", options);
  if (!protein) {
    ADD_FAILURE() << protein.error().message();
    return make_helix_bundle(1, 1);
  }
  return std::move(protein).value();
}

}  // namespace clearance::test
