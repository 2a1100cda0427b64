// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The software rasteriser: vertices to the screen, bands of rows drawn in parallel into a buffer of
// what is seen at each sample (depth, normal, colour), then shading and outlines from that buffer.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <clearance/picture/picture.h>

namespace clearance {
namespace {

constexpr int kBandRows = 48;  // rows of samples a thread draws at a time
constexpr float kFar = std::numeric_limits<float>::infinity();

// What is seen at one sample.
struct Sample {
  float depth = kFar;                     // along the view, growing away from the eye [samples]
  float nx = 0.0F, ny = 0.0F, nz = 0.0F;  // in view coordinates, towards the eye: nz >= 0
  std::uint16_t item = 0;
  float ink = 0.0F;                               // darkness of a triangle edge here
  std::array<float, 3> colour{0.0F, 0.0F, 0.0F};  // red, green, blue
};

// A triangle on the screen: positions in samples, depth in the same unit.
struct ScreenTriangle {
  std::array<Vec3, 3> p;
  std::uint16_t item = 0;
  bool edges = false;
  std::array<Colour, 3> colours{};  // at the corners
};

// The parallel view: world to samples.
struct View {
  Vec3 right, up, towards;
  Vec3 center;
  double scale = 1.0;
  double middle_x = 0.0, middle_y = 0.0;

  Vec3 operator()(const Vec3& world) const {
    const Vec3 d = world - center;
    return {middle_x + scale * dot(d, right), middle_y - scale * dot(d, up),
            -scale * dot(d, towards)};
  }
};

View fit_view(const PictureOptions& options, const Box& region, int width, int height) {
  View view;
  view.towards = normalized(options.towards_eye);
  if (squared_norm(view.towards) == 0.0) view.towards = {0, 0, 1};
  view.right = cross(options.up, view.towards);
  view.right =
      squared_norm(view.right) > 0.0 ? normalized(view.right) : any_perpendicular(view.towards);
  view.up = cross(view.towards, view.right);
  view.middle_x = 0.5 * width;
  view.middle_y = 0.5 * height;
  if (region.empty()) return view;
  // The extent of the box's corners on the screen.
  view.center = region.center();
  const Vec3 half = 0.5 * region.size();
  const double extent_x = dot(half, abs(view.right));
  const double extent_y = dot(half, abs(view.up));
  const double room = 1.0 - 2.0 * std::clamp(options.margin, 0.0, 0.45);
  const double scale_x = extent_x > 0.0 ? room * view.middle_x / extent_x : kFar;
  const double scale_y = extent_y > 0.0 ? room * view.middle_y / extent_y : kFar;
  view.scale = std::min(scale_x, scale_y);
  if (!std::isfinite(view.scale)) view.scale = 1.0;
  return view;
}

// The points seen decide the frame, not the box: a tighter fit for slanted scenes.
void tighten(View& view, const std::vector<ScreenTriangle>& triangles, double room, int width,
             int height) {
  double low_x = kFar, high_x = -kFar, low_y = kFar, high_y = -kFar;
  for (const ScreenTriangle& t : triangles) {
    for (const Vec3& p : t.p) {
      low_x = std::min(low_x, p.x), high_x = std::max(high_x, p.x);
      low_y = std::min(low_y, p.y), high_y = std::max(high_y, p.y);
    }
  }
  const double factor = std::min(room * width / std::max(high_x - low_x, 1e-9),
                                 room * height / std::max(high_y - low_y, 1e-9));
  view.middle_x = 0.5 * width + factor * (view.middle_x - 0.5 * (low_x + high_x));
  view.middle_y = 0.5 * height + factor * (view.middle_y - 0.5 * (low_y + high_y));
  view.scale *= factor;
}

class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width), height_(height), samples_(std::size_t(width) * std::size_t(height)) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] const Sample& at(int x, int y) const {
    return samples_[std::size_t(y) * std::size_t(width_) + std::size_t(x)];
  }

  // Draws the rows [first, last) of a triangle.
  void draw(const ScreenTriangle& t, int first, int last, float line_width) {
    const Vec3& a = t.p[0];
    const Vec3& b = t.p[1];
    const Vec3& c = t.p[2];
    const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (area == 0.0 || !std::isfinite(area)) return;
    Vec3 normal = normalized(cross(b - a, c - a));
    // Screen y points down and depth away from the eye; turn the normal towards the eye.
    if (normal.z > 0.0) normal = -normal;
    const double low_y = std::min({a.y, b.y, c.y});
    const double high_y = std::max({a.y, b.y, c.y});
    const int row_first = std::max(first, static_cast<int>(std::ceil(std::max(low_y, 0.0) - 0.5)));
    const int row_last =
        std::min(last - 1, static_cast<int>(std::floor(std::min(high_y, 1e6) - 0.5)));
    const double inverse = 1.0 / area;
    // Heights of the triangle over its edges: the distance to an edge is weight * height.
    std::array<double, 3> heights{};
    if (t.edges) {
      for (int k = 0; k < 3; ++k) {
        const Vec3& p = t.p[(k + 1) % 3];
        const Vec3& q = t.p[(k + 2) % 3];
        heights[k] = std::abs(area) / std::max(std::hypot(q.x - p.x, q.y - p.y), 1e-9);
      }
    }
    // Small triangles get fainter lines, or their area would turn black.
    const double smallest = std::min({heights[0], heights[1], heights[2]});
    const float strength =
        static_cast<float>(std::clamp(smallest / (6.0 * line_width), 0.05, 0.75));

    for (int y = row_first; y <= row_last; ++y) {
      const double py = y + 0.5;
      // The span of this row: where the row cuts the edges.
      double span_low = kFar;
      double span_high = -kFar;
      for (int k = 0; k < 3; ++k) {
        const Vec3& p = t.p[k];
        const Vec3& q = t.p[(k + 1) % 3];
        if ((p.y <= py) == (q.y <= py)) continue;
        const double x = p.x + (py - p.y) / (q.y - p.y) * (q.x - p.x);
        span_low = std::min(span_low, x);
        span_high = std::max(span_high, x);
      }
      if (!(span_low <= span_high)) continue;
      const int x_first = static_cast<int>(std::ceil(std::max(span_low, 0.0) - 0.5));
      const int x_last = static_cast<int>(std::ceil(std::min(span_high, double(width_)) - 0.5)) - 1;
      for (int x = x_first; x <= x_last; ++x) {
        const double px = x + 0.5;
        const double wb = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) * inverse;
        const double wc = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) * inverse;
        const double wa = 1.0 - wb - wc;
        const auto depth = static_cast<float>(wa * a.z + wb * b.z + wc * c.z);
        Sample& sample = samples_[std::size_t(y) * std::size_t(width_) + std::size_t(x)];
        if (!(depth < sample.depth)) continue;
        float ink = 0.0F;
        if (t.edges) {
          const double edge = std::min({wa * heights[0], wb * heights[1], wc * heights[2]});
          ink = edge < 0.5 * line_width ? strength : 0.0F;
        }
        const auto blend = [&](double Colour::*part) {
          return static_cast<float>(wa * t.colours[0].*part + wb * t.colours[1].*part +
                                    wc * t.colours[2].*part);
        };
        sample = {depth,
                  static_cast<float>(normal.x),
                  static_cast<float>(-normal.y),
                  static_cast<float>(-normal.z),
                  t.item,
                  ink,
                  {blend(&Colour::r), blend(&Colour::g), blend(&Colour::b)}};
      }
    }
  }

 private:
  int width_;
  int height_;
  std::vector<Sample> samples_;
};

double linear(double value) { return value * value; }
std::uint8_t to_byte(double light) {
  return static_cast<std::uint8_t>(std::lround(255.0 * std::sqrt(std::clamp(light, 0.0, 1.0))));
}

// The colour at a sample, as light.
Vec3 linear_colour(const Sample& s) {
  return {linear(s.colour[0]), linear(s.colour[1]), linear(s.colour[2])};
}

// Light on a surface with the given normal (view coordinates): sky from above, a key light from the
// upper left, a headlight, a soft gloss.
Vec3 shade(const Sample& s, const Vec3& up_in_view) {
  const Vec3 n{s.nx, s.ny, s.nz};
  const Vec3 key = normalized({-0.55, 0.75, 0.8});
  const double sky = 0.5 + 0.5 * dot(n, up_in_view);
  const double diffuse = std::max(0.0, dot(n, key));
  const Vec3 halfway = normalized(key + Vec3{0, 0, 1});
  const double gloss = std::pow(std::max(0.0, dot(n, halfway)), 40.0);
  const double light = 0.16 + 0.34 * sky + 0.46 * diffuse + 0.26 * n.z;
  return light * linear_colour(s) + 0.10 * gloss * Vec3{1, 1, 1};
}

// How dark the outline is at a sample: jumps of depth (beyond what the slope explains), of the
// normal, or of the item.
double outline(const Canvas& canvas, int x, int y, int reach) {
  const Sample& here = canvas.at(x, y);
  double dark = 0.0;
  for (const auto& [dx, dy] : {std::array<int, 2>{reach, 0}, std::array<int, 2>{0, reach}}) {
    const int x0 = x - dx, x1 = x + dx, y0 = y - dy, y1 = y + dy;
    if (x0 < 0 || y0 < 0 || x1 >= canvas.width() || y1 >= canvas.height()) continue;
    const Sample& before = canvas.at(x0, y0);
    const Sample& after = canvas.at(x1, y1);
    for (const Sample* other : {&before, &after}) {
      // Only the nearer of two surfaces gets the line, so that it stays thin.
      if (here.depth == kFar) continue;
      if (other->depth == kFar) {
        dark = std::max(dark, 0.75);
        continue;
      }
      const auto slope_of = [dx = dx, dy = dy](const Sample& s) {
        return (std::abs(double(s.nx)) * dx + std::abs(double(s.ny)) * dy) /
               std::max(0.08, double(s.nz));
      };
      const double slope = std::max(slope_of(here), slope_of(*other));
      const double jump = double(other->depth) - double(here.depth);
      if (jump > 3.0 * reach + 1.5 * slope) dark = std::max(dark, 0.6);
      const double cosine =
          double(here.nx) * other->nx + double(here.ny) * other->ny + double(here.nz) * other->nz;
      if (cosine < 0.86 && jump >= 0.0) dark = std::max(dark, 0.42);
      if (other->item != here.item && jump > 0.0) dark = std::max(dark, 0.35);
    }
  }
  return dark;
}

Box bounds_of(std::span<const PictureItem> items, std::span<const PictureLine> lines) {
  Box box;
  for (const PictureItem& item : items) {
    if (item.mesh.empty()) continue;
    for (const Vec3& v : item.mesh.vertices()) box.include(item.world_from_mesh * v);
  }
  for (const PictureLine& line : lines) {
    box.include(line.segment.a);
    box.include(line.segment.b);
  }
  return box;
}

std::vector<ScreenTriangle> project(std::span<const PictureItem> items, const View& view,
                                    Threads threads) {
  std::size_t total = 0;
  for (const PictureItem& item : items) total += item.mesh.triangle_count();
  std::vector<ScreenTriangle> triangles(total);
  std::size_t start = 0;
  constexpr std::size_t kPiece = 8192;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Mesh& mesh = items[i].mesh;
    const std::vector<Colour>& colours = items[i].vertex_colours;
    const bool by_vertex = colours.size() == mesh.vertex_count();
    const std::size_t pieces = (mesh.triangle_count() + kPiece - 1) / kPiece;
    parallel_for(threads, pieces, [&](std::size_t piece) {
      const std::size_t end = std::min(mesh.triangle_count(), (piece + 1) * kPiece);
      for (std::size_t f = piece * kPiece; f < end; ++f) {
        const Triangle t = mesh.triangle(f);
        const Pose& pose = items[i].world_from_mesh;
        triangles[start + f] = {{view(pose * t.a), view(pose * t.b), view(pose * t.c)},
                                static_cast<std::uint16_t>(i),
                                items[i].triangles,
                                {items[i].colour, items[i].colour, items[i].colour}};
        if (!by_vertex) continue;
        const Face& face = mesh.faces()[f];
        for (std::size_t k = 0; k < 3; ++k) triangles[start + f].colours[k] = colours[face[k]];
      }
    });
    start += mesh.triangle_count();
  }
  return triangles;
}

// A line as a flat strip facing the eye, a little nearer than what it lies on.
void append_line(std::vector<ScreenTriangle>& triangles, const PictureLine& line, const View& view,
                 double samples_per_pixel, std::uint16_t item) {
  Vec3 a = view(line.segment.a);
  Vec3 b = view(line.segment.b);
  const double half = 0.5 * line.width * samples_per_pixel;
  a.z -= half;
  b.z -= half;
  const Vec3 along = normalized({b.x - a.x, b.y - a.y, 0.0});
  const Vec3 side = half * Vec3{-along.y, along.x, 0.0};
  const std::array<Colour, 3> colours{line.colour, line.colour, line.colour};
  triangles.push_back({{a - side, b - side, b + side}, item, false, colours});
  triangles.push_back({{a - side, b + side, a + side}, item, false, colours});
}

}  // namespace

Image render(std::span<const PictureItem> items, std::span<const PictureLine> lines,
             const PictureOptions& options) {
  constexpr int kMostPixels = 16384;
  constexpr std::size_t kMostItems = 60000;  // items and lines are numbered with 16 bits
  items = items.first(std::min(items.size(), kMostItems / 2));
  lines = lines.first(std::min(lines.size(), kMostItems / 2));
  Image image;
  image.width = std::clamp(options.width, 1, kMostPixels);
  image.height = std::clamp(options.height, 1, kMostPixels);
  const int samples = std::clamp(options.samples, 1, 4);
  Canvas canvas(image.width * samples, image.height * samples);

  // Two rounds of projection when the whole scene is shown: fit the box, then what is really seen.
  const Box region = options.region.value_or(bounds_of(items, lines));
  View view = fit_view(options, region, canvas.width(), canvas.height());
  std::vector<ScreenTriangle> triangles = project(items, view, options.threads);
  if (!options.region && lines.empty() && !triangles.empty()) {
    const double room = 1.0 - 2.0 * std::clamp(options.margin, 0.0, 0.45);
    tighten(view, triangles, room, canvas.width(), canvas.height());
    triangles = project(items, view, options.threads);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    append_line(triangles, lines[i], view, samples, static_cast<std::uint16_t>(items.size() + i));
  }

  // The rows of each triangle, so that a band passes quickly over those that are not in it.
  std::vector<std::array<std::int32_t, 2>> rows(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto& p = triangles[i].p;
    const auto clamped = [&](double y) {
      return static_cast<std::int32_t>(std::clamp(y, -1.0, double(canvas.height())));
    };
    rows[i] = {clamped(std::min({p[0].y, p[1].y, p[2].y})),
               clamped(std::max({p[0].y, p[1].y, p[2].y}))};
  }
  const auto line_width = static_cast<float>(samples) * 0.8F;
  const int bands = (canvas.height() + kBandRows - 1) / kBandRows;
  parallel_for(options.threads, static_cast<std::size_t>(bands), [&](std::size_t band) {
    const int first = static_cast<int>(band) * kBandRows;
    const int last = std::min(first + kBandRows, canvas.height());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      if (rows[i][1] >= first && rows[i][0] < last)
        canvas.draw(triangles[i], first, last, line_width);
    }
  });

  // Shading, outlines, and the mean of the samples of each pixel.
  image.rgb.resize(std::size_t(image.width) * std::size_t(image.height) * 3);
  const Vec3 world_up = normalized(options.up);
  const Vec3 up_in_view{dot(world_up, view.right), dot(world_up, view.up),
                        dot(world_up, view.towards)};
  const int reach = std::max(1, samples / 2);
  const std::size_t first_line = items.size();
  parallel_for(options.threads, static_cast<std::size_t>(image.height), [&](std::size_t row) {
    const double t = (double(row) + 0.5) / image.height;
    const Colour& top = options.background_top;
    const Colour& bottom = options.background_bottom;
    const Vec3 background{linear(top.r + t * (bottom.r - top.r)),
                          linear(top.g + t * (bottom.g - top.g)),
                          linear(top.b + t * (bottom.b - top.b))};
    for (int column = 0; column < image.width; ++column) {
      Vec3 sum;
      for (int sy = 0; sy < samples; ++sy) {
        for (int sx = 0; sx < samples; ++sx) {
          const int x = column * samples + sx;
          const int y = static_cast<int>(row) * samples + sy;
          const Sample& s = canvas.at(x, y);
          if (s.depth == kFar) {
            sum += background;
          } else if (s.item >= first_line) {
            sum += linear_colour(s);
          } else {
            double dark = s.ink;
            if (options.outlines) dark = std::max(dark, outline(canvas, x, y, reach));
            sum += (1.0 - dark) * shade(s, up_in_view);
          }
        }
      }
      sum *= 1.0 / (samples * samples);
      std::uint8_t* pixel = &image.rgb[3 * (row * std::size_t(image.width) + std::size_t(column))];
      for (std::size_t k = 0; k < 3; ++k) pixel[k] = to_byte(sum[k]);
    }
  });
  return image;
}

std::vector<PictureItem> picture_items(const Assembly& assembly) {
  static constexpr std::array<Colour, 6> kPalette{{{0.64, 0.70, 0.77},
                                                   {0.80, 0.72, 0.58},
                                                   {0.60, 0.73, 0.66},
                                                   {0.76, 0.64, 0.64},
                                                   {0.68, 0.66, 0.78},
                                                   {0.72, 0.74, 0.60}}};
  static constexpr std::array<Colour, 3> kBody{
      {{0.36, 0.70, 0.36}, {0.50, 0.78, 0.42}, {0.30, 0.62, 0.44}}};
  static constexpr std::array<Colour, 3> kObstacle{
      {{0.70, 0.72, 0.75}, {0.78, 0.76, 0.72}, {0.66, 0.68, 0.72}}};
  std::vector<PictureItem> items;
  items.reserve(assembly.parts.size());
  std::size_t bodies = 0, obstacles = 0, others = 0;
  for (const AssemblyPart& part : assembly.parts) {
    PictureItem item{part.mesh, part.world_from_part, {}, false};
    if (part.name.starts_with("body/")) {
      item.colour = kBody[bodies++ % kBody.size()];
    } else if (part.name.starts_with("obstacle/")) {
      item.colour = kObstacle[obstacles++ % kObstacle.size()];
    } else {
      item.colour = kPalette[others++ % kPalette.size()];
    }
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace clearance
