// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <clearance/base/result.h>

namespace clearance {

std::string Error::message() const {
  std::string text;
  if (!file.empty()) text += file + ": ";
  if (!place.empty()) text += place + ": ";
  text += reason;
  if (!advice.empty()) text += " (" + advice + ")";
  return text;
}

}  // namespace clearance
