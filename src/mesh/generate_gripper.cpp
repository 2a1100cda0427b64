// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel-jaw gripper.
#include <algorithm>
#include <cmath>

#include "mesh/generate_features.h"
#include "mesh/generate_parts.h"

namespace clearance {
namespace parts {
namespace {

constexpr double kPadThickness = 0.003;
constexpr double kGap = 0.0002;  // between parts that would touch in the real gripper

// The finger in the plane of its side view: x across (towards the object), y along the approach.
// The foot slides in the palm; the blade tapers towards the tip.
Loop finger_outline(const GripperOptions& options, int quarter) {
  const double t = options.finger_thickness;
  const double length = options.finger_length;
  const std::vector<Vec2> corners{{-1.6 * t, 0.0},     {0.0, 0.0},
                                  {0.0, length},       {-0.6 * t, length},
                                  {-t, 0.35 * length}, {-1.6 * t, 0.2 * length}};
  const std::vector<double> radii{0.12 * t, 0.02 * t, 0.08 * t, 0.2 * t, 0.5 * t, 0.3 * t};
  return rounded_polygon(corners, radii, quarter);
}

// The pad's side view, ribbed on the gripping face.
Loop pad_outline(const GripperOptions& options, int ribs) {
  const double length = std::min(0.4 * options.finger_length, 2.0 * options.grip + 0.01);
  const double top = options.finger_length - 0.001;
  std::vector<Vec2> corners{{0.0, top - length}};
  for (int k = 0; k < ribs; ++k) {
    const double low = top - length + length * k / ribs;
    const double pitch = length / ribs;
    corners.push_back({0.75 * kPadThickness, low + 0.02 * pitch});
    corners.push_back({kPadThickness, low + 0.25 * pitch});
    corners.push_back({kPadThickness, low + 0.75 * pitch});
    corners.push_back({0.75 * kPadThickness, low + 0.98 * pitch});
  }
  corners.push_back({0.0, top});
  return rounded_polygon(corners, 0.0, 1);
}

}  // namespace

Plan gripper_plan(const GripperOptions& options) {
  std::vector<Shape> shapes;
  const double width = options.finger_width;
  const double tip = options.grip;                  // z of the finger ends
  const double foot = tip - options.finger_length;  // z of the palm's face
  const double half_opening = 0.5 * options.opening;
  const double palm_x = options.opening + 4.5 * options.finger_thickness;
  const double palm_y = std::max(2.0 * width, 0.056);
  const double palm_z = 0.06;

  // Palm: a block with a guide slot, mounting holes and a round flange behind.
  shapes.push_back(shape("palm", [=](SolidBuilder& solid, Detail detail) {
    const int around = detail.segments(8);
    const int quarter = detail.segments(2, 0.25);
    solid.set_frame(Pose::translate({0, 0, foot - kGap - 0.5 * palm_z}));
    Block block(solid, {palm_x, palm_y, palm_z});
    block.enter(Block::Top);
    const Loop slot =
        rounded_rectangle({0, 0}, {0.92 * palm_x, 0.25 * width}, 0.08 * width, quarter);
    block.hole(Block::Top,
               add_outline_feature(solid, slot, Profile{{0.0005, 0.0}, {0, -0.0005}, {0, -0.008}}));
    for (const double x : {-0.46, 0.46})
      for (const double y : {-0.38, 0.38})
        block.hole(Block::Top, add_round_feature(solid, {x * palm_x, y * palm_y},
                                                 blind_hole(0.0022, 0.0, 0.012, 6), around));
    for (const Block::Side side : {Block::Front, Block::Back}) {
      block.enter(side);
      for (const double x : {-0.35, 0.35})
        for (const double z : {-0.3, 0.3})
          block.hole(side, add_round_feature(solid, {x * palm_x, z * palm_z},
                                             boss_with_hole(0.005, 0.0025, 0.0, 0.003, 0.008,
                                                            detail.segments(1, 0.1)),
                                             around));
    }
    block.enter(Block::Bottom);
    Profile flange{{0.024, 0.0}, {0.020, 0.004}, {0.020, 0.012}, {0.0315, 0.012}};
    append_arc(flange, {0.0315, 0.0135}, {0.033, 0.0135}, detail.segments(1, 0.1));
    flange.push_back({0.033, 0.020});
    flange.push_back({0.032, 0.021});
    const Loop axis = circle_loop({0, 0}, 0.0, detail.segments(12, 1.5));
    const Ring rim = solid.ring(axis, flange.front().out, 0.0);
    const Ring end = solid.walls(rim, axis, flange);
    std::vector<Ring> bolts;
    for (int k = 0; k < 4; ++k) {
      const double angle = kPi * (0.25 + 0.5 * k);
      bolts.push_back(add_round_feature(solid, {0.025 * std::cos(angle), 0.025 * std::sin(angle)},
                                        blind_hole(0.003, 0.021, 0.008, 4), around));
    }
    solid.cap_up(end, bolts);
    block.hole(Block::Bottom, rim);
    block.finish();
  }));

  // Fingers and pads: outlines in the xz plane, extruded along y; the right one is the left one
  // turned by half a turn about z.
  const Vec3 left{-half_opening - kPadThickness - kGap, 0.0, foot};
  const auto side_view = [](const Vec3& origin, double turned) {
    // Frame: x to world x, y to world z, z to world -y; then turned about world z.
    const Mat3 view = Mat3::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0});
    const Pose pose{view, origin};
    return Pose{rotation_about({0, 0, 1}, turned), {}} * pose;
  };
  for (const bool right : {false, true}) {
    const Pose pose = side_view(left, right ? kPi : 0.0);
    const std::string suffix = right ? "right" : "left";
    shapes.push_back(shape("finger-" + suffix, [=](SolidBuilder& solid, Detail detail) {
      solid.set_frame(pose);
      add_rounded_extrusion(solid, finger_outline(options, detail.segments(2, 0.5)), -0.5 * width,
                            0.5 * width, 0.03 * options.finger_thickness, detail.segments(1, 0.2));
    }));
    shapes.push_back(shape("pad-" + suffix, [=](SolidBuilder& solid, Detail detail) {
      Pose beside = pose;
      beside.translation += pose.rotation * Vec3{kGap, 0.0, 0.0};
      solid.set_frame(beside);
      const Loop loop = pad_outline(options, detail.segments(4, 0.4));
      const Ring low = solid.ring(loop, 0.0, -0.48 * width);
      const Ring high = solid.ring(loop, 0.0, 0.48 * width);
      solid.wall(low, high);
      solid.cap_down(low);
      solid.cap_up(high);
    }));
  }
  // Screws that would hold the fingers, on the palm's upper rim: one mesh, four places.
  std::vector<Pose> screws;
  for (const double y : {-0.28, 0.28})
    for (const double x : {-0.44, 0.44})
      screws.push_back(Pose::translate({x * palm_x, y * palm_y, foot + 0.0003}));
  shapes.push_back(repeated("screw", screws, [](SolidBuilder& solid, Detail detail) {
    // Button heads only: their shanks are in the palm.
    const double r = 0.003;
    std::vector<Vec2> profile{{0.0, 0.0}, {r, 0.0}};
    const int steps = detail.segments(2, 0.15);
    for (int i = 1; i < steps; ++i) {
      const double angle = 0.5 * kPi * i / steps;
      profile.push_back({r * std::cos(angle), 0.7 * r * std::sin(angle)});
    }
    profile.push_back({0.0, 0.7 * r});
    add_revolution(solid, profile, false, detail.segments(8, 0.5));
  }));
  shapes.push_back(label_shape(
      "label",
      pose_at({0, -0.5 * palm_y - kGap, foot - kGap - 0.5 * palm_z}, {0, -1, 0}, {1, 0, 0}),
      0.4 * palm_x, 0.3 * palm_z));
  return {std::move(shapes), {}};
}

}  // namespace parts

Result<Assembly> make_gripper(const GripperOptions& options) {
  if (!(options.opening >= 0.0 && options.opening < 10.0 && options.finger_thickness > 0.0 &&
        options.finger_width > 0.0 && options.finger_length > 4.0 * options.finger_thickness &&
        options.grip >= 0.0 && options.grip < options.finger_length &&
        std::isfinite(options.finger_length) && std::isfinite(options.finger_width))) {
    return parts::invalid(
        "a gripper needs positive sizes, fingers at least four times as long as thick, and a grip "
        "within the fingers");
  }
  Result<std::vector<AssemblyPart>> built =
      parts::build_exactly(parts::gripper_plan(options).shapes, options.triangles, "gripper");
  if (!built) return built.error();
  return Assembly{std::move(built).value()};
}

}  // namespace clearance
