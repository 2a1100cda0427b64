// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour_gpu/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/read.h>

#include "contour_gpu/passage.h"
#include "contour_gpu/robot_hand.h"

namespace clearance::study {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// A catheter of 7 French.
constexpr double kCatheterRadius = 0.00117;
/// Kept between catheter and wall where nothing bends it: bends cut corners [m].
constexpr double kWallMargin = 0.001;
constexpr double kCatheterSegmentLength = 0.005;

/// Of the room beside a catheter, how much its tip may be pushed aside.
constexpr double kDeflection = 0.7;

Result<Mesh> generated(const char* name, std::size_t triangles, std::uint64_t seed) {
  const Result<Assembly> assembly = generate(name, {.triangles = triangles, .seed = seed});
  if (!assembly) return assembly.error();
  return assembly->flattened();
}

/// The part of the passage from `first` to `last` [m] as a contour. Its far end is pushed aside by
/// a fraction of the room there, in the direction of an angle about the line.
Result<Contour> along_passage(const Passage& passage, double first, double last,
                              std::size_t segments, double radius, double push, double angle) {
  std::vector<Vec3> points;
  std::vector<double> radii;
  const Vec3 ahead = normalized(passage.at(last) - passage.at(0.9 * last + 0.1 * first));
  const Vec3 side = any_perpendicular(ahead);
  const Vec3 direction = std::cos(angle) * side + std::sin(angle) * cross(ahead, side);
  for (std::size_t i = 0; i <= segments; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(segments);
    const double arc = std::lerp(first, last, t);
    const double room = std::max(0.0, passage.room_at(arc) - radius - kWallMargin);
    points.push_back(passage.at(arc) + (push * kDeflection * t * t * room) * direction);
    radii.push_back(radius);
  }
  return Contour::along(points, radii, "catheter");
}

/// Frames of a tube that is drawn through a passage and bent to and fro.
Result<std::vector<ContourFrame>> tube_frames(const Passage& passage, double length,
                                              std::size_t segments, std::size_t frames,
                                              std::uint64_t seed) {
  Random random(seed);
  const double phase = random.uniform(0.0, kTurn);
  constexpr double kBends = 5.0;  // of the tip to and fro while it goes through
  std::vector<ContourFrame> result;
  for (std::size_t i = 0; i < frames; ++i) {
    const double t = (static_cast<double>(i) + 0.5) / static_cast<double>(frames);
    const double first = t * (passage.length - length);
    const Result<Contour> contour =
        along_passage(passage, first, first + length, segments, kCatheterRadius,
                      std::sin(kBends * kTurn * t), phase + kTurn * t);
    if (!contour) return contour.error();
    result.emplace_back(contour->segments().begin(), contour->segments().end());
  }
  return result;
}

/// A file of the data folder: in one of the folders below it. Empty where it is not.
std::string found(const std::string& data, std::initializer_list<const char*> folders,
                  const char* file) {
  if (data.empty()) return {};
  for (const char* below : folders) {
    const std::filesystem::path path = std::filesystem::path(data) / below / file;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
  }
  return {};
}

std::string scanned_atrium(const std::string& data) {
  return found(data, {"", "left_atrium_mri", "anatomy/left_atrium_mri"}, "segmentation_10k.stl");
}

std::string robot_with_hand(const std::string& data) {
  return found(data, {"", "urdf", "atlas_description/urdf", "robots/atlas_description/urdf"},
               "atlas_v3_right_arm_sandia_hand.urdf");
}

/// A finger of eight segments in the frame of the hand: x towards the wall, curled downward (-z).
std::vector<Vec3> finger_line(const Vec3& base, double yaw, double length, double curl) {
  constexpr int kPieces = 8;
  std::vector<Vec3> line{base};
  const Vec3 outward{std::cos(yaw), std::sin(yaw), 0.0};
  for (int i = 0; i < kPieces; ++i) {
    const double angle = curl * (i + 0.5) / kPieces;
    line.push_back(line.back() + (length / kPieces) *
                                     (std::cos(angle) * outward - std::sin(angle) * Vec3{0, 0, 1}));
  }
  return line;
}

/// Forearm, palm and four fingers. The middle of the palm is the origin.
Result<ContourFrame> hand(const Pose& world_from_hand, double curl) {
  struct Finger {
    Vec3 base;
    double yaw, length, radius;
  };
  constexpr std::array<Finger, 4> kFingers{{{{0.045, -0.034, 0.0}, -0.12, 0.100, 0.0100},
                                            {{0.050, 0.000, 0.0}, 0.00, 0.110, 0.0100},
                                            {{0.045, 0.034, 0.0}, 0.12, 0.100, 0.0100},
                                            {{0.000, 0.044, -0.012}, 0.80, 0.085, 0.0115}}};
  ContourFrame segments;
  const auto add = [&](const std::vector<Vec3>& line, const std::vector<double>& radii) -> Status {
    const Result<Contour> contour = Contour::along(line, radii, "hand");
    if (!contour) return contour.error();
    for (const ContourSegment& segment : contour->segments())
      segments.push_back(world_from_hand * segment);
    return {};
  };
  Status done = add({{-0.40, 0, 0}, {-0.31, 0, 0}, {-0.22, 0, 0}, {-0.13, 0, 0}, {-0.07, 0, 0}},
                    {0.050, 0.048, 0.044, 0.038, 0.034});
  if (done)
    done = add({{-0.07, 0, 0}, {-0.03, 0, 0}, {0.01, 0, 0}, {0.045, 0, 0}},
               {0.034, 0.046, 0.048, 0.040});
  for (const Finger& finger : kFingers) {
    if (!done) break;
    const std::vector<Vec3> line = finger_line(finger.base, finger.yaw, finger.length, curl);
    std::vector<double> radii;
    for (std::size_t i = 0; i < line.size(); ++i)
      radii.push_back(finger.radius * (1.0 - 0.04 * static_cast<double>(i)));
    done = add(line, radii);
  }
  if (!done) return done.error();
  return segments;
}

}  // namespace

Result<ContourScene> tube_scene(std::size_t triangles, std::size_t frames, std::uint64_t seed) {
  // The way is found in the atrium of the paper's size, whatever the size asked for.
  const Result<Mesh> coarse = generated("atrium", kAtriumTriangles, seed);
  if (!coarse) return coarse.error();
  const Result<Passage> passage = find_passage(*coarse, kCatheterRadius + 2.0 * kWallMargin);
  if (!passage) return passage.error();
  Result<Mesh> mesh = generated("atrium", triangles, seed);
  if (!mesh) return mesh.error();
  // Long enough to reach from a vein through the chamber.
  constexpr double kPart = 0.75;
  Result<std::vector<ContourFrame>> tube =
      tube_frames(*passage, kPart * passage->length, kTubeSegments, frames, seed);
  if (!tube) return tube.error();
  return ContourScene{"tube", "generated atrium", std::move(*mesh), std::move(*tube)};
}

Result<ContourScene> catheter_scene(const std::string& data, std::size_t frames,
                                    std::uint64_t seed) {
  ContourScene scene{"catheter", "generated atrium", {}, {}};
  if (const std::string path = scanned_atrium(data); !path.empty()) {
    constexpr double kMillimetre = 0.001;
    Result<LoadedMesh> loaded = read_mesh(path, {.metres_per_unit = kMillimetre});
    if (!loaded) return loaded.error();
    scene.mesh = std::move(loaded->mesh);
    scene.mesh_name = "scanned atrium";
  } else {
    Result<Mesh> mesh = generated("atrium", kAtriumTriangles, seed);
    if (!mesh) return mesh.error();
    scene.mesh = std::move(*mesh);
  }
  const Result<Passage> passage = find_passage(scene.mesh, kCatheterRadius + 2.0 * kWallMargin);
  if (!passage) return passage.error();
  Result<std::vector<ContourFrame>> catheter =
      tube_frames(*passage, kCatheterSegmentLength * double(kCatheterSegments), kCatheterSegments,
                  frames, seed);
  if (!catheter) return catheter.error();
  scene.frames = std::move(*catheter);
  return scene;
}

Result<ContourScene> hand_scene(const std::string& data, std::size_t frames, std::uint64_t seed) {
  Result<Mesh> mesh = generated("wall", kWallTriangles, seed);
  if (!mesh) return mesh.error();
  ContourScene scene{"generated hand", "generated wall", std::move(*mesh), {}};
  std::optional<RobotHand> fitted;
  if (const std::string urdf = robot_with_hand(data); !urdf.empty()) {
    Result<RobotHand> robot = RobotHand::fit(urdf);
    if (!robot) return robot.error();
    fitted = std::move(*robot);
    scene.name = "fitted hand";
  }
  constexpr double kBefore = -0.35;  // of the palm, where it starts [m]
  constexpr double kBehind = 0.15;   // where it ends [m]
  constexpr double kSway = 0.04;     // beside the middle of the hole [m]
  constexpr double kFist = 1.4;      // angle of the fingers' tips [rad]
  for (std::size_t i = 0; i < frames; ++i) {
    const double t = (static_cast<double>(i) + 0.5) / static_cast<double>(frames);
    const Pose world_from_hand{rotation_from_rpy(0.5 * std::sin(2.0 * kTurn * t), 0.0, 0.0),
                               {std::lerp(kBefore, kBehind, t), kSway * std::sin(3.0 * kTurn * t),
                                kSway * std::cos(2.0 * kTurn * t)}};
    const double curl = kFist * (0.15 + 0.85 * t);
    if (fitted) {
      // Of two joints a finger each takes half.
      scene.frames.push_back(fitted->at(world_from_hand, 0.5 * curl));
      continue;
    }
    Result<ContourFrame> frame = hand(world_from_hand, curl);
    if (!frame) return frame.error();
    scene.frames.push_back(std::move(*frame));
  }
  return scene;
}

void shuffle_frames(std::vector<ContourFrame>& frames, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t i = frames.size(); i > 1; --i) std::swap(frames[i - 1], frames[random.below(i)]);
}

std::vector<Vec3> beating(const Mesh& mesh, std::size_t frame, std::size_t period) {
  constexpr double kHeight = 0.01;
  const Box bounds = mesh.bounds();
  const double height = kHeight * bounds.diagonal();
  const double wave = 1.5 * kTurn / bounds.diagonal();
  const double phase = kTurn * static_cast<double>(frame) / static_cast<double>(period);
  const Vec3 center = bounds.center();
  std::vector<Vec3> moved(mesh.vertices().begin(), mesh.vertices().end());
  for (Vec3& v : moved) {
    const Vec3 p = v - center;
    v += height * Vec3{std::sin(wave * p.y + phase), std::sin(wave * p.z + phase),
                       std::sin(wave * p.x + phase)};
  }
  return moved;
}

}  // namespace clearance::study
