// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers, lengths and tables as people like to read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clearance/geometry/vector.h>

namespace clearance::cli {

/// printf of one number.
[[nodiscard]] std::string format_number(const char* format, double value);
/// "1,234,567"
[[nodiscard]] std::string group_digits(std::uint64_t count);
/// "1 edge", "12 edges"
[[nodiscard]] std::string count_of(std::uint64_t count, const std::string& singular,
                                   const std::string& plural);
/// "812 bytes", "1.3 MB" (powers of 1000)
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// "120 x 45.5 x 30 mm", in the unit (um, mm, m) that suits the largest side; metres in.
[[nodiscard]] std::string format_size(const Vec3& size);
/// "51.94 um", "120.5 mm", "3 m": a length in the unit that suits it, six digits; metres in.
[[nodiscard]] std::string format_length(double metres);
/// "0.0123 m²", "1.2 mm²", "173,300 mm³": an area or a volume in the unit that suits it.
[[nodiscard]] std::string format_area(double square_metres);
[[nodiscard]] std::string format_volume(double cubic_metres);

/// Lines of cells, padded into columns two spaces apart; columns in `right` are aligned right.
/// Widths count characters, not bytes.
[[nodiscard]] std::string align_columns(const std::vector<std::vector<std::string>>& lines,
                                        std::span<const std::size_t> right = {});

/// Text as a field of a CSV line, in quotes where it needs them (RFC 4180).
[[nodiscard]] std::string csv_field(const std::string& text);

/// The candidate nearest to what was typed (transposed, missing, extra or wrong letters), or an
/// empty string when none is near.
[[nodiscard]] std::string nearest(const std::string& typed,
                                  std::span<const std::string> candidates);

}  // namespace clearance::cli
