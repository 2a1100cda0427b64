// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Convex pieces around a body.
//
// A piece is the hull of what the body has in a box. Its corners are those of the triangles cut to
// the box and, for a solid, the corners of the box that are inside: a corner of the hull that is
// not on the surface is in the middle of the solid, and so can only be a corner of the box.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <clearance/geometry/convex_hull.h>
#include <clearance/simplify/representations.h>

namespace clearance {
namespace {

/// Hulls are enlarged about their middle by this fraction, and flat ones are as thick as this
/// fraction of the body. Corners that come from cutting are off by some 1e-16 of the body; what
/// is thinner than a millionth of it could in theory stick out of its hull by less than that.
constexpr double kOutward = 1e-9;
/// Where a box may be cut, as fractions of its sides.
constexpr std::array<double, 5> kCuts{0.5, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 6.0, 5.0 / 6.0};
/// How closely it is searched how far a piece sticks out, as a fraction of the error, and with how
/// many cells at most. Which piece is cut next goes by the farthest point found; what has been
/// proven of all pieces together is found in the end.
constexpr double kTolerance = 0.25;
constexpr std::size_t kMostCells = 2'000;
constexpr std::size_t kMostCellsInTheEnd = 50'000;

struct Piece {
  Box box;
  std::vector<std::uint32_t> triangles;  // that reach into the box
  Mesh hull;
  double volume = 0.0;
  double outward = 0.0;  // farthest point found from the body [m]
};

/// A polygon of a triangle cut by six planes.
struct Polygon {
  std::array<Vec3, 9> corners;
  std::size_t count = 0;
  void add(const Vec3& p) { corners[count++] = p; }
};

/// The part of a polygon on one side of a plane across an axis.
Polygon cut(const Polygon& polygon, std::size_t axis, double limit, bool below) {
  Polygon out;
  const auto depth = [&](const Vec3& p) { return below ? limit - p[axis] : p[axis] - limit; };
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Vec3& a = polygon.corners[i];
    const Vec3& b = polygon.corners[(i + 1) % polygon.count];
    const double da = depth(a);
    const double db = depth(b);
    if (da >= 0.0) out.add(a);
    if ((da >= 0.0) != (db >= 0.0)) {
      Vec3 p = a + (da / (da - db)) * (b - a);
      p[axis] = limit;
      out.add(p);
    }
  }
  return out;
}

Polygon cut(const Triangle& triangle, const Box& box) {
  Polygon polygon;
  for (const Vec3& p : {triangle.a, triangle.b, triangle.c}) polygon.add(p);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    polygon = cut(polygon, axis, box.low[axis], false);
    polygon = cut(polygon, axis, box.high[axis], true);
  }
  return polygon;
}

Box box_of(const Triangle& t) {
  Box box;
  for (const Vec3& p : {t.a, t.b, t.c}) box.include(p);
  return box;
}

bool holds(const Box& outer, const Box& inner) {
  return min(outer.low, inner.low) == outer.low && max(outer.high, inner.high) == outer.high;
}

Box grown(const Box& box, double by) {
  return {box.low - Vec3{by, by, by}, box.high + Vec3{by, by, by}};
}

Vec3 corner_of(const Box& box, int i) {
  return {(i & 1) != 0 ? box.high.x : box.low.x, (i & 2) != 0 ? box.high.y : box.low.y,
          (i & 4) != 0 ? box.high.z : box.low.z};
}

Result<Mesh> mesh_of(const ConvexHull& hull, std::span<const Vec3> points) {
  std::vector<std::uint32_t> numbers(points.size());
  std::vector<Vec3> corners;
  for (const std::uint32_t v : hull.vertices) {
    numbers[v] = static_cast<std::uint32_t>(corners.size());
    corners.push_back(points[v]);
  }
  std::vector<Face> faces;
  for (const Face& face : hull.faces)
    faces.push_back({numbers[face[0]], numbers[face[1]], numbers[face[2]]});
  return Mesh::make(std::move(corners), std::move(faces));
}

/// The mesh, larger by kOutward about the mean of its corners.
Mesh enlarged(const Mesh& hull) {
  std::vector<Vec3> corners(hull.vertices().begin(), hull.vertices().end());
  Vec3 middle;
  for (const Vec3& p : corners) middle += p / static_cast<double>(corners.size());
  for (Vec3& p : corners) p += kOutward * (p - middle);
  Result<Mesh> out = Mesh::make(std::move(corners), {hull.faces().begin(), hull.faces().end()});
  CLEARANCE_ASSERT(out.ok());
  return std::move(*out);
}

class Cutter {
 public:
  Cutter(const Model& body, const ConvexPiecesOptions& options)
      : body_(body), options_(options), margin_(kOutward * body.mesh().bounds().diagonal()) {}

  Result<ConvexPieces> run() {
    Piece whole;
    whole.box = body_.mesh().bounds();
    whole.triangles.resize(body_.mesh().triangle_count());
    for (std::uint32_t i = 0; i < whole.triangles.size(); ++i) whole.triangles[i] = i;
    std::optional<Piece> first = finished(std::move(whole));
    if (!first) return failed();
    std::vector<Piece> pieces{std::move(*first)};
    measure(pieces.back());
    while (pieces.size() < options_.most_pieces) {
      report_progress(
          options_.monitor, "convex pieces",
          static_cast<double>(pieces.size()) / static_cast<double>(options_.most_pieces));
      if (is_cancelled(options_.monitor)) return Error{ErrorCode::Cancelled, "", "", "", ""};
      const auto worst = std::ranges::max_element(pieces, {}, &Piece::outward);
      if (worst->outward <= options_.error) break;
      std::vector<Piece> halves = best_cut(*worst);
      if (halves.empty()) break;
      parallel_for(options_.threads, halves.size(), [&](std::size_t i) { measure(halves[i]); });
      *worst = std::move(halves.front());
      for (std::size_t i = 1; i < halves.size(); ++i) pieces.push_back(std::move(halves[i]));
    }
    return put_together(pieces);
  }

 private:
  static Error failed() {
    return {ErrorCode::Invalid, "", "", "no hull can be made of the mesh", ""};
  }

  void measure(Piece& piece) const {
    const Result<Model> hull = Model::build(piece.hull, {.threads = Threads{1}});
    CLEARANCE_ASSERT(hull.ok());
    piece.outward = farthest(*hull, kMostCells).lower;
  }
  [[nodiscard]] Enclosure farthest(const Model& hulls, std::size_t most_cells) const {
    FarthestOptions options;
    options.most_cells = most_cells;
    options.tolerance = kTolerance * options_.error;
    return farthest_from(hulls, body_, options);
  }

  /// The hull of what is in the box of a piece; nothing where that is empty.
  std::optional<Piece> finished(Piece piece) const {
    // Boxes overlap by the margin, so that nothing is lost between them.
    const Box box = grown(piece.box, margin_);
    std::vector<Vec3> points;
    for (const std::uint32_t t : piece.triangles) {
      const Triangle triangle = body_.mesh().triangle(t);
      if (holds(box, box_of(triangle))) {
        points.insert(points.end(), {triangle.a, triangle.b, triangle.c});
        continue;
      }
      const Polygon polygon = cut(triangle, box);
      points.insert(points.end(), polygon.corners.begin(),
                    polygon.corners.begin() + static_cast<std::ptrdiff_t>(polygon.count));
    }
    if (body_.is_solid()) {
      for (int i = 0; i < 8; ++i)
        if (body_.side(corner_of(box, i)) != Side::Outside) points.push_back(corner_of(box, i));
    }
    if (points.empty()) return std::nullopt;
    Result<ConvexHull> hull = convex_hull(points);
    if (hull && hull->dimension < 3) {
      const std::size_t count = points.size();
      for (std::size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 8; ++k)
          points.push_back(corner_of(grown({points[i], points[i]}, margin_), k));
      }
      hull = convex_hull(points);
    }
    if (!hull) return std::nullopt;
    const Result<Mesh> mesh = mesh_of(*hull, points);
    if (!mesh) return std::nullopt;
    piece.hull = enlarged(*mesh);
    piece.volume = solid_volume(piece.hull);
    return piece;
  }

  static double solid_volume(const Mesh& mesh) {
    double six = 0.0;
    const Vec3 origin = mesh.vertices().front();
    for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
      const Triangle t = mesh.triangle(i);
      six += dot(t.a - origin, cross(t.b - origin, t.c - origin));
    }
    return six / 6.0;
  }

  /// The triangles that reach into a box.
  [[nodiscard]] std::vector<std::uint32_t> reaching(const std::vector<std::uint32_t>& triangles,
                                                    const Box& box) const {
    const Box wide = grown(box, margin_);
    std::vector<std::uint32_t> out;
    for (const std::uint32_t t : triangles) {
      const Box of_triangle = box_of(body_.mesh().triangle(t));
      const Box common{max(wide.low, of_triangle.low), min(wide.high, of_triangle.high)};
      if (!common.empty()) out.push_back(t);
    }
    return out;
  }

  /// The two pieces (or one, where a side is empty) of the cut that leaves the least volume.
  [[nodiscard]] std::vector<Piece> best_cut(const Piece& piece) const {
    struct Attempt {
      std::size_t axis = 0;
      double at = 0.0;
      double volume = std::numeric_limits<double>::infinity();
    };
    std::vector<Attempt> attempts;
    // Of the hull, not of the box: what is empty need not be cut.
    const Box bounds = piece.hull.bounds();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Nothing is left to cut where a piece is as thin as the margin.
      if (bounds.size()[axis] <= 1e3 * margin_) continue;
      for (const double fraction : kCuts)
        attempts.push_back({axis, bounds.low[axis] + fraction * bounds.size()[axis]});
    }
    const auto halves_at = [&](const Attempt& attempt) {
      std::vector<Piece> halves;
      for (const bool below : {true, false}) {
        Piece half;
        half.box = piece.box;
        (below ? half.box.high : half.box.low)[attempt.axis] = attempt.at;
        half.triangles = reaching(piece.triangles, half.box);
        if (std::optional<Piece> done = finished(std::move(half)))
          halves.push_back(std::move(*done));
      }
      return halves;
    };
    parallel_for(options_.threads, attempts.size(), [&](std::size_t i) {
      attempts[i].volume = 0.0;
      for (const Piece& half : halves_at(attempts[i])) attempts[i].volume += half.volume;
    });
    const auto best = std::ranges::min_element(attempts, {}, &Attempt::volume);
    return best == attempts.end() ? std::vector<Piece>{} : halves_at(*best);
  }

  [[nodiscard]] Result<ConvexPieces> put_together(const std::vector<Piece>& pieces) const {
    std::vector<Mesh> meshes;
    std::vector<std::string> names;
    ConvexPieces out;
    for (const Piece& piece : pieces) {
      meshes.push_back(piece.hull);
      names.push_back("piece " + std::to_string(names.size()));
      out.outward.lower = std::max(out.outward.lower, piece.outward);
    }
    Result<Mesh> mesh = merged(meshes, names);
    if (!mesh) return mesh.error();
    out.mesh = std::move(*mesh);
    const Result<Model> model = Model::build(out.mesh, {.threads = options_.threads});
    if (!model) return model.error();
    const Enclosure all = farthest(*model, kMostCellsInTheEnd);
    out.outward = {std::max(out.outward.lower, all.lower), all.upper};
    return out;
  }

  const Model& body_;
  const ConvexPiecesOptions& options_;
  double margin_;  // [m]
};

}  // namespace

Result<Mesh> hull_of(const Mesh& mesh) {
  std::vector<bool> used(mesh.vertex_count());
  std::vector<Vec3> points;
  for (const Face& face : mesh.faces()) {
    for (const std::uint32_t v : face) {
      if (!used[v]) points.push_back(mesh.vertices()[v]);
      used[v] = true;
    }
  }
  const Result<ConvexHull> hull = convex_hull(points);
  if (!hull) return hull.error();
  if (hull->faces.empty())
    return Error{ErrorCode::Invalid, "", "", "all vertices lie on one line: no hull", ""};
  return mesh_of(*hull, points);
}

Result<ConvexPieces> convex_pieces(const Model& body, const ConvexPiecesOptions& options) {
  if (!(options.error >= 0.0) || !std::isfinite(options.error))
    return Error{ErrorCode::Invalid, "", "", "the error is not a length", ""};
  if (options.most_pieces == 0)
    return Error{ErrorCode::Invalid, "", "", "no convex piece is allowed", ""};
  return Cutter(body, options).run();
}

}  // namespace clearance
