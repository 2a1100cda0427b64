// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/simplify/simplify.h>

namespace clearance {

const char* name_of(SimplifyMethod method) {
  switch (method) {
    case SimplifyMethod::Cover:
      return "cover";
    case SimplifyMethod::Paper:
      return "paper";
    case SimplifyMethod::Packing:
      break;
  }
  return "packing";
}

}  // namespace clearance
