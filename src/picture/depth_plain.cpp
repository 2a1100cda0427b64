// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Depth images that are a header and then plain numbers: PGM and NumPy's files.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "picture/depth_formats.h"

namespace clearance::detail {
namespace {

Error malformed(const std::string& path, std::string reason, std::string advice = "") {
  return {ErrorCode::Malformed, path, "", std::move(reason), std::move(advice)};
}

/// A number of the file, in the order of bytes it has there.
template <class Number>
Number number_at(const char* bytes, bool is_little) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), bytes, raw.size());
  if (is_little != (std::endian::native == std::endian::little))
    std::reverse(raw.begin(), raw.end());
  return std::bit_cast<Number>(raw);
}

/// The pixels, which must be all that is left. Memory is taken once they are there.
template <class Number>
Result<DepthPicture> with_pixels(DepthPicture picture, std::string_view pixels, bool is_little,
                                 const std::string& path) {
  const std::size_t count =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  if (pixels.size() != count * sizeof(Number)) {
    return malformed(path, "has " + std::to_string(pixels.size()) + " bytes of pixels where " +
                               std::to_string(picture.width) + " x " +
                               std::to_string(picture.height) + " take " +
                               std::to_string(count * sizeof(Number)));
  }
  picture.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    picture.values[i] =
        static_cast<float>(number_at<Number>(pixels.data() + i * sizeof(Number), is_little));
  }
  return picture;
}

/// A side of an image, from its digits.
std::optional<int> side_of(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (value == 0 || value > kMostDepthPixelsASide) return std::nullopt;
  return static_cast<int>(value);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The next word of a PGM header; a comment runs from # to the end of its line.
std::string_view next_word(std::string_view bytes, std::size_t& at) {
  while (at < bytes.size() && (is_space(bytes[at]) || bytes[at] == '#')) {
    if (bytes[at] == '#') at = std::min(bytes.find('\n', at), bytes.size());
    if (at < bytes.size()) ++at;
  }
  const std::size_t start = at;
  while (at < bytes.size() && !is_space(bytes[at])) ++at;
  return bytes.substr(start, at - start);
}

/// What follows a key in the dictionary that heads a NumPy file, spaces left out.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t found = header.find(key);
  if (found == std::string_view::npos) return {};
  std::string_view rest = header.substr(found + key.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':')) rest.remove_prefix(1);
  return rest;
}

/// "(480, 640)".
std::optional<std::array<int, 2>> shape_of(std::string_view text) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  text = text.substr(1, end - 1);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto trimmed = [](std::string_view word) {
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    return word;
  };
  const std::optional<int> rows = side_of(trimmed(text.substr(0, comma)));
  const std::optional<int> columns = side_of(trimmed(text.substr(comma + 1)));
  if (!rows || !columns) return std::nullopt;
  return std::array{*rows, *columns};
}

}  // namespace

Result<DepthPicture> parse_depth_pgm(std::string_view bytes, const std::string& path) {
  std::size_t at = 2;
  const std::optional<int> width = side_of(next_word(bytes, at));
  const std::optional<int> height = side_of(next_word(bytes, at));
  const std::string_view largest = next_word(bytes, at);
  if (!width || !height || at == bytes.size())
    return malformed(path, "has no width, height and largest value as a PGM file has them");
  std::uint32_t most = 0;
  const auto [end, code] = std::from_chars(largest.data(), largest.data() + largest.size(), most);
  constexpr std::uint32_t kLeastOfTwoBytes = 256;
  constexpr std::uint32_t kMostOfTwoBytes = 65535;
  if (code != std::errc() || end != largest.data() + largest.size() || most < kLeastOfTwoBytes ||
      most > kMostOfTwoBytes) {
    return malformed(path, "its largest value is '" + std::string(largest.substr(0, 20)) + "'",
                     "depth images have 16 bits a pixel: 256 to 65535");
  }
  // One white space, then the pixels, the high byte first.
  return with_pixels<std::uint16_t>({*width, *height, {}, true}, bytes.substr(at + 1), false, path);
}

Result<DepthPicture> parse_depth_npy(std::string_view bytes, const std::string& path) {
  constexpr std::size_t kVersion = 6;
  constexpr std::size_t kLength = 8;
  const auto cut = [&] { return malformed(path, "ends within its header"); };
  if (bytes.size() < kLength + 2) return cut();
  const bool is_first_version = bytes[kVersion] == 1;
  if (!is_first_version && bytes[kVersion] != 2 && bytes[kVersion] != 3)
    return malformed(path, "is of a version of NumPy's format that is not known");
  const std::size_t start = kLength + (is_first_version ? 2 : 4);
  if (bytes.size() < start) return cut();
  const std::size_t length = is_first_version
                                 ? number_at<std::uint16_t>(bytes.data() + kLength, true)
                                 : number_at<std::uint32_t>(bytes.data() + kLength, true);
  if (bytes.size() - start < length) return cut();
  const std::string_view header = bytes.substr(start, length);
  const std::optional<std::array<int, 2>> shape = shape_of(value_of(header, "'shape'"));
  if (!shape) {
    return malformed(path, "is no array of rows and columns with 1 to 16384 each",
                     "a depth image has the shape (height, width)");
  }
  if (!value_of(header, "'fortran_order'").starts_with("False"))
    return malformed(path, "is stored column after column", "numpy.ascontiguousarray() mends it");
  const std::string_view kind = value_of(header, "'descr'").substr(0, 5);
  const std::string_view pixels = bytes.substr(start + length);
  const bool is_little = kind.size() == 5 && kind[1] == '<';
  const bool has_order = is_little || (kind.size() == 5 && kind[1] == '>');
  const DepthPicture picture{(*shape)[1], (*shape)[0], {}, false};
  if (has_order && kind.substr(2) == "f4'")
    return with_pixels<float>(picture, pixels, is_little, path);
  if (has_order && kind.substr(2) == "f8'")
    return with_pixels<double>(picture, pixels, is_little, path);
  if (has_order && kind.substr(2) == "u2'") {
    return with_pixels<std::uint16_t>({picture.width, picture.height, {}, true}, pixels, is_little,
                                      path);
  }
  return malformed(path, "has numbers of type " + std::string(kind),
                   "float32, float64 or uint16 are read");
}

}  // namespace clearance::detail
