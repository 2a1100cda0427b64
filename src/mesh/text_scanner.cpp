// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/text_scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace clearance::detail {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 18;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_space(char c) { return is_blank(c) || is_line_end(c); }
bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Eight characters at once: whether all are digits, and their value (first character first). Each
// byte is a digit when its upper half is 3 and stays 3 after adding 6.
bool are_eight_digits(std::uint64_t text) {
  return ((text & 0xf0f0f0f0f0f0f0f0u) |
          (((text + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4)) == 0x3333333333333333u;
}
std::uint64_t value_of_eight_digits(std::uint64_t text) {
  // Neighbours become pairs, pairs fours, fours the whole.
  text -= 0x3030303030303030u;
  text = (text * 10 + (text >> 8)) & 0x00ff00ff00ff00ffu;
  text = (text * 100 + (text >> 16)) & 0x0000ffff0000ffffu;
  return (text * 10000 + (text >> 32)) & 0xffffffffu;
}

// Appends the digits at `at` to `value`, which wraps around when there are more than 19.
const char* read_digits(const char* at, const char* end, std::uint64_t& value) {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t text = 0;
    while (end - at >= 8 && (std::memcpy(&text, at, 8), are_eight_digits(text))) {
      value = value * 100000000 + value_of_eight_digits(text);
      at += 8;
    }
  }
  while (at != end && is_digit(*at)) value = 10 * value + static_cast<unsigned>(*at++ - '0');
  return at;
}

// mantissa * 10^exponent for a mantissa of up to 64 bits, if the extended precision of x86 tells
// the nearest double beyond doubt; nothing otherwise.
std::optional<double> scale_extended(std::uint64_t mantissa, int exponent) {
  using Extended = long double;
  if constexpr (std::numeric_limits<Extended>::digits != 64) return std::nullopt;
  // Both operands are exact (10^22 too), so the result is off by at most half a unit in bit 64. It
  // rounds to the same double as the true value, unless the 11 bits below the double's last are
  // within one unit of the midpoint 1024. The range of exponents keeps the result normal.
  if (exponent < -22 || exponent > 22 || mantissa == 0) return std::nullopt;
  const Extended power = kPowersOfTen[static_cast<std::size_t>(std::abs(exponent))];
  const Extended result = exponent < 0 ? static_cast<Extended>(mantissa) / power
                                       : static_cast<Extended>(mantissa) * power;
  std::uint64_t significand = 0;
  std::memcpy(&significand, &result, sizeof significand);
  const std::uint64_t below = significand & 0x7ff;
  if (below >= 1023 && below <= 1025) return std::nullopt;
  return static_cast<double>(result);
}

// The general case: everything the fast path leaves.
const char* parse_any_number(const char* text, const char* end, double& value) {
  const char* begin = text;
  // from_chars takes a minus sign but no plus sign.
  if (begin != end && *begin == '+') {
    ++begin;
    if (begin == end || *begin == '-') return nullptr;
  }
  const std::from_chars_result result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::invalid_argument) return nullptr;
  if (result.ec == std::errc::result_out_of_range) {
    // Too small for a double is 0; too large is infinite.
    const std::string_view number(begin, static_cast<std::size_t>(result.ptr - begin));
    const std::size_t exponent = number.find_first_of("eE");
    const bool tiny = exponent == std::string_view::npos
                          ? number.find('.') != std::string_view::npos
                          : number.substr(exponent + 1, 1) == "-";
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return result.ptr;
}

}  // namespace

const char* parse_number(const char* text, const char* end, double& value) {
  const char* at = text;
  bool negative = false;
  if (at != end && (*at == '-' || *at == '+')) negative = *at++ == '-';

  // Digits become one integer, the point an exponent. Up to 19 digits cannot overflow.
  std::uint64_t mantissa = 0;
  const char* const integer_part = at;
  at = read_digits(at, end, mantissa);
  std::ptrdiff_t digits = at - integer_part;
  int exponent = 0;
  if (at != end && *at == '.') {
    const char* const fraction = ++at;
    at = read_digits(at, end, mantissa);
    digits += at - fraction;
    exponent = -static_cast<int>(std::min<std::ptrdiff_t>(at - fraction, 1000));
  }
  if (digits == 0 || digits > 19) return parse_any_number(text, end, value);
  if (at != end && (*at == 'e' || *at == 'E')) {
    const char* power = at + 1;
    bool negative_power = false;
    if (power != end && (*power == '-' || *power == '+')) negative_power = *power++ == '-';
    if (power == end || !is_digit(*power)) return parse_any_number(text, end, value);
    int written = 0;
    while (power != end && is_digit(*power) && written < 10000)
      written = 10 * written + (*power++ - '0');
    if (power != end && is_digit(*power)) return parse_any_number(text, end, value);
    exponent += negative_power ? -written : written;
    at = power;
  }

  // Clinger's fast path: integer and power of ten are exact doubles, so one operation rounds once.
  constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
  double result = 0.0;
  if (mantissa <= kExactIntegers && exponent >= -22 && exponent <= 22) {
    const double power = kPowersOfTen[static_cast<std::size_t>(std::abs(exponent))];
    result = exponent < 0 ? static_cast<double>(mantissa) / power
                          : static_cast<double>(mantissa) * power;
  } else if (const std::optional<double> nearest = scale_extended(mantissa, exponent)) {
    result = *nearest;
  } else {
    return parse_any_number(text, end, value);
  }
  value = negative ? -result : result;
  return at;
}

TextScanner::TextScanner(const ByteSource& source, std::uint64_t begin)
    : source_(source), window_offset_(begin) {}

void TextScanner::refill() {
  if (buffer_.empty()) buffer_.resize(kWindow);
  const std::uint64_t from = offset();
  const Result<std::string_view> bytes = source_.read(from, buffer_);
  if (!bytes) {
    failure_ = bytes.error();
    complete_ = true;
    window_offset_ = from;
    window_begin_ = at_ = end_ = nullptr;
    return;
  }
  window_offset_ = from;
  window_begin_ = at_ = bytes->data();
  end_ = at_ + bytes->size();
  complete_ = from + bytes->size() >= source_.size();
}

void TextScanner::skip_blanks() {
  while (is_blank(peek())) ++at_;
}

void TextScanner::skip_space() {
  while (is_space(peek())) ++at_;
}

void TextScanner::skip_line() {
  while (!at_line_end()) ++at_;
  if (at_end()) return;
  const char first = *at_++;
  if (first == '\r' && peek() == '\n') ++at_;
}

std::string TextScanner::rest_of_line() {
  skip_blanks();
  std::string text;
  while (!at_line_end()) {
    if (text.size() < kLongestWord) text.push_back(*at_);
    ++at_;
  }
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  return text;
}

std::string_view TextScanner::word() {
  fill();
  const char* const begin = at_;
  const char* const limit = begin + std::min<std::ptrdiff_t>(end_ - begin, kLongestWord);
  at_ = std::find_if(begin, limit, is_space);
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::optional<double> TextScanner::number() {
  fill();
  double value = 0.0;
  const char* const limit = at_ + std::min<std::ptrdiff_t>(end_ - at_, kLongestWord);
  const char* const after = parse_number(at_, limit, value);
  if (after == nullptr || (after != end_ && !is_space(*after))) return std::nullopt;
  at_ = after;
  return value;
}

std::optional<std::int64_t> TextScanner::integer() {
  fill();
  std::int64_t value = 0;
  const char* const begin = at_ + (at_ != end_ && *at_ == '+' ? 1 : 0);
  const std::from_chars_result result = std::from_chars(begin, end_, value);
  if (result.ec != std::errc() || (result.ptr != end_ && !is_space(*result.ptr)))
    return std::nullopt;
  at_ = result.ptr;
  return value;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text = "'";
  for (const char c : word.substr(0, kLongest)) text.push_back(c >= ' ' && c <= '~' ? c : '?');
  text += word.size() > kLongest ? "...'" : "'";
  return text;
}

}  // namespace clearance::detail
