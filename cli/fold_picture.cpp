// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The picture of clearance fold: two conformations as balls.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <clearance/picture/picture.h>

#include "fold_report.h"

namespace clearance::cli {
namespace {

/// Balls of more triangles than this picture can show are wasted: fewer for many atoms.
constexpr std::size_t kManyAtoms = 8000;

struct Ball {
  std::vector<Vec3> directions;
  std::vector<Face> faces;
};

/// The unit sphere: an octahedron whose triangles are cut into four, `times` over.
Ball unit_ball(int times) {
  Ball ball{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
      {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int i = 0; i < times; ++i) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] = middles.try_emplace(
          std::minmax(a, b), static_cast<std::uint32_t>(ball.directions.size()));
      if (is_new) ball.directions.push_back(normalized(ball.directions[a] + ball.directions[b]));
      return at->second;
    };
    std::vector<Face> finer;
    for (const Face& f : ball.faces) {
      const std::uint32_t ab = middle(f[0], f[1]);
      const std::uint32_t bc = middle(f[1], f[2]);
      const std::uint32_t ca = middle(f[2], f[0]);
      for (const Face& face :
           {Face{f[0], ab, ca}, Face{ab, f[1], bc}, Face{ca, bc, f[2]}, Face{ab, bc, ca}})
        finer.push_back(face);
    }
    ball.faces = std::move(finer);
  }
  return ball;
}

/// Blue at the beginning of the chain, through green and yellow to red at its end.
Colour along_chain(double t) {
  constexpr std::array<Colour, 5> kStops{{{0.20, 0.35, 0.80},
                                          {0.15, 0.65, 0.75},
                                          {0.35, 0.70, 0.30},
                                          {0.93, 0.75, 0.25},
                                          {0.82, 0.25, 0.20}}};
  const double x = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), kStops.size() - 2);
  const double f = x - static_cast<double>(i);
  const Colour& a = kStops[i];
  const Colour& b = kStops[i + 1];
  return {a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

/// The balls of one conformation, a mesh for each stretch of the chain of one colour.
Status add_balls(const FoldInput& input, const std::vector<Vec3>& centers, const Vec3& offset,
                 std::vector<PictureItem>& items) {
  constexpr std::size_t kColours = 48;
  const std::size_t count = centers.size();
  const Ball ball = unit_ball(count > kManyAtoms ? 1 : 2);
  for (std::size_t first = 0, stretch = 0; first < count; ++stretch) {
    const std::size_t last = std::min(count, (stretch + 1) * count / kColours + 1);
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    for (std::size_t i = first; i < last; ++i) {
      const auto base = static_cast<std::uint32_t>(vertices.size());
      for (const Vec3& d : ball.directions)
        vertices.push_back(centers[i] + offset + input.model.atoms[i].radius * d);
      for (const Face& f : ball.faces) faces.push_back({base + f[0], base + f[1], base + f[2]});
    }
    const double t = static_cast<double>(first + last) / static_cast<double>(2 * count);
    first = std::max(last, first);
    if (faces.empty()) continue;
    Result<Mesh> mesh = Mesh::make(std::move(vertices), std::move(faces));
    if (!mesh) return mesh.error();
    items.push_back({std::move(*mesh), Pose{}, along_chain(t), false});
  }
  return {};
}

}  // namespace

Status draw_fold(const std::string& path, const FoldInput& input, const Fold& fold) {
  // Both in the frame of the file, the second superposed on the first and moved aside.
  std::vector<Vec3> last = fold.positions();
  const Superposition fit = superpose(last, input.start, input.model.markers);
  for (Vec3& p : last) p = fit.onto_from_points * p;
  PictureOptions options;
  options.width = 1200;
  options.height = 600;
  const Vec3 right = normalized(cross(options.up, options.towards_eye));
  const auto reach = [&](const std::vector<Vec3>& points) {
    double low = 0.0;
    double high = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = dot(points[i], right);
      low = i == 0 ? x : std::min(low, x);
      high = i == 0 ? x : std::max(high, x);
    }
    return std::pair(low, high);
  };
  // Room between the two: a few atoms.
  constexpr double kGap = 12.0;
  const Vec3 offset = (reach(input.start).second - reach(last).first + kGap) * right;
  std::vector<PictureItem> items;
  if (Status status = add_balls(input, input.start, Vec3{}, items); !status) return status;
  if (Status status = add_balls(input, last, offset, items); !status) return status;
  return write_png(path, render(items, {}, options), {256});
}

}  // namespace clearance::cli
