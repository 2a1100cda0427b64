// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/simplify/cover.h>

namespace clearance {

const char* name_of(CoverStatus status) {
  switch (status) {
    case CoverStatus::Covered:
      return "covered";
    case CoverStatus::Uncovered:
      return "uncovered";
    case CoverStatus::Undecided:
      break;
  }
  return "undecided";
}

}  // namespace clearance
