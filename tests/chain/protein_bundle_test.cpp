// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <clearance/chain/protein.h>

namespace clearance {
namespace {

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

}  // namespace
}  // namespace clearance
