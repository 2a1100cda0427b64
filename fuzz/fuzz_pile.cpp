// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_pile() promises for any bytes: a pile that keeps its rules and comes back the same
// from what pile_as_json() makes of it, or an error with a reason.
#include <cstddef>
#include <cstdint>

#include <clearance/grasp/pile.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Pile> pile = parse_pile(text, "pile.json");
  if (!pile) {
    fuzz::require(pile.error().file == "pile.json" && !pile.error().reason.empty());
    return 0;
  }
  fuzz::require(!pile->parts.empty());
  for (const Pose& pose : pile->parts) fuzz::require(checked_pose(pose).ok());
  const Result<Pile> again = parse_pile(pile_as_json(*pile), "again.json");
  fuzz::require(again.ok() && again->parts == pile->parts);
  return 0;
}
