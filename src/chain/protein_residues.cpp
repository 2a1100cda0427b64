// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/protein_residues.h"

#include <algorithm>
#include <array>
#include <utility>

namespace clearance::detail {
namespace {

using Atom = SideChainAtom;

// CB is the same in all: its torsion is C-N-CA-CB of an L amino acid.
constexpr Atom kBeta{"CB", "CA", 1.53, 110.4, 0, -122.6};

constexpr std::array kAla{kBeta};
constexpr std::array kSer{kBeta, Atom{"OG", "CB", 1.417, 110.8, 1, 0}};
constexpr std::array kCys{kBeta, Atom{"SG", "CB", 1.808, 114.4, 1, 0}};
constexpr std::array kThr{kBeta, Atom{"OG1", "CB", 1.433, 109.6, 1, 0},
                          Atom{"CG2", "CB", 1.521, 110.5, 1, -120.5}};
constexpr std::array kVal{kBeta, Atom{"CG1", "CB", 1.521, 110.5, 1, 0},
                          Atom{"CG2", "CB", 1.521, 110.5, 1, 122.8}};
constexpr std::array kIle{kBeta, Atom{"CG1", "CB", 1.53, 110.4, 1, 0},
                          Atom{"CG2", "CB", 1.521, 110.5, 1, -122.6},
                          Atom{"CD1", "CG1", 1.513, 113.8, 2, 0}};
constexpr std::array kLeu{kBeta, Atom{"CG", "CB", 1.53, 116.3, 1, 0},
                          Atom{"CD1", "CG", 1.521, 110.7, 2, 0},
                          Atom{"CD2", "CG", 1.521, 110.7, 2, 122.9}};
constexpr std::array kMet{kBeta, Atom{"CG", "CB", 1.52, 114.1, 1, 0},
                          Atom{"SD", "CG", 1.803, 112.7, 2, 0},
                          Atom{"CE", "SD", 1.791, 100.9, 3, 0}};
constexpr std::array kMse{kBeta, Atom{"CG", "CB", 1.52, 114.1, 1, 0},
                          Atom{"SE", "CG", 1.95, 112.7, 2, 0}, Atom{"CE", "SE", 1.95, 98.9, 3, 0}};
// The ring closes on N, in another link: nothing turns. The pucker is the one called down.
constexpr std::array kPro{Atom{"CB", "CA", 1.53, 103.0, 0, -120.0},
                          Atom{"CG", "CB", 1.492, 104.5, 0, 28.0},
                          Atom{"CD", "CG", 1.503, 106.1, 0, -36.0}};
constexpr std::array kPhe{kBeta,
                          Atom{"CG", "CB", 1.502, 113.8, 1, 0},
                          Atom{"CD1", "CG", 1.384, 120.7, 2, 0},
                          Atom{"CD2", "CG", 1.384, 120.7, 2, 180},
                          Atom{"CE1", "CD1", 1.382, 120.7, 0, 180},
                          Atom{"CE2", "CD2", 1.382, 120.7, 0, 180},
                          Atom{"CZ", "CE1", 1.382, 120.0, 0, 0}};
constexpr std::array kTyr{kBeta,
                          Atom{"CG", "CB", 1.512, 113.8, 1, 0},
                          Atom{"CD1", "CG", 1.389, 120.8, 2, 0},
                          Atom{"CD2", "CG", 1.389, 120.8, 2, 180},
                          Atom{"CE1", "CD1", 1.382, 121.2, 0, 180},
                          Atom{"CE2", "CD2", 1.382, 121.2, 0, 180},
                          Atom{"CZ", "CE1", 1.378, 119.6, 0, 0},
                          Atom{"OH", "CZ", 1.376, 119.9, 0, 180}};
constexpr std::array kTrp{kBeta,
                          Atom{"CG", "CB", 1.498, 113.6, 1, 0},
                          Atom{"CD1", "CG", 1.365, 126.9, 2, 0},
                          Atom{"CD2", "CG", 1.433, 126.8, 2, 180},
                          Atom{"NE1", "CD1", 1.374, 110.2, 0, 180},
                          Atom{"CE2", "CD2", 1.409, 107.2, 0, 180},
                          Atom{"CE3", "CD2", 1.398, 133.9, 0, 0},
                          Atom{"CZ2", "CE2", 1.394, 122.4, 0, 180},
                          Atom{"CZ3", "CE3", 1.382, 118.6, 0, 180},
                          Atom{"CH2", "CZ2", 1.368, 117.5, 0, 0}};
constexpr std::array kHis{kBeta,
                          Atom{"CG", "CB", 1.497, 113.8, 1, 0},
                          Atom{"ND1", "CG", 1.378, 122.7, 2, 0},
                          Atom{"CD2", "CG", 1.354, 131.2, 2, 180},
                          Atom{"CE1", "ND1", 1.321, 109.0, 0, 180},
                          Atom{"NE2", "CD2", 1.374, 107.2, 0, 180}};
constexpr std::array kAsp{kBeta, Atom{"CG", "CB", 1.516, 112.6, 1, 0},
                          Atom{"OD1", "CG", 1.249, 118.4, 2, 0},
                          Atom{"OD2", "CG", 1.249, 118.4, 2, 180}};
constexpr std::array kAsn{kBeta, Atom{"CG", "CB", 1.516, 112.6, 1, 0},
                          Atom{"OD1", "CG", 1.231, 120.8, 2, 0},
                          Atom{"ND2", "CG", 1.328, 116.4, 2, 180}};
constexpr std::array kGlu{
    kBeta, Atom{"CG", "CB", 1.52, 114.1, 1, 0}, Atom{"CD", "CG", 1.516, 112.6, 2, 0},
    Atom{"OE1", "CD", 1.249, 118.4, 3, 0}, Atom{"OE2", "CD", 1.249, 118.4, 3, 180}};
constexpr std::array kGln{
    kBeta, Atom{"CG", "CB", 1.52, 114.1, 1, 0}, Atom{"CD", "CG", 1.516, 112.6, 2, 0},
    Atom{"OE1", "CD", 1.231, 120.8, 3, 0}, Atom{"NE2", "CD", 1.328, 116.4, 3, 180}};
constexpr std::array kLys{kBeta, Atom{"CG", "CB", 1.52, 114.1, 1, 0},
                          Atom{"CD", "CG", 1.52, 111.3, 2, 0}, Atom{"CE", "CD", 1.52, 111.3, 3, 0},
                          Atom{"NZ", "CE", 1.489, 111.9, 4, 0}};
// The guanidinium group is flat: its fifth angle does not turn.
constexpr std::array kArg{kBeta,
                          Atom{"CG", "CB", 1.52, 114.1, 1, 0},
                          Atom{"CD", "CG", 1.52, 111.3, 2, 0},
                          Atom{"NE", "CD", 1.461, 112.0, 3, 0},
                          Atom{"CZ", "NE", 1.329, 124.2, 4, 0},
                          Atom{"NH1", "CZ", 1.326, 120.0, 0, 0},
                          Atom{"NH2", "CZ", 1.326, 119.7, 0, 180}};

constexpr std::array<ResidueShape, 21> kShapes{{
    {"ALA", 'A', kAla}, {"ARG", 'R', kArg}, {"ASN", 'N', kAsn}, {"ASP", 'D', kAsp},
    {"CYS", 'C', kCys}, {"GLN", 'Q', kGln}, {"GLU", 'E', kGlu}, {"GLY", 'G', {}},
    {"HIS", 'H', kHis}, {"ILE", 'I', kIle}, {"LEU", 'L', kLeu}, {"LYS", 'K', kLys},
    {"MET", 'M', kMet}, {"MSE", 'M', kMse}, {"PHE", 'F', kPhe}, {"PRO", 'P', kPro},
    {"SER", 'S', kSer}, {"THR", 'T', kThr}, {"TRP", 'W', kTrp}, {"TYR", 'Y', kTyr},
    {"VAL", 'V', kVal},
}};

using Pair = std::pair<std::string_view, std::string_view>;
/// Names that force fields give to other protonations and to bridged cysteines.
constexpr std::array<Pair, 13> kSynonyms{{{"HID", "HIS"},
                                          {"HIE", "HIS"},
                                          {"HIP", "HIS"},
                                          {"HSD", "HIS"},
                                          {"HSE", "HIS"},
                                          {"HSP", "HIS"},
                                          {"CYX", "CYS"},
                                          {"CYM", "CYS"},
                                          {"ASH", "ASP"},
                                          {"GLH", "GLU"},
                                          {"LYN", "LYS"},
                                          {"ARN", "ARG"},
                                          {"TYM", "TYR"}}};

struct ElementRadius {
  std::string_view element;
  double radius;
};
constexpr std::array<ElementRadius, 15> kRadii{{{"H", 1.20},
                                                {"D", 1.20},
                                                {"C", 1.70},
                                                {"N", 1.55},
                                                {"O", 1.52},
                                                {"F", 1.47},
                                                {"NA", 2.27},
                                                {"MG", 1.73},
                                                {"P", 1.80},
                                                {"S", 1.80},
                                                {"CL", 1.75},
                                                {"ZN", 1.39},
                                                {"SE", 1.90},
                                                {"BR", 1.85},
                                                {"I", 1.98}}};
constexpr double kCarbonRadius = 1.70;

}  // namespace

const ResidueShape* find_residue_shape(std::string_view name) {
  const auto* const synonym = std::ranges::find(kSynonyms, name, &Pair::first);
  if (synonym != kSynonyms.end()) name = synonym->second;
  const auto* const shape = std::ranges::find(kShapes, name, &ResidueShape::name);
  return shape == kShapes.end() ? nullptr : shape;
}

double van_der_waals_radius(std::string_view element) {
  const auto* const found = std::ranges::find(kRadii, element, &ElementRadius::element);
  return found == kRadii.end() ? kCarbonRadius : found->radius;
}

}  // namespace clearance::detail
