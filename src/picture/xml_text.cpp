// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include <clearance/picture/xml_text.h>

namespace clearance {
namespace {

/// Length of the UTF-8 sequence at the front; 0 when it is not one.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80U              ? 1
                             : (lead & 0xe0U) == 0xc0U ? 2
                             : (lead & 0xf0U) == 0xe0U ? 3
                             : (lead & 0xf8U) == 0xf0U ? 4
                                                       : 0;
  if (length < 2) return length;
  if (text.size() < length) return 0;
  unsigned code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  // Longer than needed, a surrogate, beyond Unicode, or one of the two that XML forbids.
  constexpr std::array<unsigned, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool legal = code >= kLeast[length] && code <= 0x10ffffU &&
                     (code < 0xd800U || code > 0xdfffU) && code != 0xfffeU && code != 0xffffU;
  return legal ? length : 0;
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const char c = text.front();
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (length > 1) {
      out += text.substr(0, length);
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += ' ';  // control characters are not allowed in XML, not even escaped
    } else {
      out += c;
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

}  // namespace clearance
