// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A protein by hand: read it, see that it starts free, turn the backbone and a side chain, keep
// what does not clash, write the result. Usage: example_turn_protein [FILE.pdb|FILE.cif]
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <clearance/chain/protein.h>

namespace {

using namespace clearance;

/// The exit status.
int run(const Protein& protein) {
  std::printf("%s: %zu residues, %zu links, %zu atoms, %zu torsions\n", protein.source.c_str(),
              protein.residues.size(), protein.chain.links.size(), protein.atoms.size(),
              protein.torsions.size());
  for (const AtomClash& clash : find_clashes(protein)) {
    std::printf("clashes at the start: %s\n", clash_text(protein, clash).c_str());
  }

  // Turn each angle by 5 degrees, one after the other, and keep the turns that stay free.
  ChainTree tree = ChainTree::build(protein.chain).value();
  ChainMemory memory;
  constexpr double kTurn = 5.0 * 3.14159265358979 / 180.0;
  int kept = 0;
  int tried = 0;
  std::vector<std::vector<double>> chi;
  for (std::uint32_t r = 0; r < protein.residues.size(); ++r) {
    chi.push_back(chi_angles(protein, r));
  }
  for (const Torsion& torsion : protein.torsions) {
    if (!torsion.movable) continue;
    std::vector<double> side = chi[torsion.residue];
    if (torsion.is_chi()) {
      side[static_cast<std::size_t>(torsion.kind) - static_cast<std::size_t>(TorsionKind::Chi1)] +=
          kTurn;
      tree.reshape(torsion.link, side_chain(protein, torsion.residue, side));
    } else {
      tree.change({set_torsion(torsion, torsion.angle + kTurn)});
    }
    ++tried;
    if (tree.collide_changed(&memory).hit) {
      tree.reject();
      continue;
    }
    tree.accept();
    chi[torsion.residue] = side;
    ++kept;
  }
  std::printf("%d of %d turns kept, chain %s\n", kept, tried,
              tree.collide_self().hit ? "clashes" : "is free");

  const std::string path =
      (std::filesystem::temp_directory_path() / "clearance_turn_protein.pdb").string();
  const Status written = write_pdb(
      path, protein,
      std::vector<std::vector<Vec3>>{atom_positions(protein), atom_positions(protein, tree)});
  if (!written.ok()) {
    std::printf("%s\n", written.error().message().c_str());
    return 2;
  }
  const Result<Protein> back = read_protein(path);
  std::filesystem::remove(path);
  std::printf("written and read again: %u models\n", back ? back->counts.models : 0);
  return back && back->counts.models == 2 && kept > 0 && !tree.collide_self().hit ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // Without a file: a made-up protein of 57 residues.
    const Result<Protein> protein = argc > 1 ? read_protein(argv[1]) : make_helix_bundle(57, 1);
    if (protein) return run(*protein);
    std::fprintf(stderr, "error: %s\n", protein.error().message().c_str());
  } catch (const std::exception& error) {  // out of memory, no temporary folder
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return 2;
}
