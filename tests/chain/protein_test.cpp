// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proteins: reading, turning, writing. Files for the tests are written from a helix bundle and then
// spoilt; real ones come from the data folder.
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

namespace clearance {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;
/// Coordinates of files have three decimals [Å].
constexpr double kFilePrecision = 1e-3;

std::vector<fs::path> protein_files() {
  return test::files_below(test::data_path("proteins"), {".pdb", ".cif"});
}

/// The difference of two angles, in (-pi, pi].
double turn_between(double from, double to) { return std::remainder(to - from, 2.0 * kPi); }

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

std::string refusal(const std::string& text, const ProteinOptions& options = {}) {
  const Result<Protein> protein = parse_protein(text, "x.pdb", options);
  if (protein) return "read";
  EXPECT_FALSE(protein.error().reason.empty());
  EXPECT_EQ(protein.error().file, "x.pdb");
  return protein.error().message();
}

Protein accepted(const std::string& text, const ProteinOptions& options = {}) {
  Result<Protein> protein = parse_protein(text, "x.pdb", options);
  if (!protein) {
    ADD_FAILURE() << protein.error().message();
    return make_helix_bundle(1, 1);
  }
  return std::move(protein).value();
}

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
  PdbLines file;
  std::vector<std::string> both;
  for (std::string line : file.lines) {
    if (line.substr(22, 4) == "   5") {
      line.replace(16, 1, "A");
      line.replace(54, 6, "  0.30");
      both.push_back(line);
    } else {
      both.push_back(line);
    }
    if (line.substr(22, 4) != "   5") continue;
  }
  // The same backbone again as glycine B, more of it.
  PdbLines result;
  result.lines.clear();
  for (std::size_t i = 0; i < both.size(); ++i) {
    result.lines.push_back(both[i]);
    const bool last = both[i].substr(22, 4) == "   5" &&
                      (i + 1 == both.size() || both[i + 1].substr(22, 4) != "   5");
    if (!last) continue;
    for (const char* atom : {"N", "CA", "C", "O"}) {
      std::string line = file.lines[file.find(5, atom)];
      line.replace(16, 1, "B");
      line.replace(17, 3, "GLY");
      line.replace(54, 6, "  0.70");
      result.lines.push_back(line);
    }
  }
  const Protein protein = accepted(result.text());
  ASSERT_EQ(protein.residues.size(), 12u);
  EXPECT_EQ(protein.residues[4].name, "GLY");
  EXPECT_GT(protein.counts.alternate_locations, 3u);
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

// ---- Helix bundles ------------------------------------------------------------------------------

TEST(HelixBundle, IsFreeOfClashesAtAnyLength) {
  for (const std::uint32_t residues : {1u, 2u, 5u, 20u, 21u, 22u, 57u, 100u, 323u}) {
    const Protein protein = make_helix_bundle(residues, residues);
    EXPECT_EQ(protein.residues.size(), residues);
    EXPECT_TRUE(check(protein.chain).ok());
    EXPECT_TRUE(find_clashes(protein).empty()) << residues;
  }
}

TEST(HelixBundle, IsCompact) {
  // A globular protein of n residues has a radius of gyration of about 2.2 n^0.38 Å; a bundle with
  // room between its helices is allowed a little more. Unfolded it would be several times that.
  const Protein protein = make_helix_bundle(323, 1);
  const std::vector<Vec3> positions = atom_positions(protein);
  Vec3 center;
  for (const Vec3& p : positions) center += p / static_cast<double>(positions.size());
  double sum = 0.0;
  for (const Vec3& p : positions) sum += squared_norm(p - center);
  const double radius = std::sqrt(sum / static_cast<double>(positions.size()));
  EXPECT_LT(radius, 1.3 * 2.2 * std::pow(323.0, 0.38));
}

TEST(HelixBundle, DependsOnTheSeedAlone) {
  const Protein a = make_helix_bundle(60, 1);
  const Protein b = make_helix_bundle(60, 1);
  const Protein c = make_helix_bundle(60, 2);
  EXPECT_EQ(a.chain.joints, b.chain.joints);
  EXPECT_EQ(a.residues, b.residues);
  EXPECT_NE(a.chain.joints, c.chain.joints);
}

TEST(HelixBundle, HasLeftHandedAminoAcids) {
  // The CORN rule in numbers: seen from H towards CA, CO, R, N go clockwise; that is, the triple
  // product of N, C and CB about CA is positive.
  const Protein protein = make_helix_bundle(40, 3);
  const std::vector<Vec3> positions = atom_positions(protein);
  for (std::uint32_t r = 0; r < 40; ++r) {
    const auto atoms = protein.atoms_of(ca_link(r));
    if (atoms.size() < 2) continue;
    const Vec3& ca = positions[protein.first_atom[ca_link(r)]];
    const Vec3 n = positions[protein.first_atom[n_link(r)]] - ca;
    const Vec3 c = positions[protein.first_atom[c_link(r)]] - ca;
    const Vec3 cb = positions[protein.first_atom[ca_link(r)] + 1] - ca;
    EXPECT_GT(dot(cross(n, c), cb), 0.0);
  }
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
