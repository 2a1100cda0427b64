// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_wire_frame() promises for any bytes: segments with a length, or an error with a
// reason; and what is read is written and read back.
#include <cstddef>
#include <cstdint>

#include <clearance/grasp/wire_frame.h>

#include "check_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clearance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<Segment>> frame = parse_wire_frame(text, "frame.json");
  if (!frame) {
    fuzz::require(frame.error().file == "frame.json" && !frame.error().reason.empty());
    return 0;
  }
  fuzz::require(!frame->empty());
  for (const Segment& s : *frame) fuzz::require(is_finite(s.a) && is_finite(s.b) && s.a != s.b);
  const Result<std::vector<Segment>> again =
      parse_wire_frame(wire_frame_as_json(*frame), "again.json");
  fuzz::require(again.ok() && again->size() == frame->size());
  for (std::size_t i = 0; i < frame->size(); ++i)
    fuzz::require((*again)[i].a == (*frame)[i].a && (*again)[i].b == (*frame)[i].b);
  return 0;
}
