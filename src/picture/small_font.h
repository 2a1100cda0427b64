// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Letters of five by seven dots, for the few words in a picture.
#pragma once

#include <string_view>

#include <clearance/picture/picture.h>

namespace clearance::detail {

inline constexpr int kLetterWidth = 5;
inline constexpr int kLetterHeight = 7;
inline constexpr int kLetterStep = kLetterWidth + 1;

/// Draws text with its upper left corner at (x, y), each dot `size` pixels wide. What is beyond the
/// image is cut off; characters without a letter leave a gap.
void draw_text(Image& image, int x, int y, int size, std::string_view text, const Colour& colour);

/// Width of a text [pixels].
[[nodiscard]] constexpr int text_width(std::string_view text, int size) {
  return static_cast<int>(text.size()) * kLetterStep * size - (text.empty() ? 0 : size);
}

}  // namespace clearance::detail
