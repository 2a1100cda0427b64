// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/grasp_cut.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <clearance/geometry/mass.h>

#include "query/shapes_leaf.h"
#include "query/wide_shape.h"

namespace clearance::detail {
namespace {

/// Surfaces steeper than this against the finger (cosine of the angle of their normal and the
/// pinching direction) are not pressed but slid along: 87 degrees.
constexpr double kLeastFacing = 0.05;
/// Stretches along y shorter than this are one contact [m]: nothing is made that exactly.
constexpr double kLeastStretch = 1e-7;
/// Heights along x that differ by less are the same [m], so that a face at right angles to the
/// pinching direction is one plateau whatever its rotation was rounded to.
constexpr double kSameHeight = 1e-9;

/// Clips a segment to low <= v <= high, v one of its two coordinates. False when nothing is left.
bool clip(double (&v)[2], double (&other)[2], double low, double high) {
  for (int end = 0; end < 2; ++end) {
    const int far = 1 - end;
    for (const bool below : {true, false}) {
      const double limit = below ? low : high;
      const bool outside = below ? v[end] < limit : v[end] > limit;
      if (!outside) continue;
      const bool far_outside = below ? v[far] < limit : v[far] > limit;
      if (far_outside) return false;
      const double t = (limit - v[end]) / (v[far] - v[end]);
      other[end] += t * (other[far] - other[end]);
      v[end] = limit;
    }
  }
  return true;
}

/// Cuts each triangle it is shown.
class CutVisitor {
 public:
  CutVisitor(const Bvh& part, const Pose& part_from_gripper, const FingerRegion& region,
             std::vector<CutSegment>& segments)
      : part_(part),
        gripper_from_part_(inverse(part_from_gripper)),
        x_axis_(part_from_gripper.rotation.column(0)),
        region_(region),
        segments_(segments),
        slack_(float_above(
            pose_slack(part_from_gripper, norm(part.bounds().high) + norm(part.bounds().low)))) {}
  [[nodiscard]] float threshold() const { return slack_; }

  bool triangle(std::uint32_t t) {
    const Triangle triangle = part_.triangle(t);
    const std::array<Vec3, 3> p{gripper_from_part_ * triangle.a, gripper_from_part_ * triangle.b,
                                gripper_from_part_ * triangle.c};
    // Corners in the plane count as above it: a surface that only touches the plane from below
    // leaves no cut, and neighbours agree.
    CutSegment s;
    int ends = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& a = p[i];
      const Vec3& b = p[(i + 1) % 3];
      if ((a.z >= 0.0) == (b.z >= 0.0)) continue;
      // From the lower to the upper corner, so that both triangles of an edge find the same point.
      const Vec3& low = a.z < 0.0 ? a : b;
      const Vec3& high = a.z < 0.0 ? b : a;
      const double along = low.z / (low.z - high.z);
      s.x[ends] = low.x + along * (high.x - low.x);
      s.y[ends] = low.y + along * (high.y - low.y);
      ++ends;
    }
    if (ends != 2) return false;
    if (!clip(s.x, s.y, -region_.half_opening, region_.half_opening) ||
        !clip(s.y, s.x, -region_.half_width, region_.half_width))
      return false;
    s.outward = triangle_normal(triangle);
    s.facing = dot(s.outward, x_axis_);
    s.triangle = t;
    segments_.push_back(s);
    return false;
  }

 private:
  const Bvh& part_;
  Pose gripper_from_part_;
  Vec3 x_axis_;
  const FingerRegion& region_;
  std::vector<CutSegment>& segments_;
  float slack_;
};

/// The segment that a flat finger pushing along +x meets first at y: the least x; of equal ones the
/// one that faces it most, then the first of the mesh.
struct First {
  const CutSegment* segment = nullptr;
  double x = std::numeric_limits<double>::infinity();
};
First first_at(double y, const std::vector<CutSegment>& segments) {
  First first;
  for (const CutSegment& s : segments) {
    const double low = std::min(s.y[0], s.y[1]);
    const double high = std::max(s.y[0], s.y[1]);
    if (y < low || y > high) continue;
    const double t = high > low ? (y - s.y[0]) / (s.y[1] - s.y[0]) : 0.0;
    const double x = s.x[0] + t * (s.x[1] - s.x[0]);
    if (first.segment != nullptr && x > first.x + kSameHeight) continue;
    if (first.segment != nullptr && x >= first.x - kSameHeight &&
        std::pair(s.facing, s.triangle) >=
            std::pair(first.segment->facing, first.segment->triangle))
      continue;
    first = {&s, x};
  }
  return first;
}

}  // namespace

void cut_region(const Bvh& part, const Pose& part_from_gripper, const FingerRegion& region,
                std::vector<CutSegment>& segments) {
  segments.clear();
  const OrientedBox box{part_from_gripper, {region.half_opening, region.half_width, 0.0}};
  CutVisitor visitor(part, part_from_gripper, region, segments);
  Work work;
  descend_shape(*part.wide(), BoxKernel(*part.wide(), box), visitor, work);
}

FingerTouch touch_of(std::uint32_t finger, const std::vector<CutSegment>& segments,
                     const Pose& part_from_gripper, double softness, double turn,
                     std::vector<CutSegment>& clipped, std::vector<GraspContact>& contacts) {
  // As the finger at -x, which pushes along +x, sees it; for the other one x is turned round.
  const double sign = finger == 0 ? 1.0 : -1.0;
  clipped.clear();
  double extreme = std::numeric_limits<double>::infinity();
  for (const CutSegment& s : segments) {
    const double facing = sign * turn * s.facing;
    if (!(facing <= -kLeastFacing)) continue;
    CutSegment& seen = clipped.emplace_back(s);
    seen.x[0] *= sign;
    seen.x[1] *= sign;
    seen.facing = facing;
    extreme = std::min({extreme, seen.x[0], seen.x[1]});
  }
  if (clipped.empty()) return {};
  // What the soft tip reaches, its stretch along y, and where the extreme is.
  std::size_t reached = 0;
  for (CutSegment& s : clipped)
    if (clip(s.x, s.y, extreme, extreme + softness)) clipped[reached++] = s;
  clipped.resize(reached);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double plateau_low = low;
  double plateau_high = high;
  for (const CutSegment& s : clipped) {
    for (int end = 0; end < 2; ++end) {
      low = std::min(low, s.y[end]);
      high = std::max(high, s.y[end]);
      if (s.x[end] > extreme + kSameHeight) continue;
      plateau_low = std::min(plateau_low, s.y[end]);
      plateau_high = std::max(plateau_high, s.y[end]);
    }
  }
  const auto touch_at = [&](double y) {
    const First first = first_at(y, clipped);
    if (first.segment == nullptr) return std::size_t{0};
    contacts.push_back(
        {part_from_gripper * Vec3{sign * first.x, y, 0.0}, -turn * first.segment->outward, finger});
    return std::size_t{1};
  };
  FingerTouch touch{sign * extreme, 0};
  touch.count += touch_at(low);
  if (high - low <= kLeastStretch) return touch;
  // A plateau between the ends is met at its middle, a bridge over a groove at one of its ends.
  double middle = 0.5 * (plateau_low + plateau_high);
  const First at_middle = first_at(middle, clipped);
  if (at_middle.segment == nullptr || at_middle.x > extreme + kSameHeight) middle = plateau_low;
  if (middle - low > kLeastStretch && high - middle > kLeastStretch)
    touch.count += touch_at(middle);
  touch.count += touch_at(high);
  return touch;
}

}  // namespace clearance::detail
