// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a mesh inside segments? Each triangle is cut into pieces until every piece is proven to be in
// one segment, or a corner is found that is in none. Cuts are made where one segment ends and the
// next begins, elsewhere in the middle of the longest edge.
//
// A piece is in a segment with parallel circles, which is convex, when its corners are. For tilted
// circles: each disc lies in a plane, and if the plane of disc e_0 has the whole piece on one side
// and that of disc e_1 has it on the other, then each of its points is in the plane of a disc
// between the two. What remains is to bound how far out in their discs they can be.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include <clearance/contour/contour_fit.h>

namespace clearance {
namespace {

/// A segment between parallel circles.
class StraightSegment {
 public:
  explicit StraightSegment(const ContourSegment& segment)
      : start_(segment.start.center),
        along_(segment.end.center - segment.start.center),
        start_radius_(norm(segment.start.u)),
        radius_change_(norm(segment.end.u) - start_radius_) {
    const Vec3 a = cross(segment.start.u, segment.start.v);
    const Vec3 b = cross(segment.end.u, segment.end.v);
    normal_ = normalized(squared_norm(a) > squared_norm(b) ? a : b);
    if (normal_ == Vec3{}) normal_ = normalized(along_);
    if (normal_ == Vec3{}) normal_ = {0.0, 0.0, 1.0};
    height_ = dot(normal_, along_);
  }

  /// Within `slack` of it along the normal, and within `slack` of the disc there across it.
  [[nodiscard]] bool holds(const Vec3& p, double slack) const {
    const Vec3 from_start = p - start_;
    const double z = dot(normal_, from_start);
    if (z < std::min(0.0, height_) - slack || z > std::max(0.0, height_) + slack) return false;
    const double eta = std::abs(height_) > slack ? std::clamp(z / height_, 0.0, 1.0)
                                                 : nearest_disc(from_start - z * normal_);
    const Vec3 from_center = from_start - eta * along_;
    const Vec3 across = from_center - dot(normal_, from_center) * normal_;
    const double reach = start_radius_ + eta * radius_change_ + slack;
    return squared_norm(across) <= reach * reach;
  }

  /// Heights of a point above the planes of both circles.
  [[nodiscard]] std::array<double, 2> heights(const Vec3& p) const {
    const double z = dot(normal_, p - start_);
    return {z, z - height_};
  }

 private:
  /// Where circles are in one plane: the eta at which |p - eta d| - r(eta) is least.
  [[nodiscard]] double nearest_disc(const Vec3& p) const {
    const Vec3 shift = along_ - dot(normal_, along_) * normal_;
    const double length_sq = squared_norm(shift);
    const double room_sq = length_sq - radius_change_ * radius_change_;
    // One circle holds the other.
    if (!(room_sq > 0.0)) return radius_change_ > 0.0 ? 1.0 : 0.0;
    const double ahead = dot(p, shift) / length_sq;
    const double beside = norm(p - ahead * shift);
    return std::clamp(ahead + radius_change_ * beside / std::sqrt(length_sq * room_sq), 0.0, 1.0);
  }

  Vec3 start_;
  Vec3 along_;
  Vec3 normal_;
  double start_radius_;
  double radius_change_;
  double height_ = 0.0;
};

/// A segment between tilted circles: disc e is the ellipse about center(e) with the half axes
/// radius(e) along the common line of all planes, and v(e) across it.
class TiltedSegment {
 public:
  explicit TiltedSegment(const ContourSegment& segment)
      : start_(segment.start.center),
        along_(segment.end.center - segment.start.center),
        radii_{norm(segment.start.u), norm(segment.end.u)} {
    const Vec3 from = normalized(cross(segment.start.u, segment.start.v));
    const Vec3 to = normalized(cross(segment.end.u, segment.end.v));
    hinge_ = normalized(cross(from, to));
    v_ = radii_[0] * cross(from, hinge_);
    v_change_ = radii_[1] * cross(to, hinge_) - v_;
  }

  /// The disc a point is in (or within `slack` of); nothing when there is none.
  [[nodiscard]] std::optional<double> disc_of(const Vec3& p, double slack) const {
    // side() is quadratic in eta: its three coefficients from three values.
    const double at_0 = side(p, 0.0);
    const double at_1 = side(p, 1.0);
    const double bend = 2.0 * (at_0 + at_1 - 2.0 * side(p, 0.5));
    const double slope = at_1 - at_0 - bend;
    const double root_sq = slope * slope - 4.0 * bend * at_0;
    if (root_sq < 0.0) return std::nullopt;
    const double q = -0.5 * (slope + std::copysign(std::sqrt(root_sq), slope));
    const double end_slack = slack / std::max(norm(along_), slack);
    for (const double eta : {q / bend, at_0 / q}) {
      if (!(eta >= -end_slack && eta <= 1.0 + end_slack)) continue;
      const double clamped = std::clamp(eta, 0.0, 1.0);
      const Vec3 d = p - center(clamped);
      const double half_axis = norm(v(clamped));
      if (!(half_axis > 0.0)) continue;
      const double x = dot(hinge_, d) / (radius(clamped) + slack);
      const double y = dot(v(clamped), d) / (half_axis * (half_axis + slack));
      if (x * x + y * y <= 1.0) return clamped;
    }
    return std::nullopt;
  }

  /// All of a triangle, given discs its corners are in.
  [[nodiscard]] bool holds(const Triangle& t, const std::array<double, 3>& discs,
                           double slack) const {
    const auto [least, most] = std::minmax({discs[0], discs[1], discs[2]});
    const double spare = 0.25 * (most - least) + 1e-9;
    const double low = std::max(least - spare, 0.0);
    const double high = std::min(most + spare, 1.0);
    if (!is_between(t, low, high)) return false;
    // Largest |hinge . (p - c)|: linear in the point and in eta.
    const double middle = 0.5 * (low + high);
    const double half = 0.5 * (high - low);
    double x = 0.0;
    double y = 0.0;
    double reach = 0.0;
    for (const Vec3& p : {t.a, t.b, t.c}) {
      for (const double eta : {low, high}) {
        x = std::max(x, std::abs(dot(hinge_, p - center(eta))));
        reach = std::max(reach, norm(p - center(eta)));
      }
      y = std::max(y, std::abs(dot(v(middle), p - center(middle))));
    }
    // v . (p - c) changes by no more than this from the middle to either end.
    const double longest_v = std::max(norm(v(low)), norm(v(high)));
    y += half * (norm(v_change_) * reach + longest_v * norm(along_));
    // The shortest v(eta) of those between.
    const double change_sq = squared_norm(v_change_);
    const double at =
        change_sq > 0.0 ? std::clamp(-dot(v_, v_change_) / change_sq, low, high) : low;
    const double shortest_v = norm(v(at));
    if (!(shortest_v > 0.0)) return false;
    const double least_radius = std::min(radius(low), radius(high));
    const double qx = x / (least_radius + slack);
    const double qy = y / (shortest_v * (shortest_v + slack));
    return qx * qx + qy * qy <= 1.0;
  }

 private:
  [[nodiscard]] Vec3 center(double eta) const { return start_ + eta * along_; }
  [[nodiscard]] Vec3 v(double eta) const { return v_ + eta * v_change_; }
  [[nodiscard]] double radius(double eta) const {
    return radii_[0] + eta * (radii_[1] - radii_[0]);
  }
  /// Which side of the plane of disc eta a point is on: 0 in it.
  [[nodiscard]] double side(const Vec3& p, double eta) const {
    return dot(cross(hinge_, v(eta)), p - center(eta));
  }
  [[nodiscard]] bool is_between(const Triangle& t, double low, double high) const {
    const std::array<double, 3> before{side(t.a, low), side(t.b, low), side(t.c, low)};
    const std::array<double, 3> behind{side(t.a, high), side(t.b, high), side(t.c, high)};
    const auto [before_least, before_most] = std::minmax({before[0], before[1], before[2]});
    const auto [behind_least, behind_most] = std::minmax({behind[0], behind[1], behind[2]});
    return (before_least >= 0.0 && behind_most <= 0.0) ||
           (before_most <= 0.0 && behind_least >= 0.0);
  }

  Vec3 start_;
  Vec3 along_;
  std::array<double, 2> radii_;
  Vec3 hinge_;
  Vec3 v_;
  Vec3 v_change_;
};

class Cover {
 public:
  Cover(std::span<const ContourSegment> segments, double tolerance, std::size_t most_pieces)
      // Half across, half along: together less than the tolerance, for a piece between two
      // corners too, as all within that distance of a convex segment is convex.
      : slack_(0.5 * tolerance), pieces_left_(most_pieces) {
    for (const ContourSegment& segment : segments) {
      Box reach = bounds_of(segment);
      const Vec3 grown{tolerance, tolerance, tolerance};
      reach.low -= grown;
      reach.high += grown;
      if (is_convex(segment))
        straight_.push_back({StraightSegment(segment), reach});
      else
        tilted_.push_back({TiltedSegment(segment), reach});
    }
  }

  [[nodiscard]] bool holds(const Vec3& p) const {
    return std::any_of(straight_.begin(), straight_.end(),
                       [&](const auto& s) { return s.in_reach(p) && s.shape.holds(p, slack_); }) ||
           std::any_of(tilted_.begin(), tilted_.end(),
                       [&](const auto& s) { return s.in_reach(p) && s.shape.disc_of(p, slack_); });
  }

  /// Whether a triangle whose corners are held is held as a whole.
  bool holds_all(const Triangle& triangle) {
    pieces_.assign(1, triangle);
    while (!pieces_.empty()) {
      if (pieces_left_ == 0) return false;
      --pieces_left_;
      const Triangle piece = pieces_.back();
      pieces_.pop_back();
      if (is_in_one(piece)) continue;
      // The middle is where a hole shows soonest.
      if (!holds((piece.a + piece.b + piece.c) / 3.0)) return false;
      if (!cut_at_plane(piece) && !cut_in_middle(piece)) return false;
      if (found_hole_) return false;
    }
    return true;
  }

 private:
  template <class Shape>
  struct Bounded {
    Shape shape;
    Box reach;
    [[nodiscard]] bool in_reach(const Vec3& p) const {
      return p.x >= reach.low.x && p.y >= reach.low.y && p.z >= reach.low.z &&
             p.x <= reach.high.x && p.y <= reach.high.y && p.z <= reach.high.z;
    }
  };

  [[nodiscard]] bool is_in_one(const Triangle& t) const {
    for (const auto& [shape, reach] : straight_)
      if (shape.holds(t.a, slack_) && shape.holds(t.b, slack_) && shape.holds(t.c, slack_))
        return true;
    for (const auto& [shape, reach] : tilted_) {
      const auto a = shape.disc_of(t.a, slack_);
      const auto b = a ? shape.disc_of(t.b, slack_) : std::nullopt;
      const auto c = b ? shape.disc_of(t.c, slack_) : std::nullopt;
      if (c && shape.holds(t, {*a, *b, *c}, slack_)) return true;
    }
    return false;
  }

  /// Cuts a piece at the plane of a circle of a segment that holds one of its corners.
  bool cut_at_plane(const Triangle& t) {
    for (const auto& [shape, reach] : straight_) {
      if (!shape.holds(t.a, slack_) && !shape.holds(t.b, slack_) && !shape.holds(t.c, slack_))
        continue;
      const std::array<std::array<double, 2>, 3> heights{shape.heights(t.a), shape.heights(t.b),
                                                         shape.heights(t.c)};
      for (std::size_t plane = 0; plane < 2; ++plane)
        if (cut(t, {heights[0][plane], heights[1][plane], heights[2][plane]})) return true;
    }
    return false;
  }

  /// Cuts where the height, linear in the triangle, is 0. Does nothing when no corner is clearly
  /// below, or none clearly above.
  bool cut(const Triangle& t, const std::array<double, 3>& height) {
    const auto [least, most] = std::minmax({height[0], height[1], height[2]});
    if (!(least < -slack_ && most > slack_)) return false;
    const std::array<Vec3, 3> corner{t.a, t.b, t.c};
    std::array<std::vector<Vec3>, 2> sides;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t next = (i + 1) % 3;
      if (height[i] <= 0.0) sides[0].push_back(corner[i]);
      if (height[i] >= 0.0) sides[1].push_back(corner[i]);
      if ((height[i] < 0.0 && height[next] > 0.0) || (height[i] > 0.0 && height[next] < 0.0)) {
        const double share = height[i] / (height[i] - height[next]);
        const Vec3 p = corner[i] + share * (corner[next] - corner[i]);
        found_hole_ = found_hole_ || !holds(p);
        sides[0].push_back(p);
        sides[1].push_back(p);
      }
    }
    for (const std::vector<Vec3>& side : sides)
      for (std::size_t i = 2; i < side.size(); ++i)
        pieces_.push_back({side[0], side[i - 1], side[i]});
    return true;
  }

  /// False when the piece is too small to cut.
  bool cut_in_middle(const Triangle& t) {
    const std::array<Vec3, 3> corner{t.a, t.b, t.c};
    std::size_t longest = 0;
    double longest_sq = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double length_sq = squared_norm(corner[(i + 1) % 3] - corner[i]);
      if (length_sq > longest_sq) longest = i, longest_sq = length_sq;
    }
    const Vec3& a = corner[longest];
    const Vec3& b = corner[(longest + 1) % 3];
    const Vec3& c = corner[(longest + 2) % 3];
    const Vec3 middle = 0.5 * (a + b);
    if (middle == a || middle == b) return false;
    found_hole_ = found_hole_ || !holds(middle);
    pieces_.push_back({a, middle, c});
    pieces_.push_back({middle, b, c});
    return true;
  }

  double slack_;
  std::size_t pieces_left_;
  bool found_hole_ = false;  // a corner of a piece that no segment holds
  std::vector<Bounded<StraightSegment>> straight_;
  std::vector<Bounded<TiltedSegment>> tilted_;
  std::vector<Triangle> pieces_;
};

}  // namespace

bool covers(std::span<const ContourSegment> segments, const Mesh& mesh, double tolerance,
            std::size_t most_pieces) {
  Cover cover(segments, tolerance, most_pieces);
  // Where something is not covered it is a vertex nearly always.
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    if (!cover.holds(t.a) || !cover.holds(t.b) || !cover.holds(t.c)) return false;
  }
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i)
    if (!cover.holds_all(mesh.triangle(i))) return false;
  return true;
}

}  // namespace clearance
