// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gripper with two parallel jaws: what it is made of, how far it opens, and the place between its
// fingertips where parts are held.
//
// Frame of a gripper: the origin is midway between the fingertips, in the plane where contacts are
// looked for; x is the pinching direction (fingers at -x and +x), z the approach: the gripper comes
// along +z, its palm is at -z. y is the width of the fingers. Metres.
//
// A Gripper is an immutable value; copies share their data and any number of threads may read it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/query/model.h>

namespace clearance {

/// A gripper of boxes. Defaults: an industrial gripper for parts of some centimetres.
struct GripperSizes {
  double opening = 0.080;           ///< between the fingers, fully open [m]
  double finger_width = 0.012;      ///< along y [m]
  double finger_thickness = 0.010;  ///< along x [m]
  double finger_length = 0.060;     ///< from the palm to the tip [m]
  /// The plane of contacts is this far behind the tips [m]: fingertips reach beyond the contact.
  double tip = 0.006;
  Vec3 palm{0.140, 0.060, 0.040};  ///< along x, y and z [m]
};

class Gripper {
 public:
  /// Errors: a size that is not finite or not above 0 (tip: below 0 or beyond the finger).
  static Result<Gripper> of_boxes(const GripperSizes& sizes, std::string name = "boxes");
  /// Fingers and palm as meshes in the frame of the gripper, fully open. The opening, the width and
  /// the contact plane are as given; `left` is the finger at -x and moves along +x on closing.
  /// Errors: an empty mesh, numbers as above.
  static Result<Gripper> of_meshes(const Mesh& palm, const Mesh& left, const Mesh& right,
                                   double opening, double finger_width, double tip);
  /// From JSON (schema/gripper.schema.json): "sizes" (the names above), or meshes, or a URDF with
  /// the links of its palm and fingers and its joints when open (docs/grasp.md). Fingers of a
  /// linkage are taken as they are when open and move straight on closing. Errors name file, place
  /// and reason.
  static Result<Gripper> read(const std::string& path);
  static Result<Gripper> parse(std::string_view text, const std::string& path);

  [[nodiscard]] double opening() const { return data_->opening; }            ///< fully open [m]
  [[nodiscard]] double finger_width() const { return data_->finger_width; }  ///< [m]
  [[nodiscard]] double tip() const { return data_->tip; }                    ///< [m]
  [[nodiscard]] const std::string& name() const { return data_->name; }
  /// Of a gripper of boxes; of no other.
  [[nodiscard]] const std::optional<GripperSizes>& sizes() const { return data_->sizes; }
  /// What is to keep clear of everything, fully open: palm and both fingers in one model.
  [[nodiscard]] const Model& open() const { return *data_->open; }
  /// The pieces, for other widths: palm, finger at -x, finger at +x.
  [[nodiscard]] const std::array<Model, 3>& pieces() const { return *data_->pieces; }
  /// gripper_from_piece of each at a width between the fingers, at most the opening [m].
  [[nodiscard]] std::array<Pose, 3> piece_poses(double width) const;
  /// The gripper at a width as one mesh: what grasps are checked with when closed.
  [[nodiscard]] Mesh mesh_at(double width) const;
  /// 64 bits over everything above: a grasp file names the gripper it is for.
  [[nodiscard]] std::uint64_t fingerprint() const { return data_->fingerprint; }

 private:
  struct Data {
    std::string name;
    std::optional<GripperSizes> sizes;
    double opening = 0.0;
    double finger_width = 0.0;
    double tip = 0.0;
    std::unique_ptr<const Model> open;
    std::unique_ptr<const std::array<Model, 3>> pieces;
    std::uint64_t fingerprint = 0;
  };
  explicit Gripper(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  static Result<Gripper> make(std::string name, const std::array<Mesh, 3>& pieces, double opening,
                              double finger_width, double tip,
                              const std::optional<GripperSizes>& sizes = std::nullopt);
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
