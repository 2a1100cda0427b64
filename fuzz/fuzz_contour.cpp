// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What parse_contours() promises for any bytes: an error with a reason, or contours whose segments
// are finite and that are the same after writing and reading.
#include <clearance/contour/contour_file.h>

#include "check_reader.h"

namespace {

using namespace clearance;

void check_contours(const ContourRobot& contours) {
  fuzz::require(!contours.series().empty() && contours.segment_count() > 0);
  if (contours.robot()) return;
  for (const ContourSegment& segment : contours.place({}))
    fuzz::require(is_finite(bounds_of(segment).low) && is_finite(bounds_of(segment).high));
  const std::string text = contours_to_json(contours);
  const Result<ContourRobot> again = parse_contours(text, "again.json");
  fuzz::require(again.ok() && contours_to_json(*again) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const clearance::Result<clearance::ContourRobot> contours =
      clearance::parse_contours(text, "fuzz.json");
  if (contours) {
    check_contours(*contours);
  } else {
    clearance::fuzz::require(contours.error().file == "fuzz.json" &&
                             !contours.error().reason.empty());
  }
  return 0;
}
