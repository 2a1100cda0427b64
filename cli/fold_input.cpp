// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_input.h"

#include <charconv>
#include <string_view>

#include "text.h"

namespace clearance::cli {
namespace {

constexpr std::string_view kBundle = "helix-bundle:";
/// Largest bundle: its file of one model is a gigabyte.
constexpr std::uint32_t kMostResidues = 1'000'000;

/// The bundle that the words behind "helix-bundle:" ask for, its atoms of the size asked for.
Result<Protein> bundle_from(std::string_view words, double clash_factor) {
  const auto number = [](std::string_view text, auto& value) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
  };
  const std::size_t colon = words.find(':');
  std::uint32_t residues = 0;
  std::uint64_t seed = 1;
  const bool good = number(words.substr(0, colon), residues) &&
                    (colon == std::string_view::npos || number(words.substr(colon + 1), seed));
  if (!good || residues == 0 || residues > kMostResidues) {
    return Error{ErrorCode::Invalid, std::string(kBundle) + std::string(words), "",
                 "is not helix-bundle:RESIDUES or helix-bundle:RESIDUES:SEED with 1 to " +
                     std::to_string(kMostResidues) + " residues",
                 ""};
  }
  Protein protein = make_helix_bundle(residues, seed);
  protein.clash_factor = clash_factor;
  for (std::size_t link = 0; link < protein.chain.links.size(); ++link) {
    auto& spheres = std::get<LinkSpheres>(protein.chain.links[link]);
    for (std::size_t i = 0; i < spheres.size(); ++i)
      spheres[i].radius = clash_factor * protein.atoms_of(link)[i].radius;
  }
  return protein;
}

std::vector<std::string> remarks_on(const ProteinCounts& counts) {
  std::vector<std::string> remarks;
  const auto add = [&](std::uint32_t count, const char* singular, const char* plural) {
    if (count > 0) remarks.push_back(count_of(count, singular, plural));
  };
  if (counts.models > 1) add(counts.models, "model", "models in the file, one taken");
  add(counts.other_chains, "other protein chain left out", "other protein chains left out");
  add(counts.non_protein_chains, "chain without protein left out",
      "chains without protein left out");
  add(counts.ligands, "ligand left out", "ligands left out");
  add(counts.waters, "water left out", "waters left out");
  add(counts.hydrogens_left_out, "hydrogen left out", "hydrogens left out");
  add(counts.alternate_locations, "atom at an alternate location left out",
      "atoms at alternate locations left out");
  add(counts.incomplete_residues, "residue lacks atoms of its side chain",
      "residues lack atoms of their side chains");
  add(counts.unknown_residues, "unknown residue kept rigid", "unknown residues kept rigid");
  add(counts.gaps_bridged, "gap bridged", "gaps bridged");
  add(counts.disulfides, "disulfide bridge may touch", "disulfide bridges may touch");
  return remarks;
}

}  // namespace

bool is_made_up(const std::string& name) { return name.starts_with(kBundle); }

Result<FoldInput> read_fold_input(const std::string& name, const ProteinOptions& options) {
  const bool generated = is_made_up(name);
  Result<Protein> protein =
      generated ? bundle_from(std::string_view(name).substr(kBundle.size()), options.clash_factor)
                : read_protein(name, options);
  if (!protein) return protein.error();
  FoldInput input;
  input.name = name;
  input.model = fold_model(*protein);
  input.start = atom_positions(*protein);
  input.remarks = remarks_on(protein->counts);
  input.protein = std::move(*protein);
  if (input.model.torsions.empty() && input.model.rotors.empty()) {
    return Error{
        ErrorCode::Invalid, name, "",
        "has nothing to turn: " + count_of(input.protein.residues.size(), "residue", "residues"),
        "folding needs two residues or a side chain"};
  }
  return input;
}

std::string describe(const FoldInput& input) {
  std::string text;
  if (!input.protein.chain_name.empty()) text += "chain " + input.protein.chain_name + ", ";
  return text + count_of(input.protein.residues.size(), "residue", "residues") + ", " +
         count_of(input.protein.atoms.size(), "atom", "atoms") + ", " +
         count_of(input.model.chain.links.size(), "link", "links") + "; " +
         count_of(input.model.torsions.size() + input.model.rotors.size(), "angle", "angles") +
         ", " + group_digits(input.model.rotors.size()) + " of them in side chains";
}

std::string sphere_name(const FoldInput& input, std::uint32_t link, std::uint32_t sphere) {
  return residue_name(input.protein.residues[link / 3]) + " " +
         input.protein.atoms_of(link)[sphere].name;
}

}  // namespace clearance::cli
