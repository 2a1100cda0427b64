// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include <clearance/bvh/bvh.h>

#include "bvh/binary_tree.h"
#include "bvh/bvh_input.h"
#include "bvh/wide_refit.h"
#include "bvh/wide_tree.h"

namespace clearance {
namespace {

using detail::Faces;

Error refuse(std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", "", std::move(reason), std::move(advice)};
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
  const Result<Box> bounds = detail::checked_bounds(vertices, faces);
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
      return refuse("the wide tree has its own fitter",
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
    return refuse("has " + std::to_string(vertices.size()) + " vertices instead of " +
                  std::to_string(data_->vertices.size()));
  const Result<Box> bounds = detail::checked_bounds(vertices, data_->faces);
  if (!bounds) return bounds.error();
  auto data = std::make_shared<Data>(*data_);
  data->vertices = vertices;
  // The triangles still live where they did.
  data->owner = std::make_shared<std::array<std::shared_ptr<const void>, 2>>(
      std::array<std::shared_ptr<const void>, 2>{data_->owner, std::move(owner)});
  data->bounds = *bounds;
  if (data->wide) {
    data->wide = detail::refit_wide_tree(*data_->wide, vertices, data_->faces, *bounds, threads);
  } else {
    data->binary = detail::refit_binary_tree(*data_->binary, vertices, data_->faces, threads);
  }
  return Bvh(std::move(data));
}

BvhStatistics Bvh::statistics() const {
  return data_->wide ? detail::statistics_of(*data_->wide) : detail::statistics_of(*data_->binary);
}

}  // namespace clearance
