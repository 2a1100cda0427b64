// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The chains that the study measures, with the figures of the paper that belong to them.
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <clearance/chain/protein.h>

#include "chaintree/chains.h"
#include "chaintree/chaintree.h"
#include "words.h"

namespace clearance::study {
namespace {

/// A protein of the paper, and what takes its place.
struct StandIn {
  ChainPaperRow paper;
  std::uint32_t residues;            ///< of the paper's protein; of the generated one
  std::array<const char*, 2> files;  ///< real ones of about that length; null: only one
};
constexpr std::array<StandIn, 3> kStandIns{{
    {{"1SHG", 242, 73}, 57, {"1ckb", nullptr}},
    {{"1B4E", 664, 113}, 323, {"1cms", nullptr}},
    {{"1LOX", 747, 146}, 647, {"7ddo", "af_q9y223"}},
}};

/// NAME.pdb in the folder or in its folder "proteins"; empty when it is not there.
std::string find_file(const std::string& folder, const std::string& name) {
  for (const char* below : {"", "proteins"}) {
    const std::filesystem::path path = std::filesystem::path(folder) / below / (name + ".pdb");
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return {};
}

/// The backbone (the first atom of each link), which the paper measured, and the whole protein.
std::vector<ChainSubject> subjects_of(const std::string& name, Protein protein,
                                      const std::optional<ChainPaperRow>& paper) {
  ChainSubject whole{name + " whole", std::move(protein.chain), {}, {}};
  for (const Torsion& torsion : protein.torsions) {
    if (torsion.movable && !torsion.is_chi()) whole.joints.push_back(torsion.link);
  }
  ChainSubject backbone{name, whole.chain, whole.joints, paper};
  for (LinkShape& link : backbone.chain.links) std::get<LinkSpheres>(link).resize(1);
  std::vector<ChainSubject> subjects;
  subjects.push_back(std::move(backbone));
  subjects.push_back(std::move(whole));
  return subjects;
}

}  // namespace

std::vector<ChainSubject> compact_subjects(const ChainStudyOptions& options) {
  constexpr std::array<std::pair<std::size_t, ChainPaperRow>, 4> kCompact{{
      {1'000, {"1,000", 703, 114}},
      {2'500, {"2,500", 715, 131}},
      {5'000, {"5,000", 905, 163}},
      {10'000, {"10,000", 964, 178}},
  }};
  constexpr std::array<std::size_t, 2> kQuick{200, 500};
  std::vector<ChainSubject> subjects;
  const auto add = [&](std::size_t links, const std::optional<ChainPaperRow>& paper) {
    subjects.push_back(
        {"compact " + grouped(links), compact_chain(links, options.seed), {}, paper});
  };
  if (options.quick) {
    for (const std::size_t links : kQuick) add(links, {});
  } else {
    for (const auto& [links, paper] : kCompact) add(links, paper);
  }
  return subjects;
}

Result<std::vector<ChainSubject>> protein_subjects(const std::string& folder,
                                                   const ChainStudyOptions& options) {
  std::vector<ChainSubject> subjects;
  const auto add = [&](std::vector<ChainSubject> more) {
    for (ChainSubject& subject : more) subjects.push_back(std::move(subject));
  };
  for (const StandIn& stand_in : kStandIns) {
    bool found = false;
    for (const char* name : stand_in.files) {
      const std::string path =
          name == nullptr || folder.empty() ? std::string() : find_file(folder, name);
      if (path.empty()) continue;
      Result<Protein> protein = read_protein(path);
      if (!protein) return protein.error();
      add(subjects_of(name, std::move(*protein), stand_in.paper));
      found = true;
    }
    if (found) continue;
    constexpr std::uint32_t kQuickFraction = 8;
    const std::uint32_t residues = stand_in.residues / (options.quick ? kQuickFraction : 1);
    std::optional<ChainPaperRow> paper;
    if (!options.quick) paper = stand_in.paper;
    add(subjects_of("helices " + std::to_string(residues),
                    make_helix_bundle(residues, options.seed), paper));
  }
  return subjects;
}

Result<std::vector<ChainSubject>> protein_file_subjects(const std::string& path) {
  Result<Protein> protein = read_protein(path);
  if (!protein) return protein.error();
  return subjects_of(path, std::move(*protein), {});
}

}  // namespace clearance::study
