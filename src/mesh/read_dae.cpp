// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// COLLADA 1.4 and 1.5: every node with a geometry becomes a part, in the unit the file declares.
// The up axis is reported and not applied: the tools that use these files on robots take the
// coordinates as they stand, and poses in URDF are written for that
// (docs/decisions/0003-own-readers.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mesh/dae_document.h"
#include "mesh/readers.h"

namespace clearance::detail {
namespace {

/// How far the named unit may be from the declared length before we say so; relative.
constexpr double kUnitNameTolerance = 1e-3;

class DaeReader {
 public:
  DaeReader(const DaeDocument& document, std::size_t bytes, const ReadOptions& options)
      : document_(document), options_(options), builder_(document.name()), budget_(bytes) {
    loaded_.info.path = document.name();
    loaded_.info.format = "COLLADA";
    loaded_.info.bytes = bytes;
  }

  Result<LoadedAssembly> read() {
    if (Status status = read_asset(); !status) return status.error();
    if (Status status = read_scenes(); !status) return status.error();
    std::vector<std::string>& warnings = loaded_.info.warnings;
    for (const auto& [sentence, count] : ignored_) {
      warnings.push_back(sentence + " (" + std::to_string(count) + " times).");
    }
    warnings.insert(warnings.end(), builder_.warnings().begin(), builder_.warnings().end());
    Result<Assembly> assembly = std::move(builder_).finish();
    if (!assembly) return assembly.error();
    loaded_.assembly = std::move(assembly).value();
    return std::move(loaded_);
  }

 private:
  Status read_asset() {
    const pugi::xml_node asset = document_.root().child("asset");
    // Without a <unit> the specification says one metre.
    double declared = 1.0;
    if (const pugi::xml_node unit = asset.child("unit"); unit.attribute("meter")) {
      const pugi::xml_attribute meter = unit.attribute("meter");
      declared = meter.as_double(0.0);
      if (!(declared > 0.0 && std::isfinite(declared))) {
        return document_.malformed(
            unit, std::string("a unit of '") + meter.value() + "' metres is no length");
      }
      const std::string unit_name = unit.attribute("name").value();
      const std::optional<double> named = unit_from_name(unit_name);
      if (named && std::abs(*named - declared) > kUnitNameTolerance * declared) {
        loaded_.info.warnings.push_back("The unit is named '" + unit_name + "', but declared as " +
                                        meter.value() + " m; the number counts.");
      }
    }
    settle_unit(loaded_.info, options_, declared);

    const std::string up_axis = asset.child("up_axis").child_value();
    if (up_axis.find("Z_UP") == std::string::npos) {
      loaded_.info.warnings.push_back(
          (up_axis.empty() ? "The file declares no up axis, which means Y_UP"
                           : "The file declares the up axis " + up_axis) +
          "; coordinates are taken as they stand, as ROS tools do, and not turned to Z up.");
    }
    return {};
  }

  Status read_scenes() {
    const pugi::xml_node instance = document_.root().child("scene").child("instance_visual_scene");
    if (instance) {
      const Result<pugi::xml_node> scene = document_.referred(instance, "url", "visual_scene");
      if (!scene) return scene.error();
      return read_children(*scene, {}, 0);
    }
    // No scene is chosen: all there are, or else the bare geometries.
    bool any = false;
    for (const pugi::xml_node library : document_.root().children("library_visual_scenes")) {
      for (const pugi::xml_node scene : library.children("visual_scene")) {
        any = true;
        if (Status status = read_children(scene, {}, 0); !status) return status;
      }
    }
    if (any) return {};
    for (const pugi::xml_node library : document_.root().children("library_geometries")) {
      for (const pugi::xml_node geometry : library.children("geometry")) {
        any = true;
        if (Status status = place(geometry, geometry, {}); !status) return status;
      }
    }
    if (any) {
      loaded_.info.warnings.emplace_back(
          "The file has no scene; its geometries are taken where they are drawn.");
    }
    return {};
  }

  /// What stands below a node or a scene: instances and more nodes.
  Status read_children(pugi::xml_node parent, const Affine& world_from_parent, int depth) {
    for (const pugi::xml_node child : parent.children()) {
      const std::string_view tag = child.name();
      Status status;
      if (tag == "node") {
        status = read_node(child, world_from_parent, depth + 1);
      } else if (tag == "instance_geometry") {
        const Result<pugi::xml_node> geometry = document_.referred(child, "url", "geometry");
        status = geometry ? place(parent, *geometry, world_from_parent) : geometry.error();
      } else if (tag == "instance_controller") {
        status = place_controller(parent, child, world_from_parent);
      } else if (tag == "instance_node") {
        const Result<pugi::xml_node> node = document_.referred(child, "url", "node");
        if (!node) return node.error();
        if (std::ranges::find(active_, *node) != active_.end()) {
          return document_.malformed(child, "is an instance of a node that contains it");
        }
        status = read_node(*node, world_from_parent, depth + 1);
      }
      if (!status) return status;
    }
    return {};
  }

  Status read_node(pugi::xml_node node, const Affine& world_from_parent, int depth) {
    if (depth > kDeepestNode) {
      return document_.unsupported(
          node, "nodes nest deeper than " + std::to_string(kDeepestNode) + " levels", "");
    }
    if (++node_count_ > kMostNodes) {
      return document_.unsupported(
          node, "instances unfold to more than " + std::to_string(kMostNodes) + " nodes", "");
    }
    if (is_cancelled(options_.monitor)) {
      return Error{ErrorCode::Cancelled, document_.name(), "", "reading was cancelled", ""};
    }
    Affine world_from_node = world_from_parent;
    for (const pugi::xml_node element : node.children()) {
      Result<std::optional<Affine>> step = transform_of(element);
      if (!step) return step.error();
      if (*step) world_from_node = world_from_node * **step;
    }
    active_.push_back(node);
    Status status = read_children(node, world_from_node, depth);
    active_.pop_back();
    return status;
  }

  /// What a <matrix>, <translate>, ... does; nothing for other elements.
  Result<std::optional<Affine>> transform_of(pugi::xml_node element) const {
    struct Kind {
      std::string_view tag;
      std::size_t number_count;
    };
    constexpr std::array<Kind, 6> kKinds{{{"matrix", 16},
                                          {"translate", 3},
                                          {"rotate", 4},
                                          {"scale", 3},
                                          {"skew", 7},
                                          {"lookat", 9}}};
    const std::string_view tag = element.name();
    const auto kind = std::ranges::find(kKinds, tag, &Kind::tag);
    if (kind == kKinds.end()) return std::optional<Affine>();
    const Result<std::vector<double>> numbers = document_.numbers(element);
    if (!numbers) return numbers.error();
    const std::vector<double>& n = *numbers;
    if (n.size() != kind->number_count) {
      return document_.malformed(element, "holds " + std::to_string(n.size()) +
                                              " numbers and not " +
                                              std::to_string(kind->number_count));
    }
    const double unit = loaded_.info.metres_per_unit;
    const auto vector = [&](std::size_t i) { return Vec3{n[i], n[i + 1], n[i + 2]}; };
    if (tag == "matrix") {  // row by row
      if (n[12] != 0.0 || n[13] != 0.0 || n[14] != 0.0 || n[15] != 1.0) {
        return document_.malformed(element, "its last row is not 0 0 0 1");
      }
      return std::optional(
          Affine{{{vector(0), vector(4), vector(8)}}, unit * Vec3{n[3], n[7], n[11]}});
    }
    if (tag == "translate") return std::optional(Affine{{}, unit * vector(0)});
    if (tag == "scale") return std::optional(Affine{Mat3::diagonal(vector(0)), {}});
    if (tag == "rotate") {
      const double angle = n[3] * std::numbers::pi / 180.0;
      return std::optional(Affine{rotation_about(normalized(vector(0)), angle), {}});
    }
    return tag == "skew" ? skew(element, n[0], vector(1), vector(4))
                         : look_at(element, vector(0), vector(3), vector(6));
  }

  /// Points shift along the unit vector b such that the direction of a turns towards b by the angle
  /// (as in RenderMan). With n the unit vector across b in the plane of both and phi the angle
  /// between them, a point p moves by k (p.n) b; the law of sines in the triangle of a, its image
  /// and the shift gives k = sin(angle) / (sin(phi) sin(phi - angle)).
  Result<std::optional<Affine>> skew(pugi::xml_node element, double degrees, const Vec3& from,
                                     const Vec3& towards) const {
    const Vec3 a = normalized(from);
    const Vec3 b = normalized(towards);
    const Vec3 across = normalized(a - dot(a, b) * b);
    const double phi = std::atan2(dot(a, across), dot(a, b));
    const double angle = degrees * std::numbers::pi / 180.0;
    const double divisor = std::sin(phi) * std::sin(phi - angle);
    if (!(divisor > 0.0)) {
      return document_.malformed(element, "its angle does not lie between its two axes");
    }
    return std::optional(
        Affine{Mat3::identity() + (std::sin(angle) / divisor) * outer(b, across), {}});
  }

  /// A frame at the eye whose -z looks at the point of interest, with y as far up as it can.
  Result<std::optional<Affine>> look_at(pugi::xml_node element, const Vec3& eye,
                                        const Vec3& interest, const Vec3& up) const {
    const Vec3 forward = normalized(interest - eye);
    const Vec3 right = normalized(cross(forward, up));
    if (right == Vec3{}) return document_.malformed(element, "its directions are parallel or zero");
    return std::optional(Affine{Mat3::from_columns(right, cross(right, forward), -forward),
                                loaded_.info.metres_per_unit * eye});
  }

  /// A skinned or morphed geometry, in the shape it was bound in.
  Status place_controller(pugi::xml_node node, pugi::xml_node instance,
                          const Affine& world_from_node) {
    const Result<pugi::xml_node> controller = document_.referred(instance, "url", "controller");
    if (!controller) return controller.error();
    ++ignored_["Skins and morphs are ignored: a mesh is taken in the shape it was bound in"];
    const pugi::xml_node skin = controller->child("skin");
    const pugi::xml_node source = skin ? skin : controller->child("morph");
    if (!source) return document_.malformed(*controller, "has neither a skin nor a morph");
    const Result<pugi::xml_node> geometry = document_.referred(source, "source", "geometry");
    if (!geometry) return geometry.error();
    Affine node_from_shape;
    if (const pugi::xml_node bind = source.child("bind_shape_matrix")) {
      const Result<std::vector<double>> n = document_.numbers(bind);
      if (!n) return n.error();
      if (n->size() != 16) return document_.malformed(bind, "is not 16 numbers");
      const auto at = [&](std::size_t i) { return (*n)[i]; };
      node_from_shape.linear = {
          {Vec3{at(0), at(1), at(2)}, Vec3{at(4), at(5), at(6)}, Vec3{at(8), at(9), at(10)}}};
      node_from_shape.translation = loaded_.info.metres_per_unit * Vec3{at(3), at(7), at(11)};
    }
    return place(node, *geometry, world_from_node * node_from_shape);
  }

  Status place(pugi::xml_node node, pugi::xml_node geometry, const Affine& world_from_shape) {
    auto known = shapes_.find(geometry.hash_value());
    if (known == shapes_.end()) {
      Result<std::optional<Mesh>> mesh =
          read_dae_geometry(document_, geometry, loaded_.info.metres_per_unit, budget_, ignored_);
      if (!mesh) return mesh.error();
      std::optional<std::size_t> shape;
      if (*mesh) shape = builder_.add_shape(options_.weld ? welded(**mesh) : std::move(**mesh));
      known = shapes_.emplace(geometry.hash_value(), shape).first;
    }
    if (!known->second) return {};
    for (const pugi::xml_node source : {node, geometry}) {
      for (const char* attribute : {"name", "id"}) {
        const char* label = source.attribute(attribute).value();
        if (*label != '\0') return builder_.place(label, *known->second, world_from_shape);
      }
    }
    return builder_.place("", *known->second, world_from_shape);
  }

  const DaeDocument& document_;
  const ReadOptions& options_;
  AssemblyBuilder builder_;
  ElementBudget budget_;
  LoadedAssembly loaded_;
  Ignored ignored_;
  std::unordered_map<std::size_t, std::optional<std::size_t>> shapes_;  ///< by <geometry> element
  std::vector<pugi::xml_node> active_;  ///< the nodes we are inside of, against loops
  std::size_t node_count_ = 0;
};

}  // namespace

Result<LoadedAssembly> read_dae(std::string_view bytes, const std::string& name,
                                const ReadOptions& options) {
  DaeDocument document;
  if (Status status = document.open(bytes, name); !status) return status.error();
  return DaeReader(document, bytes.size(), options).read();
}

}  // namespace clearance::detail
