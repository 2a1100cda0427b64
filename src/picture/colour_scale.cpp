// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <clearance/base/assert.h>
#include <clearance/picture/colour_scale.h>
#include <clearance/picture/xml_text.h>

#include "picture/small_font.h"

namespace clearance {
namespace {

constexpr Colour kBeyond{0.80, 0.81, 0.83};
constexpr Colour kInk{0.15, 0.17, 0.20};
constexpr Colour kPaper{0.97, 0.98, 0.99};

/// Warm to cold. Yellow is the lightest, so that both ends are told apart in grey as well.
constexpr std::array<Colour, 7> kStops{{{0.72, 0.05, 0.12},
                                        {0.90, 0.28, 0.14},
                                        {0.97, 0.60, 0.20},
                                        {0.96, 0.87, 0.40},
                                        {0.58, 0.80, 0.55},
                                        {0.22, 0.58, 0.72},
                                        {0.15, 0.25, 0.58}}};

/// Pixels of the legend of a picture.
constexpr int kLeastHeight = 120;
constexpr int kBarWidth = 22;
constexpr int kGap = 10;

std::string label_of(double value) {
  std::array<char, 32> text{};
  // Steps are round, so four digits show a tick exactly; -0 is 0.
  std::snprintf(text.data(), text.size(), "%.4g", value == 0.0 ? 0.0 : value);
  return text.data();
}

/// The colours of a bar from the cold end at the top, fraction t in [0, 1] downwards.
Colour bar_colour(const ColourScale& scale, double t) {
  return colour_at(scale, scale.high + t * (scale.low - scale.high));
}

/// Where a tick stands on a bar: 0 at the top, 1 at the bottom.
double fraction_of(const ColourScale& scale, const Legend& legend, double tick) {
  return std::clamp((scale.high - tick / legend.units_per_one) / (scale.high - scale.low), 0.0,
                    1.0);
}

std::string hex(const Colour& colour) {
  const auto byte = [](double v) { return static_cast<unsigned>(std::lround(255.0 * v)); };
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", byte(colour.r), byte(colour.g),
                byte(colour.b));
  return text.data();
}

}  // namespace

Colour colour_at(const ColourScale& scale, double value) {
  CLEARANCE_ASSERT(scale.low < scale.high);
  if (!(value <= scale.high)) return kBeyond;
  const double t = std::clamp((value - scale.low) / (scale.high - scale.low), 0.0, 1.0);
  const double x = t * (kStops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), kStops.size() - 2);
  const double f = x - static_cast<double>(i);
  const Colour& a = kStops[i];
  const Colour& b = kStops[i + 1];
  return {a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

std::vector<double> legend_ticks(const ColourScale& scale, const Legend& legend) {
  CLEARANCE_ASSERT(scale.low < scale.high && legend.units_per_one > 0.0);
  const double low = scale.low * legend.units_per_one;
  const double high = scale.high * legend.units_per_one;
  // The largest step of 1, 2, 5 times a power of ten that still gives four ticks or more.
  const double most = (high - low) / 3.0;
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  double step = power;
  for (const double factor : {2.0, 5.0})
    if (factor * power <= most) step = factor * power;
  constexpr double kRounding = 1e-9;  // of a step: a tick at the end of the scale is on it
  std::vector<double> ticks;
  for (double k = std::ceil(low / step - kRounding); k * step <= high + kRounding * step; k += 1.0)
    ticks.push_back(k * step);
  return ticks;
}

Image with_legend(const Image& image, const ColourScale& scale, const Legend& legend) {
  if (image.height < kLeastHeight) return image;
  const int size = image.height >= 400 ? 2 : 1;
  const int letters = detail::kLetterHeight * size;
  const std::vector<double> ticks = legend_ticks(scale, legend);
  int widest = 0;
  for (const double tick : ticks)
    widest = std::max(widest, detail::text_width(label_of(tick), size));
  const int column = std::max(kBarWidth + kGap + widest, detail::text_width(legend.title, size));

  // The picture, and paper to the right of it.
  Image result;
  result.width = image.width + column + 3 * kGap;
  result.height = image.height;
  result.rgb.resize(std::size_t(result.width) * std::size_t(result.height) * 3);
  const auto paint = [&result](int x, int y, const Colour& colour) {
    const std::array<double, 3> parts{colour.r, colour.g, colour.b};
    for (std::size_t k = 0; k < 3; ++k) {
      result.rgb[3 * (std::size_t(y) * std::size_t(result.width) + std::size_t(x)) + k] =
          static_cast<std::uint8_t>(std::lround(255.0 * parts[k]));
    }
  };
  for (int y = 0; y < image.height; ++y) {
    const auto row = static_cast<std::ptrdiff_t>(3 * image.width) * y;
    std::copy_n(image.rgb.begin() + row, 3 * image.width,
                result.rgb.begin() + static_cast<std::ptrdiff_t>(3 * result.width) * y);
    for (int x = image.width; x < result.width; ++x) paint(x, y, kPaper);
  }

  // Title, bar with a frame, ticks.
  const int left = image.width + kGap;
  const int top = 3 * kGap + letters;
  const int bottom = image.height - 3 * kGap;
  detail::draw_text(result, left, 2 * kGap - letters / 2, size, legend.title, kInk);
  for (int y = top; y <= bottom; ++y) {
    const double t = static_cast<double>(y - top) / (bottom - top);
    for (int x = left; x < left + kBarWidth; ++x) {
      const bool frame = y == top || y == bottom || x == left || x == left + kBarWidth - 1;
      paint(x, y, frame ? kInk : bar_colour(scale, t));
    }
  }
  for (const double tick : ticks) {
    const int y =
        top + static_cast<int>(std::lround(fraction_of(scale, legend, tick) * (bottom - top)));
    for (int x = left + kBarWidth; x < left + kBarWidth + kGap / 2; ++x) paint(x, y, kInk);
    detail::draw_text(result, left + kBarWidth + kGap, y - letters / 2, size, label_of(tick), kInk);
  }
  return result;
}

std::string legend_svg(const ColourScale& scale, const Legend& legend) {
  constexpr int kWidth = 130;
  constexpr int kHeight = 320;
  constexpr int kTop = 40;
  constexpr int kBottom = kHeight - 20;
  constexpr int kLeft = 14;
  constexpr int kBands = 64;
  const auto number = [](double v) { return label_of(v); };
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(kWidth) +
                     "\" height=\"" + std::to_string(kHeight) + "\" viewBox=\"0 0 " +
                     std::to_string(kWidth) + " " + std::to_string(kHeight) + "\">\n" +
                     "<rect width=\"100%\" height=\"100%\" fill=\"" + hex(kPaper) + "\"/>\n" +
                     "<text x=\"14\" y=\"24\" font-family=\"sans-serif\" font-size=\"13\" fill=\"" +
                     hex(kInk) + "\">" + xml_text(legend.title) + "</text>\n";
  constexpr double kBand = static_cast<double>(kBottom - kTop) / kBands;
  for (int i = 0; i < kBands; ++i) {
    // Half a pixel of overlap, or thin lines show between the bands.
    text += "<rect x=\"" + std::to_string(kLeft) + "\" y=\"" + number(kTop + i * kBand) +
            "\" width=\"22\" height=\"" + number(kBand + (i + 1 < kBands ? 0.5 : 0.0)) +
            "\" fill=\"" + hex(bar_colour(scale, (i + 0.5) / kBands)) + "\"/>\n";
  }
  for (const double tick : legend_ticks(scale, legend)) {
    const double y = kTop + fraction_of(scale, legend, tick) * (kBottom - kTop);
    text += "<line x1=\"36\" x2=\"42\" y1=\"" + number(y) + "\" y2=\"" + number(y) +
            "\" stroke=\"" + hex(kInk) + "\"/>\n<text x=\"46\" y=\"" + number(y + 4) +
            "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"" + hex(kInk) + "\">" +
            label_of(tick) + "</text>\n";
  }
  return text + "</svg>\n";
}

}  // namespace clearance
