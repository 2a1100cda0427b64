// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/forward_lanes.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include "check/joint_chain.h"

namespace clearance::detail {
namespace {

/// Angles beyond this are left to the library, one by one: the reduction would lose digits.
constexpr double kLargestAngle = 1e5;
/// Added and taken away again, it rounds to a whole number, and leaves that in the last bits.
constexpr double kRounder = 0x1.8p52;
/// A quarter turn in two parts, the first with zeros at its end: n * first is exact.
constexpr double kQuarterHigh = 0x1.921fb544p0;
constexpr double kQuarterLow = 0x1.0b4611a626331p-34;

Mask4 bits_of(Double4 v) {
  Mask4 bits;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

float narrowed(double v) { return static_cast<float>(v); }
Float8 narrowed(const Lanes& v) {
  return Float8{narrowed(v.low[0]),  narrowed(v.low[1]),  narrowed(v.low[2]),  narrowed(v.low[3]),
                narrowed(v.high[0]), narrowed(v.high[1]), narrowed(v.high[2]), narrowed(v.high[3])};
}

/// Some angles are left to the library. Each lane gets what it would get beside any others.
SineLanes sine_one_by_one(Double4 angle) {
  std::array<double, 4> sine{};
  std::array<double, 4> versine{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double one = angle[i];
    if (std::abs(one) <= kLargestAngle) {
      const SineLanes quick = sine_of(broadcast4(one));
      sine[i] = quick.sine[0];
      versine[i] = quick.versine[0];
    } else {
      sine[i] = std::sin(one);
      versine[i] = 1.0 - std::cos(one);
    }
  }
  SineLanes lanes;
  std::memcpy(&lanes.sine, sine.data(), sizeof sine);
  std::memcpy(&lanes.versine, versine.data(), sizeof versine);
  return lanes;
}

}  // namespace

SineLanes sine_of(Double4 angle) {
  const Mask4 small = (angle <= kLargestAngle) & (angle >= -kLargestAngle);
  if (!all(small)) return sine_one_by_one(angle);
  const Double4 shifted = fused(angle, broadcast4(2.0 / std::numbers::pi), broadcast4(kRounder));
  const Double4 quarters = shifted - kRounder;
  const Mask4 number = bits_of(shifted);
  Double4 r = fused(quarters, broadcast4(-kQuarterHigh), angle);
  r = fused(quarters, broadcast4(-kQuarterLow), r);
  // Taylor, within an eighth of a turn: the next terms are below 5e-17 and 3e-18.
  const Double4 x = r * r;
  Double4 s = broadcast4(-1.0 / 1307674368000.0);
  s = fused(s, x, broadcast4(1.0 / 6227020800.0));
  s = fused(s, x, broadcast4(-1.0 / 39916800.0));
  s = fused(s, x, broadcast4(1.0 / 362880.0));
  s = fused(s, x, broadcast4(-1.0 / 5040.0));
  s = fused(s, x, broadcast4(1.0 / 120.0));
  s = fused(s, x, broadcast4(-1.0 / 6.0));
  s = fused(s * x, r, r);
  Double4 v = broadcast4(-1.0 / 20922789888000.0);
  v = fused(v, x, broadcast4(1.0 / 87178291200.0));
  v = fused(v, x, broadcast4(-1.0 / 479001600.0));
  v = fused(v, x, broadcast4(1.0 / 3628800.0));
  v = fused(v, x, broadcast4(-1.0 / 40320.0));
  v = fused(v, x, broadcast4(1.0 / 720.0));
  v = fused(v, x, broadcast4(-1.0 / 24.0));
  v = fused(v, x, broadcast4(0.5));
  const Double4 c = 1.0 - v * x;
  // Quarter turns: (sin, cos) becomes (cos, -sin), (-sin, -cos), (-cos, sin).
  const Mask4 odd = (number & 1) != 0;
  const Mask4 half = (number & 2) != 0;
  const Double4 sine = select(odd, c, s);
  const Double4 cosine = select(odd, -s, c);
  return {select(half, -sine, sine), 1.0 - select(half, -cosine, cosine)};
}

ForwardLanes::ForwardLanes(const Robot& robot, const Pose& world_from_base,
                           const std::vector<bool>& needed)
    : links_(robot.links().size()), world_from_base_(world_from_base) {
  std::vector<bool> used = needed;
  for (std::size_t i = robot.links().size(); i-- > 1;)
    if (used[i]) used[robot.links()[i].parent] = true;
  for (std::uint32_t i = 1; i < robot.links().size(); ++i) {
    if (!used[i]) continue;
    const RobotJoint& joint = robot.joints()[i - 1];
    Step step;
    step.link = i;
    step.parent = joint.parent;
    step.kind = joint.kind;
    step.fixed = joint.parent_from_joint.rotation;
    step.origin = joint.parent_from_joint.translation;
    if (joint.kind != JointKind::Fixed) {
      const ChainJoint drive = joints_between(robot, i, joint.parent).front();
      step.value = drive.value;
      step.multiplier = drive.multiplier;
      step.offset = joint.mimic ? joint.mimic->offset : 0.0;
      const Vec3& u = joint.unit_axis;
      const Mat3 k{{Vec3{0, -u.z, u.y}, Vec3{u.z, 0, -u.x}, Vec3{-u.y, u.x, 0}}};
      step.along_sine = step.fixed * k;
      step.along_versine = step.along_sine * k;
      step.slide = step.fixed * u;
    }
    steps_.push_back(step);
  }
}

void ForwardLanes::place(std::span<const Lanes> values, std::vector<LinkPose>& scratch,
                         std::vector<PoseLanes>& poses) const {
  scratch.resize(links_);
  poses.resize(links_);
  const auto narrow = [&](std::uint32_t link) {
    for (std::size_t i = 0; i < 9; ++i)
      poses[link].rotation[i] = narrowed(scratch[link].rotation[i]);
    for (std::size_t i = 0; i < 3; ++i)
      poses[link].translation[i] = narrowed(scratch[link].translation[i]);
  };
  const auto constant = [](double v) { return Lanes{broadcast4(v), broadcast4(v)}; };
  for (std::size_t i = 0; i < 9; ++i)
    scratch[0].rotation[i] = constant(world_from_base_.rotation[i / 3][i % 3]);
  for (std::size_t i = 0; i < 3; ++i)
    scratch[0].translation[i] = constant(world_from_base_.translation[i]);
  narrow(0);
  for (const Step& step : steps_) {
    const LinkPose& parent = scratch[step.parent];
    LinkPose& child = scratch[step.link];
    for (const bool low : {true, false}) {
      const auto half = [&](auto& lanes) -> auto& { return low ? lanes.low : lanes.high; };
      std::array<Double4, 9> turn;
      std::array<Double4, 3> origin;
      for (std::size_t i = 0; i < 3; ++i) origin[i] = broadcast4(step.origin[i]);
      if (step.kind == JointKind::Revolute || step.kind == JointKind::Continuous) {
        const SineLanes angle = sine_of(step.multiplier * half(values[step.value]) + step.offset);
        for (std::size_t i = 0; i < 9; ++i) {
          turn[i] = fused(angle.sine, broadcast4(step.along_sine[i / 3][i % 3]),
                          broadcast4(step.fixed[i / 3][i % 3]));
          turn[i] = fused(angle.versine, broadcast4(step.along_versine[i / 3][i % 3]), turn[i]);
        }
      } else {
        for (std::size_t i = 0; i < 9; ++i) turn[i] = broadcast4(step.fixed[i / 3][i % 3]);
        if (step.kind == JointKind::Prismatic) {
          const Double4 value = step.multiplier * half(values[step.value]) + step.offset;
          for (std::size_t i = 0; i < 3; ++i)
            origin[i] = fused(value, broadcast4(step.slide[i]), origin[i]);
        }
      }
      for (std::size_t row = 0; row < 3; ++row) {
        const Double4 a = half(parent.rotation[3 * row]);
        const Double4 b = half(parent.rotation[3 * row + 1]);
        const Double4 c = half(parent.rotation[3 * row + 2]);
        for (std::size_t column = 0; column < 3; ++column) {
          half(child.rotation[3 * row + column]) =
              fused(a, turn[column], fused(b, turn[3 + column], c * turn[6 + column]));
        }
        half(child.translation[row]) = fused(
            a, origin[0], fused(b, origin[1], fused(c, origin[2], half(parent.translation[row]))));
      }
    }
    narrow(step.link);
  }
}

Pose lane_of(const ForwardLanes::LinkPose& pose, std::size_t lane) {
  const auto at = [lane](const Lanes& lanes) {
    return lane < 4 ? lanes.low[lane] : lanes.high[lane - 4];
  };
  Pose one;
  for (std::size_t i = 0; i < 9; ++i) one.rotation[i / 3][i % 3] = at(pose.rotation[i]);
  for (std::size_t i = 0; i < 3; ++i) one.translation[i] = at(pose.translation[i]);
  return one;
}

PoseLanes relative(const ForwardLanes::LinkPose& a, const ForwardLanes::LinkPose& b) {
  ForwardLanes::LinkPose a_from_b;
  for (const bool low : {true, false}) {
    const auto half = [low](auto& lanes) -> auto& { return low ? lanes.low : lanes.high; };
    std::array<Double4, 3> apart;
    for (std::size_t i = 0; i < 3; ++i) apart[i] = half(b.translation[i]) - half(a.translation[i]);
    for (std::size_t row = 0; row < 3; ++row) {
      const Double4 x = half(a.rotation[row]);
      const Double4 y = half(a.rotation[3 + row]);
      const Double4 z = half(a.rotation[6 + row]);
      for (std::size_t column = 0; column < 3; ++column) {
        half(a_from_b.rotation[3 * row + column]) =
            fused(x, half(b.rotation[column]),
                  fused(y, half(b.rotation[3 + column]), z * half(b.rotation[6 + column])));
      }
      half(a_from_b.translation[row]) = fused(x, apart[0], fused(y, apart[1], z * apart[2]));
    }
  }
  PoseLanes narrow;
  for (std::size_t i = 0; i < 9; ++i) narrow.rotation[i] = narrowed(a_from_b.rotation[i]);
  for (std::size_t i = 0; i < 3; ++i) narrow.translation[i] = narrowed(a_from_b.translation[i]);
  return narrow;
}

}  // namespace clearance::detail
