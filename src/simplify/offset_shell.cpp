// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/offset_shell.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include <clearance/geometry/closest_points.h>

#include "simplify/flat_gap.h"

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSqrt3 = 1.7320508075688773;
/// Cells of the boundary above which no further level is made. A level has about four times the
/// cells of the one above; 100 bytes each.
constexpr std::size_t kMostCells = 120'000;
/// And levels at most: a body that is a point has few cells on each.
constexpr int kMostLevels = 30;
/// Cells divided in one query before its bound is given back as it is: some milliseconds.
constexpr std::size_t kMostDivisions = 4'000;
/// Samples are this much beyond the offset, as a fraction of it: in D in spite of rounding.
constexpr double kBeyond = 1e-9;
/// Distances spent on one sample.
constexpr int kSampleSteps = 5;
/// Steps to the point of a triangle that is best looked past.
constexpr int kSights = 2;
/// Steps from a sample to the ridge beside it.
constexpr int kRidgeSteps = 16;
/// Normals of neighbouring samples that differ by more than this, beyond what the bend of D around
/// a corner of the body explains, have a ridge between them [rad].
constexpr double kRidgeAngle = 0.1;
/// Cells of questions are not divided below this part of the cells of the shell.
constexpr double kFinestCell = 0.02;
/// What is reached is looked for where cells are no larger than this part of the offset.
constexpr double kCoarsestReach = 0.5;
/// Cells measured by one task.
constexpr std::size_t kBlock = 32;

double half_diagonal(double half) { return kSqrt3 * half * (1.0 + 1e-15); }

Vec3 octant(const Vec3& center, double half, unsigned i) {
  return {center.x + ((i & 1U) != 0 ? half : -half), center.y + ((i & 2U) != 0 ? half : -half),
          center.z + ((i & 4U) != 0 ? half : -half)};
}

double distance_of_cube(const Vec3& c, const Vec3& center, double half) {
  const Vec3 d = max(abs(c - center) - Vec3{half, half, half}, Vec3{});
  return norm(d);
}

/// How near to c a point of the ball (center, h) can be that is at least s from q. With the ball
/// seen from q within the angle b of its middle, and a the angle between the ways c -> q -> center:
/// |x - c| of a point at distance t >= s from q is least at the largest angle a + b, and falls with
/// t only while t < -|q - c| cos(a + b).
double nearest_beyond(const Vec3& c, const Vec3& center, double h, const Vec3& q, double s) {
  const Vec3 to_q = q - c;
  const Vec3 to_center = center - q;
  const double near = norm(to_q);
  const double far = norm(to_center);
  if (near == 0.0) return s;
  if (far <= h) return 0.0;
  const double cos_a = dot(to_q, to_center) / (near * far);
  const double sin_a = norm(cross(to_q, to_center)) / (near * far);
  const double sin_b = h / far;
  const double cos_b = std::sqrt((1.0 - sin_b) * (1.0 + sin_b));
  double sin_angle = sin_a * cos_b + cos_a * sin_b;
  double cos_angle = cos_a * cos_b - sin_a * sin_b;
  if (sin_angle < 0.0) {
    sin_angle = 0.0;
    cos_angle = -1.0;
  }
  const double t = std::max(s, -near * cos_angle);
  return std::hypot(t + near * cos_angle, near * sin_angle);
}

}  // namespace

OffsetShell::Measured OffsetShell::measure(const Vec3& center, double half, double within,
                                           Where where) const {
  const double h = half_diagonal(half);
  const double slack = tool_.slack(center);
  Measured cell;
  cell.contact = tool_.contact(center, within);
  cell.where = where;
  const double spare = cell.contact.spare();
  if (spare + h + slack < 0.0) return cell;
  cell.kind = Kind::Boundary;
  // The middles of all spheres are farther from the surface than this.
  if (tool_.least_radius() + spare <= h + slack) return cell;
  // None of them meets the surface anywhere in the cell: each stays on its side.
  if (cell.where == Where::Unknown) {
    const Side side = tool_.side(center);
    if (side == Side::Outside) cell.where = Where::Outside;
    if (side == Side::Inside) cell.where = Where::Inside;
  }
  if (cell.where == Where::Inside) {
    cell.kind = Kind::Without;
  } else if (cell.where == Where::Outside && spare - h - slack > 0.0) {
    cell.kind = Kind::Within;
  }
  return cell;
}

double OffsetShell::spare_at(const Vec3& t, const Cell& cell) const {
  return distance(t, cell.contact) - spheres_[cell.sphere].radius;
}

// A free place near the middle of a cell.
FreePoint OffsetShell::sample_of(const Cell& cell) const {
  const double d = distance(cell.center, cell.contact);
  Vec3 start = cell.center;
  bool outside = cell.where == Where::Outside || !body_.body().is_solid();
  if (!outside && d > tool_.slack(cell.center)) {
    outside = tool_.side(cell.center) == Side::Outside;
    // From inside, straight through the surface.
    if (!outside) {
      start = cell.contact + (spheres_[cell.sphere].radius / d) * (cell.contact - cell.center);
    }
  }
  FreePoint sample = push_out(tool_, kSampleSteps, start, outside);
  sample.found = sample.found && reaches(sample.point);
  return sample;
}

// The same drawn back to the boundary: towards where the tool is nearest to the body. No sphere has
// less to spare than the one that is.
Vec3 OffsetShell::at_boundary(const FreePoint& free) const {
  const double d = free.contact.distance;
  const double s = free.contact.radius * (1.0 + kBeyond) + 8.0 * tool_.slack(free.point);
  if (d <= s) return free.point;
  return free.contact.nearest + (s / d) * (free.point - free.contact.nearest);
}

OffsetShell::OffsetShell(const BodyProbe& body, std::span<const Sphere> tool,
                         const Options& options)
    : body_(body),
      spheres_(tool.begin(), tool.end()),
      tool_(body_, spheres_),
      reached_(options.reached) {
  build(options);
}

void OffsetShell::build(const Options& options) {
  const Box bounds = body_.body().bvh().bounds();
  const auto cell_of = [](const Vec3& center, double half, const Measured& measured) {
    const ToolContact& contact = measured.contact;
    return Cell{center,         half, contact.nearest, contact.triangle, contact.sphere, 0, 0,
                measured.where, false};
  };
  // Where the tool may touch. Questions come from the body and a little around it.
  Box places;
  Box region;
  const double margin = 0.02 * bounds.diagonal();
  const auto grown = [&](const Vec3& offset, double by) {
    const Vec3 more{by, by, by};
    return Box{bounds.low - offset - more, bounds.high - offset + more};
  };
  for (const Sphere& sphere : spheres_) {
    places.include(grown(sphere.center, 1.01 * sphere.radius));
    region.include(grown(sphere.center, margin));
  }
  // A little off the middle: faces of symmetric parts would all lie between two cells.
  const double size = 0.5 * largest_component(places.size());
  const Vec3 middle = places.center() + 0.003 * size * Vec3{1.0, 0.7, 0.4};
  cells_.push_back(
      cell_of(middle, 1.01 * size, measure(middle, 1.01 * size, kInfinity, Where::Unknown)));
  const Vec3 all{1.01 * size, 1.01 * size, 1.01 * size};
  const Box root{middle - all, middle + all};
  // Where another shell says so, nothing of a cell is reached.
  const auto is_left_out = [&](const Vec3& center, double half) {
    const Vec3 around{half, half, half};
    return options.reached != nullptr &&
           !options.reached->meets({center - around, center + around});
  };
  std::vector<Within> within;

  // Level by level: the cells of the last one are `open`.
  std::size_t open = 0;
  const auto blocks = [](std::size_t count) { return (count + kBlock - 1) / kBlock; };
  std::vector<std::array<Measured, 8>> parts;
  for (int level = 0; level < kMostLevels; ++level) {
    const std::size_t count = cells_.size() - open;
    if (count == 0 || count > kMostCells || half_diagonal(cells_[open].half) <= options.cell) break;
    parts.resize(count);
    parallel_for(options.threads, blocks(count), [&](std::size_t block) {
      if (is_cancelled(options.monitor)) return;
      for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
        const Cell& cell = cells_[open + i];
        const double half = 0.5 * cell.half;
        for (unsigned k = 0; k < 8; ++k) {
          const Vec3 at = octant(cell.center, half, k);
          parts[i][k] = measure(at, half, spare_at(at, cell), cell.where);
          if (parts[i][k].kind != Kind::Without && is_left_out(at, half))
            parts[i][k].kind = Kind::Without;
        }
      }
    });
    if (is_cancelled(options.monitor)) {
      cancelled_ = true;
      return;
    }
    const std::size_t next = cells_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 center = cells_[open + i].center;
      const double half = 0.5 * cells_[open + i].half;
      cells_[open + i].first = static_cast<std::uint32_t>(cells_.size());
      for (unsigned k = 0; k < 8; ++k) {
        const Measured& part = parts[i][k];
        const Vec3 at = octant(center, half, k);
        if (part.kind == Kind::Boundary) {
          ++cells_[open + i].children;
          cells_.push_back(cell_of(at, half, part));
        } else if (part.kind == Kind::Within && spheres_.size() == 1) {
          within.push_back({at, half, part.contact.distance - tool_.slack(at)});
        }
      }
    }
    if (options.only_reached && cells_.size() > next &&
        half_diagonal(cells_[next].half) <= kCoarsestReach * offset()) {
      leave_out(root, open, next, within);
    }
    open = next;
  }
  for (const Within& cell : within) {
    const Vec3 half{cell.half, cell.half, cell.half};
    if (squared_distance(Box{cell.center - half, cell.center + half}, bounds) == 0.0)
      free_balls_.push_back({cell.center + spheres_[0].center, cell.radius});
  }

  const std::size_t count = cells_.size() - open;
  cell_size_ = half_diagonal(cells_.back().half);
  std::vector<FreePoint> found(count);
  parallel_for(options.threads, blocks(count), [&](std::size_t block) {
    if (is_cancelled(options.monitor)) return;
    for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i)
      found[i] = sample_of(cells_[open + i]);
  });
  for (std::size_t i = 0; i < count; ++i) {
    Cell& cell = cells_[open + i];
    cell.is_leaf = true;
    if (!found[i].found) continue;
    const FreePoint& free = found[i];
    if (spheres_.size() == 1) {
      free_balls_.push_back({free.point + spheres_[0].center, spheres_[0].radius + free.spare});
    }
    points_.push_back(at_boundary(free));
    samples_.push_back({normalized(free.point - free.contact.nearest), free.contact.radius,
                        half_diagonal(cell.half)});
  }
  plant();
  if (!is_cancelled(options.monitor)) sharpen(options);
  if (is_cancelled(options.monitor)) {
    cancelled_ = true;
    return;
  }
  if (!points_.empty())
    near_body_ = std::make_unique<const NearestCells>(points_, region, kFinestCell * cell_size_);
}

// Drops the cells that are not reached: of `within`, and of the last level, which begins at `open`
// and whose parents begin at `parents`.
void OffsetShell::leave_out(const Box& root, std::size_t parents, std::size_t open,
                            std::vector<Within>& within) {
  const double edge = root.high.x - root.low.x;
  const auto level_of = [&](double half) { return std::lround(std::log2(0.5 * edge / half)); };
  if (level_of(cells_[open].half) > long{ReachedCells::kMostLevels}) return;
  std::vector<ReachedCells::Cell> cells;
  cells.reserve(within.size() + cells_.size() - open);
  const auto add = [&](const Vec3& center, double half) {
    const long level = level_of(half);
    const Vec3 at = std::ldexp(1.0, static_cast<int>(level)) / edge * (center - root.low);
    cells.push_back({static_cast<std::uint32_t>(level),
                     {static_cast<std::uint32_t>(at.x), static_cast<std::uint32_t>(at.y),
                      static_cast<std::uint32_t>(at.z)}});
  };
  for (const Within& cell : within) add(cell.center, cell.half);
  for (std::size_t i = open; i < cells_.size(); ++i) add(cells_[i].center, cells_[i].half);
  auto reached = std::make_shared<const ReachedCells>(root, cells);
  // All of what coarser cells had left is no more than they said.
  if (reached->all_reached() && reached_ == nullptr) return;

  const std::span<const std::uint8_t> is_reached = reached->reached();
  const std::size_t within_count = within.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < within_count; ++i)
    if (is_reached[i] != 0) within[count++] = within[i];
  within.resize(count);
  std::size_t end = open;
  for (std::size_t parent = parents; parent < open; ++parent) {
    const std::size_t first = cells_[parent].first;
    const std::size_t last = first + cells_[parent].children;
    cells_[parent].first = static_cast<std::uint32_t>(end);
    for (std::size_t i = first; i < last; ++i)
      if (is_reached[within_count + i - open] != 0) cells_[end++] = cells_[i];
    cells_[parent].children = static_cast<std::uint32_t>(end - cells_[parent].first);
  }
  cells_.resize(end);
  reached_ = std::move(reached);
}

void OffsetShell::plant() {
  std::vector<Vec3> normals;
  normals.reserve(samples_.size());
  for (const Sample& sample : samples_) normals.push_back(sample.normal);
  point_tree_ = PointTree(points_, normals);
}

// Where a ball touches the body in two places at once D has a ridge towards it, and what is behind
// the ridge is nearer to it than to any sample beside it. Finds the ridges between neighbouring
// samples that look different ways, and puts samples onto them.
void OffsetShell::sharpen(const Options& options) {
  const std::size_t count = points_.size();
  std::vector<std::vector<Vec3>> found((count + kBlock - 1) / kBlock);
  parallel_for(options.threads, found.size(), [&](std::size_t block) {
    if (is_cancelled(options.monitor)) return;
    for (std::size_t i = block * kBlock; i < std::min(count, (block + 1) * kBlock); ++i) {
      Sample& sample = samples_[i];
      const double spacing = sample.patch;
      const double most = 2.0 * spacing / sample.radius + kRidgeAngle;
      const Vec3 across = any_perpendicular(sample.normal);
      const Vec3 other_way = cross(sample.normal, across);
      for (const Vec3& way : {across, other_way, -1.0 * across, -1.0 * other_way}) {
        const std::uint32_t j = point_tree_.nearest(points_[i] + spacing * way);
        const Vec3& normal = samples_[j].normal;
        if (j <= i || norm(normal - sample.normal) < most) continue;
        const Vec3 toward = sample.normal + normal;
        if (norm(toward) < kRidgeAngle) continue;
        const Vec3 behind =
            0.5 * (points_[i] + points_[j]) - 0.5 * sample.radius * normalized(toward);
        const FreePoint ridge = draw_near(tool_, kRidgeSteps, free_point(i), behind, 0.0);
        if (reaches(ridge.point) &&
            distance(ridge.point, behind) <
                std::min(distance(points_[i], behind), distance(points_[j], behind))) {
          found[block].push_back(ridge.point);
        }
      }
    }
  });
  for (const std::vector<Vec3>& some : found) {
    for (const Vec3& p : some) {
      const std::uint32_t near = point_tree_.nearest(p);
      points_.push_back(p);
      samples_.push_back({samples_[near].normal, samples_[near].radius, 0.0});
    }
  }
  if (points_.size() > count) plant();
}

std::uint32_t OffsetShell::nearest_index(const Vec3& c) const {
  if (near_body_ != nullptr && near_body_->contains(c)) return near_body_->nearest(c);
  return point_tree_.nearest(c);
}

// A sample as drawing near begins with it.
FreePoint OffsetShell::free_point(std::size_t sample) const {
  FreePoint point;
  point.found = true;
  point.point = points_[sample];
  point.contact.distance = samples_[sample].radius;
  point.contact.radius = samples_[sample].radius;
  point.contact.nearest = points_[sample] - samples_[sample].radius * samples_[sample].normal;
  return point;
}

// May c be in D? There the way to the boundary is against the normal of the sample; but so it is
// behind a gap that the tool just fits into, seen from the other wall.
bool OffsetShell::is_within(const Vec3& c) const {
  return tool_.contact(c).spare() >= 0.0 && reaches(c);
}

// Do two flat faces leave no place for the tool in a cell, however little is missing?
bool OffsetShell::is_too_narrow(const Cell& cell) const {
  if (spheres_.size() != 1 || cell.where == Where::Inside) return false;
  const Vec3& offset = spheres_.front().center;
  return is_between_flat_faces(body_, cell.center + offset, half_diagonal(cell.half),
                               this->offset(), cell.contact + offset);
}

// How near to c the part of D in the cell can be.
double OffsetShell::bound(const Vec3& c, const Cell& cell) const {
  const Sphere& sphere = spheres_[cell.sphere];
  const double s = sphere.radius;
  const double h = half_diagonal(cell.half);
  double best = std::max(distance_of_cube(c, cell.center, cell.half),
                         nearest_beyond(c, cell.center, h, cell.contact, s));
  // The point of the triangle that c looks through to its nearest point of D.
  const Triangle triangle = body_.body().bvh().triangle(cell.triangle);
  Vec3 q = cell.contact;
  for (int step = 0; step < kSights; ++step) {
    const double near = distance(q, c);
    if (near == 0.0) break;
    q = closest_point(q + (s / near) * (q - c) + sphere.center, triangle) - sphere.center;
    best = std::max(best, nearest_beyond(c, cell.center, h, q, s));
  }
  return best;
}

double OffsetShell::distance_below(const Vec3& c, double tolerance, double known_upper) const {
  struct Entry {
    double bound;
    std::uint32_t index;  // of cells_, then of `divided`
    bool operator<(const Entry& b) const {
      return bound != b.bound ? bound > b.bound : index > b.index;
    }
  };
  double upper = std::min(known_upper, nearest_sample(c).sample_distance);
  const double slack = tool_.slack(c) + kProbeRounding * tool_.largest_radius();
  std::priority_queue<Entry> queue;
  std::vector<Cell> divided;
  std::size_t divisions = 0;
  queue.push({0.0, 0});
  while (!queue.empty()) {
    const Entry entry = queue.top();
    queue.pop();
    if (entry.bound >= upper - tolerance) return entry.bound - slack;
    const bool prepared = entry.index < cells_.size();
    const Cell cell = prepared ? cells_[entry.index] : divided[entry.index - cells_.size()];
    if (prepared && !cell.is_leaf) {
      for (std::uint32_t k = cell.first; k < cell.first + cell.children; ++k) {
        const double b = std::max(entry.bound, bound(c, cells_[k]));
        if (b < upper) queue.push({b, k});
      }
      continue;
    }
    if (++divisions > kMostDivisions) return entry.bound - slack;
    const double half = 0.5 * cell.half;
    for (unsigned k = 0; k < 8; ++k) {
      const Vec3 at = octant(cell.center, half, k);
      if (std::max(entry.bound, distance_of_cube(c, at, half)) >= upper) continue;
      const Measured measured = measure(at, half, spare_at(at, cell), cell.where);
      if (measured.kind != Kind::Boundary) continue;
      const ToolContact& contact = measured.contact;
      const Cell part{
          at, half, contact.nearest, contact.triangle, contact.sphere, 0, 0, measured.where, true};
      const double b = std::max(entry.bound, bound(c, part));
      if (b >= upper - tolerance) {
        if (b < upper) queue.push({b, static_cast<std::uint32_t>(cells_.size() + divided.size())});
        if (b < upper) divided.push_back(part);
        continue;
      }
      const FreePoint sample = sample_of(part);
      if (sample.found) upper = std::min(upper, distance(c, at_boundary(sample)));
      if (b >= upper || (!sample.found && is_too_narrow(part))) continue;
      queue.push({b, static_cast<std::uint32_t>(cells_.size() + divided.size())});
      divided.push_back(part);
    }
  }
  return upper - slack;
}

OffsetShell::Nearest OffsetShell::nearest_sample(const Vec3& c) const {
  Nearest result;
  const std::uint32_t i = nearest_index(c);
  if (i == NearestCells::kNone) return result;
  result.sample = points_[i];
  const Vec3 way = points_[i] - c;
  const double length = norm(way);
  const double height = dot(way, samples_[i].normal);
  result.sample_distance = length;
  // A flat patch as large as the cell; where D has an edge towards c there is none.
  const double aside = std::sqrt(std::max(0.0, length * length - height * height));
  result.distance = length;
  result.nearest = points_[i];
  if (aside <= 0.5 * length) {
    const double left = std::max(0.0, aside - samples_[i].patch);
    result.distance = std::hypot(height, left);
    const Vec3 across = way - height * samples_[i].normal;
    result.nearest = c + height * samples_[i].normal;
    if (left > 0.0) result.nearest += (left / aside) * across;
  }
  if (height < -0.5 * length) {
    if (is_within(c)) {
      result.distance = -result.distance;
    } else {
      result.distance = length;
      result.nearest = points_[i];
    }
  }
  return result;
}

FreePoint OffsetShell::nearest_free(const Vec3& c) const {
  const std::uint32_t i = nearest_index(c);
  return i == NearestCells::kNone ? FreePoint{} : free_point(i);
}

FreePoint OffsetShell::drawn_near(const Vec3& c, int steps) const {
  const std::uint32_t i = nearest_index(c);
  if (i == NearestCells::kNone) return {};
  return drawn_from(i, c, steps);
}

// From a sample; the sample itself where that led into a place that is not reached.
FreePoint OffsetShell::drawn_from(std::uint32_t sample, const Vec3& c, int steps) const {
  const FreePoint drawn = draw_near(tool_, steps, free_point(sample), c, 0.0);
  return reaches(drawn.point) ? drawn : free_point(sample);
}

FreePoint OffsetShell::drawn_among(const Vec3& c, double beside, int steps) const {
  std::vector<std::uint32_t> from;
  FreePoint best;
  for (const double x : {0.0, -beside, beside}) {
    for (const double y : {0.0, -beside, beside}) {
      for (const double z : {0.0, -beside, beside}) {
        const std::uint32_t k = nearest_index(c + Vec3{x, y, z});
        if (k == NearestCells::kNone || std::find(from.begin(), from.end(), k) != from.end())
          continue;
        from.push_back(k);
        const FreePoint drawn = drawn_from(k, c, steps);
        if (!best.found || distance(drawn.point, c) < distance(best.point, c)) best = drawn;
      }
    }
  }
  return best;
}

double OffsetShell::distance_above(const Vec3& c, int steps) const {
  const std::uint32_t i = nearest_index(c);
  if (i == NearestCells::kNone) return kInfinity;
  const Vec3& sample = points_[i];
  const double length = distance(sample, c);
  const double height = dot(sample - c, samples_[i].normal);
  if (height < -0.5 * length && is_within(c)) return height;
  return distance(drawn_near(c, steps).point, c);
}

}  // namespace clearance::detail
