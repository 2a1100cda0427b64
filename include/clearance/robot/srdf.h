// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The pairs of links an SRDF says need not be held against each other: neighbours, which touch by
// construction, and links that cannot meet. An SRDF stands beside a URDF and is written by the
// MoveIt setup assistant or by hand. Everything else in it (groups, states, end effectors) is not
// looked at.
//
// A pair that is left out is a pair that is never tested. So nothing is left out on a guess: a name
// that is not a link of the robot leaves nothing out, and the notes say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/robot/robot.h>

namespace clearance {

struct DisabledPair {
  std::string link_a;
  std::string link_b;
  std::string reason;  ///< as in the file ("Adjacent", "Never", ...); may be empty
};

struct Srdf {
  std::string robot;                   ///< the name of the robot it is for; may be empty
  std::vector<DisabledPair> disabled;  ///< in the order of the file
  std::vector<std::string> notes;      ///< whole sentences about what is not read, but matters
};

/// Errors name the file, the place and the reason: no XML (with the byte), no <robot>, a pair
/// without two names or of a link with itself.
[[nodiscard]] Result<Srdf> read_srdf(const std::string& path);
/// The same from memory; `path` stands in errors.
[[nodiscard]] Result<Srdf> parse_srdf(std::string_view text, const std::string& path);

/// Pairs as numbers of links, the smaller first, ascending, each once.
struct DisabledLinks {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::string> notes;  ///< names that are not links of the robot

  [[nodiscard]] bool holds(std::uint32_t link_a, std::uint32_t link_b) const;
};
[[nodiscard]] DisabledLinks disabled_links(const Robot& robot, const Srdf& srdf);

}  // namespace clearance
