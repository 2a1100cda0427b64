// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <optional>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/grasp/gripper.h>
#include <clearance/robot/robot.h>

#include "grasp/fingerprint.h"

namespace clearance {
namespace {

enum Piece : std::size_t { Palm, Left, Right };
const std::array<std::string, 3> kPieceNames{"palm", "left finger", "right finger"};

Error wrong(const std::string& what, double value, const std::string& reason) {
  return {ErrorCode::Invalid, {}, what, std::to_string(value) + " " + reason, {}};
}

/// A box from one corner to the opposite one.
Mesh box_mesh(const Vec3& low, const Vec3& high) {
  return surface_of({"", Pose::translate(0.5 * (low + high)), BoxShape{0.5 * (high - low)}});
}

}  // namespace

Result<Gripper> Gripper::make(std::string name, const std::array<Mesh, 3>& pieces, double opening,
                              double finger_width, double tip,
                              const std::optional<GripperSizes>& sizes) {
  if (!(std::isfinite(opening) && opening > 0.0))
    return wrong("opening", opening, "is not above 0");
  if (!(std::isfinite(finger_width) && finger_width > 0.0))
    return wrong("finger width", finger_width, "is not above 0");
  if (!(std::isfinite(tip) && tip >= 0.0)) return wrong("tip", tip, "is below 0");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].empty())
      return Error{ErrorCode::Invalid, {}, kPieceNames[i], "has no triangles", {}};
  }
  const Result<Mesh> whole = merged(pieces, kPieceNames);
  if (!whole) return whole.error();
  Result<Model> open = Model::build(*whole);
  if (!open) return open.error();
  std::array<std::optional<Model>, 3> models;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Result<Model> model = Model::build(pieces[i]);
    if (!model) return model.error();
    models[i] = std::move(*model);
  }
  detail::Checksum checksum;
  for (const Mesh& piece : pieces) detail::add(checksum, piece);
  const std::array<double, 3> numbers{opening, finger_width, tip};
  detail::add(checksum, std::span<const double>(numbers));

  auto data = std::make_shared<Data>();
  data->name = std::move(name);
  data->sizes = sizes;
  data->opening = opening;
  data->finger_width = finger_width;
  data->tip = tip;
  data->open = std::make_unique<const Model>(std::move(*open));
  data->pieces = std::make_unique<const std::array<Model, 3>>(
      std::array<Model, 3>{*models[Palm], *models[Left], *models[Right]});
  data->fingerprint = checksum.value();
  return Gripper(std::move(data));
}

Result<Gripper> Gripper::of_boxes(const GripperSizes& sizes, std::string name) {
  const std::array<std::pair<const char*, double>, 7> lengths{{
      {"opening", sizes.opening},
      {"finger width", sizes.finger_width},
      {"finger thickness", sizes.finger_thickness},
      {"finger length", sizes.finger_length},
      {"palm along x", sizes.palm.x},
      {"palm along y", sizes.palm.y},
      {"palm along z", sizes.palm.z},
  }};
  for (const auto& [what, value] : lengths)
    if (!(std::isfinite(value) && value > 0.0 && value < kLargestRobotLength))
      return wrong(what, value, "is not a length above 0");
  if (!(sizes.tip >= 0.0 && sizes.tip < sizes.finger_length))
    return wrong("tip", sizes.tip, "is not between 0 and the length of a finger");

  const double root = sizes.tip - sizes.finger_length;  // z where fingers leave the palm
  const double inner = 0.5 * sizes.opening;
  const double outer = inner + sizes.finger_thickness;
  const double side = 0.5 * sizes.finger_width;
  const Vec3 palm = 0.5 * sizes.palm;
  return make(std::move(name),
              {box_mesh({-palm.x, -palm.y, root - sizes.palm.z}, {palm.x, palm.y, root}),
               box_mesh({-outer, -side, root}, {-inner, side, sizes.tip}),
               box_mesh({inner, -side, root}, {outer, side, sizes.tip})},
              sizes.opening, sizes.finger_width, sizes.tip, sizes);
}

Result<Gripper> Gripper::of_meshes(const Mesh& palm, const Mesh& left, const Mesh& right,
                                   double opening, double finger_width, double tip) {
  return make("meshes", {palm, left, right}, opening, finger_width, tip);
}

std::array<Pose, 3> Gripper::piece_poses(double width) const {
  CLEARANCE_ASSERT(width <= opening());
  const double way = 0.5 * (opening() - width);
  return {Pose::identity(), Pose::translate({way, 0.0, 0.0}), Pose::translate({-way, 0.0, 0.0})};
}

Mesh Gripper::mesh_at(double width) const {
  const std::array<Pose, 3> poses = piece_poses(width);
  std::array<Mesh, 3> moved;
  for (std::size_t i = 0; i < moved.size(); ++i)
    moved[i] = transformed(pieces()[i].mesh(), poses[i]);
  Result<Mesh> whole = merged(moved, kPieceNames);
  // Pieces that were one mesh when open are one when closed.
  CLEARANCE_ASSERT(whole.ok());
  return whole.ok() ? std::move(whole).value() : Mesh();
}

}  // namespace clearance
