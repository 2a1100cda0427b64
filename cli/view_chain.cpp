// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_chain.h"

#include <algorithm>
#include <array>
#include <limits>

#include "chain_shapes.h"
#include "text.h"

namespace clearance::cli {
namespace {

/// Boxes of a level that can still be told apart.
constexpr std::size_t kMostBoxes = 64;
constexpr std::size_t kMostBoxMoments = 120;

/// The corners of a box along the principal axes of the points, enlarged by the radii.
std::array<Vec3, 8> box_around(std::span<const Vec3> points, double radius) {
  const Mat3 axes = principal_axes(points);
  Vec3 low;
  Vec3 high;
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::numeric_limits<double>::infinity();
    high[k] = -low[k];
    for (const Vec3& p : points) {
      const double x = dot(p, axes.column(k));
      low[k] = std::min(low[k], x - radius);
      high[k] = std::max(high[k], x + radius);
    }
  }
  std::array<Vec3, 8> corners;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      corners[i] += ((i >> k & 1) != 0 ? high[k] : low[k]) * axes.column(k);
  }
  return corners;
}

}  // namespace

void append_boxes(std::span<const std::uint32_t> first, std::span<const std::vector<Vec3>> points,
                  std::span<const double> times, double radius, ViewDocument& document) {
  constexpr std::array<std::array<std::size_t, 2>, 12> kEdges{{{0, 1},
                                                               {2, 3},
                                                               {4, 5},
                                                               {6, 7},
                                                               {0, 2},
                                                               {1, 3},
                                                               {4, 6},
                                                               {5, 7},
                                                               {0, 4},
                                                               {1, 5},
                                                               {2, 6},
                                                               {3, 7}}};
  const std::size_t links = first.size() - 1;
  const std::size_t step = (points.size() + kMostBoxMoments - 1) / kMostBoxMoments;
  document.levels = {"off"};
  // From the root down, as trees are read.
  std::vector<std::size_t> spans;
  for (std::size_t span = 1; span < 2 * links; span *= 2) spans.push_back(span);
  std::reverse(spans.begin(), spans.end());
  for (const std::size_t span : spans) {
    const std::size_t count = (links + span - 1) / span;
    if (count > kMostBoxes) break;
    ViewItem item;
    item.name = "boxes";
    item.shape = ViewShape::Lines;
    item.level = static_cast<int>(document.levels.size());
    item.width = 1.4;
    item.explodes = false;
    item.motion.emplace();
    for (std::size_t m = 0; m < points.size(); m += step) {
      item.motion->times.push_back(times[m]);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = first[i * span];
        const std::size_t end = first[std::min(links, (i + 1) * span)];
        if (m == 0) {
          const Colour colour =
              along_chain((static_cast<double>(i) + 0.5) / static_cast<double>(count));
          item.colours.insert(item.colours.end(), kEdges.size(), colour);
        }
        std::array<Vec3, 8> corners{};
        if (end > begin)
          corners = box_around(std::span(points[m]).subspan(begin, end - begin), radius);
        for (const auto& [a, b] : kEdges) {
          if (m == 0) item.lines.push_back({corners[a], corners[b]});
          item.motion->points.insert(item.motion->points.end(), {corners[a], corners[b]});
        }
      }
    }
    if (item.motion->times.size() < 2) item.motion.reset();
    document.levels.push_back(count_of(count, "box", "boxes") + " of " +
                              count_of(span, "link", "links"));
    document.add(std::move(item));
  }
}

}  // namespace clearance::cli
