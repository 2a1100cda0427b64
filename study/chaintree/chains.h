// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The chains of the study: spheres of radius 1, 4 apart, packed into a cube as in the paper's first
// benchmark, and the paper's worst case (Lemma 7). Any length, free of contact by construction, the
// same for the same seed.
//
// The frame of a link has its origin at the centre of its sphere and x along the bond to the next
// one, so that a torsion is a turn of the joint about x.
#pragma once

#include <cstddef>
#include <cstdint>

#include <clearance/chain/chain.h>

namespace clearance::study {

inline constexpr double kSphereRadius = 1.0;
inline constexpr double kBondLength = 4.0;

/// A chain of `links` spheres that fills a cube row by row, to and fro, and layer by layer. The
/// rows are not straight: each bond is turned a little at random, so that no two boxes of the
/// hierarchy are aligned. Every bond is kBondLength long. Neighbours: 1.
[[nodiscard]] Chain compact_chain(std::size_t links, std::uint64_t seed);
/// The least distance between centres of links that are not neighbours is above this.
inline constexpr double kCompactLeastDistance = 3.2;

/// The construction of Lemma 7. A unit is d links along x, d along y, d along z; a layer is d/8
/// units, each moved by (4, -4, 0); there are d/8 layers, each moved by (0, -4, 4). So 3 d^3 / 64
/// links in all, on the points of a lattice. The hulls of all units have a point in common: boxes
/// around them all overlap, N^(4/3) pairs, whatever the kind of box. Bonds between units are longer
/// than the others, by the root of 2. `d` is a multiple of 8, above 0.
[[nodiscard]] Chain worst_case_chain(std::size_t d);

}  // namespace clearance::study
