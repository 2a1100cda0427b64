// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PNG files through libpng, and the choice of a palette by median cut.
#include <algorithm>
#include <array>
#include <map>

#include <png.h>

#include <clearance/base/file.h>
#include <clearance/picture/picture.h>

namespace clearance {
namespace {

using Rgb = std::array<std::uint8_t, 3>;

struct Palette {
  std::vector<Rgb> colours;
  std::vector<std::uint8_t> pixels;  // indices
};

struct Bin {
  Rgb colour;
  std::size_t count;
};

// Cuts the colours in two at the median of the widest channel, the most populous group first, until
// there are as many groups as wanted; each group becomes its mean.
Palette median_cut(const Image& image, std::size_t wanted) {
  std::map<Rgb, std::size_t> histogram;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    ++histogram[{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]}];
  std::vector<Bin> bins;
  bins.reserve(histogram.size());
  for (const auto& [colour, count] : histogram) bins.push_back({colour, count});

  struct Group {
    std::size_t first, last;  // in bins
    std::size_t weight;       // pixels times the widest range: what a cut gains
    std::size_t channel;
  };
  const auto group_of = [&](std::size_t first, std::size_t last) {
    Group group{first, last, 0, 0};
    int widest = -1;
    std::size_t pixels = 0;
    for (std::size_t i = first; i < last; ++i) pixels += bins[i].count;
    for (std::size_t k = 0; k < 3; ++k) {
      int low = 255, high = 0;
      for (std::size_t i = first; i < last; ++i) {
        low = std::min<int>(low, bins[i].colour[k]);
        high = std::max<int>(high, bins[i].colour[k]);
      }
      if (high - low > widest) {
        widest = high - low;
        group.channel = k;
      }
    }
    group.weight = last - first > 1 ? std::size_t(widest) * (1 + pixels) : 0;
    return group;
  };
  std::vector<Group> groups{group_of(0, bins.size())};
  while (groups.size() < wanted) {
    const auto best =
        std::max_element(groups.begin(), groups.end(),
                         [](const Group& a, const Group& b) { return a.weight < b.weight; });
    if (best->weight == 0) break;
    const Group cut = *best;
    std::sort(bins.begin() + std::ptrdiff_t(cut.first), bins.begin() + std::ptrdiff_t(cut.last),
              [&](const Bin& a, const Bin& b) {
                return std::pair(a.colour[cut.channel], a.colour) <
                       std::pair(b.colour[cut.channel], b.colour);
              });
    std::size_t total = 0;
    for (std::size_t i = cut.first; i < cut.last; ++i) total += bins[i].count;
    std::size_t middle = cut.first;
    for (std::size_t seen = 0; middle + 1 < cut.last && 2 * seen < total; ++middle)
      seen += bins[middle].count;
    middle = std::clamp(middle, cut.first + 1, cut.last - 1);
    *best = group_of(cut.first, middle);
    groups.push_back(group_of(middle, cut.last));
  }

  Palette palette;
  std::map<Rgb, std::uint8_t> index;
  for (const Group& group : groups) {
    std::array<std::size_t, 3> sum{};
    std::size_t pixels = 0;
    for (std::size_t i = group.first; i < group.last; ++i) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += bins[i].count * bins[i].colour[k];
      pixels += bins[i].count;
      index[bins[i].colour] = static_cast<std::uint8_t>(palette.colours.size());
    }
    Rgb mean{};
    for (std::size_t k = 0; k < 3; ++k)
      mean[k] = static_cast<std::uint8_t>((sum[k] + pixels / 2) / pixels);
    palette.colours.push_back(mean);
  }
  palette.pixels.reserve(image.rgb.size() / 3);
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    palette.pixels.push_back(index[{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]}]);
  return palette;
}

void append_bytes(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

void ignore_flush(png_structp) {}

// Everything libpng may jump out of is in here, with no object of ours to destroy in between.
bool encode(png_structp png, png_infop info, const Image& image, const Palette& palette,
            const png_color* entries, const png_byte** rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  const bool indexed = !palette.colours.empty();
  png_set_compression_level(png, 9);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8,
               indexed ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (indexed) {
    png_set_PLTE(png, info, entries, static_cast<int>(palette.colours.size()));
    png_set_filter(png, 0, PNG_FILTER_NONE);
  }
  png_write_info(png, info);
  png_write_image(png, const_cast<png_bytepp>(rows));
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

Status write_png(const std::string& path, const Image& image, const PngOptions& options) {
  const std::size_t pixels = std::size_t(image.width) * std::size_t(image.height);
  if (image.width < 1 || image.height < 1 || image.rgb.size() != 3 * pixels)
    return Error{ErrorCode::Invalid, path, "", "the picture's size does not match its pixels", ""};
  if (options.colours < 0 || options.colours == 1 || options.colours > 256)
    return Error{ErrorCode::Invalid, path, "", "the number of colours is not 0 or 2 to 256", ""};

  Palette palette;
  if (options.colours > 0) palette = median_cut(image, static_cast<std::size_t>(options.colours));
  std::vector<png_color> entries;
  entries.reserve(palette.colours.size());
  for (const Rgb& c : palette.colours) entries.push_back({c[0], c[1], c[2]});
  const std::uint8_t* first = palette.colours.empty() ? image.rgb.data() : palette.pixels.data();
  const std::size_t row_bytes = std::size_t(image.width) * (palette.colours.empty() ? 3 : 1);
  std::vector<const png_byte*> rows(static_cast<std::size_t>(image.height));
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = first + y * row_bytes;

  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  bool encoded = false;
  if (info != nullptr) {
    png_set_write_fn(png, &bytes, append_bytes, ignore_flush);
    encoded = encode(png, info, image, palette, entries.data(), rows.data());
  }
  png_destroy_write_struct(&png, &info);
  if (!encoded) return Error{ErrorCode::Unreadable, path, "", "libpng could not encode it", ""};
  return write_file(path, bytes);
}

}  // namespace clearance
