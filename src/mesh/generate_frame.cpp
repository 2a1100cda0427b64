// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/generate_frame.h"

#include <cmath>

#include "mesh/generate_parts.h"

namespace clearance::parts {
namespace {

constexpr double kScrewRadius = 0.005;
// Where the tube of a hoop begins, above the underside of its foot plate: a millimetre above the
// plate.
constexpr double kHoopAboveGround = 0.009;

Shape weld_shape(std::string name, const Vec3& at, const Vec3& along, double radius) {
  Shape result = shape(std::move(name), [radius](SolidBuilder& solid, Detail detail) {
    add_torus(solid, radius, 0.16 * radius, detail.segments(8), detail.segments(4, 0.2));
  });
  result.places[0].world_from_part = pose_at(at, along, any_perpendicular(along));
  return result;
}

}  // namespace

std::vector<Shape> frame_shapes(const std::string& prefix, const std::vector<FrameTube>& tubes,
                                const std::vector<FramePlate>& plates) {
  std::vector<Shape> shapes;
  std::vector<Shape> welds;
  for (const FrameTube& tube : tubes) {
    std::vector<Vec3> corners = tube.corners;
    // Reaches 10 % of the radius into the skin it meets, as deep as a weld would.
    const auto trim = [&](Vec3& end, const Vec3& neighbour, double met, const char* which) {
      if (met <= 0.0) return;
      const Vec3 inward = normalized(neighbour - end);
      end += 0.9 * met * inward;
      welds.push_back(weld_shape(prefix + tube.name + "/weld-" + which,
                                 end + (0.1 * met + 0.1 * tube.radius) * inward, inward,
                                 tube.radius));
    };
    trim(corners.front(), corners[1], tube.trim_start, "start");
    trim(corners.back(), corners[corners.size() - 2], tube.trim_end, "end");
    shapes.push_back(shape(prefix + tube.name, [tube, corners](SolidBuilder& solid, Detail detail) {
      TubeOptions options;
      options.radius = tube.radius;
      options.wall = 0.12 * tube.radius;
      options.bend_radius = tube.bend_radius;
      options.around = detail.segments(8);
      options.per_quarter_bend = detail.segments(3, 0.5);
      add_tube(solid, corners, options);
    }));
  }
  std::vector<Pose> screws;
  for (const FramePlate& plate : plates) {
    const double reach = 0.5 * plate.size - 0.014;
    Shape result = shape(prefix + plate.name, [plate, reach](SolidBuilder& solid, Detail detail) {
      const Loop outline =
          rounded_rectangle({0, 0}, {plate.size, plate.size}, 0.012, detail.segments(2, 0.25));
      std::vector<PlateHole> holes;
      for (const double x : {-reach, reach})
        for (const double y : {-reach, reach}) holes.push_back({{x, y}, 1.15 * kScrewRadius});
      add_plate(solid, outline, plate.thickness, holes, detail.segments(8));
    });
    result.places[0].world_from_part = plate.pose;
    shapes.push_back(std::move(result));
    for (const double x : {-reach, reach})
      for (const double y : {-reach, reach})
        screws.push_back(plate.pose * Pose::translate({x, y, plate.thickness + 0.0003}));
  }
  if (!screws.empty()) {
    shapes.push_back(repeated(prefix + "screw", screws, [](SolidBuilder& solid, Detail detail) {
      add_screw(solid, {kScrewRadius, 0.035, detail.segments(4, 0.1)}, detail.segments(8, 0.5));
    }));
  }
  for (Shape& weld : welds) shapes.push_back(std::move(weld));
  return shapes;
}

void add_hoop(std::vector<FrameTube>& tubes, std::vector<FramePlate>& plates,
              const FrameHoop& hoop) {
  const double y = hoop.half_width;
  const double foot = hoop.ground + kHoopAboveGround;
  tubes.push_back(
      {"hoop-" + hoop.place,
       {{hoop.x, -y, foot}, {hoop.x, -y, hoop.roof}, {hoop.x, y, hoop.roof}, {hoop.x, y, foot}},
       hoop.radius,
       hoop.bend_radius});
  for (const double side : {-1.0, 1.0})
    plates.push_back({"foot-" + hoop.place + (side < 0 ? "-right" : "-left"),
                      Pose::translate({hoop.x, side * y, hoop.ground}), hoop.foot_size});
}

// A roll cage: three hoops on foot plates, joined by rails and diagonals.
Plan tubular_frame_plan() {
  constexpr double kHalfLength = 0.45;
  constexpr double kHalfWidth = 0.30;
  constexpr double kHeight = 0.50;
  constexpr double kTube = 0.02;
  constexpr double kBrace = 0.014;
  std::vector<FrameTube> tubes;
  std::vector<FramePlate> plates;
  const std::vector<double> stations{-kHalfLength, 0.0, kHalfLength};
  for (std::size_t i = 0; i < stations.size(); ++i) {
    add_hoop(tubes, plates,
             {.place = std::to_string(i + 1),
              .x = stations[i],
              .half_width = kHalfWidth,
              .roof = kHeight,
              .radius = kTube});
  }
  for (const double side : {-1.0, 1.0}) {
    const std::string suffix = side < 0 ? "-right" : "-left";
    for (int bay = 0; bay < 2; ++bay) {
      const double x0 = stations[bay];
      const double x1 = stations[bay + 1];
      const std::string number = std::to_string(bay + 1) + suffix;
      tubes.push_back({"sill-" + number,
                       {{x0, side * kHalfWidth, 0.12}, {x1, side * kHalfWidth, 0.12}},
                       kBrace,
                       0.05,
                       kTube,
                       kTube});
      tubes.push_back({"waist-" + number,
                       {{x0, side * kHalfWidth, 0.30},
                        {x0 + 0.10, side * (kHalfWidth + 0.0), 0.30},
                        {x0 + 0.16, side * (kHalfWidth + 0.05), 0.30},
                        {x1 - 0.16, side * (kHalfWidth + 0.05), 0.30},
                        {x1 - 0.10, side * (kHalfWidth + 0.0), 0.30},
                        {x1, side * kHalfWidth, 0.30}},
                       kBrace,
                       0.04,
                       kTube,
                       kTube});
      tubes.push_back({"roof-rail-" + number,
                       {{x0, side * 0.18, kHeight}, {x1, side * 0.18, kHeight}},
                       kBrace,
                       0.05,
                       kTube,
                       kTube});
    }
  }
  tubes.push_back({"diagonal-rear",
                   {{-kHalfLength, -kHalfWidth, 0.10}, {-kHalfLength, kHalfWidth, 0.38}},
                   kBrace,
                   0.05,
                   kTube,
                   kTube});
  tubes.push_back({"brace-roof",
                   {{0.0, 0.06, kHeight}, {kHalfLength, -0.06, kHeight}},
                   kBrace,
                   0.05,
                   kTube,
                   kTube});
  std::vector<Shape> shapes = frame_shapes("", tubes, plates);
  shapes.push_back(label_shape(
      "label", pose_at({-kHalfLength, 0.0, kHeight + kTube + 0.0005}, {0, 0, 1}, {0, 1, 0}), 0.08,
      0.01));
  return {std::move(shapes), {}};
}

}  // namespace clearance::parts
