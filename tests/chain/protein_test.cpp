// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/chain/protein.h>

#include "support/data.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> protein_files() {
  return test::files_below(test::data_path("proteins"), {".pdb", ".cif"});
}

TEST(ProteinOnRealFiles, StartsFreeOfClashes) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  ASSERT_FALSE(protein_files().empty());
  for (const fs::path& path : protein_files()) {
    const Result<Protein> protein = read_protein(path.string());
    ASSERT_TRUE(protein) << protein.error().message();
    EXPECT_TRUE(find_clashes(*protein).empty())
        << path << ": " << clash_text(*protein, find_clashes(*protein).front());
  }
}

TEST(ProteinOnRealFiles, PdbAndMmcifOfOneEntryAreTheSame) {
  CLEARANCE_SKIP_WITHOUT_DATA();
  const Result<Protein> pdb = read_protein(test::data_path("proteins/1crn.pdb").string());
  const Result<Protein> cif = read_protein(test::data_path("proteins/1crn.cif").string());
  ASSERT_TRUE(pdb && cif);
  EXPECT_EQ(pdb->residues, cif->residues);
  EXPECT_EQ(pdb->atoms, cif->atoms);
  EXPECT_EQ(pdb->counts, cif->counts);
  EXPECT_EQ(pdb->chain.joints, cif->chain.joints);
  EXPECT_EQ(pdb->counts.disulfides, 3u);
}

}  // namespace
}  // namespace clearance
