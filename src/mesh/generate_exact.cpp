// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/generate_exact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <clearance/base/parallel.h>

namespace clearance::parts {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The triangles round each vertex, as one array cut by offsets.
struct VertexFaces {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> faces;

  VertexFaces(std::size_t vertex_count, const std::vector<Face>& all) : first(vertex_count + 1, 0) {
    for (const Face& face : all) {
      for (const std::uint32_t v : face) ++first[v + 1];
    }
    for (std::size_t v = 0; v < vertex_count; ++v) first[v + 1] += first[v];
    faces.resize(3 * all.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t f = 0; f < all.size(); ++f) {
      for (const std::uint32_t v : all[f]) faces[next[v]++] = f;
    }
  }

  // The triangle that has the edge from b to a, the other way round; kNone at a boundary.
  std::uint32_t across(const std::vector<Face>& all, std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t i = first[a]; i < first[a + 1]; ++i) {
      const Face& face = all[faces[i]];
      for (int k = 0; k < 3; ++k) {
        if (face[k] == b && face[(k + 1) % 3] == a) return faces[i];
      }
    }
    return kNone;
  }
};

Vec3 area_vector(const std::vector<Vec3>& vertices, const Face& face) {
  return 0.5 * cross(vertices[face[1]] - vertices[face[0]], vertices[face[2]] - vertices[face[0]]);
}

int longest_edge(const std::vector<Vec3>& vertices, const Face& face) {
  int best = 0;
  double best_length = -1.0;
  for (int k = 0; k < 3; ++k) {
    const double length = squared_norm(vertices[face[(k + 1) % 3]] - vertices[face[k]]);
    if (length > best_length) {
      best_length = length;
      best = k;
    }
  }
  return best;
}

// Cuts a triangle at the middle of the edge that starts at `from`: it keeps one half, and the other
// is appended.
void cut(std::vector<Face>& faces, std::uint32_t f, std::uint32_t from, std::uint32_t middle) {
  const Face face = faces[f];
  const int k = face[0] == from ? 0 : (face[1] == from ? 1 : 2);
  const std::uint32_t to = face[(k + 1) % 3];
  const std::uint32_t apex = face[(k + 2) % 3];
  faces[f] = {from, middle, apex};
  faces.push_back({middle, to, apex});
}

// One pass over all triangles, each changed at most once. Returns the number of splits made.
std::size_t split_pass(std::vector<Vec3>& vertices, std::vector<Face>& faces, std::size_t wanted,
                       bool curved_only) {
  const VertexFaces around(vertices.size(), faces);
  const auto face_count = static_cast<std::uint32_t>(faces.size());
  std::vector<double> areas(face_count);
  for (std::uint32_t f = 0; f < face_count; ++f) areas[f] = norm(area_vector(vertices, faces[f]));
  std::vector<double> sorted = areas;
  std::nth_element(sorted.begin(), sorted.begin() + face_count / 2, sorted.end());
  const double fine = 4.0 * sorted[face_count / 2];

  // A stride coprime to the count visits all triangles and spreads the splits evenly.
  std::uint32_t stride = static_cast<std::uint32_t>(0.618 * face_count) | 1U;
  while (std::gcd(stride, face_count) != 1) stride += 2;
  std::vector<bool> changed(face_count, false);
  std::size_t made = 0;
  std::uint32_t f = 0;
  for (std::uint32_t visited = 0; visited < face_count && made < wanted;
       ++visited, f = static_cast<std::uint32_t>((std::uint64_t{f} + stride) % face_count)) {
    if (changed[f] || (curved_only && areas[f] > fine)) continue;
    const int k = longest_edge(vertices, faces[f]);
    const std::uint32_t a = faces[f][k];
    const std::uint32_t b = faces[f][(k + 1) % 3];
    const std::uint32_t g = around.across(faces, a, b);
    if (g == kNone || g == f || changed[g]) continue;
    if (curved_only) {
      // Flat areas keep their few large triangles.
      const double cosine = dot(area_vector(vertices, faces[f]), area_vector(vertices, faces[g])) /
                            (areas[f] * areas[g]);
      if (areas[g] > fine || !(cosine < 0.999999)) continue;
    }
    const auto middle = static_cast<std::uint32_t>(vertices.size());
    vertices.push_back(0.5 * (vertices[a] + vertices[b]));
    cut(faces, f, a, middle);
    cut(faces, g, b, middle);
    changed[f] = changed[g] = true;
    ++made;
  }
  return made;
}

// One triangle more on an open sheet: its first boundary edge is cut in two.
void split_boundary(std::vector<Vec3>& vertices, std::vector<Face>& faces) {
  const VertexFaces around(vertices.size(), faces);
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = faces[f][k];
      const std::uint32_t b = faces[f][(k + 1) % 3];
      if (around.across(faces, a, b) != kNone) continue;
      vertices.push_back(0.5 * (vertices[a] + vertices[b]));
      cut(faces, f, a, static_cast<std::uint32_t>(vertices.size() - 1));
      return;
    }
  }
}

// The finest detail whose count is at most `triangles`, by bisection of its logarithm. The count is
// a staircase and need not grow everywhere, so the best seen is kept. Cut short when cancelled.
Detail finest_detail(const std::vector<Shape>& shapes, std::size_t triangles,
                     const Monitor* monitor) {
  Detail best{0.0};
  std::size_t best_count = count_triangles(shapes, best);
  double low = 1.0;
  double high = 2.0;
  const auto fits = [&](double scale) {
    const std::size_t count = count_triangles(shapes, {scale});
    if (count <= triangles && count > best_count) {
      best = {scale};
      best_count = count;
    }
    return count <= triangles;
  };
  constexpr double kFinest = 1e7;
  while (high < kFinest && !is_cancelled(monitor) && fits(high)) {
    low = high;
    high *= 2.0;
  }
  // Within 1 % of the request is near enough for the splits to be few.
  for (int step = 0; step < 12 && triangles - best_count > triangles / 100; ++step) {
    if (is_cancelled(monitor)) break;
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return best;
}

}  // namespace

Shape shape(std::string name, std::function<void(SolidBuilder&, Detail)> build) {
  return shape(std::move(name), Pose::identity(), std::move(build));
}

Shape shape(std::string name, const Pose& pose, std::function<void(SolidBuilder&, Detail)> build) {
  Shape result;
  result.places.push_back({std::move(name), pose});
  result.build = std::move(build);
  return result;
}

Shape repeated(const std::string& name, const std::vector<Pose>& poses,
               std::function<void(SolidBuilder&, Detail)> build) {
  Shape result;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    result.places.push_back({i == 0 ? name : name + "#" + std::to_string(i + 1), poses[i]});
  }
  result.build = std::move(build);
  return result;
}

std::size_t count_triangles(const std::vector<Shape>& shapes, Detail detail) {
  std::size_t total = 0;
  for (const Shape& shape : shapes) {
    SolidBuilder counter(true);
    shape.build(counter, detail);
    total += counter.triangle_count() * shape.places.size();
  }
  return total;
}

std::size_t minimum_triangles(const std::vector<Shape>& shapes) {
  return count_triangles(shapes, {0.0});
}

void split_edges(std::vector<Vec3>& vertices, std::vector<Face>& faces, std::size_t splits) {
  splits -= split_pass(vertices, faces, splits, true);
  while (splits > 0) {
    const std::size_t made = split_pass(vertices, faces, splits, false);
    CLEARANCE_ASSERT(made > 0);
    if (made == 0) return;
    splits -= made;
  }
}

Result<std::vector<AssemblyPart>> build_exactly(const std::vector<Shape>& shapes,
                                                std::size_t triangles, const std::string& what,
                                                const Monitor* monitor) {
  const std::size_t minimum = minimum_triangles(shapes);
  if (triangles < minimum) {
    return Error{ErrorCode::Invalid, "", "",
                 what + " needs at least " + std::to_string(minimum) + " triangles, not " +
                     std::to_string(triangles),
                 "ask for more triangles"};
  }
  constexpr std::size_t kMost = 1'000'000'000;
  if (triangles > kMost) {
    return Error{ErrorCode::Invalid, "", "",
                 what + " can have at most " + std::to_string(kMost) + " triangles, not " +
                     std::to_string(triangles),
                 ""};
  }
  const auto sheet =
      std::find_if(shapes.begin(), shapes.end(), [](const Shape& s) { return s.sheet; });
  const Error cancelled{ErrorCode::Cancelled, "", "", "generating was cancelled", ""};
  const Detail detail = finest_detail(shapes, triangles, monitor);
  if (is_cancelled(monitor)) return cancelled;
  if (triangles % 2 != count_triangles(shapes, detail) % 2 && sheet == shapes.end()) {
    return Error{ErrorCode::Invalid, "", "",
                 what + " is a closed solid, which has an even number of triangles, not " +
                     std::to_string(triangles),
                 "ask for " + std::to_string(triangles + 1)};
  }

  std::vector<SolidBuilder> solids(shapes.size(), SolidBuilder(false));
  parallel_for({}, shapes.size(), [&](std::size_t i) {
    if (!is_cancelled(monitor)) shapes[i].build(solids[i], detail);
  });
  if (is_cancelled(monitor)) return cancelled;
  std::size_t total = 0;
  std::size_t splittable = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    total += solids[i].triangle_count() * shapes[i].places.size();
    if (shapes[i].places.size() == 1 && !shapes[i].sheet) splittable += solids[i].triangle_count();
  }
  std::size_t missing = triangles - total;
  if (missing % 2 != 0) {
    SolidBuilder& solid = solids[static_cast<std::size_t>(sheet - shapes.begin())];
    split_boundary(solid.vertices, solid.faces);
    --missing;
  }
  // The rest in proportion to the shapes' counts; rounding goes to the largest one.
  const std::size_t wanted = missing / 2;
  std::vector<std::size_t> splits(shapes.size(), 0);
  std::size_t given = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].places.size() != 1 || shapes[i].sheet) continue;
    const double share = double(solids[i].triangle_count()) / double(splittable);
    splits[i] = static_cast<std::size_t>(std::floor(share * double(wanted)));
    given += splits[i];
    if (splits[i] > splits[largest] || shapes[largest].places.size() != 1 || shapes[largest].sheet)
      largest = i;
  }
  splits[largest] += wanted - given;

  std::vector<Mesh> meshes(shapes.size());
  parallel_for({}, shapes.size(), [&](std::size_t i) {
    if (is_cancelled(monitor)) return;
    if (splits[i] > 0) split_edges(solids[i].vertices, solids[i].faces, splits[i]);
    meshes[i] = solids[i].take();
  });
  if (is_cancelled(monitor)) return cancelled;
  std::vector<AssemblyPart> parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const Shape::Place& place : shapes[i].places)
      parts.push_back({place.name, meshes[i], place.world_from_part});
  }
  return parts;
}

}  // namespace clearance::parts
