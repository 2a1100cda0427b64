// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <clearance/simplify/simplify.h>

#include "simplify/simplify_methods.h"
#include "simplify/simplify_primitives.h"

namespace clearance {
namespace {

// Filling with balls larger than this many diagonals of the body is filling its convex hull, and a
// mistake in the unit more often than not.
constexpr double kLargestExternal = 10.0;
// More are refused.
constexpr double kMostSpheres = 1e7;

Error invalid(std::string reason, std::string advice) {
  return {ErrorCode::Invalid, {}, {}, std::move(reason), std::move(advice)};
}

bool is_length(double value) { return value >= 0.0 && std::isfinite(value); }

Status check(const Model& body, const SimplifyOptions& options) {
  if (body.mesh().empty()) return invalid("the mesh is empty", "");
  if (!is_length(options.error)) {
    return invalid("the error limit is negative or not finite", "give a length above 0");
  }
  if (!is_length(options.external_diameter) || !is_length(options.least_internal_diameter)) {
    return invalid("the diameter of a sphere is negative or not finite", "");
  }
  if (!options.external_tool.empty() && options.method != SimplifyMethod::Cover)
    return invalid("only the method cover fills what a tool cannot reach", "");
  if (options.searches < 1) return invalid("there is to be no search", "give 1 or more");
  if (options.error == 0.0) {
    if (options.method != SimplifyMethod::Cover)
      return invalid("the error limit is zero", "the paper's methods stop at an error above 0");
    if (options.most_spheres == 0)
      return invalid("the error limit is zero",
                     "give an error above 0, or the number of spheres wanted");
  }
  const double diagonal = body.mesh().bounds().diagonal();
  if (options.external_diameter > kLargestExternal * diagonal) {
    return invalid("the external spheres are more than ten times as large as the body",
                   "give the width of the features that are to be filled");
  }
  if (options.least_internal_diameter > diagonal) {
    return invalid("the smallest internal sphere is larger than the body",
                   "give a diameter below the error");
  }
  // A sphere of a model holds a patch of the surface not much wider than four times the error, and
  // slim bodies need at least one for each length of that kind.
  if (options.error > 0.0) {
    double area = 0.0;
    for (std::size_t t = 0; t < body.mesh().triangle_count(); ++t) {
      const Triangle triangle = body.mesh().triangle(t);
      area += 0.5 * norm(cross(triangle.b - triangle.a, triangle.c - triangle.a));
    }
    const double widest = 4.0 * std::sqrt(options.error * std::max(diagonal, options.error));
    if (area / (widest * widest) > kMostSpheres) {
      return invalid("the error limit needs more than 10 million spheres",
                     "give a larger error, or the number of spheres wanted");
    }
  }
  return {};
}

}  // namespace

const char* name_of(SimplifyMethod method) {
  switch (method) {
    case SimplifyMethod::Cover:
      return "cover";
    case SimplifyMethod::Paper:
      return "paper";
    case SimplifyMethod::Packing:
      break;
  }
  return "packing";
}

Result<Simplification> simplify(const Model& body, const SimplifyOptions& options) {
  if (Status status = check(body, options); !status) return status.error();
  Result<Simplification> made = options.method == SimplifyMethod::Cover
                                    ? detail::simplify_by_cover(body, options)
                                    : detail::simplify_by_paper(body, options);
  if (!made || !options.primitives.any() || !made->covered) return made;
  Result<PrimitiveSet> primitives =
      detail::with_primitives(made->kept, made->spheres, made->error, options);
  if (!primitives) return primitives.error();
  made->primitives = std::move(*primitives);
  return made;
}

}  // namespace clearance
