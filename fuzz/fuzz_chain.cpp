// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chains as JSON: whatever the bytes, a chain that keeps its rules, or an error.
#include <cstddef>
#include <cstdint>

#include <clearance/chain/chain_file.h>

#include "check_reader.h"

namespace {

/// A few bytes may ask for millions of links, which is legal, and slow. Groups within groups
/// multiply: the more there are, the shorter the numbers.
bool asks_for_many(std::string_view text) {
  std::size_t groups = 0;
  for (std::size_t at = 0; (at = text.find("repeat", at)) != std::string_view::npos; ++at) ++groups;
  if (groups == 0) return false;
  if (groups > 3) return true;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits * groups > 4) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  using clearance::fuzz::require;
  const std::string path = "fuzz/input.json";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (asks_for_many(text)) return 0;
  const Result<ChainFile> file = parse_chain_json(text, path);
  if (!file) {
    require(file.error().file == path && !file.error().reason.empty());
    return 0;
  }
  require(check(file->chain).ok());
  require(file->body_of_link.size() == file->chain.links.size());
  for (const std::uint32_t body : file->body_of_link) require(body < file->body_names.size());
  for (const MovableJoint& joint : file->joints) {
    require(joint.joint < file->chain.joints.size());
    require(joint.lower <= joint.value && joint.value <= joint.upper);
    require(checked_pose(pose_at(joint, joint.value)).ok());
  }
  return 0;
}
