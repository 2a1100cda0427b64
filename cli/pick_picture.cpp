// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The picture of a pile with its rated candidates.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <clearance/picture/colour_scale.h>
#include <clearance/picture/picture.h>

#include "pick_depth.h"
#include "pick_report.h"

namespace clearance::cli {
namespace {

constexpr Colour kPart{0.80, 0.81, 0.83};
constexpr Colour kCandidate{0.62, 0.63, 0.66};
constexpr Colour kBuried{0.80, 0.66, 0.44};
constexpr Colour kWall{0.88, 0.86, 0.82};
constexpr Colour kFixture{0.70, 0.66, 0.60};
constexpr Colour kSeen{0.66, 0.74, 0.80};
constexpr Colour kNumber{0.10, 0.10, 0.12};
/// Looked at from steeply above, so that walls hide little.
constexpr Vec3 kTowardsEye{0.35, -0.8, 1.5};
/// Height of the numbers, as a fraction of the part's diagonal.
constexpr double kNumberHeight = 0.16;
/// Where a camera saw more than the parts, so much is shown beside them, likewise.
constexpr double kBesideSeen = 0.5;

/// Digits of seven strokes: top, upper left and right, middle, lower left and right, bottom.
constexpr std::array<unsigned, 10> kStrokes{0b1110111, 0b0010010, 0b1011101, 0b1011011, 0b0111010,
                                            0b1101011, 0b1101111, 0b1010010, 0b1111111, 0b1111011};

/// A number that faces the eye, its middle at a point, before everything.
class NumberLines {
 public:
  NumberLines(const Vec3& towards_eye, double height, double before)
      : eye_(normalized(towards_eye)),
        right_(normalized(cross({0.0, 0.0, 1.0}, eye_))),
        up_(cross(eye_, right_)),
        height_(height),
        before_(before) {}

  void add(std::size_t number, const Vec3& at, std::vector<PictureLine>& lines) const {
    const std::string digits = std::to_string(number);
    const double advance = 0.75 * height_;
    const Vec3 middle = at + before_ * eye_;
    double x = -0.5 * advance * static_cast<double>(digits.size() - 1);
    for (const char digit : digits) {
      const unsigned strokes = kStrokes[static_cast<std::size_t>(digit - '0')];
      const std::array<Segment, 7> places{{{{-1, 1, 0}, {1, 1, 0}},
                                           {{-1, 1, 0}, {-1, 0, 0}},
                                           {{1, 1, 0}, {1, 0, 0}},
                                           {{-1, 0, 0}, {1, 0, 0}},
                                           {{-1, 0, 0}, {-1, -1, 0}},
                                           {{1, 0, 0}, {1, -1, 0}},
                                           {{-1, -1, 0}, {1, -1, 0}}}};
      for (std::size_t i = 0; i < places.size(); ++i) {
        if ((strokes >> (6 - i) & 1U) == 0) continue;
        const auto place = [&](const Vec3& p) {
          return middle + (x + 0.25 * height_ * p.x) * right_ + 0.5 * height_ * p.y * up_;
        };
        lines.push_back({{place(places[i].a), place(places[i].b)}, kNumber, 4.0});
      }
      x += advance;
    }
  }

 private:
  Vec3 eye_, right_, up_;
  double height_, before_;
};

}  // namespace

Status draw_pile(const std::string& path, const PilePicture& scene, Threads threads) {
  const double diagonal = scene.part.bounds().diagonal();
  std::vector<PictureItem> items;
  Box region;
  for (const Pose& pose : scene.pile.parts) {
    items.push_back({scene.part, pose, kPart});
    region.include(transformed(scene.part, pose).bounds());
  }
  for (const std::size_t candidate : scene.candidates) items[candidate].colour = kCandidate;
  std::size_t most = 1;
  for (std::size_t i = 0; i < scene.result.valid; ++i)
    most = std::max(most, scene.result.ranked[i].free.size());
  std::vector<PictureLine> lines;
  const NumberLines numbers(kTowardsEye, kNumberHeight * diagonal, 10.0 * diagonal);
  for (std::size_t i = 0; i < scene.result.ranked.size(); ++i) {
    const Candidate& candidate = scene.result.ranked[i];
    if (i < scene.result.valid) {
      // The more free grasps, the colder: as the scale of colours has it, far from trouble.
      const Colour full =
          colour_at({0.0, static_cast<double>(most)}, static_cast<double>(candidate.free.size()));
      // Lighter, so that the number on it can be read.
      items[candidate.part].colour = {0.5 + 0.5 * full.r, 0.5 + 0.5 * full.g, 0.5 + 0.5 * full.b};
      const Pose& pose = scene.pile.parts[candidate.part];
      numbers.add(i + 1, pose * scene.part.bounds().center(), lines);
    } else if (candidate.is_buried && !candidate.free.empty()) {
      items[candidate.part].colour = kBuried;
    }
  }
  const Mesh walls = mesh_of(walls_of(scene.pile.bin));
  if (!walls.empty()) {
    items.push_back({walls, Pose::identity(), kWall});
    region.include(walls.bounds());
  }
  for (const Model& obstacle : scene.obstacles) {
    items.push_back({obstacle.mesh(), Pose::identity(), kFixture});
    region.include(obstacle.mesh().bounds());
  }
  // What is not known may be larger than what is.
  if (!scene.seen.empty()) {
    const double beside = kBesideSeen * diagonal;
    region.include(region.low - Vec3{beside, beside, 0.0});
    region.include(region.high + Vec3{beside, beside, 0.0});
  }
  for (const DepthMap& map : scene.seen) {
    if (Mesh mesh = seen_surface(map); !mesh.empty())
      items.push_back({std::move(mesh), Pose::identity(), kSeen});
  }
  PictureOptions options;
  options.towards_eye = kTowardsEye;
  options.width = 1000;
  options.height = 800;
  options.region = region;
  options.threads = threads;
  return write_png(path, render(items, lines, options));
}

}  // namespace clearance::cli
