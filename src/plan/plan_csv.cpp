// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <clearance/plan/plan_file.h>

#include "plan/path_keys.h"

namespace clearance {
namespace {

/// The shortest text that reads back as the same number.
void append(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

}  // namespace

PlanRows plan_csv(const PlanPath& path, double radius, double deviation) {
  // Over a turn by `angle` the origin of the frame, at the distance r from the pivot, goes an arc
  // about it; the chord is at most r (1 - cos(angle / 2)) <= r angle² / 8 off.
  const double arm = norm(path.pivot);
  double widest = detail::kWidestTurn;
  if (arm > 0.0 && deviation > 0.0) widest = std::min(widest, std::sqrt(8.0 * deviation / arm));
  PlanRows rows;
  rows.csv = "time,x,y,z,qx,qy,qz,qw\n";
  double widest_used = 0.0;
  const std::vector<detail::PathKey> keys = detail::path_keys(path, radius, widest);
  for (const detail::PathKey& key : keys) {
    const Vec3& place = key.world_from_body.translation;
    for (const double value :
         {key.at, place.x, place.y, place.z, key.turn.x, key.turn.y, key.turn.z, key.turn.w}) {
      append(rows.csv, value);
      rows.csv += ",";
    }
    rows.csv.back() = '\n';
    widest_used = std::max(widest_used, key.angle);
  }
  rows.count = keys.size();
  rows.deviation = arm * widest_used * widest_used / 8.0;
  return rows;
}

}  // namespace clearance
