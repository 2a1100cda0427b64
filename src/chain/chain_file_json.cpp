// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Chains from JSON, as schema/chain.schema.json has it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/mesh/read.h>

#include "chain/chain_file_build.h"

namespace clearance {
namespace {

using Json = nlohmann::json;
using detail::FileBody;
using detail::FileChain;
using detail::FileJoint;

constexpr std::string_view kFormat = "clearance-chain-1";
/// Groups within groups. A chain needs two or three; the reader calls itself for each.
constexpr int kDeepest = 16;

/// A value and where it stands, for errors: "chain/0/joint/axis".
struct Node {
  const Json& json;
  std::string place;

  [[nodiscard]] Node operator[](const char* key) const { return {json[key], join(key)}; }
  [[nodiscard]] Node item(std::size_t i) const { return {json[i], join(std::to_string(i))}; }
  [[nodiscard]] bool has(const char* key) const { return json.contains(key); }
  [[nodiscard]] std::string join(const std::string& key) const {
    return place.empty() ? key : place + "/" + key;
  }
};

/// A value as it stands in errors. What holds others is named only: to write it out, the library
/// would call itself for each level, and a file of brackets alone would end the program.
std::string shown(const Json& json) {
  return json.is_structured() ? std::string("an ") + json.type_name() : json.dump();
}

/// Reads one document; the first error ends it.
class JsonChain {
 public:
  explicit JsonChain(const std::string& path)
      : path_(path), folder_(std::filesystem::path(path).parent_path()) {}

  Result<ChainFile> read(const Json& document) {
    const Node top{document, ""};
    if (!document.is_object()) {
      fail(top, "is not a JSON object", "a chain begins with {\"format\": \"clearance-chain-1\"");
    } else {
      read_top(top);
    }
    if (error_) return *error_;
    if (chain_.bodies.empty()) return error_at("chain", "the chain has no link", "");
    // The first link hangs on nothing.
    chain_.joints.erase(chain_.joints.begin());
    return detail::chain_of(std::move(chain_), path_);
  }

 private:
  Error error_at(std::string place, std::string reason, std::string advice) const {
    return {ErrorCode::Malformed, path_, std::move(place), std::move(reason), std::move(advice)};
  }
  void fail(const Node& at, std::string reason, std::string advice = "") {
    if (!error_) error_ = error_at(at.place, std::move(reason), std::move(advice));
  }

  /// An object with these keys and no others.
  bool is_object(const Node& at, std::initializer_list<const char*> keys) {
    if (!at.json.is_object()) {
      fail(at, "is not an object");
      return false;
    }
    for (auto item = at.json.begin(); item != at.json.end(); ++item) {
      const std::string& key = item.key();
      if (std::none_of(keys.begin(), keys.end(), [&](const char* k) { return key == k; })) {
        std::string known;
        for (const char* k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
        fail(at, "has an unknown key '" + key + "'", "known are: " + known);
        return false;
      }
    }
    return true;
  }
  bool is_array(const Node& at) {
    if (!at.json.is_array()) fail(at, "is not an array");
    return at.json.is_array();
  }
  bool needs(const Node& at, const char* key) {
    if (!at.has(key)) fail(at, "has no '" + std::string(key) + "'");
    return at.has(key);
  }

  double number(const Node& at) {
    if (!at.json.is_number()) {
      fail(at, shown(at.json) + " is not a number");
      return 0.0;
    }
    const auto value = at.json.get<double>();
    if (!std::isfinite(value)) fail(at, "is not a finite number");
    return value;
  }
  double radius(const Node& at) {
    const double value = metres_ * number(at);
    if (value < 0.0) fail(at, "is negative");
    return value;
  }
  /// Three numbers, times a factor.
  Vec3 vector(const Node& at, double factor) {
    if (!at.json.is_array() || at.json.size() != 3) {
      fail(at, "is not an array of three numbers");
      return {};
    }
    return factor * Vec3{number(at.item(0)), number(at.item(1)), number(at.item(2))};
  }
  Vec3 point(const Node& at) { return vector(at, metres_); }
  std::string text(const Node& at) {
    if (!at.json.is_string()) {
      fail(at, "is not a text");
      return "";
    }
    return at.json.get<std::string>();
  }
  /// A whole number from `least` to `most`.
  std::uint64_t whole(const Node& at, std::uint64_t least, std::uint64_t most) {
    if (!at.json.is_number_unsigned() || at.json.get<std::uint64_t>() < least ||
        at.json.get<std::uint64_t>() > most) {
      fail(at, shown(at.json) + " is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
      return least;
    }
    return at.json.get<std::uint64_t>();
  }
  Pose origin(const Node& at) {
    Pose pose;
    if (!is_object(at, {"xyz", "rpy"})) return pose;
    if (at.has("xyz")) pose.translation = point(at["xyz"]);
    if (at.has("rpy")) {
      const Vec3 rpy = vector(at["rpy"], radians_);
      pose.rotation = rotation_from_rpy(rpy.x, rpy.y, rpy.z);
    }
    return pose;
  }
  Pose origin_of(const Node& at) {
    return at.has("origin") ? origin(at["origin"]) : Pose::identity();
  }

  void read_top(const Node& top) {
    if (!is_object(
            top, {"$schema", "format", "description", "units", "neighbours", "ignored", "chain"}) ||
        !needs(top, "format") || !needs(top, "chain"))
      return;
    if (text(top["format"]) != kFormat) {
      fail(top["format"], "is not \"" + std::string(kFormat) + "\"",
           "the only format there is, so far");
    }
    if (top.has("units")) read_units(top["units"]);
    if (top.has("neighbours")) {
      chain_.neighbours = static_cast<std::uint32_t>(whole(top["neighbours"], 0, kMostChainBodies));
    }
    read_group(top["chain"], "", 0);
    if (top.has("ignored") && !error_) read_ignored(top["ignored"]);
  }

  void read_units(const Node& at) {
    if (!is_object(at, {"length", "angle"})) return;
    if (at.has("length")) {
      const std::optional<double> unit = unit_from_name(text(at["length"]));
      if (!unit) fail(at["length"], "is not a unit of length", "m, mm, cm, um, in or ft");
      metres_ = unit.value_or(1.0);
    }
    if (at.has("angle")) {
      const std::string name = text(at["angle"]);
      if (name != "rad" && name != "deg") fail(at["angle"], "is neither \"rad\" nor \"deg\"");
      radians_ = name == "deg" ? std::numbers::pi / 180.0 : 1.0;
    }
  }

  /// Links and groups of links. `suffix` tells the copies of a repeated link apart.
  void read_group(const Node& at, const std::string& suffix, int depth) {
    if (!is_array(at)) return;
    if (depth > kDeepest) return fail(at, "is nested too deeply");
    for (std::size_t i = 0; i < at.json.size() && !error_; ++i) {
      const Node item = at.item(i);
      if (!item.json.is_object()) return fail(item, "is not an object");
      if (!item.has("repeat")) {
        read_link(item, suffix);
        continue;
      }
      if (!is_object(item, {"repeat", "chain"}) || !needs(item, "chain")) return;
      const std::uint64_t count = whole(item["repeat"], 1, kMostChainBodies);
      for (std::uint64_t k = 0; k < count && !error_; ++k) {
        const std::size_t before = chain_.bodies.size();
        read_group(item["chain"], suffix + "_" + std::to_string(k), depth + 1);
        if (chain_.bodies.size() == before) break;
      }
    }
  }

  void read_link(const Node& at, const std::string& suffix) {
    if (!is_object(at, {"name", "joint", "spheres", "capsules", "boxes", "convex", "meshes"}))
      return;
    if (chain_.bodies.size() >= kMostChainBodies) {
      return fail(at, "is beyond the " + std::to_string(kMostChainBodies) + " links of a chain",
                  "look at the numbers of \"repeat\"");
    }
    const std::string number = std::to_string(chain_.bodies.size());
    FileBody body;
    body.name = at.has("name") ? text(at["name"]) + suffix : "link_" + number;
    if (at.has("spheres") && is_array(at["spheres"])) {
      for (std::size_t i = 0; i < at.json["spheres"].size() && !error_; ++i) {
        const Node sphere = at["spheres"].item(i);
        if (!is_object(sphere, {"center", "radius"}) || !needs(sphere, "radius")) return;
        const Vec3 center = sphere.has("center") ? point(sphere["center"]) : Vec3{};
        body.spheres.push_back({center, radius(sphere["radius"])});
      }
    }
    if (at.has("capsules") && is_array(at["capsules"])) {
      for (std::size_t i = 0; i < at.json["capsules"].size() && !error_; ++i) {
        const Node capsule = at["capsules"].item(i);
        if (!is_object(capsule, {"from", "to", "radius"}) || !needs(capsule, "from") ||
            !needs(capsule, "to") || !needs(capsule, "radius"))
          return;
        body.capsules.push_back(
            {{point(capsule["from"]), point(capsule["to"])}, radius(capsule["radius"])});
      }
    }
    if (at.has("boxes") && is_array(at["boxes"])) {
      for (std::size_t i = 0; i < at.json["boxes"].size() && !error_; ++i)
        read_box(at["boxes"].item(i), body);
    }
    if (at.has("convex") && is_array(at["convex"])) {
      for (std::size_t i = 0; i < at.json["convex"].size() && !error_; ++i)
        read_points(at["convex"].item(i), body);
    }
    if (at.has("meshes") && is_array(at["meshes"])) {
      for (std::size_t i = 0; i < at.json["meshes"].size() && !error_; ++i)
        read_mesh_file(at["meshes"].item(i), body);
    }
    FileJoint joint;
    joint.name = "joint_" + number;
    if (at.has("joint")) {
      read_joint(at["joint"], suffix, joint);
    } else if (!chain_.bodies.empty()) {
      fail(at, "has no 'joint' to the link before it");
    }
    chain_.bodies.push_back(std::move(body));
    chain_.joints.push_back(std::move(joint));
  }

  void read_box(const Node& at, FileBody& body) {
    if (!is_object(at, {"size", "origin"}) || !needs(at, "size")) return;
    const Vec3 size = point(at["size"]);
    if (!(size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0)) fail(at["size"], "is negative");
    add_convex(at, detail::box_corners(size), origin_of(at), body);
  }
  void read_points(const Node& at, FileBody& body) {
    if (!is_array(at)) return;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < at.json.size() && !error_; ++i) points.push_back(point(at.item(i)));
    add_convex(at, std::move(points), Pose::identity(), body);
  }
  void add_convex(const Node& at, std::vector<Vec3> points, const Pose& pose, FileBody& body) {
    if (error_) return;
    for (Vec3& p : points) p = pose * p;
    const Result<ConvexBody> convex = ConvexBody::around(points);
    if (!convex) return fail(at, convex.error().reason, convex.error().advice);
    body.convex.push_back(*convex);
  }
  void read_mesh_file(const Node& at, FileBody& body) {
    if (!is_object(at, {"file", "unit", "scale", "origin"}) || !needs(at, "file")) return;
    double unit = 0.0;
    if (at.has("unit")) {
      const std::optional<double> named = unit_from_name(text(at["unit"]));
      if (!named) return fail(at["unit"], "is not a unit of length", "m, mm, cm, um, in or ft");
      unit = *named;
    }
    const double scale = at.has("scale") ? number(at["scale"]) : 1.0;
    if (!(scale > 0.0)) return fail(at["scale"], "is not above 0");
    const Pose pose = origin_of(at);
    const std::string file = text(at["file"]);
    if (error_) return;
    const Result<Mesh> mesh = meshes_.read((folder_ / file).string(), unit);
    if (!mesh) return fail(at["file"], mesh.error().message());
    detail::add_mesh(body, *mesh, {scale, scale, scale}, pose);
  }

  void read_joint(const Node& at, const std::string& suffix, FileJoint& joint) {
    if (!is_object(at, {"name", "type", "origin", "axis", "lower", "upper", "value"})) return;
    if (at.has("name")) joint.name = text(at["name"]) + suffix;
    joint.origin = origin_of(at);
    const std::string type = at.has("type") ? text(at["type"]) : "revolute";
    if (type == "fixed") {
      for (const char* key : {"axis", "lower", "upper", "value"})
        if (at.has(key)) fail(at[key], "means nothing for a joint that is fixed");
      return;
    }
    if (type != "revolute" && type != "prismatic") {
      return fail(at["type"], "'" + type + "' is not a type of joint",
                  "revolute, prismatic or fixed");
    }
    joint.type = type == "revolute" ? FileJoint::Type::Revolute : FileJoint::Type::Prismatic;
    const double unit = type == "revolute" ? radians_ : metres_;
    if (!needs(at, "axis")) return;
    joint.axis = vector(at["axis"], 1.0);
    if (at.has("lower")) joint.lower = unit * number(at["lower"]);
    if (at.has("upper")) joint.upper = unit * number(at["upper"]);
    if (at.has("value")) joint.value = unit * number(at["value"]);
    if (error_) return;
    if (std::string wrong = detail::wrong_with(joint); !wrong.empty()) fail(at, std::move(wrong));
  }

  /// Pairs of links, each by its name or number.
  void read_ignored(const Node& at) {
    if (!is_array(at)) return;
    for (std::size_t i = 0; i < at.json.size() && !error_; ++i) {
      const Node pair = at.item(i);
      if (!pair.json.is_array() || pair.json.size() != 2)
        return fail(pair, "is not a pair of links");
      const std::uint32_t a = body(pair.item(0));
      const std::uint32_t b = body(pair.item(1));
      if (!error_ && a == b) fail(pair, "names one link twice");
      chain_.ignored.emplace_back(a, b);
    }
  }
  std::uint32_t body(const Node& at) {
    if (at.json.is_number())
      return static_cast<std::uint32_t>(whole(at, 0, chain_.bodies.size() - 1));
    const std::string name = text(at);
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < chain_.bodies.size() && !error_; ++i) {
      if (chain_.bodies[i].name != name) continue;
      if (found) fail(at, "'" + name + "' is the name of several links");
      found = i;
    }
    if (!found)
      fail(at, "there is no link '" + name + "'", "copies are called NAME_0, NAME_1, ...");
    return found.value_or(0);
  }

  std::string path_;
  std::filesystem::path folder_;
  double metres_ = 1.0;
  double radians_ = 1.0;
  FileChain chain_;
  detail::MeshFiles meshes_;
  std::optional<Error> error_;
};

}  // namespace

Result<ChainFile> parse_chain_json(std::string_view text, const std::string& path) {
  try {
    return JsonChain(path).read(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return Error{ErrorCode::Malformed, path, "byte " + std::to_string(error.byte), "is not JSON",
                 ""};
  } catch (const Json::exception&) {
    // A number too large for a double, or text that is not UTF-8.
    return Error{ErrorCode::Malformed, path, "", "holds a number or a text that cannot be read",
                 ""};
  }
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
