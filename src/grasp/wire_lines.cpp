// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/wire_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <clearance/geometry/pose.h>

namespace clearance::detail {
namespace {

/// A segment that is this much of a step too short still has its last position: lengths come from
/// decimals.
constexpr double kStepRounding = 1e-9;
/// A closed line of fewer steps than this is an open one: neighbours would be the same place.
constexpr double kLeastRing = 3.0;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Ends are numbered: 2 i is the end a of segment i, 2 i + 1 its end b.
constexpr std::uint32_t other_end(std::uint32_t end) { return end ^ 1U; }

Vec3 point_of(std::span<const Segment> segments, std::uint32_t end) {
  const Segment& s = segments[end / 2];
  return end % 2 == 0 ? s.a : s.b;
}

/// The direction into a segment from one of its ends.
Vec3 inward(std::span<const Segment> segments, std::uint32_t end) {
  return normalized(point_of(segments, other_end(end)) - point_of(segments, end));
}

double angle_between(const Vec3& a, const Vec3& b) {
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

/// For each end the one that it goes on with.
std::vector<std::uint32_t> joints_of(std::span<const Segment> segments) {
  std::map<std::array<double, 3>, std::vector<std::uint32_t>> meetings;
  const auto count = static_cast<std::uint32_t>(2 * segments.size());
  for (std::uint32_t end = 0; end < count; ++end) {
    const Vec3 p = point_of(segments, end);
    meetings[{p.x, p.y, p.z}].push_back(end);
  }
  std::vector<std::uint32_t> joints(count, kNone);
  for (const auto& [point, ends] : meetings) {
    // Both ends of a segment without length are no joint.
    if (ends.size() != 2 || ends[0] / 2 == ends[1] / 2) continue;
    if (angle_between(-inward(segments, ends[0]), inward(segments, ends[1])) >= kLargestBend)
      continue;
    joints[ends[0]] = ends[1];
    joints[ends[1]] = ends[0];
  }
  return joints;
}

/// A unit vector at right angles to a direction, from the coordinate axis that is farthest from it:
/// the mirror image of a segment has the mirror image of it, up to the sign.
Vec3 first_across(const Vec3& along) {
  const Vec3 size = abs(along);
  Vec3 axis{0.0, 0.0, 1.0};
  if (size.x <= size.y && size.x <= size.z) {
    axis = {1.0, 0.0, 0.0};
  } else if (size.y <= size.z) {
    axis = {0.0, 1.0, 0.0};
  }
  return normalized(axis - dot(axis, along) * along);
}

/// A line by the length along it.
class Measured {
 public:
  Measured(const WireLine& line, std::span<const Segment> segments) : line_(line) {
    for (const WirePiece& piece : line.pieces) {
      const Segment& s = segments[piece.segment];
      const Vec3 a = piece.is_reversed ? s.b : s.a;
      const Vec3 b = piece.is_reversed ? s.a : s.b;
      const Vec3 along = normalized(b - a);
      // A segment without length is a point: any direction will do.
      pieces_.push_back({piece.segment, end_, a, norm(along) > 0.0 ? along : Vec3{0.0, 0.0, 1.0}});
      start_.push_back(end_);
      end_ += norm(b - a);
    }
  }
  struct Piece {
    std::uint32_t segment;
    double start;  // length along the line where it begins [m]
    Vec3 point;    // there
    Vec3 along;
  };
  [[nodiscard]] const Piece& piece_at(double length) const {
    const auto next = std::upper_bound(start_.begin() + 1, start_.end(), length);
    return pieces_[static_cast<std::size_t>(next - start_.begin()) - 1];
  }
  [[nodiscard]] Vec3 point(double length) const {
    const Piece& p = piece_at(length);
    return p.point + (length - p.start) * p.along;
  }
  [[nodiscard]] Vec3 direction(double length, double reach) const {
    const Vec3& own = piece_at(length).along;
    if (pieces_.size() == 1) return own;
    // More than a quarter of a ring to either side, and the chord would turn back.
    if (line_.is_closed) reach = std::min(reach, 0.25 * end_);
    const Vec3 chord = point(brought_in(length + reach)) - point(brought_in(length - reach));
    // So it may where a line is wound up more tightly than that.
    return dot(chord, own) > 0.0 ? normalized(chord) : own;
  }

 private:
  /// Round a closed line; at the ends of an open one.
  [[nodiscard]] double brought_in(double length) const {
    if (!line_.is_closed) return std::clamp(length, 0.0, end_);
    return length - end_ * std::floor(length / end_);
  }

  const WireLine& line_;
  std::vector<Piece> pieces_;
  std::vector<double> start_;
  double end_ = 0.0;
};

/// `across` carried from one direction to another by the least turn.
Vec3 carried(const Vec3& across, const Vec3& from, const Vec3& to) {
  const Vec3 axis = cross(from, to);
  const double size = norm(axis);
  if (!(size > 0.0)) return across;
  const Vec3 turned = rotation_about(axis / size, angle_between(from, to)) * across;
  return normalized(turned - dot(turned, to) * to);
}

}  // namespace

std::vector<WireLine> lines_of(std::span<const Segment> segments) {
  const std::vector<std::uint32_t> joints = joints_of(segments);
  std::vector<std::uint8_t> used(segments.size(), 0);
  std::vector<WireLine> lines;
  // From an end where nothing goes on, to the other.
  const auto follow = [&](std::uint32_t start) {
    WireLine line;
    std::uint32_t end = start;
    while (end != kNone && used[end / 2] == 0) {
      used[end / 2] = 1;
      line.pieces.push_back({end / 2, end % 2 == 1});
      line.length += norm(point_of(segments, other_end(end)) - point_of(segments, end));
      end = joints[other_end(end)];
    }
    line.is_closed = end == start;
    lines.push_back(std::move(line));
  };
  for (std::uint32_t i = 0; i < segments.size(); ++i) {
    for (const std::uint32_t end : {2 * i, 2 * i + 1})
      if (used[i] == 0 && joints[end] == kNone) follow(end);
  }
  // What is left has no ends.
  for (std::uint32_t i = 0; i < segments.size(); ++i)
    if (used[i] == 0) follow(2 * i);
  return lines;
}

bool is_ring(const WireLine& line, double step) {
  return line.is_closed && std::round(line.length / step) >= kLeastRing;
}

double place_count(const WireLine& line, double step) {
  if (is_ring(line, step)) return std::round(line.length / step);
  return std::floor(line.length / step + kStepRounding) + 1.0;
}

std::vector<WirePlace> places_of(const WireLine& line, std::span<const Segment> segments,
                                 double step, double reach) {
  const Measured measured(line, segments);
  const bool goes_round = is_ring(line, step);
  const auto count = static_cast<std::size_t>(place_count(line, step));
  const double between = goes_round ? line.length / static_cast<double>(count) : step;
  std::vector<WirePlace> places;
  places.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double length = between * static_cast<double>(i);
    const Vec3 along = measured.direction(length, reach);
    const Vec3 across = places.empty() ? first_across(along)
                                       : carried(places.back().across, places.back().along, along);
    places.push_back({measured.piece_at(length).segment, measured.point(length), along, across});
  }
  if (!goes_round) return places;
  // Around a ring that is not flat, what is carried comes back turned: each place takes its share.
  const WirePlace& first = places.front();
  const Vec3 back = carried(places.back().across, places.back().along, first.along);
  const double twist =
      std::atan2(dot(cross(first.across, back), first.along), dot(first.across, back));
  for (std::size_t i = 0; i < count; ++i) {
    WirePlace& place = places[i];
    const double share = -twist * static_cast<double>(i) / static_cast<double>(count);
    place.across =
        std::cos(share) * place.across + std::sin(share) * cross(place.along, place.across);
  }
  return places;
}

}  // namespace clearance::detail
