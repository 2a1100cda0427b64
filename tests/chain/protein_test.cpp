// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proteins as chains: their links and torsions, turning, writing, clashes; and all real files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <numbers>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/chain/protein.h>

#include "chain/protein_geometry.h"
#include "support/data.h"
#include "support/pdb_lines.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;
using test::accepted;
using test::PdbLines;
using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;
/// Coordinates of files have three decimals [Å].
constexpr double kFilePrecision = 1e-3;

std::vector<fs::path> protein_files() {
  return test::files_below(test::data_path("proteins"), {".pdb", ".cif"});
}

/// The difference of two angles, in (-pi, pi].
double turn_between(double from, double to) { return std::remainder(to - from, 2.0 * kPi); }

// ---- What a chain of three links a residue is ---------------------------------------------------

TEST(Protein, HasThreeLinksAResidueWithTheBackboneAtomAtTheOrigin) {
  const Protein protein = make_helix_bundle(30, 1);
  ASSERT_EQ(protein.residues.size(), 30u);
  ASSERT_EQ(protein.chain.links.size(), 90u);
  ASSERT_EQ(protein.chain.joints.size(), 89u);
  EXPECT_TRUE(check(protein.chain).ok());
  for (std::uint32_t r = 0; r < 30; ++r) {
    EXPECT_EQ(protein.atoms_of(n_link(r))[0].name, "N");
    EXPECT_EQ(protein.atoms_of(ca_link(r))[0].name, "CA");
    EXPECT_EQ(protein.atoms_of(c_link(r))[0].name, "C");
    EXPECT_EQ(protein.atoms_of(c_link(r))[1].name, "O");
    for (std::uint32_t link = n_link(r); link <= c_link(r); ++link) {
      EXPECT_EQ(protein.spheres_of(link).size(), protein.atoms_of(link).size());
      EXPECT_EQ(protein.spheres_of(link)[0].center, Vec3{});
    }
  }
}

TEST(Protein, RadiiAreBondiTimesTheClashFactor) {
  ProteinOptions options;
  options.clash_factor = 0.5;
  const Protein protein = accepted(PdbLines().text(), options);
  EXPECT_EQ(protein.atoms_of(0)[0].radius, 1.55);
  EXPECT_EQ(protein.spheres_of(0)[0].radius, 0.5 * 1.55);
  EXPECT_EQ(protein.spheres_of(1)[0].radius, 0.5 * 1.70);
  EXPECT_EQ(protein.spheres_of(2)[1].radius, 0.5 * 1.52);
}

TEST(Protein, TorsionsOfAnIdealHelixAreThoseItWasBuiltWith) {
  // One helix: no loops below 21 residues (two helices of 8 and a loop of 5).
  const Protein protein = make_helix_bundle(15, 3);
  for (const Torsion& torsion : protein.torsions) {
    if (torsion.is_chi()) continue;
    const double built = torsion.kind == TorsionKind::Phi   ? -60.0
                         : torsion.kind == TorsionKind::Psi ? -45.0
                                                            : 180.0;
    EXPECT_NEAR(turn_between(built * kPi / 180.0, torsion.angle), 0.0, 1e-12);
  }
}

TEST(Protein, EndsHaveNoTorsionThatIsUndefined) {
  const Protein protein = make_helix_bundle(4, 1);
  EXPECT_FALSE(find_torsion(protein, 0, TorsionKind::Phi));
  EXPECT_TRUE(find_torsion(protein, 0, TorsionKind::Psi));
  EXPECT_TRUE(find_torsion(protein, 3, TorsionKind::Phi));
  EXPECT_FALSE(find_torsion(protein, 3, TorsionKind::Psi));
  EXPECT_FALSE(find_torsion(protein, 3, TorsionKind::Omega));
}

TEST(Protein, OfOneResidueHasThreeLinksAndOnlyChi) {
  const Protein protein = accepted(PdbLines(1).text());
  EXPECT_EQ(protein.chain.links.size(), 3u);
  EXPECT_TRUE(std::ranges::all_of(protein.torsions, &Torsion::is_chi));
  EXPECT_TRUE(find_clashes(protein).empty());
}

// ---- Turning ------------------------------------------------------------------------------------

/// The dihedral of a torsion measured on positions of atoms, by the names of IUPAC.
double measured(const Protein& protein, const Torsion& torsion,
                const std::vector<Vec3>& positions) {
  const auto backbone = [&](std::uint32_t link) { return positions[protein.first_atom[link]]; };
  if (!torsion.is_chi()) {
    const std::uint32_t i = torsion.link;
    return detail::dihedral(backbone(i - 1), backbone(i), backbone(i + 1), backbone(i + 2));
  }
  // The chain of names that defines each chi; the first that is there counts.
  static const std::vector<std::vector<std::string>> kNames{{"N"},
                                                            {"CA"},
                                                            {"CB"},
                                                            {"CG", "CG1", "OG", "OG1", "SG"},
                                                            {"CD", "CD1", "OD1", "ND1", "SD", "SE"},
                                                            {"CE", "NE", "OE1"},
                                                            {"CZ", "NZ"}};
  const auto k =
      static_cast<std::size_t>(torsion.kind) - static_cast<std::size_t>(TorsionKind::Chi1);
  std::vector<Vec3> four;
  for (std::size_t i = k; i < k + 4; ++i) {
    for (const std::string& name : kNames[i]) {
      const std::uint32_t link = name == "N" ? torsion.link - 1 : torsion.link;
      const auto atoms = protein.atoms_of(link);
      const auto found = std::ranges::find(atoms, name, &ProteinAtom::name);
      if (found == atoms.end()) continue;
      four.push_back(
          positions[protein.first_atom[link] + static_cast<std::size_t>(found - atoms.begin())]);
      break;
    }
  }
  EXPECT_EQ(four.size(), 4u);
  return detail::dihedral(four[0], four[1], four[2], four[3]);
}

TEST(SetTorsion, AtTheAngleOfTheFileIsTheJointOfTheFileBitForBit) {
  const Protein protein = make_helix_bundle(60, 2);
  for (const Torsion& torsion : protein.torsions) {
    if (torsion.is_chi()) continue;
    const JointChange change = set_torsion(torsion, torsion.angle);
    EXPECT_EQ(change.pose, protein.chain.joints[change.joint]);
  }
}

TEST(SetTorsion, GivesTheAngleAskedForAndChangesNoOther) {
  const Protein protein = make_helix_bundle(40, 2);
  Result<ChainTree> tree = ChainTree::build(protein.chain);
  ASSERT_TRUE(tree);
  Random random(1);
  std::vector<double> angles;
  for (const Torsion& torsion : protein.torsions) {
    angles.push_back(torsion.is_chi() ? torsion.angle : random.uniform(-kPi, kPi));
    if (!torsion.is_chi()) tree->change({set_torsion(torsion, angles.back())});
  }
  tree->accept();
  const std::vector<Vec3> positions = atom_positions(protein, *tree);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    EXPECT_NEAR(turn_between(angles[i], measured(protein, protein.torsions[i], positions)), 0.0,
                1e-9)
        << torsion_name(protein.torsions[i].kind) << protein.torsions[i].residue;
  }
}

TEST(SideChain, AtTheAnglesOfTheFileIsThatOfTheFileBitForBit) {
  const Protein protein = make_helix_bundle(60, 2);
  for (std::uint32_t r = 0; r < 60; ++r) {
    const LinkSpheres spheres = side_chain(protein, r, chi_angles(protein, r));
    const LinkSpheres& of_file = protein.spheres_of(ca_link(r));
    ASSERT_EQ(spheres.size(), of_file.size());
    for (std::size_t i = 0; i < spheres.size(); ++i) {
      EXPECT_EQ(spheres[i].center, of_file[i].center);
    }
  }
}

TEST(SideChain, GivesTheAnglesAskedForAndKeepsAllBonds) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  // All twenty kinds of residue, with hydrogens.
  ProteinOptions options;
  options.hydrogens = true;
  const Result<Protein> read =
      read_protein(test::data_path("proteins/1d3z_nmr10.pdb").string(), options);
  ASSERT_TRUE(read);
  Protein protein = *read;
  Random random(5);
  std::vector<double> wanted(protein.torsions.size());
  for (std::uint32_t r = 0; r < protein.residues.size(); ++r) {
    std::vector<double> chi = chi_angles(protein, r);
    for (double& angle : chi) angle = random.uniform(-kPi, kPi);
    const LinkSpheres before = protein.spheres_of(ca_link(r));
    const LinkSpheres after = side_chain(protein, r, chi);
    const std::span<const ProteinAtom> atoms = protein.atoms_of(ca_link(r));
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        // Bonds: up to 1.2 Å with a hydrogen, 1.9 between others; nothing else is that close.
        const bool hydrogen = atoms[i].element == "H" || atoms[j].element == "H";
        const double length = distance(before[i].center, before[j].center);
        if (length > (hydrogen ? 1.2 : 1.9)) continue;
        EXPECT_NEAR(distance(after[i].center, after[j].center), length, 1e-9)
            << residue_name(protein.residues[r]) << " " << atoms[i].name << " " << atoms[j].name;
      }
    }
    std::size_t next = 0;
    const ProteinResidue& residue = protein.residues[r];
    for (std::uint32_t t = residue.first_torsion; t < residue.first_torsion + residue.torsion_count;
         ++t) {
      if (protein.torsions[t].is_chi()) wanted[t] = chi[next++];
    }
    protein.chain.links[ca_link(r)] = after;
  }
  const std::vector<Vec3> positions = atom_positions(protein);
  for (std::size_t t = 0; t < protein.torsions.size(); ++t) {
    if (!protein.torsions[t].is_chi()) continue;
    EXPECT_NEAR(turn_between(wanted[t], measured(protein, protein.torsions[t], positions)), 0.0,
                1e-9);
  }
}

TEST(SideChain, RingsStayRigidAndProlineDoesNotTurn) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<Protein> protein = read_protein(test::data_path("proteins/1ubi.pdb").string());
  ASSERT_TRUE(protein);
  std::uint32_t prolines = 0;
  std::uint32_t rings = 0;
  for (std::uint32_t r = 0; r < protein->residues.size(); ++r) {
    const std::string& name = protein->residues[r].name;
    if (name == "PRO") {
      ++prolines;
      EXPECT_TRUE(chi_angles(*protein, r).empty());
      EXPECT_FALSE(protein->torsions[*find_torsion(*protein, r, TorsionKind::Phi)].movable);
    }
    if (name != "PHE" && name != "TYR" && name != "HIS") continue;
    ++rings;
    EXPECT_EQ(chi_angles(*protein, r).size(), 2u);
    // Behind CG everything turns together: all but CA, CB, CG.
    const Torsion& chi2 = protein->torsions[*find_torsion(*protein, r, TorsionKind::Chi2)];
    EXPECT_EQ(chi2.turns.size(), protein->spheres_of(ca_link(r)).size() - 3);
  }
  EXPECT_EQ(prolines, 3u);
  EXPECT_EQ(rings, 4u);
}

TEST(SideChain, HasAsManyAnglesAsItsKind) {
  const std::map<char, std::size_t> counts{{'A', 0}, {'R', 4}, {'N', 2}, {'D', 2}, {'C', 1},
                                           {'Q', 3}, {'E', 3}, {'G', 0}, {'H', 2}, {'I', 2},
                                           {'L', 2}, {'K', 4}, {'M', 3}, {'F', 2}, {'S', 1},
                                           {'T', 1}, {'W', 2}, {'Y', 2}, {'V', 1}};
  const Protein protein = make_helix_bundle(300, 4);
  std::set<char> seen;
  for (std::uint32_t r = 0; r < 300; ++r) {
    const char letter = protein.residues[r].letter;
    EXPECT_EQ(chi_angles(protein, r).size(), counts.at(letter)) << letter;
    seen.insert(letter);
  }
  EXPECT_EQ(seen.size(), counts.size());
}

// ---- Writing ------------------------------------------------------------------------------------

/// By residue and atom name, since the order of atoms in a file is not that of links.
std::map<std::string, Vec3> positions_by_name(const Protein& protein) {
  std::map<std::string, Vec3> by_name;
  const std::vector<Vec3> positions = atom_positions(protein);
  for (std::uint32_t link = 0; link + 1 < protein.first_atom.size(); ++link) {
    for (std::uint32_t i = protein.first_atom[link]; i < protein.first_atom[link + 1]; ++i) {
      by_name[residue_name(protein.residues[link / 3]) + " " + protein.atoms[i].name] =
          positions[i];
    }
  }
  return by_name;
}

TEST(WritePdb, ReadsBackTheSameProtein) {
  const Protein protein = make_helix_bundle(100, 9);
  const test::TemporaryFolder folder;
  const std::string path = folder.file("bundle.pdb");
  const std::vector<std::vector<Vec3>> models{atom_positions(protein), atom_positions(protein)};
  ASSERT_TRUE(write_pdb(path, protein, models).ok());
  const Result<Protein> back = read_protein(path);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->counts.models, 2u);
  EXPECT_EQ(back->residues, protein.residues);
  EXPECT_EQ(back->atoms, protein.atoms);
  EXPECT_EQ(back->chain_name, "A");
  const std::vector<Vec3> positions = atom_positions(*back);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_LT(distance(positions[i], models[0][i]), kFilePrecision);
  }
}

TEST(WritePdb, RefusesWhatDoesNotFitItsColumnsAndLeavesNoFile) {
  const Protein protein = make_helix_bundle(3, 1);
  std::vector<Vec3> positions = atom_positions(protein);
  positions[2].x = 1e5;
  const test::TemporaryFolder folder;
  const Status status =
      write_pdb(folder.file("far.pdb"), protein, std::vector<std::vector<Vec3>>{positions});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(), HasSubstr("does not fit the columns"));
  EXPECT_FALSE(fs::exists(folder.file("far.pdb")));
}

TEST(WritePdb, NumbersBeyondTheColumnsComeBackByHybrid36) {
  Protein protein = make_helix_bundle(3, 1);
  protein.residues[1].number = 9999;
  protein.residues[2].number = 10000;
  const Protein back = accepted(*pdb_model(protein, atom_positions(protein), 1));
  EXPECT_EQ(back.residues[1].number, 9999);
  EXPECT_EQ(back.residues[2].number, 10000);
}

// ---- Clashes ------------------------------------------------------------------------------------

TEST(FindClashes, NamesAtomsAndResiduesAndAgreesWithTheTree) {
  ProteinOptions options;
  options.clash_factor = 1.1;
  const Protein protein = accepted(PdbLines(40).text(), options);
  const std::vector<AtomClash> clashes = find_clashes(protein);
  ASSERT_FALSE(clashes.empty());
  EXPECT_THAT(clash_text(protein, clashes[0]),
              ::testing::MatchesRegex("[A-Z0-9]+ of [A-Z]+ [0-9]+ and [A-Z0-9]+ of [A-Z]+ [0-9]+: "
                                      "[0-9.]+ apart, [0-9.]+ needed"));
  std::vector<LinkPair> pairs;
  for (const AtomClash& clash : clashes) pairs.push_back(clash.links);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const Result<ChainTree> tree = ChainTree::build(protein.chain);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->contacts(), pairs);
}

TEST(FindClashes, LeavesDisulfidesOut) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<Protein> protein = read_protein(test::data_path("proteins/1crn.pdb").string());
  ASSERT_TRUE(protein);
  // 3-40, 4-32, 16-26: SSBOND records of the file.
  const std::vector<LinkPair> bridges{
      {ca_link(2), ca_link(39)}, {ca_link(3), ca_link(31)}, {ca_link(15), ca_link(25)}};
  EXPECT_EQ(protein->chain.ignored, bridges);
  Protein without = *protein;
  without.chain.ignored.clear();
  EXPECT_EQ(find_clashes(*protein).size(), 0u);
  EXPECT_GE(find_clashes(without).size(), 3u);
}

// ---- Real files ---------------------------------------------------------------------------------

/// Atoms of the first model and one chain, by residue and name, straight from the text: columns of
/// PDB, words of mmCIF (one row a line in these files). Alternate locations: A only.
std::map<std::string, Vec3> atoms_in_text(const fs::path& path, const std::string& chain) {
  std::map<std::string, Vec3> atoms;
  std::map<std::string, std::size_t> columns;
  std::istringstream text(test::contents(path));
  const auto without_spaces = [](std::string field) {
    std::erase(field, ' ');
    return field;
  };
  for (std::string line; std::getline(text, line) && !line.starts_with("ENDMDL");) {
    if (line.starts_with("_atom_site.")) {
      columns.emplace(without_spaces(line.substr(11)), columns.size());
    }
    if (!line.starts_with("ATOM")) continue;
    std::string alternate, name, residue, number, of_chain, x, y, z;
    if (path.extension() == ".cif") {
      std::istringstream words(line);
      const std::vector<std::string> row{std::istream_iterator<std::string>(words), {}};
      const auto value = [&](const char* tag) { return row.at(columns.at(tag)); };
      alternate = value("label_alt_id"), name = value("auth_atom_id");
      residue = value("auth_comp_id"), number = value("auth_seq_id");
      of_chain = value("auth_asym_id");
      x = value("Cartn_x"), y = value("Cartn_y"), z = value("Cartn_z");
    } else {
      alternate = line.substr(16, 1), name = without_spaces(line.substr(12, 4));
      residue = without_spaces(line.substr(17, 3)), number = without_spaces(line.substr(22, 5));
      of_chain = without_spaces(line.substr(21, 1));
      x = line.substr(30, 8), y = line.substr(38, 8), z = line.substr(46, 8);
    }
    if (of_chain != chain || alternate.find_first_not_of(" .A") != std::string::npos) continue;
    std::string key = residue;
    key += " " + number + " " + name;
    atoms[key] = {std::stod(x), std::stod(y), std::stod(z)};
  }
  return atoms;
}

class ProteinFile : public ::testing::TestWithParam<fs::path> {};

TEST_P(ProteinFile, StartsFreeOfClashes) {
  const Result<Protein> protein = read_protein(GetParam().string());
  ASSERT_TRUE(protein) << protein.error().message();
  EXPECT_TRUE(check(protein->chain).ok());
  const std::vector<AtomClash> clashes = find_clashes(*protein);
  EXPECT_TRUE(clashes.empty()) << clash_text(*protein, clashes[0]);
}

TEST_P(ProteinFile, ComesBackFromTheChainToThePrecisionOfTheFile) {
  ProteinOptions options;
  options.hydrogens = true;
  const Result<Protein> protein = read_protein(GetParam().string(), options);
  ASSERT_TRUE(protein) << protein.error().message();
  const std::map<std::string, Vec3> from_chain = positions_by_name(*protein);
  ASSERT_EQ(from_chain.size(), protein->atoms.size());
  std::size_t compared = 0;
  for (const auto& [name, p] : atoms_in_text(GetParam(), protein->chain_name)) {
    const auto found = from_chain.find(name);
    ASSERT_NE(found, from_chain.end()) << name;
    EXPECT_LT(distance(p, found->second), 1e-9) << name;
    ++compared;
  }
  EXPECT_EQ(compared, from_chain.size());
}

TEST_P(ProteinFile, ReadsBackAsWritten) {
  const Result<Protein> protein = read_protein(GetParam().string());
  ASSERT_TRUE(protein);
  const std::vector<Vec3> positions = atom_positions(*protein);
  const Protein back = accepted(*pdb_model(*protein, positions, 1));
  ASSERT_EQ(back.atoms, protein->atoms);
  const std::vector<Vec3> again = atom_positions(back);
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_LT(distance(again[i], positions[i]), kFilePrecision);
  }
}

std::string file_name(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// Skips cleanly, as an empty list of files, where the data folder is absent.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ProteinFile);
INSTANTIATE_TEST_SUITE_P(Data, ProteinFile, ::testing::ValuesIn(protein_files()), file_name);

TEST(ProteinOnRealFiles, PdbAndMmcifOfOneEntryAreTheSame) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<Protein> pdb = read_protein(test::data_path("proteins/1crn.pdb").string());
  const Result<Protein> cif = read_protein(test::data_path("proteins/1crn.cif").string());
  ASSERT_TRUE(pdb && cif);
  EXPECT_EQ(pdb->residues, cif->residues);
  EXPECT_EQ(pdb->atoms, cif->atoms);
  EXPECT_EQ(pdb->counts, cif->counts);
  EXPECT_EQ(pdb->chain.joints, cif->chain.joints);
}

TEST(ProteinOnRealFiles, CountsAreThoseOfTheEntries) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const auto counts_of = [](const char* file) {
    const Result<Protein> protein = read_protein(test::data_path(file).string());
    EXPECT_TRUE(protein) << protein.error().message();
    return protein->counts;
  };
  EXPECT_EQ(counts_of("proteins/1d3z_nmr10.pdb").models, 10u);
  EXPECT_EQ(counts_of("proteins/3mht.pdb").non_protein_chains, 2u);
  EXPECT_EQ(counts_of("proteins/1ubi.pdb").waters, 81u);
  EXPECT_EQ(counts_of("proteins/7ddo.pdb").disulfides, 3u);
  // Backbone and hydrogens only: every residue but glycine is incomplete, and all are kept.
  EXPECT_EQ(counts_of("proteins/3j6r.pdb").incomplete_residues, 443u);
}

}  // namespace
}  // namespace clearance
