// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Proteins as chains: PDB and mmCIF files in, PDB files out.
//
//   Result<Protein> protein = read_protein("1crn.pdb");
//   Result<ChainTree> tree = ChainTree::build(protein->chain);
//   const Torsion& phi = protein->torsions[*find_torsion(*protein, 7, TorsionKind::Phi)];
//   tree->change({set_torsion(phi, phi.angle + 0.1)});
//
// One chain of the file becomes one Chain with three links a residue, one per backbone atom:
//
//   link 3r      N    with its hydrogens                        joint 3r      N-CA    phi
//   link 3r + 1  CA   with its hydrogens and the side chain     joint 3r + 1  CA-C    psi
//   link 3r + 2  C    with O (and OXT)                          joint 3r + 2  C-N     omega
//
// The frame of a link has its origin at the backbone atom, x along the bond to the next backbone
// atom, and the backbone atom before it in the half plane y < 0: a torsion is a turn about x. The
// last link has the axes of the one before. Angles are IUPAC's, in (-pi, pi], 0 when eclipsed.
//
// A side chain moves inside its link: up to four angles chi turn the atoms beyond a bond, rings
// stay rigid. Set a backbone torsion with ChainTree::change(), a chi with ChainTree::reshape().
//
// Kept rigid: peptide bonds (omega) unless asked otherwise, phi of proline (a ring), side chains of
// residues Clearance does not know. No hydrogen is ever added.
//
// Lengths in ångström, angles in radians. Nothing throws or prints.
#pragma once

#include <array>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/chain.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

/// Links i and j of a protein are tested against each other when j > i + 2: atoms further apart
/// than one bond angle, whose distance a torsion changes.
inline constexpr std::uint32_t kProteinNeighbours = 2;
/// What the van der Waals radii are multiplied with. Real structures have hydrogen bonds of 2.5 Å
/// between atoms whose radii sum to 3.07 (0.81), and at low resolution atoms put closer than they
/// can be: down to 0.67 in the thirteen files Clearance is tested with. At 0.65 all of those start
/// free, heavy atoms only. Hydrogens of an NMR structure come as close as 0.5.
inline constexpr double kClashFactor = 0.65;

/// Longest bond of the backbone [Å]. Peptide bonds are 1.33 long, N-CA 1.46, CA-C 1.52; a C-N
/// distance above it is a gap in the chain: residues are missing.
inline constexpr double kLongestBackboneBond = 2.0;
/// Shortest bond [Å] that has a direction to turn about: half of the shortest real one.
inline constexpr double kShortestBond = 0.5;
/// Largest distance [Å] between two SG that are bonded (2.05) rather than close (over 3).
inline constexpr double kLongestDisulfide = 2.5;

struct ProteinOptions {
  /// Name of the chain (auth_asym_id of mmCIF); empty: the one with most residues, the first of
  /// equals. "-" is the chain without a name.
  std::string chain;
  /// Number of the model as the file has it; none: the first.
  std::optional<int> model;
  /// Keep the hydrogens of the file. Off by default: most files have none, and those of the others
  /// are as close as hydrogen bonds make them.
  bool hydrogens = false;
  /// Which alternate location to take where a residue has several: this one, or, when 0 or not
  /// there, the one with the highest occupancy (summed over the residue's atoms; A before B).
  char alternate_location = '\0';
  double clash_factor = kClashFactor;
  std::uint32_t neighbours = kProteinNeighbours;
  /// Join the two sides of a gap (kLongestBackboneBond) by a rigid joint instead of refusing.
  bool bridge_gaps = false;
  /// Let omega turn too.
  bool omega = false;
  /// Collect the other chains, ligands and waters as obstacles: Protein::surroundings.
  bool surroundings = false;
};

struct ProteinResidue {
  int number = 0;                   ///< as in the file
  char insertion = ' ';             ///< insertion code, a space when there is none
  std::string name;                 ///< "ALA"
  char letter = 'X';                ///< one-letter code; X when there is none
  std::uint32_t first_torsion = 0;  ///< in Protein::torsions
  std::uint32_t torsion_count = 0;
  bool operator==(const ProteinResidue&) const = default;
};

/// An atom of a link: sphere i of the link is its atom i, the backbone atom first.
struct ProteinAtom {
  std::string name;     ///< "CA"
  std::string element;  ///< "C"
  double radius = 0.0;  ///< van der Waals [Å], without the clash factor
  bool operator==(const ProteinAtom&) const = default;
};

enum class TorsionKind : std::uint8_t { Phi, Psi, Omega, Chi1, Chi2, Chi3, Chi4 };

/// An angle of a residue. Omega of residue r is about the bond to residue r + 1. What the ends of a
/// chain or missing atoms leave undefined is not there.
struct Torsion {
  TorsionKind kind = TorsionKind::Phi;
  std::uint32_t residue = 0;
  bool movable = true;  ///< false: omega (ProteinOptions::omega), phi of proline, beside a gap
  double angle = 0.0;   ///< as in the file
  /// The link whose frame holds the bond: for phi, psi and omega also the index of the joint; for
  /// chi the link of the residue's CA.
  std::uint32_t link = 0;
  /// Phi, psi, omega: the joint at angle 0.
  Pose zero;
  /// Chi: the bond it turns about, from and to, and what it turns: indices of the link's spheres.
  std::array<std::uint32_t, 2> axis{0, 0};
  std::vector<std::uint32_t> turns;

  [[nodiscard]] bool is_chi() const { return kind >= TorsionKind::Chi1; }
};

/// What was found in the file besides the chain, and what was done about it.
struct ProteinCounts {
  std::uint32_t models = 0;               ///< in the file
  std::uint32_t other_chains = 0;         ///< protein chains not taken
  std::uint32_t non_protein_chains = 0;   ///< nucleic acids, sugars, only water
  std::uint32_t ligands = 0;              ///< residues skipped, in all chains
  std::uint32_t waters = 0;               ///< skipped, in all chains
  std::uint32_t hydrogens_left_out = 0;   ///< atoms, of the chain taken, as all that follow
  std::uint32_t alternate_locations = 0;  ///< atoms skipped in favour of another location
  std::uint32_t incomplete_residues = 0;  ///< atoms of the side chain missing
  std::uint32_t missing_atoms = 0;        ///< of side chains, in all
  std::uint32_t unknown_residues = 0;     ///< kept rigid
  std::uint32_t gaps_bridged = 0;
  std::uint32_t disulfides = 0;  ///< bridges within the chain: pairs in Chain::ignored
  bool operator==(const ProteinCounts&) const = default;
};

struct Protein {
  std::string source;      ///< file, or what generated it
  std::string chain_name;  ///< may be empty
  int model = 1;
  std::vector<ProteinResidue> residues;
  std::vector<ProteinAtom> atoms;         ///< of all links, one link after the other
  std::vector<std::uint32_t> first_atom;  ///< per link, and the number of all atoms at the end
  std::vector<Torsion> torsions;          ///< by residue; phi, psi, omega, chi 1 to 4
  /// Frame of link 0 in the frame of the file.
  Pose file_from_chain;
  /// Spheres with radius times clash factor. Links whose side chains a disulfide joins are ignored
  /// as a pair.
  Chain chain;
  /// ProteinOptions::surroundings: radius times clash factor, in the frame of link 0.
  std::vector<Sphere> surroundings;
  double clash_factor = kClashFactor;
  ProteinCounts counts;

  [[nodiscard]] std::span<const ProteinAtom> atoms_of(std::size_t link) const {
    return std::span(atoms).subspan(first_atom[link], first_atom[link + 1] - first_atom[link]);
  }
  [[nodiscard]] const LinkSpheres& spheres_of(std::size_t link) const {
    return std::get<LinkSpheres>(chain.links[link]);
  }
};

/// Links of a residue.
[[nodiscard]] constexpr std::uint32_t n_link(std::uint32_t residue) { return 3 * residue; }
[[nodiscard]] constexpr std::uint32_t ca_link(std::uint32_t residue) { return 3 * residue + 1; }
[[nodiscard]] constexpr std::uint32_t c_link(std::uint32_t residue) { return 3 * residue + 2; }

/// Reads one chain of a PDB (.pdb, .ent) or mmCIF (.cif) file; the content decides which it is.
///
/// Refused, with the line or the residue: a file without atoms or without protein; columns that do
/// not hold what they should; coordinates that are not numbers; a chain or model that is not there;
/// residues without N, CA or C; gaps, unless bridged; bonds of no length; two atoms of one name.
/// Left out and counted: water, ligands, other chains, other alternate locations.
Result<Protein> read_protein(const std::string& path, const ProteinOptions& options = {});
/// The same from memory; `name` stands in errors.
Result<Protein> parse_protein(std::string_view text, const std::string& name,
                              const ProteinOptions& options = {});

/// "LEU 12", "GLY 52A": how messages name a residue.
[[nodiscard]] std::string residue_name(const ProteinResidue& residue);
[[nodiscard]] std::string_view torsion_name(TorsionKind kind);

/// Index in Protein::torsions, when the residue has it.
[[nodiscard]] std::optional<std::uint32_t> find_torsion(const Protein& protein,
                                                        std::uint32_t residue, TorsionKind kind);

/// The joint of a phi, psi or omega at an angle: always from the joint at 0, so that nothing drifts
/// over a million moves. At Torsion::angle it is the joint of Protein::chain bit for bit.
[[nodiscard]] JointChange set_torsion(const Torsion& torsion, double angle);

/// Angles chi 1, 2, ... of a residue as in the file: as many as it has.
[[nodiscard]] std::vector<double> chi_angles(const Protein& protein, std::uint32_t residue);
/// The spheres of the residue's CA link (for ChainTree::reshape) with these angles chi 1, 2, ...
/// (as many as chi_angles() gives). From the positions of the file, so that nothing drifts; at
/// the angles of the file they are those of Protein::chain bit for bit.
[[nodiscard]] LinkSpheres side_chain(const Protein& protein, std::uint32_t residue,
                                     std::span<const double> chi);

/// Two atoms that overlap.
struct AtomClash {
  LinkPair links;
  std::uint32_t atom_a = 0;  ///< within its link
  std::uint32_t atom_b = 0;
  double distance = 0.0;  ///< of the centres [Å]
  double reach = 0.0;     ///< sum of the radii, clash factor included [Å]
};
/// All overlaps of Protein::chain, sorted by links and atoms: empty when a simulation may start.
[[nodiscard]] std::vector<AtomClash> find_clashes(const Protein& protein);
/// "CB of LEU 12 and O of GLY 40: 2.31 apart, 2.42 needed"
[[nodiscard]] std::string clash_text(const Protein& protein, const AtomClash& clash);

/// Positions of all atoms (in the order of Protein::atoms) in the frame of the file: as read, and
/// with the joints and side chains of a tree built from Protein::chain, link 0 being where it was.
[[nodiscard]] std::vector<Vec3> atom_positions(const Protein& protein);
[[nodiscard]] std::vector<Vec3> atom_positions(const Protein& protein, const ChainTree& tree);

/// The lines of one model, from MODEL to ENDMDL, for positions as above. An error when a coordinate
/// does not fit the columns (-999.999 to 9999.999 Å), or a residue number.
[[nodiscard]] Result<std::string> pdb_model(const Protein& protein, std::span<const Vec3> positions,
                                            int model);
/// A file of these models, numbered from 1. Names of chains longer than the two characters that fit
/// become "A"; residue and atom numbers beyond their columns are written as hybrid-36.
Status write_pdb(const std::string& path, const Protein& protein,
                 std::span<const std::vector<Vec3>> models);

/// A made-up protein that stands in for a real one: alpha helices of ideal geometry side by side,
/// joined by loops, packed into a ball, with side chains. The same for the same seed; free of
/// clashes. 1 residue or more.
[[nodiscard]] Protein make_helix_bundle(std::uint32_t residues, std::uint64_t seed);

}  // namespace clearance
