// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Welding torch with a bent neck.
#include <cmath>
#include <vector>

#include "mesh/generate_features.h"
#include "mesh/generate_parts.h"

namespace clearance {
namespace parts {
namespace {

constexpr double kBodyLength = 0.12;
constexpr double kBodyRadius = 0.022;
constexpr double kNeckRadius = 0.009;
constexpr double kNeckBend = 0.04;      // radius of the bend's middle line
constexpr double kNeckStart = 0.115;    // z, inside the body
constexpr double kNeckCorner = 0.20;    // z of the bend
constexpr double kNeckReach = 0.07;     // from the bend to the middle of the nozzle
constexpr double kNozzleFront = 0.045;  // from the middle of the nozzle
constexpr double kLabelGap = 0.0005;

Vec3 neck_end(double bend) {
  return {kNeckReach * std::sin(bend), 0.0, kNeckCorner + kNeckReach * std::cos(bend)};
}

}  // namespace

Plan torch_plan(const TorchOptions& options) {
  std::vector<Shape> shapes;
  const double bend = options.bend;
  shapes.push_back(shape("body", [](SolidBuilder& solid, Detail detail) {
    // The flange with its centring rim, the waist, the grip with three ribs, the cone to the neck.
    std::vector<Vec2> profile{{0.0, 0.0},          {0.0315, 0.0},  {0.0315, 0.008},
                              {0.016, 0.008},      {0.016, 0.025}, {kBodyRadius, 0.030},
                              {kBodyRadius, 0.045}};
    for (const double z : {0.050, 0.062, 0.074}) {
      profile.push_back({kBodyRadius, z});
      profile.push_back({kBodyRadius + 0.002, z + 0.002});
      profile.push_back({kBodyRadius + 0.002, z + 0.006});
      profile.push_back({kBodyRadius, z + 0.008});
    }
    profile.insert(profile.end(), {{kBodyRadius, 0.10}, {0.013, kBodyLength}, {0.0, kBodyLength}});
    add_revolution(solid, profile, false, detail.segments(12));
  }));
  shapes.push_back(shape("neck", [bend](SolidBuilder& solid, Detail detail) {
    const std::vector<Vec3> corners{{0, 0, kNeckStart}, {0, 0, kNeckCorner}, neck_end(bend)};
    TubeOptions tube;
    tube.radius = kNeckRadius;
    tube.wall = 0.0;
    tube.bend_radius = kNeckBend;
    tube.around = detail.segments(8, 0.7);
    tube.per_quarter_bend = detail.segments(3, 0.5);
    add_tube(solid, corners, tube);
  }));
  shapes.push_back(shape("nozzle", [=](SolidBuilder& solid, Detail detail) {
    const Vec3 axis{std::sin(bend), 0.0, std::cos(bend)};
    solid.set_frame(pose_at(neck_end(bend), axis, {0, 1, 0}));
    // Outside up to the mouth, back along the bore, out along the contact tip and the wire.
    const double wire = 0.5 * options.wire_diameter;
    const std::vector<Vec2> profile{{0.0, -0.030},
                                    {0.011, -0.030},
                                    {0.0125, -0.022},
                                    {0.0125, 0.022},
                                    {0.0100, kNozzleFront},
                                    {0.0085, kNozzleFront},
                                    {0.0085, 0.015},
                                    {0.0040, 0.015},
                                    {0.0040, kNozzleFront - 0.005},
                                    {wire, kNozzleFront - 0.005},
                                    {wire, kNozzleFront + options.stick_out},
                                    {0.0, kNozzleFront + options.stick_out}};
    add_revolution(solid, profile, false, detail.segments(10));
  }));
  shapes.push_back(
      label_shape("label", pose_at({0, -kBodyRadius - kLabelGap, 0.0375}, {0, -1, 0}, {0, 0, 1}),
                  0.010, 0.006));
  return {std::move(shapes), {}};
}

}  // namespace parts

Result<Assembly> make_torch(const TorchOptions& options) {
  constexpr double kLargestBend = 0.5 * parts::kPi;
  if (!(options.bend >= 0.0 && options.bend <= kLargestBend && options.wire_diameter > 0.0 &&
        options.wire_diameter < 0.008 && options.stick_out > 0.0 && options.stick_out < 1.0)) {
    return parts::invalid(
        "a torch needs a bend of 0 to a quarter turn, a wire above 0 and below 8 mm that sticks "
        "out "
        "by more than 0 and less than 1 m");
  }
  Result<std::vector<AssemblyPart>> built =
      parts::build_exactly(parts::torch_plan(options).shapes, options.triangles, "torch");
  if (!built) return built.error();
  return Assembly{std::move(built).value()};
}

Pose torch_tip(const TorchOptions& options) {
  const Vec3 axis{std::sin(options.bend), 0.0, std::cos(options.bend)};
  return parts::pose_at(
      parts::neck_end(options.bend) + (parts::kNozzleFront + options.stick_out) * axis, axis,
      {std::cos(options.bend), 0.0, -std::sin(options.bend)});
}

}  // namespace clearance
