// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <clearance/bvh/bvh.h>

#include "bvh/binary_tree.h"
#include "bvh/wide_tree.h"

namespace clearance {
namespace {

using detail::Faces;

/// Largest size of a coordinate [m]. Squares of distances must fit into a float.
constexpr double kLargestCoordinate = 1e15;

Error refuse(std::string place, std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", std::move(place), std::move(reason), std::move(advice)};
}

// Bounds of what the triangles use, or what is wrong with them.
Result<Box> checked_bounds(std::span<const Vec3> vertices, Faces faces) {
  if (faces.empty()) return refuse("", "no triangles");
  if (faces.size() >= detail::kLeafBit) return refuse("", "more than 2147483647 triangles");
  std::uint32_t largest = 0;
  for (const auto& f : faces) largest = std::max({largest, f[0], f[1], f[2]});
  if (largest >= vertices.size()) {
    for (std::size_t i = 0; i < faces.size(); ++i) {
      for (const std::uint32_t v : faces[i]) {
        if (v >= vertices.size()) {
          return refuse("triangle " + std::to_string(i), "uses vertex " + std::to_string(v) +
                                                             ", but there are only " +
                                                             std::to_string(vertices.size()));
        }
      }
    }
  }
  // A NaN slips through min and max; the products below catch it.
  Box box;
  double zero = 0.0;
  for (const auto& f : faces) {
    for (const std::uint32_t v : f) {
      const Vec3& p = vertices[v];
      zero += p.x * 0.0 + p.y * 0.0 + p.z * 0.0;
      box.include(p);
    }
  }
  if (zero != 0.0) {
    for (std::size_t i = 0; i < faces.size(); ++i) {
      for (const std::uint32_t v : faces[i]) {
        if (!is_finite(vertices[v]))
          return refuse("vertex " + std::to_string(v), "coordinate is not finite");
      }
    }
  }
  if (std::max(largest_component(abs(box.low)), largest_component(abs(box.high))) >
      kLargestCoordinate) {
    return refuse("", "coordinates beyond 1e15 m", "check the unit of the file");
  }
  return box;
}

}  // namespace

const char* name_of(Volume volume) {
  switch (volume) {
    case Volume::Wide:
      return "wide";
    case Volume::Rss:
      return "rss";
    case Volume::Obb:
      return "obb";
    case Volume::Aabb:
      return "aabb";
    case Volume::Sphere:
      return "sphere";
  }
  return "";
}

const char* name_of(Fitter fitter) {
  switch (fitter) {
    case Fitter::Binned:
      return "binned";
    case Fitter::Pqp:
      return "pqp";
    case Fitter::Rapid2:
      return "rapid2";
    case Fitter::Inertia:
      return "inertia";
  }
  return "";
}

Result<Bvh> Bvh::build(std::span<const Vec3> vertices, Faces faces, const BvhOptions& options,
                       std::shared_ptr<const void> owner) {
  const Result<Box> bounds = checked_bounds(vertices, faces);
  if (!bounds) return bounds.error();
  auto data = std::make_shared<Data>();
  data->vertices = vertices;
  data->faces = faces;
  data->owner = std::move(owner);
  data->bounds = *bounds;
  data->volume = options.volume;
  data->fitter = options.fitter;
  if (options.volume == Volume::Wide) {
    if (options.fitter != Fitter::Binned)
      return refuse("", "the wide tree has its own fitter",
                    "choose rss, obb, aabb or sphere for the fitters of the paper");
    data->wide = detail::build_wide_tree(vertices, faces, *bounds, options.threads);
  } else {
    data->binary =
        detail::build_binary_tree(vertices, faces, options.volume, options.fitter, options.threads);
  }
  return Bvh(std::move(data));
}

Result<Bvh> Bvh::refit(std::span<const Vec3> vertices, std::shared_ptr<const void> owner,
                       Threads threads) const {
  if (vertices.size() != data_->vertices.size())
    return refuse("", "has " + std::to_string(vertices.size()) + " vertices instead of " +
                          std::to_string(data_->vertices.size()));
  const Result<Box> bounds = checked_bounds(vertices, data_->faces);
  if (!bounds) return bounds.error();
  auto data = std::make_shared<Data>(*data_);
  data->vertices = vertices;
  // The triangles still live where they did.
  data->owner = std::make_shared<std::array<std::shared_ptr<const void>, 2>>(
      std::array<std::shared_ptr<const void>, 2>{data_->owner, std::move(owner)});
  data->bounds = *bounds;
  if (data->wide) {
    data->wide = detail::build_wide_tree(vertices, data_->faces, *bounds, threads);
  } else {
    data->binary = detail::refit_binary_tree(*data_->binary, vertices, data_->faces, threads);
  }
  return Bvh(std::move(data));
}

Status Bvh::save(const std::string& path) const {
  return Error{ErrorCode::Unsupported, path, "", "tree files are not written yet", ""};
}

Result<Bvh> Bvh::map(const std::string& path) {
  return Error{ErrorCode::Unsupported, path, "", "tree files are not read yet", ""};
}

BvhStatistics Bvh::statistics() const {
  return data_->wide ? detail::statistics_of(*data_->wide) : detail::statistics_of(*data_->binary);
}

}  // namespace clearance
