// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What read_protein() makes of files: what it leaves out, chooses, and refuses.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/chain/protein.h>

#include "support/pdb_lines.h"

namespace clearance {
namespace {

using test::accepted;
using test::PdbLines;
using test::refusal;
using ::testing::HasSubstr;

/// Coordinates of files have three decimals [Å].
constexpr double kFilePrecision = 1e-3;

// ---- What files may hold besides ----------------------------------------------------------------

TEST(ReadProtein, LeavesWaterLigandsAndOtherChainsOutAndCountsThem) {
  PdbLines file;
  file.lines.push_back("TER");
  file.lines.push_back(
      "HETATM  900 ZN    ZN A 200      50.000  50.000  50.000  1.00  0.00          ZN  ");
  file.lines.push_back(
      "HETATM  901  O   HOH A 301      60.000  50.000  50.000  1.00  0.00           O  ");
  file.lines.push_back(
      "HETATM  902  O   HOH A 302      60.000  55.000  50.000  1.00  0.00           O  ");
  file.lines.push_back(
      "ATOM    903  P    DA D   1      70.000  50.000  50.000  1.00  0.00           P  ");
  ProteinOptions options;
  options.surroundings = true;
  const Protein protein = accepted(file.text(), options);
  EXPECT_EQ(protein.residues.size(), 12u);
  EXPECT_EQ(protein.counts.waters, 2u);
  EXPECT_EQ(protein.counts.ligands, 1u);
  EXPECT_EQ(protein.counts.non_protein_chains, 1u);
  ASSERT_EQ(protein.surroundings.size(), 4u);
  EXPECT_LT(distance(protein.file_from_chain * protein.surroundings[0].center, {50, 50, 50}), 1e-9);
  EXPECT_TRUE(accepted(file.text()).surroundings.empty());
}

TEST(ReadProtein, TakesTheHighestOccupancyAndAOfEquals) {
  PdbLines file;
  const std::size_t at = file.find(5, "O");
  std::string other = file.lines[at];
  file.lines[at].replace(16, 1, "A");
  file.lines[at].replace(54, 6, "  0.50");
  other.replace(16, 1, "B");
  other.replace(30, 8, "  77.000");
  other.replace(54, 6, "  0.50");
  file.lines.insert(file.lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, other);
  const auto x_of = [](const Protein& protein) {
    return atom_positions(protein)[protein.first_atom[c_link(4)] + 1].x;
  };
  const Protein equal = accepted(file.text());
  EXPECT_EQ(equal.counts.alternate_locations, 1u);
  EXPECT_LT(x_of(equal), 76.0);
  file.lines[at + 1].replace(54, 6, "  0.60");
  EXPECT_NEAR(x_of(accepted(file.text())), 77.0, 1e-9);
  ProteinOptions wants_a;
  wants_a.alternate_location = 'A';
  EXPECT_LT(x_of(accepted(file.text(), wants_a)), 76.0);
}

TEST(ReadProtein, TakesOneOfTwoResiduesAtOnePlace) {
  // Residue 5 as A, and behind it the same backbone as glycine B, more of it.
  PdbLines file;
  std::vector<std::string> glycine;
  for (const char* atom : {"N", "CA", "C", "O"}) {
    std::string line = file.lines[file.find(5, atom)];
    line.replace(16, 4, "BGLY");
    line.replace(54, 6, "  0.70");
    glycine.push_back(line);
  }
  for (std::string& line : file.lines) {
    if (line.substr(22, 4) != "   5") continue;
    line.replace(16, 1, "A");
    line.replace(54, 6, "  0.30");
  }
  file.lines.insert(file.lines.begin() + static_cast<std::ptrdiff_t>(file.find(6, "N")),
                    glycine.begin(), glycine.end());
  const Protein protein = accepted(file.text());
  ASSERT_EQ(protein.residues.size(), 12u);
  EXPECT_EQ(protein.residues[4].name, "GLY");
  EXPECT_GT(protein.counts.alternate_locations, 3u);
  ProteinOptions wants_a;
  wants_a.alternate_location = 'A';
  EXPECT_NE(accepted(file.text(), wants_a).residues[4].name, "GLY");
}

TEST(ReadProtein, ReadsModelsBeyondTheColumnsOfTheirNumbersAndWithoutNumbers) {
  const Protein bundle = make_helix_bundle(3, 1);
  const std::vector<Vec3> positions = atom_positions(bundle);
  const std::string text =
      *pdb_model(bundle, positions, 9999) + *pdb_model(bundle, positions, 123456);
  ProteinOptions options;
  options.model = 123456;
  EXPECT_EQ(accepted(text, options).counts.models, 2u);
  std::string unnumbered = PdbLines(3).text();
  unnumbered.replace(unnumbered.find("END"), 3, "ENDMDL");
  options.model = 2;
  EXPECT_EQ(accepted(unnumbered + unnumbered, options).model, 2);
}

TEST(ReadProtein, ChoosesModelAndChainByName) {
  const Protein bundle = make_helix_bundle(6, 1);
  std::vector<Vec3> moved = atom_positions(bundle);
  for (Vec3& p : moved) p.x += 10.0;
  const std::string text =
      *pdb_model(bundle, atom_positions(bundle), 3) + *pdb_model(bundle, moved, 8);
  ProteinOptions options;
  EXPECT_EQ(accepted(text).model, 3);
  options.model = 8;
  const Protein second = accepted(text, options);
  EXPECT_EQ(second.model, 8);
  EXPECT_LT(distance(atom_positions(second)[0], moved[0]), kFilePrecision);
  options.model = 4;
  EXPECT_THAT(refusal(text, options), HasSubstr("no model 4"));
  options.model.reset();
  options.chain = "Q";
  EXPECT_THAT(refusal(text, options), HasSubstr("no chain Q (the protein chains are: A)"));
}

TEST(ReadProtein, DropsHydrogensUnlessAskedAndSortsThemToTheirAtoms) {
  PdbLines file;
  // One hydrogen 1 Å beside N of residue 3, one beside its CB.
  const auto hydrogen_at = [&](const std::string& atom, const std::string& name) {
    std::string line = file.lines[file.find(3, atom)];
    line.replace(12, 4, name);
    line.replace(76, 2, " H");
    const double z = std::stod(line.substr(46, 8)) + 0.8;
    char field[16];
    std::snprintf(field, sizeof(field), "%8.3f", z);
    line.replace(46, 8, field);
    file.lines.push_back(line);
  };
  hydrogen_at("N", " H  ");
  hydrogen_at("CB", " HB2");
  const Protein without = accepted(file.text());
  EXPECT_EQ(without.counts.hydrogens_left_out, 2u);
  ProteinOptions options;
  options.hydrogens = true;
  const Protein with = accepted(file.text(), options);
  EXPECT_EQ(with.atoms.size(), without.atoms.size() + 2);
  EXPECT_EQ(with.atoms_of(n_link(2)).back().name, "H");
  EXPECT_EQ(with.atoms_of(ca_link(2)).back().name, "HB2");
  // What hangs on CB turns with chi 1.
  if (const auto chi = find_torsion(with, 2, TorsionKind::Chi1)) {
    const auto last = static_cast<std::uint32_t>(with.atoms_of(ca_link(2)).size() - 1);
    EXPECT_THAT(with.torsions[*chi].turns, ::testing::Contains(last));
  }
}

TEST(ReadProtein, KeepsUnknownResiduesRigid) {
  PdbLines file;
  for (std::string& line : file.lines) {
    if (line.substr(22, 4) == "   5") line.replace(17, 3, "QQQ");
  }
  const Protein protein = accepted(file.text());
  EXPECT_EQ(protein.counts.unknown_residues, 1u);
  EXPECT_EQ(protein.residues[4].letter, 'X');
  EXPECT_TRUE(chi_angles(protein, 4).empty());
  EXPECT_EQ(protein.residues.size(), 12u);
}

TEST(ReadProtein, MissingSideChainAtomsAreCountedAndTheirAnglesGone) {
  const Protein whole = accepted(PdbLines().text());
  std::uint32_t r = 0;
  while (chi_angles(whole, r).size() < 2) ++r;
  PdbLines file;
  const Torsion& chi2 = whole.torsions[*find_torsion(whole, r, TorsionKind::Chi2)];
  for (const std::uint32_t i : chi2.turns) {
    file.remove(static_cast<int>(r) + 1, whole.atoms_of(ca_link(r))[i].name);
  }
  const Protein protein = accepted(file.text());
  EXPECT_EQ(protein.counts.incomplete_residues, 1u);
  EXPECT_EQ(protein.counts.missing_atoms, chi2.turns.size());
  EXPECT_EQ(chi_angles(protein, r).size(), 1u);
}

TEST(ReadProtein, ReadsMmcifWithQuotesAndUncertainties) {
  const std::string text =
      "data_TEST\n#\nloop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n"
      "_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n"
      "_atom_site.auth_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
      "ATOM N N   GLY A 1 0.0    0.0 0.0\n"
      "ATOM C 'CA' GLY A 1 1.458(3) 0.0 0.0\n"
      "ATOM C C   GLY A 1 2.0    1.42 0.0\n"
      "ATOM O O   GLY A 1 1.3    2.4 0.0\n";
  const Result<Protein> protein = parse_protein(text, "x.cif");
  ASSERT_TRUE(protein) << protein.error().message();
  EXPECT_EQ(protein->atoms.size(), 4u);
  EXPECT_NEAR(atom_positions(*protein)[1].x, 1.458, 1e-12);
}

// ---- Refused ------------------------------------------------------------------------------------

TEST(ReadProtein, RefusesEmptyFilesAndFilesWithoutAtomsOrProtein) {
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal("HEADER    HYDROLASE\n"), HasSubstr("no atom"));
  EXPECT_THAT(refusal("\x1f\x8b\x08 packed"), HasSubstr("gunzip"));
  EXPECT_THAT(refusal("data_x\n_cell.length_a 1\n"), HasSubstr("no table _atom_site"));
  EXPECT_THAT(
      refusal("ATOM      1  P    DA A   1      70.000  50.000  50.000  1.00  0.00           P\n"),
      HasSubstr("no protein in the file"));
}

TEST(ReadProtein, RefusesCoordinatesThatAreNotNumbersWithTheLine) {
  PdbLines file;
  const std::string place = "line " + std::to_string(file.find(4, "CA") + 1);
  for (const char* text :
       {"     nan", "     inf", "        ", "  1.2.3 ", " abc.def", "1e400   "}) {
    file.put(4, "CA", 39, text);
    EXPECT_THAT(refusal(file.text()), HasSubstr(place)) << text;
  }
}

TEST(ReadProtein, RefusesShiftedColumns) {
  for (const std::size_t column : {0u, 7u, 20u, 29u}) {
    PdbLines file;
    std::string& line = file.lines[file.find(4, "CA")];
    line.insert(column, " ");
    EXPECT_THAT(refusal(file.text()), HasSubstr("line ")) << column;
  }
  PdbLines cut;
  cut.lines[3].resize(50);
  EXPECT_THAT(refusal(cut.text()), HasSubstr("line 4: the record of an atom ends after 50"));
}

TEST(ReadProtein, RefusesGapsWithBothResiduesUnlessBridged) {
  PdbLines file;
  file.remove_residue(6);
  const std::string message = refusal(file.text());
  EXPECT_THAT(message, HasSubstr(" 5: the chain has a gap: C and N of "));
  EXPECT_THAT(message, HasSubstr(" 7 are "));
  ProteinOptions options;
  options.bridge_gaps = true;
  options.omega = true;
  const Protein bridged = accepted(file.text(), options);
  EXPECT_EQ(bridged.counts.gaps_bridged, 1u);
  EXPECT_FALSE(bridged.torsions[*find_torsion(bridged, 4, TorsionKind::Psi)].movable);
  EXPECT_FALSE(bridged.torsions[*find_torsion(bridged, 4, TorsionKind::Omega)].movable);
  EXPECT_FALSE(bridged.torsions[*find_torsion(bridged, 5, TorsionKind::Phi)].movable);
  EXPECT_TRUE(bridged.torsions[*find_torsion(bridged, 3, TorsionKind::Omega)].movable);
  const Protein whole = accepted(PdbLines().text());
  EXPECT_LT(distance(atom_positions(bridged).back(), atom_positions(whole).back()), 1e-9);
}

TEST(ReadProtein, RefusesMissingBackboneAtomsByName) {
  for (const char* atom : {"N", "CA", "C"}) {
    PdbLines file;
    file.remove(4, atom);
    EXPECT_THAT(refusal(file.text()),
                HasSubstr(" 4: has no atom " + std::string(atom) + " of the backbone"));
  }
}

TEST(ReadProtein, RefusesBondsOfNoLengthAndOfAbsurdLength) {
  PdbLines file;
  file.put(4, "CA", 31, file.lines[file.find(4, "N")].substr(30, 24));
  EXPECT_THAT(refusal(file.text()), HasSubstr(" 4: N and CA are only 0.00 Å apart"));
  file.put(4, "CA", 31, " 500.000 500.000 500.000");
  EXPECT_THAT(refusal(file.text()), HasSubstr(" 4: N and CA are "));
}

TEST(ReadProtein, RefusesSideChainBondsOfNoLength) {
  const Protein whole = accepted(PdbLines().text());
  std::uint32_t r = 0;
  while (chi_angles(whole, r).empty()) ++r;
  PdbLines file;
  const int number = static_cast<int>(r) + 1;
  file.put(number, "CB", 31, file.lines[file.find(number, "CA")].substr(30, 24));
  EXPECT_THAT(refusal(file.text()), HasSubstr("CA and CB are in the same place"));
}

TEST(ReadProtein, RefusesTwoAtomsOfOneName) {
  PdbLines file;
  file.lines.push_back(file.lines[file.find(4, "O")]);
  EXPECT_THAT(refusal(file.text()), HasSubstr(" 4: has two atoms of the name O"));
}

TEST(ReadProtein, RefusesUnknownResiduesWithoutBackbone) {
  PdbLines file;
  file.lines.push_back(
      "ATOM    900  X1  QQQ A 200      50.000  50.000  50.000  1.00  0.00           C  ");
  EXPECT_THAT(refusal(file.text()), HasSubstr("residue QQQ 200: is not an amino acid"));
}

TEST(ReadProtein, RefusesChainsThatAreNoProtein) {
  PdbLines file;
  file.lines.push_back(
      "ATOM    903  P    DA D   1      70.000  50.000  50.000  1.00  0.00           P  ");
  ProteinOptions options;
  options.chain = "D";
  EXPECT_THAT(refusal(file.text(), options), HasSubstr("chain D: not a protein"));
}

TEST(ReadProtein, RefusesClashFactorsOutOfRange) {
  for (const double factor : {0.0, -1.0, 3.0, std::nan("")}) {
    ProteinOptions options;
    options.clash_factor = factor;
    const Result<Protein> protein = parse_protein(PdbLines().text(), "x.pdb", options);
    ASSERT_FALSE(protein);
    EXPECT_EQ(protein.error().code, ErrorCode::Invalid);
  }
}

TEST(ReadProtein, RefusesMmcifThatIsBrokenWithTheRowOrLine) {
  const std::string head =
      "data_x\nloop_\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
      "_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n"
      "_atom_site.Cartn_y\n_atom_site.Cartn_z\n";
  EXPECT_THAT(refusal(head + "N N GLY A 1 2 3\nC CA GLY A ? 2 3\n"),
              HasSubstr("_atom_site row 2: '' is not a coordinate x"));
  EXPECT_THAT(refusal(head + "N N GLY A nan 2 3\n"), HasSubstr("row 1: 'nan'"));
  EXPECT_THAT(refusal(head + "N N GLY A 1 2\n"), HasSubstr("line "));
  EXPECT_THAT(refusal("data_x\nloop_\n"), HasSubstr("line "));
}

TEST(ReadProtein, RefusesMmcifCoordinatesFarFromTheOrigin) {
  EXPECT_THAT(refusal("data_x\nloop_\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
                      "_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.Cartn_x\n"
                      "_atom_site.Cartn_y\n_atom_site.Cartn_z\nN N GLY A 1e300 2 3\n"),
              HasSubstr("row 1: '1e300' is not a coordinate near the origin"));
}

TEST(ReadProtein, RefusesFilesThatAreNotThere) {
  const Result<Protein> protein = read_protein("/nowhere/x.pdb");
  ASSERT_FALSE(protein);
  EXPECT_EQ(protein.error().code, ErrorCode::NotFound);
}

TEST(ReadProtein, SurvivesFilesCutAnywhere) {
  const std::string text = PdbLines(3).text();
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const Result<Protein> protein = parse_protein(text.substr(0, size), "cut.pdb");
    EXPECT_TRUE(protein || !protein.error().reason.empty());
  }
}

}  // namespace
}  // namespace clearance
