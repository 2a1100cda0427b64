// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The two divisions that a proof of cover is made of: of the triangles of a surface, and of the
// space inside.
//
// Both rest on the power of a point x with regard to a ball, |x - center|² - radius²: at most 0 in
// the ball. Powers of one point differ between balls by linear functions of it, so the places where
// a ball has the least power are a convex region, bounded by planes. Within a polytope in that
// region the power is largest at a corner. Hence a polygon is covered when the corners of its
// parts, cut along these planes, are in the balls the parts belong to; and if one is not, it is in
// no other either. That decides triangles, but for rounding. Large ones with many balls are halved
// first.
//
// Space. Say the surface of a solid is covered. Then the largest power inside, if it is above 0, is
// at a corner of the regions, where four balls have the same. So cells of an octree matter only
// where four balls may have the least power; there they are divided until they are in one ball,
// outside the solid, or have an uncovered middle.
//
// For a kept volume that is filled the same is true in the inside of the body. Elsewhere, cells are
// divided until they are in a few balls, one of which may be free of the kept volume; cells
// take the free balls found for them along to their parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clearance/geometry/shapes.h>
#include <clearance/simplify/kept_volume.h>

#include "simplify/ball_set.h"
#include "simplify/body_probe.h"
#include "simplify/piece_work.h"

namespace clearance::detail {

/// Triangles of a body against balls.
class SurfaceProof {
 public:
  struct Piece {
    std::array<Vec3, 3> corner;
    std::array<bool, 3> is_vertex{};  // as in the mesh, not rounded
  };
  SurfaceProof(const BallSet& balls, double smallest) : balls_(&balls), smallest_(smallest) {}

  Looked look(const Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
              Vec3& point) const;
  void divide(const Piece& piece, std::vector<Piece>& parts) const;
  /// The same for those who want all of it, however small: Done, with the corners of the parts of
  /// the piece that are in no ball appended, the deepest places of gaps among them; or Divide.
  Looked look_for_all(const Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
                      std::vector<Vec3>& points) const;

 private:
  struct Around {
    Vec3 middle;
    double reach = 0.0;  // of the corners
    bool middle_is_free = true;
  };
  /// The balls that have a part of the piece. Done: one of them has all of it.
  Looked choose(const Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
                Around& around) const;

  const BallSet* balls_;
  double smallest_;  // pieces below this are cut, however many balls there are [m]
};

/// A cube of an octree.
struct CellPiece {
  Vec3 center;
  double half = 0.0;                                                           // half an edge [m]
  enum class Where : std::uint8_t { Unknown, Inside } where = Where::Unknown;  // of the body
  /// Balls near the cell that have no point of a kept volume; those without are left 0. The last
  /// found first.
  std::array<Sphere, 3> free{};
};
void divide_cell(const CellPiece& piece, std::vector<CellPiece>& parts);
/// A cube around a box, its middle a little beside that of the box: the planes of symmetry of a
/// part would be sides of cells for ever.
[[nodiscard]] CellPiece cell_around(const Box& box);
/// Is a cube in the union of a few balls? A gap on none of its faces has a corner of the regions of
/// least power inside. False where rounding leaves it open.
[[nodiscard]] bool is_in_union(const CellPiece& cell, std::span<const Ball* const> balls);
/// The place in a cube where four balls have the same power.
struct EqualPower {
  bool is_elsewhere = false;  // not in the cube, for certain
  bool is_known = false;      // else, if not elsewhere: the planes are nearly parallel
  Vec3 point;
  double error = 0.0;  // of the point, by rounding [m]
};
[[nodiscard]] EqualPower equal_power(const CellPiece& cell, const std::array<const Ball*, 4>& four);
/// Balls whose union is tried for one cell; there are fifteen fours of six.
inline constexpr std::size_t kMostTried = 6;
/// A sphere with what rounding may do; `reach`: of the points that are looked at.
[[nodiscard]] Ball ball_of(const Sphere& sphere, double reach);

/// The inside of a body, or of a kept volume, against balls. The surface of the body is known to be
/// covered.
class SpaceProof {
 public:
  using Piece = CellPiece;
  /// `kept` may be null: the body alone. Edges below `smallest` are not divided [m]. `for_certain`:
  /// a point is uncovered only when it is proven to be one of the kept volume, which takes longer
  /// than an estimate.
  SpaceProof(const BallSet& balls, const BodyProbe& body, const KeptVolume* kept, double smallest,
             bool for_certain = true)
      : balls_(&balls), body_(&body), kept_(kept), smallest_(smallest), for_certain_(for_certain) {}

  Looked look(Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen,
              Vec3& point) const;
  void divide(const Piece& piece, std::vector<Piece>& parts) const { divide_cell(piece, parts); }

  /// The balls that may have the least power somewhere in the cell. Done: one of them, or of those
  /// that are free of the kept volume, has all of it.
  Looked choose(const Piece& piece, std::span<const std::uint32_t> from, Candidates& chosen) const;
  /// Nothing is to be covered there: beyond the bounds of the body.
  [[nodiscard]] bool is_beyond(const Piece& piece) const;
  /// Is all of the cell in one of the free balls it carries?
  [[nodiscard]] static bool is_free(const Piece& piece);
  /// Is all of the cell outside the solid? Learns on the way that it is inside.
  [[nodiscard]] bool is_outside_body(Piece& piece) const;
  /// Proven to be a point of what is to be covered?
  [[nodiscard]] bool is_of_body(const Vec3& p, bool is_small) const;

 private:
  [[nodiscard]] bool is_uncovered(const Vec3& p, const Candidates& chosen) const;
  [[nodiscard]] Looked look_outside(Piece& piece, const Candidates& chosen, Vec3& point) const;

  const BallSet* balls_;
  const BodyProbe* body_;
  const KeptVolume* kept_;
  double smallest_;
  bool for_certain_;
};

/// All triangles of a body against balls.
[[nodiscard]] PieceOutcome prove_surface(const Bvh& body, const BallSet& balls, double smallest,
                                         const PieceLimits& limits);
/// All of the inside; the arguments are those of SpaceProof.
[[nodiscard]] PieceOutcome prove_space(const BodyProbe& body, const KeptVolume* kept,
                                       const BallSet& balls, double smallest, bool for_certain,
                                       const PieceLimits& limits);

}  // namespace clearance::detail
