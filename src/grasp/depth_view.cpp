// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <utility>

#include <clearance/base/file.h>
#include <clearance/grasp/depth_view.h>
#include <clearance/robot/robot.h>

#include "mesh/json_reader.h"

namespace clearance {
namespace {

using detail::JsonNode;
using detail::JsonReader;

/// Of focal lengths and image centres [pixels]: beyond any camera, and safe to multiply with.
constexpr double kMostPixels = 1e6;
/// As picture/depth_picture.h reads.
constexpr std::uint64_t kMostPixelsASide = 16384;

class DepthViewReader {
 public:
  explicit DepthViewReader(const std::string& path) : in_(path, kLargestRobotLength) {}

  Result<DepthView> read(const JsonNode& top) {
    if (in_.is_document(top, "depth-view",
                        {"units", "image", "size", "focal", "center", "pose", "depth_step",
                         "nearest", "range"})) {
      if (top.has("units")) in_.read_units(top["units"]);
      for (const char* key : {"image", "focal", "center", "pose"})
        if (!in_.failed()) in_.needs(top, key);
      if (!in_.failed()) read_all(top);
    }
    if (in_.failed()) return in_.error();
    return std::move(view_);
  }

 private:
  void read_all(const JsonNode& top) {
    view_.image = in_.file(top["image"]);
    pair(top["focal"], 1.0 / kMostPixels, view_.camera.focal_u, view_.camera.focal_v);
    pair(top["center"], -kMostPixels, view_.camera.center_u, view_.camera.center_v);
    if (top.has("size")) read_size(top["size"]);
    if (in_.failed()) return;
    view_.world_from_camera = in_.any_pose(top["pose"]);
    if (top.has("depth_step")) view_.depth_step = in_.size(top["depth_step"]);
    if (top.has("nearest")) view_.nearest = in_.size(top["nearest"]);
    if (top.has("range")) view_.range = in_.size(top["range"]);
    if (!in_.failed() && view_.range <= view_.nearest)
      in_.fail(top, "the range ends before 'nearest'");
  }

  void read_size(const JsonNode& at) {
    if (in_.failed() || !in_.is_array(at)) return;
    if (at.size() != 2) return in_.fail(at, "is not two numbers: width and height");
    view_.camera.width = static_cast<int>(in_.whole(at.item(0), 2, kMostPixelsASide));
    view_.camera.height = static_cast<int>(in_.whole(at.item(1), 2, kMostPixelsASide));
  }

  void pair(const JsonNode& at, double least, double& first, double& second) {
    if (in_.failed() || !in_.is_array(at)) return;
    if (at.size() != 2) return in_.fail(at, "is not two numbers");
    first = in_.number(at.item(0), least, kMostPixels);
    second = in_.number(at.item(1), least, kMostPixels);
  }

  JsonReader in_;
  DepthView view_;
};

}  // namespace

Result<DepthView> parse_depth_view(std::string_view text, const std::string& path) {
  const Result<detail::JsonDocument> document = detail::JsonDocument::parse(text, path);
  if (!document) return document.error();
  return DepthViewReader(path).read(document->top());
}

Result<DepthView> read_depth_view(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return parse_depth_view(file->text(), path);
}

}  // namespace clearance
