// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The places where a tool of spheres touches a body from outside without overlapping it: the
// boundary of its free places D (tool_probe.h), which for a single ball of radius s are
// {x : dist(x, M) >= s}. Kept as an octree of all cells that may hold a piece of it, and a sample
// point of it in most of them. What kept volumes ask for all the time is how far a point is from D.
//
// Bounds. How far the tool is from touching changes by no more than the way. So a cell whose middle
// is deeper in contact than it is large holds nothing of D; one whose middle is farther from
// contact holds nothing of its boundary. In a cell that is left, let q be the point that a sphere
// of radius r touches, less the middle of the sphere: D is outside the ball of radius r about q.
// Seen from a point c behind q that ball bounds how near the cell's part of D can be, with an error
// that falls with the square of the size of the cell (see nearest_beyond in the .cpp). Cells that
// are still too coarse are divided during the query.
//
// Reach. Places of D in pockets that no way leads to from outside can be left out of it: all cells
// that may hold some of D hold every way through it, so what they do not connect to the outside is
// cut off (reached_cells.h). A pocket whose opening is narrower than the tool by less than about
// the size of the cells may count as reached.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/geometry/shapes.h>

#include "simplify/body_probe.h"
#include "simplify/free_point.h"
#include "simplify/nearest_cells.h"
#include "simplify/point_tree.h"
#include "simplify/reached_cells.h"
#include "simplify/tool_probe.h"

namespace clearance::detail {

class OffsetShell {
 public:
  struct Options {
    /// Half diagonal of the smallest cells [m], as far as the number of cells allows.
    double cell = 0.0;
    /// Leave out what cannot be reached from outside. For a single sphere.
    bool only_reached = false;
    /// And what another shell, of a smaller sphere, found not to be reached by that.
    std::shared_ptr<const ReachedCells> reached = nullptr;
    Threads threads;
    Monitor* monitor = nullptr;
  };
  /// Spheres have radii above 0. The body must outlive the shell. When cancelled, ok() is false.
  OffsetShell(const BodyProbe& body, std::span<const Sphere> tool, const Options& options);

  OffsetShell(const OffsetShell&) = delete;
  OffsetShell& operator=(const OffsetShell&) = delete;
  ~OffsetShell() = default;

  [[nodiscard]] bool ok() const { return !cancelled_; }
  [[nodiscard]] const ToolProbe& tool() const { return tool_; }
  /// Of the first sphere.
  [[nodiscard]] double offset() const { return spheres_.front().radius; }
  /// Half diagonal of the smallest cells [m]; about how far samples are apart.
  [[nodiscard]] double cell_size() const { return cell_size_; }
  /// Of a place where the tool is free: is it part of D, not in a pocket that was left out?
  [[nodiscard]] bool reaches(const Vec3& place) const {
    return reached_ == nullptr || reached_->holds(place);
  }
  /// What is reached; null when nothing was left out.
  [[nodiscard]] const std::shared_ptr<const ReachedCells>& reached() const { return reached_; }

  /// A lower bound of the distance of c, a point not in D, from D; proven, and at most `tolerance`
  /// too small unless kMostDivisions cells were not enough. `known_upper`: the distance of some
  /// point of D.
  [[nodiscard]] double distance_below(const Vec3& c, double tolerance, double known_upper) const;

  /// What the nearest sample says about a point: estimates.
  struct Nearest {
    /// Of D, taken to be flat around the sample; negative when c is in D. Infinity where there are
    /// no samples.
    double distance = std::numeric_limits<double>::infinity();
    double sample_distance = std::numeric_limits<double>::infinity();
    Vec3 sample;   // in D, proven
    Vec3 nearest;  // of the flat patch: as far from c as `distance` says
  };
  [[nodiscard]] Nearest nearest_sample(const Vec3& c) const;
  /// The nearest sample as a free place; not found where there are no samples.
  [[nodiscard]] FreePoint nearest_free(const Vec3& c) const;
  /// A place of D that is near c: the nearest sample drawn towards it, with up to `steps`
  /// distances. Not found where there are no samples.
  [[nodiscard]] FreePoint drawn_near(const Vec3& c, int steps) const;
  /// The nearest to c of the places drawn near it from the samples that are nearest to it or to
  /// places up to `beside` from it along each axis: one for each of several walls.
  [[nodiscard]] FreePoint drawn_among(const Vec3& c, double beside, int steps) const;
  /// The distance of c from D, from above: that of a point of it found by drawing the nearest
  /// sample towards c, with up to `steps` distances. As good as exact where no other place is
  /// nearer. An estimate, negative, when c is in D; infinity where there are no samples.
  [[nodiscard]] double distance_above(const Vec3& c, int steps) const;

  /// Of a single ball, free balls: about the samples, and about those cells wholly in D that meet
  /// the bounds of the body. Every radius is proven free and at least that of the tool.
  [[nodiscard]] std::span<const Sphere> free_balls() const { return free_balls_; }

 private:
  enum class Kind : std::uint8_t { Without, Boundary, Within };
  enum class Where : std::uint8_t { Unknown, Inside, Outside };
  struct Cell {
    Vec3 center;
    double half = 0.0;  // half an edge
    Vec3 contact;       // as ToolContact::nearest, of the tool at the centre
    std::uint32_t triangle = kNoTriangle;
    std::uint32_t sphere = 0;
    std::uint32_t first = 0;     // child
    std::uint32_t children = 0;  // none: nothing of the boundary is in it after all, or a leaf
    Where where = Where::Unknown;
    bool is_leaf = false;
  };
  struct Sample {
    Vec3 normal;          // of D, into it: from where the tool touches
    double radius = 0.0;  // of the sphere that touches
    double patch = 0.0;   // how far around it D is about flat
  };
  struct Measured {
    Kind kind = Kind::Without;
    Where where = Where::Unknown;  // of the whole cell
    ToolContact contact;
  };

  /// A cell wholly in D, and a free ball about its middle.
  struct Within {
    Vec3 center;
    double half = 0.0;
    double radius = 0.0;
  };
  void build(const Options& options);
  void leave_out(const Box& root, std::size_t parents, std::size_t open,
                 std::vector<Within>& within);
  void plant();
  void sharpen(const Options& options);
  [[nodiscard]] std::uint32_t nearest_index(const Vec3& c) const;
  [[nodiscard]] FreePoint free_point(std::size_t sample) const;
  [[nodiscard]] FreePoint drawn_from(std::uint32_t sample, const Vec3& c, int steps) const;
  [[nodiscard]] Measured measure(const Vec3& center, double half, double within, Where where) const;
  [[nodiscard]] FreePoint sample_of(const Cell& cell) const;
  [[nodiscard]] Vec3 at_boundary(const FreePoint& free) const;
  [[nodiscard]] bool is_within(const Vec3& c) const;
  [[nodiscard]] bool is_too_narrow(const Cell& cell) const;
  [[nodiscard]] double bound(const Vec3& c, const Cell& cell) const;
  /// How far the contact of a cell is from touching a tool at a place.
  [[nodiscard]] double spare_at(const Vec3& t, const Cell& cell) const;

  BodyProbe body_;
  std::vector<Sphere> spheres_;
  ToolProbe tool_;  // of these two
  bool cancelled_ = false;
  std::shared_ptr<const ReachedCells> reached_;
  double cell_size_ = 0.0;
  std::vector<Cell> cells_;  // the root first
  std::vector<Vec3> points_;
  std::vector<Sample> samples_;  // at these points
  PointTree point_tree_;
  std::unique_ptr<const NearestCells> near_body_;
  std::vector<Sphere> free_balls_;
};

}  // namespace clearance::detail
