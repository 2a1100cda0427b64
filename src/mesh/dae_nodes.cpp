// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The node tree of a COLLADA file: scenes, nodes and their transformations, instances.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "mesh/dae_document.h"

namespace clearance::detail {
namespace {

class NodeWalk {
 public:
  NodeWalk(const DaeDocument& document, const DaeWalkOptions& options, const DaePlace& place,
           std::vector<std::string>& warnings, Ignored& ignored)
      : document_(document),
        options_(options),
        place_(place),
        warnings_(warnings),
        ignored_(ignored) {}

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
        if (Status status = place_(geometry, geometry, {}); !status) return status;
      }
    }
    if (any) {
      warnings_.emplace_back(
          "The file has no scene; its geometries are taken where they are drawn.");
    }
    return {};
  }

 private:
  /// What stands below a node or a scene: instances and more nodes.
  Status read_children(pugi::xml_node parent, const Affine& world_from_parent, int depth) {
    for (const pugi::xml_node child : parent.children()) {
      const std::string_view tag = child.name();
      Status status;
      if (tag == "node") {
        status = read_node(child, world_from_parent, depth + 1);
      } else if (tag == "instance_geometry") {
        const Result<pugi::xml_node> geometry = document_.referred(child, "url", "geometry");
        status = geometry ? place_(parent, *geometry, world_from_parent) : geometry.error();
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
    const double unit = options_.metres_per_unit;
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
                                options_.metres_per_unit * eye});
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
      node_from_shape.translation = options_.metres_per_unit * Vec3{at(3), at(7), at(11)};
    }
    return place_(node, *geometry, world_from_node * node_from_shape);
  }

  const DaeDocument& document_;
  const DaeWalkOptions& options_;
  const DaePlace& place_;
  std::vector<std::string>& warnings_;
  Ignored& ignored_;
  std::vector<pugi::xml_node> active_;  ///< the nodes we are inside of, against loops
  std::size_t node_count_ = 0;
};

}  // namespace

Status walk_dae(const DaeDocument& document, const DaeWalkOptions& options, const DaePlace& place,
                std::vector<std::string>& warnings, Ignored& ignored) {
  return NodeWalk(document, options, place, warnings, ignored).read_scenes();
}

}  // namespace clearance::detail
