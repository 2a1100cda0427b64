// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/chain/protein.h>

namespace clearance {

std::string residue_name(const ProteinResidue& residue) {
  std::string name = residue.name + " " + std::to_string(residue.number);
  if (residue.insertion != ' ') name += residue.insertion;
  return name;
}

std::string_view torsion_name(TorsionKind kind) {
  constexpr std::array<std::string_view, 7> kNames{"phi",  "psi",  "omega", "chi1",
                                                   "chi2", "chi3", "chi4"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::uint32_t> find_torsion(const Protein& protein, std::uint32_t residue,
                                          TorsionKind kind) {
  const ProteinResidue& of = protein.residues[residue];
  for (std::uint32_t i = of.first_torsion; i < of.first_torsion + of.torsion_count; ++i) {
    if (protein.torsions[i].kind == kind) return i;
  }
  return std::nullopt;
}

JointChange set_torsion(const Torsion& torsion, double angle) {
  CLEARANCE_ASSERT(!torsion.is_chi());
  return {torsion.link, turned(torsion.zero, {}, {1, 0, 0}, angle)};
}

std::vector<double> chi_angles(const Protein& protein, std::uint32_t residue) {
  const ProteinResidue& of = protein.residues[residue];
  std::vector<double> angles;
  for (std::uint32_t i = 0; i < of.torsion_count; ++i) {
    const Torsion& torsion = protein.torsions[of.first_torsion + i];
    if (torsion.is_chi()) angles.push_back(torsion.angle);
  }
  return angles;
}

LinkSpheres side_chain(const Protein& protein, std::uint32_t residue, std::span<const double> chi) {
  const ProteinResidue& of = protein.residues[residue];
  const LinkSpheres& start = protein.spheres_of(ca_link(residue));
  LinkSpheres spheres = start;
  // The outermost first: the bonds further in are still where the file has them.
  std::size_t left = chi.size();
  for (std::uint32_t i = of.torsion_count; i-- > 0;) {
    const Torsion& torsion = protein.torsions[of.first_torsion + i];
    if (!torsion.is_chi()) break;
    CLEARANCE_ASSERT(left > 0);
    const double turn = chi[--left] - torsion.angle;
    if (turn == 0.0) continue;
    const Vec3& from = start[torsion.axis[0]].center;
    const Mat3 rotation = rotation_about(normalized(start[torsion.axis[1]].center - from), turn);
    for (const std::uint32_t sphere : torsion.turns) {
      spheres[sphere].center = rotation * (spheres[sphere].center - from) + from;
    }
  }
  CLEARANCE_ASSERT(left == 0);
  return spheres;
}

namespace {

/// The extent of a link along x, and a sphere around it: most pairs are left out by these.
struct Bound {
  Sphere sphere;
  std::uint32_t link = 0;
  [[nodiscard]] double low() const { return sphere.center.x - sphere.radius; }
  [[nodiscard]] double high() const { return sphere.center.x + sphere.radius; }
};

std::vector<Bound> sorted_bounds(const Protein& protein, std::span<const Pose> poses) {
  std::vector<Bound> bounds;
  for (std::uint32_t i = 0; i < poses.size(); ++i) {
    double radius = 0.0;
    for (const Sphere& sphere : protein.spheres_of(i)) {
      radius = std::max(radius, norm(sphere.center) + sphere.radius);
    }
    bounds.push_back({{poses[i].translation, radius}, i});
  }
  std::ranges::sort(bounds, {}, &Bound::low);
  return bounds;
}

bool is_tested(const Chain& chain, LinkPair pair) {
  return pair.b - pair.a > chain.neighbours &&
         std::ranges::find(chain.ignored, pair) == chain.ignored.end();
}

}  // namespace

std::vector<AtomClash> find_clashes(const Protein& protein) {
  const std::vector<Pose> poses = link_poses(protein.chain.joints);
  const std::vector<Bound> bounds = sorted_bounds(protein, poses);
  std::vector<AtomClash> clashes;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    for (std::size_t j = i + 1; j < bounds.size() && bounds[j].low() <= bounds[i].high(); ++j) {
      const double bound = bounds[i].sphere.radius + bounds[j].sphere.radius;
      if (squared_norm(bounds[i].sphere.center - bounds[j].sphere.center) > bound * bound) continue;
      const auto [first, second] = std::minmax(bounds[i].link, bounds[j].link);
      if (!is_tested(protein.chain, {first, second})) continue;
      const LinkSpheres& a = protein.spheres_of(first);
      const LinkSpheres& b = protein.spheres_of(second);
      for (std::uint32_t k = 0; k < a.size(); ++k) {
        for (std::uint32_t m = 0; m < b.size(); ++m) {
          const double gap = distance(poses[first] * a[k].center, poses[second] * b[m].center);
          const double reach = a[k].radius + b[m].radius;
          if (gap <= reach) clashes.push_back({{first, second}, k, m, gap, reach});
        }
      }
    }
  }
  std::ranges::sort(clashes, {}, [](const AtomClash& clash) {
    return std::tuple(clash.links, clash.atom_a, clash.atom_b);
  });
  return clashes;
}

std::string clash_text(const Protein& protein, const AtomClash& clash) {
  const auto atom = [&](std::uint32_t link, std::uint32_t index) {
    return protein.atoms_of(link)[index].name + " of " + residue_name(protein.residues[link / 3]);
  };
  std::array<char, 64> lengths{};
  std::snprintf(lengths.data(), lengths.size(), ": %.2f apart, %.2f needed", clash.distance,
                clash.reach);
  return atom(clash.links.a, clash.atom_a) + " and " + atom(clash.links.b, clash.atom_b) +
         lengths.data();
}

namespace {

template <class SpheresOf>
std::vector<Vec3> positions_of(const Protein& protein, std::span<const Pose> poses,
                               const SpheresOf& spheres_of) {
  std::vector<Vec3> positions;
  positions.reserve(protein.atoms.size());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Pose file_from_link = protein.file_from_chain * poses[i];
    for (const Sphere& sphere : spheres_of(i)) positions.push_back(file_from_link * sphere.center);
  }
  return positions;
}

}  // namespace

std::vector<Vec3> atom_positions(const Protein& protein) {
  return positions_of(protein, link_poses(protein.chain.joints),
                      [&](std::size_t i) -> const LinkSpheres& { return protein.spheres_of(i); });
}

std::vector<Vec3> atom_positions(const Protein& protein, const ChainTree& tree) {
  CLEARANCE_ASSERT(tree.link_count() == protein.chain.links.size());
  return positions_of(protein, tree.poses(), [&](std::size_t i) -> const LinkSpheres& {
    return std::get<LinkSpheres>(tree.link(i));
  });
}

}  // namespace clearance
