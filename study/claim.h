// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every study says of its paper: which of its claims hold.
#pragma once

#include <string>

namespace clearance::study {

struct Claim {
  std::string claim;  ///< of the paper, or of Clearance
  bool holds = false;
  std::string words;  ///< the figures that decide
};

}  // namespace clearance::study
