// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/geometry/convex_hull.h>
#include <clearance/geometry/predicates.h>

namespace clearance {
namespace {

using Index = std::uint32_t;
using Corners = std::array<Index, 3>;
using Points = std::span<const Vec3>;

/// The corner, or side, after the i-th of a triangle.
constexpr std::size_t next(std::size_t i) { return i == 2 ? 0 : i + 1; }

/// Points that span the space all of them fill, one more than its dimension.
struct Simplex {
  std::array<Index, 4> corners{};
  int dimension = 0;
};

/// Of the points that pass the exact test `spans`, one with a large `measure`; none if no point
/// passes. A large start makes the search short; which point it is does not matter for the answer.
template <class Measure, class Test>
std::optional<Index> widest(Points points, Measure measure, Test spans) {
  Index best = 0;
  double largest = -1.0;
  for (Index i = 0; i < points.size(); ++i) {
    const double value = measure(points[i]);
    if (value > largest) {
      largest = value;
      best = i;
    }
  }
  if (spans(points[best])) return best;
  // All is within rounding of flat: any point will do.
  const auto any = std::find_if(points.begin(), points.end(), spans);
  if (any == points.end()) return std::nullopt;
  return static_cast<Index>(any - points.begin());
}

Simplex spanning_simplex(Points points) {
  Simplex simplex;
  // The first and last in lexicographic order are corners of the hull, on a line its ends.
  const auto before = [](const Vec3& p, const Vec3& q) {
    return p.x != q.x ? p.x < q.x : (p.y != q.y ? p.y < q.y : p.z < q.z);
  };
  const auto low = std::min_element(points.begin(), points.end(), before);
  const auto high = std::max_element(points.begin(), points.end(), before);
  simplex.corners[0] = static_cast<Index>(low - points.begin());
  if (!before(*low, *high)) return simplex;
  simplex.corners[1] = static_cast<Index>(high - points.begin());
  simplex.dimension = 1;

  const Vec3 a = *low;
  const Vec3 b = *high;
  const std::optional<Index> third = widest(
      points, [&](const Vec3& p) { return squared_norm(cross(b - a, p - a)); },
      [&](const Vec3& p) {
        return !has_zero_area({a, b, p});
      });
  if (!third) return simplex;
  simplex.corners[2] = *third;
  simplex.dimension = 2;

  const Vec3 c = points[*third];
  const Vec3 normal = cross(b - a, c - a);
  const std::optional<Index> fourth = widest(
      points, [&](const Vec3& p) { return std::abs(dot(normal, p - a)); },
      [&](const Vec3& p) { return orientation(a, b, c, p) != 0; });
  if (!fourth) return simplex;
  simplex.corners[3] = *fourth;
  simplex.dimension = 3;
  return simplex;
}

/// The polygon around points of one plane, by Andrew's monotone chain, as a double-sided surface.
std::vector<Corners> faces_in_plane(Points points, const Simplex& simplex) {
  struct Planar {
    double x, y;
    Index index;
  };
  // Dropping a coordinate keeps the polygon as long as the three spanning points keep an area.
  const auto drop = [&](std::size_t axis, Index i) {
    return Planar{points[i][next(axis)], points[i][next(next(axis))], i};
  };
  const auto turn = [](const Planar& a, const Planar& b, const Planar& c) {
    return orientation_2d(a.x, a.y, b.x, b.y, c.x, c.y);
  };
  const auto [i, j, k, none] = simplex.corners;
  std::size_t axis = 0;
  while (axis < 2 && turn(drop(axis, i), drop(axis, j), drop(axis, k)) == 0) ++axis;

  std::vector<Planar> sorted;
  sorted.reserve(points.size());
  for (Index p = 0; p < points.size(); ++p) sorted.push_back(drop(axis, p));
  std::sort(sorted.begin(), sorted.end(), [](const Planar& a, const Planar& b) {
    return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.index < b.index);
  });
  const auto equal = [](const Planar& a, const Planar& b) { return a.x == b.x && a.y == b.y; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), equal), sorted.end());

  std::vector<Planar> chain;
  // Adds p after taking away what it makes superfluous, down to `floor` points.
  const auto add = [&](const Planar& p, std::size_t floor) {
    while (chain.size() >= floor + 2 && turn(chain[chain.size() - 2], chain.back(), p) <= 0) {
      chain.pop_back();
    }
    chain.push_back(p);
  };
  for (const Planar& p : sorted) add(p, 0);
  const std::size_t lower = chain.size() - 1;
  for (std::size_t p = sorted.size() - 1; p-- > 0;) add(sorted[p], lower);
  chain.pop_back();  // the first point again

  std::vector<Corners> faces;
  for (std::size_t p = 2; p < chain.size(); ++p) {
    faces.push_back({chain[0].index, chain[p - 1].index, chain[p].index});
    faces.push_back({chain[0].index, chain[p].index, chain[p - 1].index});
  }
  return faces;
}

/// Quickhull: a closed convex surface grows from a tetrahedron. Each point still outside waits at
/// one face it sees. A point is added by replacing all the faces it sees by a fan from it to their
/// rim; the points that waited there are given to the faces of the fan or, if they see none, are
/// inside.
///
/// "Sees" means strictly beyond the plane, decided exactly. Why that is enough:
/// - The faces seen are connected and their rim is one simple loop, as they are the faces seen from
///   a point moved a little towards the inside, which is in no face's plane.
/// - No face of the fan is without area: the new point is strictly beyond the plane of one of the
///   faces at each edge of the rim, so not in line with that edge.
/// - A waiting point that is outside the grown surface sees a face of the fan: on the way from it
///   to the inside of the face it saw, everything is outside the old surface, so it can only enter
///   the grown one through the fan.
class Quickhull {
 public:
  Quickhull(Points points, const std::array<Index, 4>& tetrahedron)
      : points_(points), fan_from_(points.size()) {
    auto [a, b, c, d] = tetrahedron;
    if (orientation(points[a], points[b], points[c], points[d]) < 0) std::swap(a, b);
    // d is below abc. Side i of a face lies between its corners i and i + 1.
    faces_.push_back({{a, b, c}, {3, 1, 2}, {}});
    faces_.push_back({{c, b, d}, {0, 3, 2}, {}});
    faces_.push_back({{a, c, d}, {0, 1, 3}, {}});
    faces_.push_back({{b, a, d}, {0, 2, 1}, {}});
    std::vector<Index> all(points.size());
    for (Index i = 0; i < points.size(); ++i) all[i] = i;
    distribute(all, {0, 1, 2, 3});
  }

  void run() {
    while (!waiting_.empty()) {
      const Index face = waiting_.front();
      waiting_.pop();
      // The face may have been replaced since.
      if (!faces_[face].outside.empty()) add(furthest_outside(face), face);
    }
  }

  [[nodiscard]] std::vector<Corners> faces() const {
    std::vector<Corners> result;
    for (const Face& face : faces_) {
      if (!face.replaced) result.push_back(face.corners);
    }
    return result;
  }

  /// The points where three or more sharp edges meet, ascending. At other vertices of the surface,
  /// which came in before the corners around them, there are two (on an edge) or none (in a face).
  [[nodiscard]] std::vector<Index> corners() const {
    std::vector<Index> sharp(points_.size(), 0);
    for (const Face& face : faces_) {
      if (face.replaced) continue;
      for (std::size_t i = 0; i < 3; ++i) {
        // The sum of the neighbour's corners without the two of the common side.
        const Corners& other = faces_[face.neighbours[i]].corners;
        const Index apex = other[0] + other[1] + other[2] - face.corners[i] - face.corners[next(i)];
        if (side_of(face, apex) != 0) ++sharp[face.corners[i]];
      }
    }
    std::vector<Index> result;
    for (Index i = 0; i < sharp.size(); ++i) {
      if (sharp[i] >= 3) result.push_back(i);
    }
    return result;
  }

 private:
  struct Face {
    Corners corners;     // counter-clockwise from outside
    Corners neighbours;  // across the side from corner i to the one after it
    std::vector<Index> outside;
    bool replaced = false;
    bool seen = false;
  };
  /// A side where a face that is seen meets one that is not.
  struct RimEdge {
    Index from, to;
    Index beyond;  // the face that is not seen
  };

  /// Positive beyond the face's plane, 0 in it.
  [[nodiscard]] int side_of(const Face& face, Index p) const {
    const auto [a, b, c] = face.corners;
    return -orientation(points_[a], points_[b], points_[c], points_[p]);
  }

  /// Which one is a matter of speed only, so rounding does no harm. Of equal points the first.
  [[nodiscard]] Index furthest_outside(Index face) const {
    const auto& [corners, neighbours, outside, replaced, seen] = faces_[face];
    const Vec3 a = points_[corners[0]];
    const Vec3 normal = cross(points_[corners[1]] - a, points_[corners[2]] - a);
    Index best = outside.front();
    double largest = -std::numeric_limits<double>::infinity();
    for (const Index p : outside) {
      const double height = dot(normal, points_[p] - a);
      if (height > largest) {
        largest = height;
        best = p;
      }
    }
    return best;
  }

  /// Each point waits at the first of the faces it sees.
  void distribute(const std::vector<Index>& points, const std::vector<Index>& faces) {
    for (const Index p : points) {
      for (const Index face : faces) {
        if (side_of(faces_[face], p) <= 0) continue;
        faces_[face].outside.push_back(p);
        break;
      }
    }
    for (const Index face : faces) {
      if (!faces_[face].outside.empty()) waiting_.push(face);
    }
  }

  /// Replaces the faces p sees, `first` among them.
  void add(Index p, Index first) {
    // The faces seen, by walking over sides; `seen_` is both the queue and the result.
    seen_.assign(1, first);
    rim_.clear();
    faces_[first].seen = true;
    for (std::size_t k = 0; k < seen_.size(); ++k) {
      const Face& face = faces_[seen_[k]];
      for (std::size_t i = 0; i < 3; ++i) {
        const Index beyond = face.neighbours[i];
        if (faces_[beyond].seen) continue;
        if (side_of(faces_[beyond], p) > 0) {
          faces_[beyond].seen = true;
          seen_.push_back(beyond);
        } else {
          rim_.push_back({face.corners[i], face.corners[next(i)], beyond});
        }
      }
    }

    // Their waiting points, and their places, become free.
    homeless_.clear();
    for (const Index face : seen_) {
      std::vector<Index> outside = std::exchange(faces_[face].outside, {});
      homeless_.insert(homeless_.end(), outside.begin(), outside.end());
      faces_[face].replaced = true;
      free_.push_back(face);
    }

    // The fan, linked to what is beyond the rim and then to itself.
    fan_.clear();
    for (const RimEdge& edge : rim_) {
      const Index face = place();
      faces_[face] = {{edge.from, edge.to, p}, {edge.beyond, 0, 0}, {}};
      fan_.push_back(face);
      fan_from_[edge.from] = face;
      Face& beyond = faces_[edge.beyond];
      const auto side = std::find(beyond.corners.begin(), beyond.corners.end(), edge.to);
      beyond.neighbours[static_cast<std::size_t>(side - beyond.corners.begin())] = face;
    }
    for (const Index face : fan_) {
      const Index after = fan_from_[faces_[face].corners[1]];
      faces_[face].neighbours[1] = after;
      faces_[after].neighbours[2] = face;
    }
    distribute(homeless_, fan_);
  }

  /// A place for one more face.
  Index place() {
    if (free_.empty()) {
      faces_.emplace_back();
      return static_cast<Index>(faces_.size() - 1);
    }
    const Index face = free_.back();
    free_.pop_back();
    return face;
  }

  Points points_;
  std::vector<Face> faces_;
  std::vector<Index> free_;  // places of replaced faces
  // Faces where points may wait. First in, first out, so that the surface becomes finer everywhere
  // at once: a point that meets a finely cut part across from a coarse one sees all of it.
  std::queue<Index> waiting_;
  // Of the point being added.
  std::vector<Index> seen_;
  std::vector<RimEdge> rim_;
  std::vector<Index> homeless_;
  std::vector<Index> fan_;
  std::vector<Index> fan_from_;  // by point on the rim: the face of the fan that starts there
};

std::vector<Corners> solid_faces(Points points, const Simplex& simplex) {
  Quickhull hull(points, simplex.corners);
  hull.run();
  std::vector<Corners> faces = hull.faces();
  const std::vector<Index> corners = hull.corners();
  // Euler: such a surface has 2 v - 4 triangles. If v corners account for all, every vertex is one.
  if (faces.size() + 4 == 2 * corners.size()) return faces;

  // Once more with the corners alone. They are never superfluous, so this is final.
  std::vector<Vec3> corner_points;
  corner_points.reserve(corners.size());
  for (const Index i : corners) corner_points.push_back(points[i]);
  Quickhull clean(corner_points, spanning_simplex(corner_points).corners);
  clean.run();
  faces = clean.faces();
  for (Corners& face : faces) {
    for (Index& i : face) i = corners[i];
  }
  CLEARANCE_ASSERT(faces.size() + 4 == 2 * corners.size());
  return faces;
}

}  // namespace

Result<ConvexHull> convex_hull(std::span<const Vec3> points) {
  if (points.empty()) {
    return Error{ErrorCode::Invalid, "", "", "no points to make a convex hull of", ""};
  }
  // Faces, up to twice as many as points, have 32-bit indices too.
  if (points.size() > std::numeric_limits<Index>::max() / 4) {
    return Error{ErrorCode::Unsupported, "", "", "too many points for a convex hull",
                 "at most 1000 million; thin them out first"};
  }
  std::vector<Vec3> usable(points.begin(), points.end());
  for (std::size_t i = 0; i < usable.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      double& x = usable[i][k];
      if (!std::isfinite(x) || std::abs(x) > kLargestHullCoordinate) {
        return Error{ErrorCode::Invalid, "", "point " + std::to_string(i),
                     std::isfinite(x) ? "a coordinate is beyond 1e75, the limit of exact hulls"
                                      : "a coordinate is not finite",
                     ""};
      }
      if (std::abs(x) < 1.0 / kLargestHullCoordinate) x = 0.0;
    }
  }

  const Simplex simplex = spanning_simplex(usable);
  ConvexHull hull;
  hull.dimension = simplex.dimension;
  if (simplex.dimension < 2) {
    hull.vertices.assign(simplex.corners.begin(), simplex.corners.begin() + 1 + simplex.dimension);
  } else {
    hull.faces =
        simplex.dimension == 2 ? faces_in_plane(usable, simplex) : solid_faces(usable, simplex);
    for (Corners& face : hull.faces) {
      std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
      hull.vertices.insert(hull.vertices.end(), face.begin(), face.end());
    }
    std::sort(hull.faces.begin(), hull.faces.end());
  }
  std::sort(hull.vertices.begin(), hull.vertices.end());
  hull.vertices.erase(std::unique(hull.vertices.begin(), hull.vertices.end()), hull.vertices.end());
  return hull;
}

}  // namespace clearance
