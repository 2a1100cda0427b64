// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From a file to the residues of one chain: which model, which chain, which of alternate locations.
#include <algorithm>
#include <map>
#include <utility>

#include <clearance/base/file.h>
#include <clearance/chain/protein.h>

#include "chain/protein_build.h"
#include "chain/protein_file.h"
#include "chain/protein_residues.h"

namespace clearance {
namespace {

using detail::FileAtom;
using detail::FileModel;
using detail::FileProteinChain;
using detail::FileResidue;
using detail::ResidueClass;

/// A file of mmCIF starts with the name of a data block, comments aside.
bool looks_like_mmcif(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    constexpr std::string_view kStart = "data_";
    return std::ranges::equal(line.substr(first, kStart.size()), kStart,
                              [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  }
  return false;
}

/// A residue of the protein, rather than something else that the chain's name is given to.
bool is_protein(const FileResidue& residue) {
  if (residue.kind == ResidueClass::AminoAcid) return true;
  return residue.kind == ResidueClass::Unknown && detail::has_backbone(residue);
}

std::size_t protein_length(const FileProteinChain& chain) {
  return static_cast<std::size_t>(std::ranges::count_if(chain.residues, is_protein));
}

std::string shown(const std::string& chain_name) { return chain_name.empty() ? "-" : chain_name; }

/// Which alternate location a residue is taken at: see ProteinOptions::alternate_location.
char chosen_location(const FileResidue& residue, char wanted) {
  std::map<char, double> occupancies;
  for (const FileAtom& atom : residue.atoms) {
    if (atom.alternate_location != '\0') occupancies[atom.alternate_location] += atom.occupancy;
  }
  if (occupancies.contains(wanted)) return wanted;
  char best = '\0';
  for (const auto& [location, occupancy] : occupancies) {
    if (best == '\0' || occupancy > occupancies[best]) best = location;
  }
  return best;
}

/// The residue with one location for each atom: the chosen one, or, for an atom without it, the
/// first in the file. Returns how many atoms that leaves out.
std::uint32_t choose_locations(FileResidue& residue, char wanted) {
  const char location = chosen_location(residue, wanted);
  if (location == '\0') return 0;
  std::map<std::string, std::size_t> kept;  // by name: index in atoms
  std::vector<FileAtom> atoms;
  std::uint32_t left_out = 0;
  for (FileAtom& atom : residue.atoms) {
    const auto found = atom.alternate_location == '\0' ? kept.end() : kept.find(atom.name);
    if (found == kept.end()) {
      if (atom.alternate_location != '\0') kept.emplace(atom.name, atoms.size());
      atoms.push_back(std::move(atom));
      continue;
    }
    ++left_out;
    FileAtom& other = atoms[found->second];
    if (atom.alternate_location == location && other.alternate_location != location) {
      other = std::move(atom);
    }
  }
  residue.atoms = std::move(atoms);
  return left_out;
}

/// Where a position has two kinds of residue as alternates of each other (one after the other in
/// the file), the one with the wanted location or the highest occupancy stays.
std::uint32_t choose_residues(std::vector<FileResidue>& residues, char wanted) {
  const auto all_alternate = [](const FileResidue& residue) {
    return std::ranges::none_of(residue.atoms,
                                [](const FileAtom& a) { return a.alternate_location == '\0'; });
  };
  const auto weight = [wanted](const FileResidue& residue) {
    double occupancy = 0.0;
    bool has_wanted = false;
    for (const FileAtom& atom : residue.atoms) {
      occupancy = std::max(occupancy, atom.occupancy);
      has_wanted = has_wanted || atom.alternate_location == wanted;
    }
    return std::pair(has_wanted, occupancy);
  };
  std::uint32_t left_out = 0;
  std::vector<FileResidue> chosen;
  for (FileResidue& residue : residues) {
    const bool alternate = !chosen.empty() && chosen.back().number == residue.number &&
                           chosen.back().insertion == residue.insertion &&
                           chosen.back().name != residue.name && all_alternate(residue) &&
                           all_alternate(chosen.back());
    if (!alternate) {
      chosen.push_back(std::move(residue));
      continue;
    }
    FileResidue& other = chosen.back();
    if (weight(residue) > weight(other)) std::swap(other, residue);
    left_out += static_cast<std::uint32_t>(residue.atoms.size());
  }
  residues = std::move(chosen);
  return left_out;
}

Result<FileModel*> find_model(std::vector<FileModel>& models, const std::string& name,
                              const ProteinOptions& options) {
  if (!options.model) return &models.front();
  for (FileModel& model : models) {
    if (model.number == *options.model) return &model;
  }
  return Error{ErrorCode::NotFound, name, "", "no model " + std::to_string(*options.model),
               "the file has " + std::to_string(models.size()) + ", the first is number " +
                   std::to_string(models.front().number)};
}

Result<FileProteinChain*> find_chain(FileModel& model, const std::string& name,
                                     const ProteinOptions& options) {
  FileProteinChain* best = nullptr;
  std::string names;
  for (FileProteinChain& chain : model.chains) {
    const std::size_t length = protein_length(chain);
    if (!options.chain.empty() && shown(chain.name) == options.chain) {
      if (length > 0) return &chain;
      return Error{ErrorCode::Unsupported, name, "chain " + options.chain,
                   "not a protein: no residue in it is an amino acid",
                   "nucleic acids, ligands and waters cannot be folded; name another chain"};
    }
    if (length == 0) continue;
    names += (names.empty() ? "" : ", ") + shown(chain.name);
    if (best == nullptr || length > protein_length(*best)) best = &chain;
  }
  if (best == nullptr) {
    return Error{ErrorCode::Unsupported, name, "", "no protein in the file: no amino acid",
                 "give a file with at least one protein chain"};
  }
  if (!options.chain.empty()) {
    return Error{ErrorCode::NotFound, name, "", "no chain " + options.chain,
                 "the protein chains are: " + names};
  }
  return best;
}

class Reader {
 public:
  Reader(const std::string& name, const ProteinOptions& options) : name_(name), options_(options) {}

  Result<Protein> run(std::vector<FileModel> models) {
    const Result<FileModel*> model = find_model(models, name_, options_);
    if (!model) return model.error();
    const Result<FileProteinChain*> chain = find_chain(**model, name_, options_);
    if (!chain) return chain.error();
    for (FileProteinChain& other : (*model)->chains) {
      if (Status status = sort_chain(other, &other == *chain); !status) return status.error();
    }
    alternate_locations_ += choose_residues(residues_, options_.alternate_location);
    for (FileResidue& residue : residues_) {
      alternate_locations_ += choose_locations(residue, options_.alternate_location);
    }
    Result<Protein> protein = detail::build_protein(residues_, name_, options_);
    if (!protein) return protein;
    counts_.models = static_cast<std::uint32_t>(models.size());
    protein->counts.models = counts_.models;
    protein->counts.other_chains = counts_.other_chains;
    protein->counts.non_protein_chains = counts_.non_protein_chains;
    protein->counts.ligands = counts_.ligands;
    protein->counts.waters = counts_.waters;
    protein->counts.alternate_locations = alternate_locations_;
    protein->chain_name = (*chain)->name;
    protein->model = (*model)->number;
    if (options_.surroundings) add_surroundings(*protein);
    return protein;
  }

 private:
  /// The residues of the protein go to residues_, all others are counted and go to others_.
  Status sort_chain(FileProteinChain& chain, bool taken) {
    if (!taken) ++(protein_length(chain) > 0 ? counts_.other_chains : counts_.non_protein_chains);
    for (FileResidue& residue : chain.residues) {
      if (taken && is_protein(residue)) {
        residues_.push_back(std::move(residue));
        continue;
      }
      if (taken && residue.kind == ResidueClass::Unknown && !residue.heterogen) {
        return detail::residue_error(
            name_, residue, ErrorCode::Unsupported,
            "is not an amino acid Clearance knows, and has no backbone of N, CA and C",
            "remove it, or mark it as HETATM if it is no part of the chain");
      }
      if (residue.kind == ResidueClass::Water) ++counts_.waters;
      if (residue.kind == ResidueClass::Ligand || residue.kind == ResidueClass::Unknown) {
        ++counts_.ligands;
      }
      others_.push_back(std::move(residue));
    }
    return {};
  }

  void add_surroundings(Protein& protein) {
    const Pose chain_from_file = inverse(protein.file_from_chain);
    choose_residues(others_, options_.alternate_location);
    for (FileResidue& residue : others_) {
      choose_locations(residue, options_.alternate_location);
      for (const FileAtom& atom : residue.atoms) {
        if (atom.is_hydrogen() && !options_.hydrogens) continue;
        protein.surroundings.push_back(
            {chain_from_file * atom.position,
             options_.clash_factor * detail::van_der_waals_radius(atom.element)});
      }
    }
  }

  const std::string& name_;
  const ProteinOptions& options_;
  ProteinCounts counts_;
  std::uint32_t alternate_locations_ = 0;
  std::vector<FileResidue> residues_;
  std::vector<FileResidue> others_;
};

}  // namespace

Result<Protein> parse_protein(std::string_view text, const std::string& name,
                              const ProteinOptions& options) {
  if (text.starts_with("\x1f\x8b")) {
    return Error{ErrorCode::Unsupported, name, "", "the file is compressed with gzip",
                 "unpack it first: gunzip"};
  }
  Result<std::vector<FileModel>> models =
      looks_like_mmcif(text) ? detail::parse_mmcif(text, name) : detail::parse_pdb(text, name);
  if (!models) return models.error();
  return Reader(name, options).run(std::move(models).value());
}

Result<Protein> read_protein(const std::string& path, const ProteinOptions& options) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_protein(file->text(), path, options);
}

}  // namespace clearance
