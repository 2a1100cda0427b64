// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Grasp files: any bytes as they are, then once more with a true checksum, so that the checks
// behind it are reached. What passes can be exported, and keeps its rules.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <clearance/grasp/grasp_file.h>

#include "check_reader.h"
#include "grasp/grasp_file.h"

namespace {

using namespace clearance;

void check(std::span<const std::byte> bytes) {
  const Result<GraspSet> set = parse_grasps(bytes, "x.cgr");
  if (!set) {
    fuzz::require(set.error().file == "x.cgr" && !set.error().reason.empty());
    return;
  }
  fuzz::require(set->robust().size() <= set->grasps.size());
  for (const Grasp& g : set->grasps) {
    fuzz::require(checked_pose(g.part_from_gripper).ok());
    fuzz::require(set->contacts_of(g).size() == g.contact_count);
  }
  fuzz::require(!grasps_as_csv(*set).empty() && !grasps_as_json(*set).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  check(bytes);
  // A whole number of blocks, as the checksum runs over.
  bytes.resize((size + detail::kSectionAlignment - 1) / detail::kSectionAlignment *
               detail::kSectionAlignment);
  detail::seal_bytes(bytes, detail::kGraspFile);
  check(bytes);
  return 0;
}
