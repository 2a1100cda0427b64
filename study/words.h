// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Figures in sentences.
#pragma once

#include <cstdint>
#include <string>

namespace clearance::study {

/// Three digits, and whole above a hundred: "0.0123", "45.6", "7890".
[[nodiscard]] std::string number(double value);
/// "1,000,000"
[[nodiscard]] std::string grouped(std::uint64_t count);

}  // namespace clearance::study
