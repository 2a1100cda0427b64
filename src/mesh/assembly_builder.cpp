// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/assembly_builder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace clearance::detail {
namespace {

/// Two stretches whose entries differ by less than this, relative to the largest, are one: the same
/// scale reached through different rotations differs by rounding only.
constexpr double kSameStretch = 1e-12;

/// How many of the latest stretches of a shape are compared: sharing saves memory where scales
/// repeat, and must not cost time quadratic in the number of scales where they do not.
constexpr std::ptrdiff_t kVariantsTried = 64;

/// The farthest a coordinate may lie [m]. Beyond, squares and products of lengths are no numbers.
constexpr double kFarthest = 1e100;

/// What a rotation may be off after the polar decomposition of a well-conditioned matrix.
constexpr double kRotationRounding = 1e-12;

double largest_entry(const Mat3& m) {
  double largest = 0.0;
  for (const Vec3& row : m.rows) largest = std::max(largest, largest_component(abs(row)));
  return largest;
}

/// The largest coordinate of a mesh, without its sign.
double reach_of(const Mesh& mesh) {
  double reach = 0.0;
  for (const Vec3& v : mesh.vertices()) reach = std::max(reach, largest_component(abs(v)));
  return reach;
}

bool same_stretch(const Mat3& a, const Mat3& b) {
  return largest_entry(a - b) <= kSameStretch * largest_entry(a);
}

}  // namespace

bool is_finite(const Affine& map) {
  return std::ranges::all_of(map.linear.rows, [](const Vec3& row) { return is_finite(row); }) &&
         is_finite(map.translation);
}

Split split_rotation(const Mat3& linear) {
  // A rigid map is taken as such: what is left is the rounding of the file's digits.
  if (rigidity_error(linear) <= kRigidTolerance) {
    const bool exact = rigidity_error(linear) <= kRotationRounding;
    return {exact ? linear : nearest_rotation(linear), Mat3::identity()};
  }
  // Polar decomposition of the map scaled to volume 1, which Newton's iteration likes best. A
  // mirror has no rotation of its own: -linear does, and the minus sign goes into the stretch.
  const double det = determinant(linear);
  const double size = std::cbrt(std::abs(det));
  if (size > 0.0 && std::isfinite(size)) {
    const double signed_size = det < 0.0 ? -size : size;
    const Mat3 unit = (1.0 / signed_size) * linear;
    const Mat3 rotation = nearest_rotation(unit);
    if (rigidity_error(rotation) <= kRotationRounding) {
      // A scale that is the same in all directions stays so, whatever digits the rotation lost.
      if (rigidity_error(unit) <= kRigidTolerance) {
        return {rotation, signed_size * Mat3::identity()};
      }
      return {rotation, transpose(rotation) * linear};
    }
  }
  // Flat, or so lopsided that its rotation is lost in rounding: all of it goes into the vertices.
  return {Mat3::identity(), linear};
}

Mesh stretched(const Mesh& mesh, const Mat3& stretch) {
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  for (Vec3& v : vertices) v = stretch * v;
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  if (determinant(stretch) < 0.0) {
    for (Face& face : faces) std::swap(face[1], face[2]);
  }
  Result<Mesh> result =
      Mesh::make(std::move(vertices), std::move(faces), {mesh.parts().begin(), mesh.parts().end()});
  return result.ok() ? std::move(result).value() : Mesh();
}

bool ElementBudget::spend(std::uint64_t count) {
  if (count > left_) return false;
  left_ -= count;
  return true;
}

std::size_t AssemblyBuilder::add_shape(Mesh mesh) {
  const double reach = reach_of(mesh);
  shapes_.push_back({{Mat3::identity(), reach, std::move(mesh)}});
  return shapes_.size() - 1;
}

Status AssemblyBuilder::place(std::string_view name, std::size_t shape,
                              const Affine& world_from_shape) {
  std::string part_name = unique_name(name);
  const auto refuse = [&](ErrorCode code, std::string reason, std::string advice) {
    return Error{code, file_, "part '" + part_name + "'", std::move(reason), std::move(advice)};
  };
  if (!is_finite(world_from_shape)) {
    return refuse(ErrorCode::Malformed, "its placement holds a number that is not finite", "");
  }
  std::vector<Variant>& variants = shapes_[shape];
  const std::size_t size =
      std::max(variants.front().mesh.triangle_count(), variants.front().mesh.vertex_count());
  placed_ += size;
  if (placed_ > kMostPlacedTriangles) {
    return refuse(ErrorCode::Unsupported,
                  "the instances of shapes unfold to more than " +
                      std::to_string(kMostPlacedTriangles) + " triangles",
                  "split the file, or simplify the shapes that are used most");
  }

  // The mesh for this stretch: the shape itself, one made for an earlier instance, or a new one.
  const Split split = split_rotation(world_from_shape.linear);
  const auto first_tried = variants.end() - std::min(std::ssize(variants), kVariantsTried);
  auto variant = std::find_if(first_tried, variants.end(), [&](const Variant& v) {
    return same_stretch(v.stretch, split.stretch);
  });
  if (variant == variants.end()) {
    stretched_ += size;
    if (stretched_ > kMostStretchedTriangles) {
      return refuse(ErrorCode::Unsupported,
                    "copies of shapes at different scales add up to more than " +
                        std::to_string(kMostStretchedTriangles) + " triangles",
                    "split the file, or apply the scales before exporting");
    }
    Mesh mesh = stretched(variants.front().mesh, split.stretch);
    if (mesh.empty()) {
      return refuse(ErrorCode::Malformed, "its scale makes a coordinate infinite", "");
    }
    if (determinant(split.stretch) == 0.0) {
      warnings_.push_back("Part '" + part_name +
                          "' is placed with a scale of zero: it is flat, without volume.");
    }
    variants.push_back({split.stretch, reach_of(mesh), std::move(mesh)});
    variant = variants.end() - 1;
  }
  // Turned by any rotation and moved, no coordinate is larger than this.
  const double farthest =
      2.0 * variant->reach + largest_component(abs(world_from_shape.translation));
  if (!(farthest <= kFarthest)) {
    return refuse(ErrorCode::Malformed, "its placement sends it out of all bounds", "");
  }
  assembly_.parts.push_back(
      {std::move(part_name), variant->mesh, {split.rotation, world_from_shape.translation}});
  return {};
}

Result<Assembly> AssemblyBuilder::finish() && {
  if (assembly_.parts.empty()) {
    return Error{ErrorCode::Malformed, file_, "", "holds no triangles", ""};
  }
  return std::move(assembly_);
}

std::string AssemblyBuilder::unique_name(std::string_view name) {
  std::string base = name.empty() ? "part" : std::string(name);
  // Suffixes are tried upward from the last one given for this name: a million bolts stay cheap.
  const auto [entry, is_new] = names_.try_emplace(base, 1);
  if (is_new) return base;
  for (std::size_t suffix = entry->second + 1;; ++suffix) {
    std::string candidate = base + "#" + std::to_string(suffix);
    if (!names_.contains(candidate)) {
      entry->second = suffix;
      names_.emplace(candidate, 1);
      return candidate;
    }
  }
}

}  // namespace clearance::detail
