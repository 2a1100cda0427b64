// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ear clipping. Each hole is joined to the outer loop by a bridge of two coincident edges, then
// convex corners whose triangle holds no other corner are cut off one by one. A grid over the
// reflex corners (only they can lie inside an ear) keeps the test cheap.
#include "mesh/generate_polygon.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace clearance::parts {
namespace {

struct Corner {
  Vec2 p;
  std::uint32_t point = 0;  // index of the input point
  std::uint32_t previous = 0;
  std::uint32_t next = 0;
  bool removed = false;
  bool in_grid = false;
};

// Sine of the flattest corner cut off while there are others: below it, a triangle of points that
// are in line but for rounding would come out with no area.
constexpr double kLeastSine = 1e-6;

double turn(Vec2 a, Vec2 b, Vec2 c) { return cross(b - a, c - b); }

bool same_place(Vec2 a, Vec2 b) { return a.x == b.x && a.y == b.y; }

class Clipper {
 public:
  explicit Clipper(std::span<const std::vector<Vec2>> loops) {
    std::uint32_t first_point = 0;
    std::vector<std::uint32_t> hole_starts;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const std::uint32_t start = add_loop(loops[i], first_point, i > 0);
      first_point += static_cast<std::uint32_t>(loops[i].size());
      if (i == 0) {
        start_ = start;
      } else {
        hole_starts.push_back(rightmost(start));
      }
    }
    // Right-most holes first: the ray to the right then meets only what is joined already.
    std::stable_sort(hole_starts.begin(), hole_starts.end(), [&](std::uint32_t a, std::uint32_t b) {
      return corners_[a].p.x > corners_[b].p.x;
    });
    for (const std::uint32_t hole : hole_starts) join(hole);
  }

  std::vector<std::array<std::uint32_t, 3>> clip() {
    build_grid();
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::size_t left = 0;
    std::uint32_t at = start_;
    do {
      ++left;
      at = corners_[at].next;
    } while (at != start_);
    triangles.reserve(left);

    // Walks round, cutting ears. A full round without one: corners in line (rows of holes) are let
    // through next, for the rest of this polygon; a second round without one means that rounding
    // has left no proper ear, and the sharpest corner is cut instead, so that the count and the
    // closure always hold.
    std::size_t since_last = 0;
    double least_sine = kLeastSine;
    while (left > 3) {
      if (since_last <= left) {
        if (!is_ear(at, least_sine)) {
          at = corners_[at].next;
          ++since_last;
          continue;
        }
      } else if (least_sine > 0.0) {
        least_sine = 0.0;
        since_last = 0;
        continue;
      } else {
        at = sharpest(at);
      }
      const Corner& corner = corners_[at];
      triangles.push_back(
          {corners_[corner.previous].point, corner.point, corners_[corner.next].point});
      const std::uint32_t next = corner.next;
      remove(at);
      --left;
      since_last = 0;
      // Skipping one corner makes fans shorter than taking the neighbour every time.
      at = corners_[next].next;
    }
    triangles.push_back({corners_[corners_[at].previous].point, corners_[at].point,
                         corners_[corners_[at].next].point});
    return triangles;
  }

 private:
  std::uint32_t add_loop(const std::vector<Vec2>& loop, std::uint32_t first_point, bool hole) {
    const auto first = static_cast<std::uint32_t>(corners_.size());
    const auto count = static_cast<std::uint32_t>(loop.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t source = hole ? count - 1 - i : i;  // holes run clockwise
      corners_.push_back({loop[source], first_point + source, first + (i + count - 1) % count,
                          first + (i + 1) % count, false, false});
    }
    return first;
  }

  std::uint32_t rightmost(std::uint32_t start) const {
    std::uint32_t best = start;
    std::uint32_t at = start;
    do {
      const Vec2 p = corners_[at].p;
      const Vec2 b = corners_[best].p;
      if (p.x > b.x || (p.x == b.x && p.y < b.y)) best = at;
      at = corners_[at].next;
    } while (at != start);
    return best;
  }

  // Joins a hole at its right-most corner to the nearest corner of the outer loop that it can see
  // to its right. Holes not joined yet lie to the left and cannot be in between.
  void join(std::uint32_t hole) {
    const Vec2 h = corners_[hole].p;
    candidates_.clear();
    std::uint32_t at = start_;
    do {
      const Vec2 to = corners_[at].p - h;
      if (to.x >= 0.0) candidates_.emplace_back(dot(to, to), at);
      at = corners_[at].next;
    } while (at != start_);
    std::sort(candidates_.begin(), candidates_.end());
    std::uint32_t bridge = candidates_.empty() ? start_ : candidates_.front().second;
    for (const auto& [length_sq, candidate] : candidates_) {
      if (sees(candidate, h) && !is_blocked(h, corners_[candidate].p)) {
        bridge = candidate;
        break;
      }
    }

    // bridge -> hole ... hole' -> bridge' -> rest
    const auto hole_copy = static_cast<std::uint32_t>(corners_.size());
    const std::uint32_t bridge_copy = hole_copy + 1;
    corners_.push_back(corners_[hole]);
    corners_.push_back(corners_[bridge]);
    const std::uint32_t hole_previous = corners_[hole].previous;
    const std::uint32_t bridge_next = corners_[bridge].next;
    corners_[bridge].next = hole;
    corners_[hole].previous = bridge;
    corners_[hole_previous].next = hole_copy;
    corners_[hole_copy].previous = hole_previous;
    corners_[hole_copy].next = bridge_copy;
    corners_[bridge_copy].previous = hole_copy;
    corners_[bridge_copy].next = bridge_next;
    corners_[bridge_next].previous = bridge_copy;
  }

  // Whether an edge of the outer loop crosses or touches the segment, save at its own two ends.
  bool is_blocked(Vec2 from, Vec2 to) const {
    const auto side = [](Vec2 a, Vec2 b, Vec2 p) {
      const double value = cross(b - a, p - a);
      return value > 0.0 ? 1 : (value < 0.0 ? -1 : 0);
    };
    std::uint32_t at = start_;
    do {
      const Vec2 a = corners_[at].p;
      const Vec2 b = corners_[corners_[at].next].p;
      at = corners_[at].next;
      const bool a_is_end = same_place(a, from) || same_place(a, to);
      const bool b_is_end = same_place(b, from) || same_place(b, to);
      if (a_is_end && b_is_end) continue;
      const int side_a = side(from, to, a);
      const int side_b = side(from, to, b);
      if (a_is_end || b_is_end) {
        // An edge that leaves an end blocks only when it runs along the segment, before its end.
        const Vec2 other = a_is_end ? b : a;
        if ((a_is_end ? side_b : side_a) == 0 && dot(other - from, other - to) < 0.0) return true;
        continue;
      }
      if (side_a * side_b <= 0 && side(a, b, from) * side(a, b, to) <= 0) {
        // All four zero: on one line; blocked when an end of the edge lies between.
        if (side_a == 0 && side_b == 0 && dot(a - from, a - to) > 0.0 &&
            dot(b - from, b - to) > 0.0)
          continue;
        return true;
      }
    } while (at != start_);
    return false;
  }

  // Whether the point lies in the wedge of inside directions of a corner.
  bool sees(std::uint32_t at, Vec2 point) const {
    const Corner& c = corners_[at];
    const Vec2 before = corners_[c.previous].p;
    const Vec2 after = corners_[c.next].p;
    const bool left_of_first = cross(c.p - before, point - c.p) > 0;
    const bool left_of_second = cross(after - c.p, point - c.p) > 0;
    return turn(before, c.p, after) > 0 ? left_of_first && left_of_second
                                        : left_of_first || left_of_second;
  }

  bool is_reflex(std::uint32_t at) const {
    const Corner& c = corners_[at];
    return turn(corners_[c.previous].p, c.p, corners_[c.next].p) <= 0;
  }

  void build_grid() {
    low_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    Vec2 high{-low_.x, -low_.y};
    for (const Corner& c : corners_) {
      low_ = {std::min(low_.x, c.p.x), std::min(low_.y, c.p.y)};
      high = {std::max(high.x, c.p.x), std::max(high.y, c.p.y)};
    }
    cells_ = std::clamp<int>(static_cast<int>(std::sqrt(double(corners_.size()))), 1, 64);
    scale_ = {cells_ / std::max(high.x - low_.x, 1e-300),
              cells_ / std::max(high.y - low_.y, 1e-300)};
    grid_.assign(std::size_t(cells_) * cells_, {});
    std::uint32_t at = start_;
    do {
      if (is_reflex(at)) {
        corners_[at].in_grid = true;
        grid_[cell(corners_[at].p)].push_back(at);
      }
      at = corners_[at].next;
    } while (at != start_);
  }

  int column(double x) const {
    return std::clamp(static_cast<int>((x - low_.x) * scale_.x), 0, cells_ - 1);
  }
  int row(double y) const {
    return std::clamp(static_cast<int>((y - low_.y) * scale_.y), 0, cells_ - 1);
  }
  std::size_t cell(Vec2 p) const { return std::size_t(row(p.y)) * cells_ + column(p.x); }

  void remove(std::uint32_t at) {
    Corner& c = corners_[at];
    c.removed = true;
    corners_[c.previous].next = c.next;
    corners_[c.next].previous = c.previous;
    if (start_ == at) start_ = c.next;
    // Cutting an ear never makes a neighbour reflex, save in the fall-back case.
    for (const std::uint32_t side : {c.previous, c.next}) {
      if (!corners_[side].in_grid && is_reflex(side)) {
        corners_[side].in_grid = true;
        grid_[cell(corners_[side].p)].push_back(side);
      }
    }
  }

  bool is_ear(std::uint32_t at, double least_sine) {
    const std::uint32_t before = corners_[at].previous;
    const std::uint32_t after = corners_[at].next;
    const Vec2 a = corners_[before].p;
    const Vec2 b = corners_[at].p;
    const Vec2 c = corners_[after].p;
    if (!(turn(a, b, c) > least_sine * norm(b - a) * norm(c - b))) return false;
    // Corners at one place (the two sides of a bridge) own different directions: the new edge must
    // lie in those of both its ends.
    if (!sees(before, c) || !sees(after, a)) return false;
    const int column_first = column(std::min({a.x, b.x, c.x}));
    const int column_last = column(std::max({a.x, b.x, c.x}));
    const int row_first = row(std::min({a.y, b.y, c.y}));
    const int row_last = row(std::max({a.y, b.y, c.y}));
    for (int r = row_first; r <= row_last; ++r) {
      for (int k = column_first; k <= column_last; ++k) {
        std::vector<std::uint32_t>& members = grid_[std::size_t(r) * cells_ + k];
        for (std::size_t i = 0; i < members.size();) {
          const std::uint32_t other = members[i];
          if (corners_[other].removed || !is_reflex(other)) {
            corners_[other].in_grid = false;
            members[i] = members.back();
            members.pop_back();
            continue;
          }
          ++i;
          const Vec2 p = corners_[other].p;
          if (other == before || other == after || same_place(p, a) || same_place(p, b) ||
              same_place(p, c)) {
            continue;
          }
          if (cross(b - a, p - a) >= 0 && cross(c - b, p - b) >= 0 && cross(a - c, p - c) >= 0)
            return false;
        }
      }
    }
    return true;
  }

  std::uint32_t sharpest(std::uint32_t start) const {
    std::uint32_t best = start;
    double best_turn = -std::numeric_limits<double>::infinity();
    std::uint32_t at = start;
    do {
      const Corner& c = corners_[at];
      const double value = turn(corners_[c.previous].p, c.p, corners_[c.next].p);
      if (value > best_turn) {
        best_turn = value;
        best = at;
      }
      at = c.next;
    } while (at != start);
    return best;
  }

  std::vector<Corner> corners_;
  std::vector<std::pair<double, std::uint32_t>> candidates_;
  std::uint32_t start_ = 0;
  Vec2 low_;
  Vec2 scale_;
  int cells_ = 1;
  std::vector<std::vector<std::uint32_t>> grid_;
};

}  // namespace

std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const std::vector<Vec2>> loops) {
  return Clipper(loops).clip();
}

}  // namespace clearance::parts
