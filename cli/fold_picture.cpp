// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The picture of clearance fold: two conformations as balls.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <clearance/mesh/ball_mesh.h>
#include <clearance/picture/picture.h>

#include "chain_shapes.h"
#include "fold_report.h"

namespace clearance::cli {
namespace {

/// Balls of more triangles than this picture can show are wasted: fewer for many atoms.
constexpr std::size_t kManyAtoms = 8000;

/// The balls of one conformation, a mesh for each stretch of the chain of one colour.
void add_balls(const FoldInput& input, const std::vector<Vec3>& centers, const Vec3& offset,
               std::vector<PictureItem>& items) {
  constexpr std::size_t kColours = 48;
  const std::size_t count = centers.size();
  const int times = count > kManyAtoms ? 1 : 2;
  for (std::size_t first = 0, stretch = 0; first < count; ++stretch) {
    const std::size_t last = std::min(count, (stretch + 1) * count / kColours + 1);
    std::vector<Sphere> balls;
    for (std::size_t i = first; i < last; ++i)
      balls.push_back({centers[i] + offset, input.model.atoms[i].radius});
    const double t = static_cast<double>(first + last) / static_cast<double>(2 * count);
    first = std::max(last, first);
    Mesh mesh = ball_mesh(balls, times);
    if (mesh.empty()) continue;
    items.push_back({std::move(mesh), Pose{}, along_chain(t), false});
  }
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
  add_balls(input, input.start, Vec3{}, items);
  add_balls(input, last, offset, items);
  return write_png(path, render(items, {}, options), {256});
}

}  // namespace clearance::cli
