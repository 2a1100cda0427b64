// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace clearance::cli {
namespace {

/// A length unit: its name, and how long it is [m].
struct LengthUnit {
  const char* name;
  double metres;
};
constexpr std::array<LengthUnit, 3> kLengthUnits{{{"m", 1.0}, {"mm", 1e-3}, {"um", 1e-6}}};

/// Lengths from here on are written in metres; shorter ones in millimetres [m].
constexpr double kShortestInMetres = 2.0;
/// Lengths from here on are written in millimetres; shorter ones in micrometres [m].
constexpr double kShortestInMillimetres = 1e-4;

/// Areas and volumes from here on are written in metres; smaller ones in millimetres [m², m³].
constexpr double kSmallestInSquareMetres = 0.01;
constexpr double kSmallestInCubicMetres = 1e-3;

const LengthUnit& unit_for(double length) {
  if (length >= kShortestInMetres || length == 0.0) return kLengthUnits[0];
  return length >= kShortestInMillimetres ? kLengthUnits[1] : kLengthUnits[2];
}

/// Four digits, with commas rather than an exponent while the number has a usual size.
std::string plain_number(double value) {
  const double size = std::abs(value);
  if (size < 1000.0 || size >= 1e9) return format_number("%.4g", value);
  const double step = std::pow(10.0, std::floor(std::log10(size)) - 3.0);
  const auto rounded = static_cast<std::uint64_t>(std::round(size / step) * step);
  return (value < 0.0 ? "-" : "") + group_digits(rounded);
}

/// Characters of UTF-8 text: all bytes but those that continue a character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Optimal string alignment distance: insert, delete, replace, or swap two neighbours.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string format_number(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string group_digits(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string count_of(std::uint64_t count, const std::string& singular, const std::string& plural) {
  return group_digits(count) + " " + (count == 1 ? singular : plural);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return count_of(bytes, "byte", "bytes");
  double value = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000.0;
    ++unit;
  }
  return format_number("%.3g ", value) + kUnits[unit];
}

std::string format_size(const Vec3& size) {
  const LengthUnit& unit = unit_for(largest_component(size));
  const auto side = [&](double length) { return format_number("%.4g", length / unit.metres); };
  return side(size.x) + " x " + side(size.y) + " x " + side(size.z) + " " + unit.name;
}

std::string format_length(double metres) {
  const LengthUnit& unit = unit_for(std::abs(metres));
  return format_number("%.6g ", metres / unit.metres) + unit.name;
}

std::string format_area(double square_metres) {
  if (std::abs(square_metres) >= kSmallestInSquareMetres || square_metres == 0.0)
    return plain_number(square_metres) + " m²";
  return plain_number(square_metres * 1e6) + " mm²";
}

std::string format_volume(double cubic_metres) {
  if (std::abs(cubic_metres) >= kSmallestInCubicMetres || cubic_metres == 0.0)
    return plain_number(cubic_metres) + " m³";
  return plain_number(cubic_metres * 1e9) + " mm³";
}

std::string align_columns(const std::vector<std::vector<std::string>>& lines,
                          std::span<const std::size_t> right) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width_of(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - width_of(line[i]), ' ');
      const bool to_the_right = std::find(right.begin(), right.end(), i) != right.end();
      row += (to_the_right ? padding + line[i] : line[i] + padding) + "  ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string nearest(const std::string& typed, std::span<const std::string> candidates) {
  std::string best;
  // A third of the letters may be wrong: more, and the suggestion is a guess.
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(typed, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace clearance::cli
