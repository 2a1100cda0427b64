// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// libpng leaves a failed call by a jump to setjmp. What may jump is in functions of their own, with
// no object of ours to destroy in between.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <png.h>

#include <clearance/base/file.h>
#include <clearance/picture/depth_picture.h>

#include "picture/depth_formats.h"

namespace clearance {
namespace {

using detail::kMostDepthPixelsASide;

/// What a byte of the file can stand for at most: deflate packs 1032 bytes into one.
constexpr std::size_t kMostBytesOfOne = 1032;

/// Bytes to read and the words of the first failure: what libpng's callbacks know of us.
struct Stream {
  const char* next = nullptr;
  std::size_t left = 0;
  std::array<char, 96> reason{};
};

void read_bytes(png_structp png, png_bytep out, png_size_t size) {
  auto* stream = static_cast<Stream*>(png_get_io_ptr(png));
  if (size > stream->left) png_error(png, "the file ends too early");
  std::memcpy(out, stream->next, size);
  stream->next += size;
  stream->left -= size;
}

[[noreturn]] void keep_reason(png_structp png, png_const_charp reason) {
  auto* stream = static_cast<Stream*>(png_get_error_ptr(png));
  std::strncpy(stream->reason.data(), reason, stream->reason.size() - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp /*png*/, png_const_charp /*reason*/) {}

bool read_header(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, kMostDepthPixelsASide, kMostDepthPixelsASide);
  png_read_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  if constexpr (std::endian::native == std::endian::little) png_set_swap(png);
  (void)png_set_interlace_handling(png);
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

void append_bytes(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

void ignore_flush(png_structp /*png*/) {}

/// The pixels as the file has them.
struct WholePixels {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint16_t> values;
};

bool write_rows(png_structp png, png_infop info, const WholePixels& picture, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, picture.width, picture.height, 16, PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if constexpr (std::endian::native == std::endian::little) png_set_swap(png);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

std::vector<png_bytep> rows_of(WholePixels& picture) {
  std::vector<png_bytep> rows(picture.height);
  for (std::size_t y = 0; y < rows.size(); ++y)
    rows[y] = reinterpret_cast<png_bytep>(picture.values.data() + y * picture.width);
  return rows;
}

/// libpng's state, ended with the object.
struct Reading {
  png_structp png = nullptr;
  png_infop info = nullptr;
  explicit Reading(Stream& stream)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &stream, keep_reason, ignore_warning)),
        info(png != nullptr ? png_create_info_struct(png) : nullptr) {
    if (info != nullptr) png_set_read_fn(png, &stream, read_bytes);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

}  // namespace

Result<DepthPicture> detail::parse_depth_png(std::string_view bytes, const std::string& path) {
  const auto malformed = [&](std::string reason, std::string advice = "") {
    return Error{ErrorCode::Malformed, path, "", std::move(reason), std::move(advice)};
  };
  constexpr std::size_t kSignature = 8;
  if (bytes.size() < kSignature ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, kSignature) != 0)
    return malformed("is no PNG file", "depth images are grey PNG files of 16 bits");
  Stream stream{bytes.data(), bytes.size(), {}};
  Reading reading(stream);
  if (reading.info == nullptr) return malformed("libpng could not start");
  if (!read_header(reading.png, reading.info))
    return malformed("its header is damaged: " + std::string(stream.reason.data()));
  const int bits = png_get_bit_depth(reading.png, reading.info);
  const bool is_grey = png_get_color_type(reading.png, reading.info) == PNG_COLOR_TYPE_GRAY;
  if (bits != 16 || !is_grey) {
    return malformed("has " + std::string(is_grey ? "grey" : "colour") + " pixels of " +
                         std::to_string(bits) + " bits",
                     "depth images are grey PNG files of 16 bits");
  }
  WholePixels pixels{png_get_image_width(reading.png, reading.info),
                     png_get_image_height(reading.png, reading.info),
                     {}};
  const std::size_t count = static_cast<std::size_t>(pixels.width) * pixels.height;
  if (count * sizeof(std::uint16_t) / kMostBytesOfOne > bytes.size())
    return malformed("is too short for its " + std::to_string(pixels.width) + " x " +
                     std::to_string(pixels.height) + " pixels");
  pixels.values.resize(count);
  std::vector<png_bytep> rows = rows_of(pixels);
  if (!read_rows(reading.png, rows.data()))
    return malformed("its pixels are damaged: " + std::string(stream.reason.data()));
  return DepthPicture{static_cast<int>(pixels.width), static_cast<int>(pixels.height),
                      std::vector<float>(pixels.values.begin(), pixels.values.end()), true};
}

Status write_depth_picture(const std::string& path, const DepthPicture& picture) {
  const bool has_size = picture.width > 0 && picture.height > 0;
  if (!has_size || picture.values.size() != static_cast<std::size_t>(picture.width) *
                                                static_cast<std::size_t>(picture.height))
    return Error{ErrorCode::Invalid, path, "", "the picture's size does not match its pixels", ""};
  WholePixels pixels{
      static_cast<std::uint32_t>(picture.width), static_cast<std::uint32_t>(picture.height), {}};
  constexpr float kMost = 65535.0F;
  for (const float value : picture.values) {
    if (!(value >= 0.0F && value <= kMost && value == std::floor(value)))
      return Error{ErrorCode::Invalid, path, "", "a value is no whole number from 0 to 65535", ""};
    pixels.values.push_back(static_cast<std::uint16_t>(value));
  }
  std::vector<png_bytep> rows = rows_of(pixels);
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  bool is_written = false;
  if (info != nullptr) {
    png_set_write_fn(png, &bytes, append_bytes, ignore_flush);
    is_written = write_rows(png, info, pixels, rows.data());
  }
  png_destroy_write_struct(&png, &info);
  if (!is_written) return Error{ErrorCode::Unreadable, path, "", "libpng could not encode it", ""};
  return write_file(path, bytes);
}

}  // namespace clearance
