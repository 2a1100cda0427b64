// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/body_patches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <clearance/geometry/symmetric_eigen.h>

namespace clearance::detail {
namespace {

/// A patch of fewer triangles is not cut: a question about it is as cheap as one about its halves.
constexpr std::size_t kFewestTriangles = 8;
/// A cut must bring the sum over the triangles of the radius of their part below this share of what
/// it was: long triangles cannot be cut.
constexpr double kGain = 0.93;
/// Triangles that are looked at to choose a cut.
constexpr std::size_t kSample = 512;
/// Directions that are cut across, and where.
constexpr std::array<Vec3, 9> kDirections{{{1, 0, 0},
                                           {0, 1, 0},
                                           {0, 0, 1},
                                           {1, 1, 0},
                                           {1, -1, 0},
                                           {1, 0, 1},
                                           {1, 0, -1},
                                           {0, 1, 1},
                                           {0, 1, -1}}};  // and the other way round
constexpr std::array<double, 3> kCuts{0.25, 0.5, 0.75};
/// Rounding of a box's corners, outward, as a fraction of the coordinates.
constexpr double kBoxRounding = 1e-13;
/// Rounding of a distance, outward.
constexpr double kOutward = 1.0 + 1e-12;

/// What a patch refers to: its tree does not copy it.
struct PatchMemory {
  Mesh mesh;
  std::vector<Face> faces;
};

/// Triangles of one model, on the way to a patch.
struct Piece {
  std::size_t model = 0;
  std::vector<Face> faces;
  Sphere ball;
};

/// About the middle of a box around the triangles.
Sphere ball_around_faces(const Mesh& mesh, std::span<const Face> faces) {
  Box box;
  for (const Face& face : faces)
    for (const std::uint32_t corner : face) box.include(mesh.vertices()[corner]);
  const Vec3 center = box.center();
  double farthest_sq = 0.0;
  for (const Face& face : faces) {
    for (const std::uint32_t corner : face)
      farthest_sq = std::max(farthest_sq, squared_norm(mesh.vertices()[corner] - center));
  }
  return {center, kOutward * std::sqrt(farthest_sq)};
}

Piece piece_of(std::size_t model, const Mesh& mesh, std::vector<Face> faces) {
  const Sphere ball = ball_around_faces(mesh, faces);
  return {model, std::move(faces), ball};
}

/// What is cut first: the large, and of these the ones of many triangles.
double weight_of(const Piece& piece) {
  return piece.ball.radius * std::sqrt(static_cast<double>(piece.faces.size()));
}

/// Triangles with all corners below a plane apart from the others: long ones that reach across it
/// stay together.
struct Cut {
  Vec3 direction;
  double at = 0.0;
};

void cut_faces(const Mesh& mesh, std::span<const Face> faces, const Cut& cut,
               std::vector<Face>& low, std::vector<Face>& high) {
  low.clear();
  high.clear();
  for (const Face& face : faces) {
    const bool below = std::ranges::all_of(face, [&](std::uint32_t corner) {
      return dot(cut.direction, mesh.vertices()[corner]) < cut.at;
    });
    (below ? low : high).push_back(face);
  }
}

/// Into the two parts with the least sum of radii, by triangle, of some; none where that is no
/// gain.
std::optional<std::pair<Piece, Piece>> halved(const Piece& piece, const Mesh& mesh) {
  if (piece.faces.size() < 2 * kFewestTriangles) return std::nullopt;
  std::vector<Face> sample;
  const std::size_t stride = piece.faces.size() / kSample + 1;
  for (std::size_t i = 0; i < piece.faces.size(); i += stride) sample.push_back(piece.faces[i]);
  Cut best;
  double least = std::numeric_limits<double>::infinity();
  std::vector<Face> low;
  std::vector<Face> high;
  for (std::size_t i = 0; i < 2 * kDirections.size(); ++i) {
    const Vec3 direction = (i % 2 == 0 ? 1.0 : -1.0) * kDirections[i / 2];
    const double middle = dot(direction, piece.ball.center);
    const double reach = piece.ball.radius * norm(direction);
    double first = middle + reach;
    double last = middle - reach;
    for (const Face& face : sample) {
      for (const std::uint32_t corner : face) {
        const double at = dot(direction, mesh.vertices()[corner]);
        first = std::min(first, at);
        last = std::max(last, at);
      }
    }
    for (const double share : kCuts) {
      const Cut cut{direction, first + share * (last - first)};
      cut_faces(mesh, sample, cut, low, high);
      if (low.empty() || high.empty()) continue;
      const double sum = static_cast<double>(low.size()) * ball_around_faces(mesh, low).radius +
                         static_cast<double>(high.size()) * ball_around_faces(mesh, high).radius;
      if (!(sum < least)) continue;
      least = sum;
      best = cut;
    }
  }
  if (!(least < kGain * static_cast<double>(sample.size()) * piece.ball.radius))
    return std::nullopt;
  cut_faces(mesh, piece.faces, best, low, high);
  return std::pair{piece_of(piece.model, mesh, low), piece_of(piece.model, mesh, high)};
}

/// Two triangles a side, facing outward; corner i is high in x, y, z where its bits are set.
constexpr std::array<Face, 12> kBoxFaces{{{0, 2, 3},
                                          {0, 3, 1},
                                          {4, 5, 7},
                                          {4, 7, 6},
                                          {0, 1, 5},
                                          {0, 5, 4},
                                          {2, 6, 7},
                                          {2, 7, 3},
                                          {0, 4, 6},
                                          {0, 6, 2},
                                          {1, 3, 7},
                                          {1, 7, 5}}};

/// The corners that a box refers to.
struct BoxMemory {
  std::array<Vec3, 8> corners;
};

CoverBox cover_around(std::span<const Vec3> corners) {
  Vec3 mean;
  for (const Vec3& p : corners) mean += p;
  mean = (1.0 / static_cast<double>(corners.size())) * mean;
  Mat3 spread{{Vec3{}, Vec3{}, Vec3{}}};
  for (const Vec3& p : corners) {
    const Vec3 d = p - mean;
    for (std::size_t i = 0; i < 3; ++i) spread[i] = spread[i] + d[i] * d;
  }
  const SymmetricEigen axes = eigen_of_symmetric(spread);
  Vec3 low;
  Vec3 high;
  double reach = norm(mean);
  for (const Vec3& p : corners) {
    const Vec3 d = transpose_times(axes.vectors, p - mean);
    low = min(low, d);
    high = max(high, d);
    reach = std::max(reach, norm(p));
  }
  const double slack = kBoxRounding * reach;
  const Vec3 half = 0.5 * (high - low) + Vec3{slack, slack, slack};
  const Vec3 center = mean + axes.vectors * (0.5 * (low + high));
  auto memory = std::make_shared<BoxMemory>();
  for (unsigned i = 0; i < 8; ++i) {
    memory->corners[i] = center + axes.vectors * Vec3{(i & 1U) != 0 ? half.x : -half.x,
                                                      (i & 2U) != 0 ? half.y : -half.y,
                                                      (i & 4U) != 0 ? half.z : -half.z};
  }
  return {{{axes.vectors, center}, half},
          Bvh::build(memory->corners, kBoxFaces, {.threads = {1}}, memory).value()};
}

bool before(const Vec3& a, const Vec3& b) {
  return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
}

}  // namespace

Sphere ball_of(const CheckBody& body) {
  Sphere ball{body.bounds.center(), 0.0};
  for (const Model& model : body.models) {
    for (const Vec3& vertex : model.mesh().vertices())
      ball.radius = std::max(ball.radius, kOutward * distance(vertex, ball.center));
  }
  return ball;
}

CoverBox cover_of(const CheckBody& body) {
  std::vector<Vec3> corners;
  for (const Model& model : body.models) {
    const std::span<const Vec3> more = model.mesh().vertices();
    corners.insert(corners.end(), more.begin(), more.end());
  }
  return cover_around(corners);
}

std::vector<BodyPatch> patches_of(const CheckBody& body, std::size_t most) {
  std::vector<Piece> open;
  std::vector<Piece> done;
  for (std::size_t m = 0; m < body.models.size(); ++m) {
    const Mesh& mesh = body.models[m].mesh();
    open.push_back(piece_of(m, mesh, {mesh.faces().begin(), mesh.faces().end()}));
  }
  while (!open.empty()) {
    const auto largest = std::ranges::max_element(
        open, [](const Piece& a, const Piece& b) { return weight_of(a) < weight_of(b); });
    Piece piece = std::move(*largest);
    open.erase(largest);
    std::optional<std::pair<Piece, Piece>> halves;
    if (open.size() + done.size() + 2 <= most)
      halves = halved(piece, body.models[piece.model].mesh());
    if (halves) {
      open.push_back(std::move(halves->first));
      open.push_back(std::move(halves->second));
    } else {
      done.push_back(std::move(piece));
    }
  }

  // Points that are still without a patch, by model, sorted.
  std::vector<std::vector<Vec3>> points;
  for (const Model& model : body.models) {
    points.emplace_back(model.component_points().begin(), model.component_points().end());
    std::ranges::sort(points.back(), before);
  }
  std::vector<BodyPatch> patches;
  for (Piece& piece : done) {
    const Mesh& mesh = body.models[piece.model].mesh();
    auto memory = std::make_shared<PatchMemory>(PatchMemory{mesh, std::move(piece.faces)});
    std::vector<Vec3> corners;
    for (const Face& face : memory->faces)
      for (const std::uint32_t corner : face) corners.push_back(mesh.vertices()[corner]);
    // Triangles of a tree that was built make one again.
    BodyPatch patch{
        .model = piece.model,
        .surface =
            Bvh::build(memory->mesh.vertices(), memory->faces, {.threads = {1}}, memory).value(),
        .ball = piece.ball,
        .points = {},
        .cover = cover_around(corners)};
    std::vector<Vec3>& left = points[piece.model];
    std::vector<bool> taken(left.size(), false);
    for (const Face& face : memory->faces) {
      for (const std::uint32_t corner : face) {
        const Vec3& p = mesh.vertices()[corner];
        const auto found = std::ranges::lower_bound(left, p, before);
        if (found != left.end() && *found == p)
          taken[static_cast<std::size_t>(found - left.begin())] = true;
      }
    }
    std::vector<Vec3> rest;
    for (std::size_t i = 0; i < left.size(); ++i)
      (taken[i] ? patch.points : rest).push_back(left[i]);
    left = std::move(rest);
    patches.push_back(std::move(patch));
  }
  return patches;
}

}  // namespace clearance::detail
