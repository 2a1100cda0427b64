// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chains from JSON, as schema/chain.schema.json has it.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>

#include "chain/chain_file_build.h"
#include "mesh/json_reader.h"

namespace clearance {
namespace {

using detail::FileBody;
using detail::FileChain;
using detail::FileJoint;
using detail::JsonDocument;
using detail::JsonNode;
using detail::JsonReader;

constexpr std::string_view kFormat = "clearance-chain-1";
/// Groups within groups. A chain needs two or three; the reader calls itself for each.
constexpr int kDeepest = 16;

/// Reads one document; the first error ends it.
class ChainReader {
 public:
  /// How long a chain may be, its own checks decide.
  explicit ChainReader(const std::string& path)
      : in_(path, std::numeric_limits<double>::infinity()) {}

  Result<ChainFile> read(const JsonNode& top) {
    if (!top.is_object()) {
      in_.fail(top, "is not a JSON object",
               "a chain begins with {\"format\": \"clearance-chain-1\"");
    } else {
      read_top(top);
    }
    if (!in_.failed() && chain_.bodies.empty()) in_.fail(top["chain"], "the chain has no link");
    if (in_.failed()) return in_.error();
    // The first link hangs on nothing.
    chain_.joints.erase(chain_.joints.begin());
    return detail::chain_of(std::move(chain_), in_.path());
  }

 private:
  Pose origin_of(const JsonNode& at) { return in_.pose_of(at, "origin"); }

  void read_top(const JsonNode& top) {
    if (!in_.is_object(
            top, {"$schema", "format", "description", "units", "neighbours", "ignored", "chain"}) ||
        !in_.needs(top, "format") || !in_.needs(top, "chain"))
      return;
    if (in_.text(top["format"]) != kFormat) {
      in_.fail(top["format"], "is not \"" + std::string(kFormat) + "\"",
               "the only format there is, so far");
    }
    if (top.has("units")) in_.read_units(top["units"]);
    if (top.has("neighbours")) {
      chain_.neighbours =
          static_cast<std::uint32_t>(in_.whole(top["neighbours"], 0, kMostChainBodies));
    }
    read_group(top["chain"], "", 0);
    if (top.has("ignored") && !in_.failed()) read_ignored(top["ignored"]);
  }

  /// Links and groups of links. `suffix` tells the copies of a repeated link apart.
  void read_group(const JsonNode& at, const std::string& suffix, int depth) {
    if (!in_.is_array(at)) return;
    if (depth > kDeepest) return in_.fail(at, "is nested too deeply");
    for (std::size_t i = 0; i < at.size() && !in_.failed(); ++i) {
      const JsonNode item = at.item(i);
      if (!item.is_object()) return in_.fail(item, "is not an object");
      if (!item.has("repeat")) {
        read_link(item, suffix);
        continue;
      }
      if (!in_.is_object(item, {"repeat", "chain"}) || !in_.needs(item, "chain")) return;
      const std::uint64_t count = in_.whole(item["repeat"], 1, kMostChainBodies);
      for (std::uint64_t k = 0; k < count && !in_.failed(); ++k) {
        const std::size_t before = chain_.bodies.size();
        read_group(item["chain"], suffix + "_" + std::to_string(k), depth + 1);
        if (chain_.bodies.size() == before) break;
      }
    }
  }

  void read_link(const JsonNode& at, const std::string& suffix) {
    if (!in_.is_object(at, {"name", "joint", "spheres", "capsules", "boxes", "convex", "meshes"}))
      return;
    if (chain_.bodies.size() >= kMostChainBodies) {
      return in_.fail(at, "is beyond the " + std::to_string(kMostChainBodies) + " links of a chain",
                      "look at the numbers of \"repeat\"");
    }
    const std::string number = std::to_string(chain_.bodies.size());
    FileBody body;
    body.name = at.has("name") ? in_.text(at["name"]) + suffix : "link_" + number;
    if (at.has("spheres")) {
      in_.each(at["spheres"], [&](const JsonNode& sphere) {
        if (!in_.is_object(sphere, {"center", "radius"}) || !in_.needs(sphere, "radius")) return;
        const Vec3 center = sphere.has("center") ? in_.point(sphere["center"]) : Vec3{};
        body.spheres.push_back({center, in_.radius(sphere["radius"])});
      });
    }
    if (at.has("capsules")) {
      in_.each(at["capsules"], [&](const JsonNode& capsule) {
        if (!in_.is_object(capsule, {"from", "to", "radius"}) || !in_.needs(capsule, "from") ||
            !in_.needs(capsule, "to") || !in_.needs(capsule, "radius"))
          return;
        body.capsules.push_back({{in_.point(capsule["from"]), in_.point(capsule["to"])},
                                 in_.radius(capsule["radius"])});
      });
    }
    if (at.has("boxes")) in_.each(at["boxes"], [&](const JsonNode& box) { read_box(box, body); });
    if (at.has("convex"))
      in_.each(at["convex"], [&](const JsonNode& points) { read_points(points, body); });
    if (at.has("meshes"))
      in_.each(at["meshes"], [&](const JsonNode& mesh) { read_mesh_file(mesh, body); });
    FileJoint joint;
    joint.name = "joint_" + number;
    if (at.has("joint")) {
      read_joint(at["joint"], suffix, joint);
    } else if (!chain_.bodies.empty()) {
      in_.fail(at, "has no 'joint' to the link before it");
    }
    chain_.bodies.push_back(std::move(body));
    chain_.joints.push_back(std::move(joint));
  }

  void read_box(const JsonNode& at, FileBody& body) {
    if (!in_.is_object(at, {"size", "origin"}) || !in_.needs(at, "size")) return;
    const Vec3 size = in_.point(at["size"]);
    if (!(size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0)) in_.fail(at["size"], "is negative");
    add_convex(at, detail::box_corners(size), origin_of(at), body);
  }
  void read_points(const JsonNode& at, FileBody& body) {
    std::vector<Vec3> points;
    in_.each(at, [&](const JsonNode& point) { points.push_back(in_.point(point)); });
    add_convex(at, std::move(points), Pose::identity(), body);
  }
  void add_convex(const JsonNode& at, std::vector<Vec3> points, const Pose& pose, FileBody& body) {
    if (in_.failed()) return;
    for (Vec3& p : points) p = pose * p;
    const Result<ConvexBody> convex = ConvexBody::around(points);
    if (!convex) return in_.fail(at, convex.error().reason, convex.error().advice);
    body.convex.push_back(*convex);
  }
  void read_mesh_file(const JsonNode& at, FileBody& body) {
    if (!in_.is_object(at, {"file", "unit", "scale", "origin"}) || !in_.needs(at, "file")) return;
    const double unit = at.has("unit") ? in_.unit(at["unit"]) : 0.0;
    const double scale = at.has("scale") ? in_.positive(at["scale"]) : 1.0;
    const Pose pose = origin_of(at);
    const std::string file = in_.file(at["file"]);
    if (in_.failed()) return;
    const Result<Mesh> mesh = meshes_.read(file, unit);
    if (!mesh) return in_.fail(at["file"], mesh.error().message());
    detail::add_mesh(body, *mesh, {scale, scale, scale}, pose);
  }

  void read_joint(const JsonNode& at, const std::string& suffix, FileJoint& joint) {
    if (!in_.is_object(at, {"name", "type", "origin", "axis", "lower", "upper", "value"})) return;
    if (at.has("name")) joint.name = in_.text(at["name"]) + suffix;
    joint.origin = origin_of(at);
    const std::string type = at.has("type") ? in_.text(at["type"]) : "revolute";
    if (type == "fixed") {
      for (const char* key : {"axis", "lower", "upper", "value"})
        if (at.has(key)) in_.fail(at[key], "means nothing for a joint that is fixed");
      return;
    }
    if (type != "revolute" && type != "prismatic") {
      return in_.fail(at["type"], "'" + type + "' is not a type of joint",
                      "revolute, prismatic or fixed");
    }
    joint.type = type == "revolute" ? FileJoint::Type::Revolute : FileJoint::Type::Prismatic;
    const double unit = type == "revolute" ? in_.radians() : in_.metres();
    if (!in_.needs(at, "axis")) return;
    joint.axis = in_.vector(at["axis"]);
    if (at.has("lower")) joint.lower = unit * in_.number(at["lower"]);
    if (at.has("upper")) joint.upper = unit * in_.number(at["upper"]);
    if (at.has("value")) joint.value = unit * in_.number(at["value"]);
    if (in_.failed()) return;
    if (std::string wrong = detail::wrong_with(joint); !wrong.empty())
      in_.fail(at, std::move(wrong));
  }

  /// Pairs of links, each by its name or number.
  void read_ignored(const JsonNode& at) {
    in_.each(at, [&](const JsonNode& pair) {
      if (!pair.is_array() || pair.size() != 2) return in_.fail(pair, "is not a pair of links");
      const std::uint32_t a = body(pair.item(0));
      const std::uint32_t b = body(pair.item(1));
      if (!in_.failed() && a == b) in_.fail(pair, "names one link twice");
      chain_.ignored.emplace_back(a, b);
    });
  }
  std::uint32_t body(const JsonNode& at) {
    if (at.is_number())
      return static_cast<std::uint32_t>(in_.whole(at, 0, chain_.bodies.size() - 1));
    const std::string name = in_.text(at);
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < chain_.bodies.size() && !in_.failed(); ++i) {
      if (chain_.bodies[i].name != name) continue;
      if (found) in_.fail(at, "'" + name + "' is the name of several links");
      found = i;
    }
    if (!found)
      in_.fail(at, "there is no link '" + name + "'", "copies are called NAME_0, NAME_1, ...");
    return found.value_or(0);
  }

  JsonReader in_;
  FileChain chain_;
  detail::MeshFiles meshes_;
};

}  // namespace

Result<ChainFile> parse_chain_json(std::string_view text, const std::string& path) {
  const Result<JsonDocument> document = JsonDocument::parse(text, path);
  if (!document) return document.error();
  return ChainReader(path).read(document->top());
}

Result<ChainFile> read_chain(const std::string& path, const ChainFileOptions& options) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".json" && extension != ".urdf") {
    return Error{ErrorCode::Unsupported, path, "", "is neither .json nor .urdf",
                 "a chain is a JSON file or a URDF"};
  }
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (extension == ".urdf") return parse_chain_urdf(file->text(), path, options);
  if (!options.tip.empty()) {
    return Error{ErrorCode::Invalid, path, "", "a tip was asked for, which only a URDF has", ""};
  }
  return parse_chain_json(file->text(), path);
}

}  // namespace clearance
