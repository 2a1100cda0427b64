// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "words.h"

#include <cstdio>

namespace clearance::study {

std::string number(double value) {
  char buffer[340];  // the largest double in full
  std::snprintf(buffer, sizeof buffer, value < 100.0 ? "%.3g" : "%.0f", value);
  return buffer;
}

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace clearance::study
