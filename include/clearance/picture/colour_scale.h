// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers as colours, and the legend that tells which is which: for maps of distances. Small
// numbers are warm (red, orange), large ones cold (blue), as in the papers' figures; what is beyond
// the scale, infinite or NaN is grey, so that it cannot pass for far.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <clearance/picture/picture.h>

namespace clearance {

struct ColourScale {
  double low = 0.0;   ///< the warmest; smaller numbers have this colour too
  double high = 1.0;  ///< the coldest; larger numbers are grey. Above low.
};

[[nodiscard]] Colour colour_at(const ColourScale& scale, double value);

/// Words and numbers of a legend.
struct Legend {
  std::string title;         ///< with the unit: "distance [mm]"
  double units_per_one = 1;  ///< a label is the value times this: 1000 for millimetres of metres
};

/// Round numbers within the scale, in the unit of the legend: four to nine of them.
[[nodiscard]] std::vector<double> legend_ticks(const ColourScale& scale, const Legend& legend);

/// The image with a bar of the colours and its numbers to the right of it: wider, and as high.
/// Images less than 120 pixels high come back as they are: there is no room for the words. The
/// letters drawn are digits, lower case and some signs; others are left blank.
[[nodiscard]] Image with_legend(const Image& image, const ColourScale& scale, const Legend& legend);

/// The bar alone as an SVG file.
[[nodiscard]] std::string legend_svg(const ColourScale& scale, const Legend& legend);

}  // namespace clearance
