// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/protein_file.h"

#include <charconv>

#include <gemmi/elem.hpp>
#include <gemmi/resinfo.hpp>

namespace clearance::detail {

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

std::string element_of(const std::string& symbol) {
  const gemmi::Element element(symbol);
  return element == gemmi::El::X ? std::string() : element.uname();
}

FileProteinChain& chain_named(FileModel& model, const std::string& name) {
  for (FileProteinChain& chain : model.chains) {
    if (chain.name == name) return chain;
  }
  model.chains.push_back({name, {}});
  return model.chains.back();
}

}  // namespace clearance::detail
