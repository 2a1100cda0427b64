// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The largest ball about the origin in a convex body of six dimensions that is known by its support
// points: the hull of wrenches, or the sum of several hulls.
//
// A polytope inside the body grows (as EPA does in three dimensions): only the facet nearest to the
// origin is looked at; the farthest point of the body beyond it becomes a corner, until there is
// none, and the facet bounds the body. Of the many thousand facets of a hull in six dimensions most
// are never made.
//
// Degenerate input is the rule here: contacts on a plane, cones with the same axis, symmetric
// parts. Every corner is therefore moved by up to kJoggle, so that no seven of them lie in a
// hyperplane; facets are simplices then, and the radius is off by no more than the move.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace clearance::detail {

using Wrench = std::array<double, 6>;

/// How far a corner moves at most. Far above the rounding of facets (about 1e-15), so that a corner
/// is clearly on one side of each; far below what a quality is worth.
inline constexpr double kJoggle = 1e-12;
/// A facet bounds the body when nothing is farther beyond it than this.
inline constexpr double kSupportTolerance = 4.0 * kJoggle;
/// A body thinner than this is flat, and a ball smaller than this is none.
inline constexpr double kFlat = 1e-10;

/// Scratch memory and the search; one for each thread, used again and again.
class WrenchHull {
 public:
  /// In the hull of all points; 0 when the origin is not inside.
  double radius_in_hull(std::span<const Wrench> points);
  /// In the Minkowski sum of hulls, each of the origin and the points up to one of `ends`.
  double radius_in_sum(std::span<const Wrench> points, std::span<const std::size_t> ends);

  /// Facets made by the last call, for measurements.
  [[nodiscard]] std::size_t facets_made() const { return made_count_; }

 private:
  static constexpr std::size_t kCorners = 6;  // of a facet
  /// Padded to two vectors of four. A plane: unit normal, -offset, 0. A point: the point, 1, 0.
  struct alignas(32) Padded {
    std::array<double, 8> v{};
  };
  struct Facet {
    Padded plane;
    double height;                                  // above it, of the point looked at last
    std::uint64_t key;                              // the keys of its corners, xor-ed
    std::array<std::uint32_t, kCorners> neighbour;  // across the ridge without that corner
    std::array<std::uint16_t, kCorners> corner;
    std::uint32_t seen;  // number of the point looked at last
    float error;         // of the plane at its corners, about
  };
  static_assert(sizeof(Facet) == 128);
  struct Waiting {
    double offset;
    std::uint32_t facet;
    std::uint64_t key;  // of the facet meant: another may have taken its place
  };

  double radius(std::span<const std::size_t> ends, bool with_origin);
  void load(std::span<const Wrench> points);
  double support(const Padded& normal, std::span<const std::size_t> ends, bool with_origin,
                 Padded& point);
  bool start(std::span<const std::size_t> ends, bool with_origin);
  bool expand(std::uint32_t nearest, std::uint16_t corner);
  bool look(std::uint32_t facet, const Padded& point);
  std::uint32_t make(std::uint32_t from, std::size_t slot, std::uint16_t corner);
  bool link();
  std::uint16_t add_corner(Padded point);
  void set_plane_directly(Facet& facet) const;
  void wait(std::uint32_t facet);

  std::size_t count_ = 0;                              // of points
  std::array<std::vector<double>, kCorners> columns_;  // points, coordinate by coordinate
  std::vector<double> products_;
  std::vector<Padded> residuals_;
  std::vector<Padded> corners_;
  std::vector<std::uint64_t> keys_;  // of corners: random, so that a set is known by its xor
  std::vector<Facet> facets_;
  std::uint32_t used_ = 0;      // of these
  std::vector<Waiting> queue_;  // a heap, the nearest facet on top
  std::vector<std::uint32_t> visible_;
  std::vector<std::uint32_t> free_;  // places of facets that are gone
  struct Made {
    std::uint32_t facet;
    std::uint32_t slot;  // of the new corner
  };
  std::vector<Made> made_;
  /// Ridges of new facets that wait for the other side, in a hash table.
  struct Ridge {
    std::uint64_t key = 0;
    std::uint32_t facet = 0;
    std::uint16_t slot = 0;
    std::uint16_t round = 0;  // entries of other rounds are empty
  };
  std::vector<Ridge> ridges_;
  std::uint16_t round_ = 0;
  std::size_t made_count_ = 0;
  Padded inside_;  // a point of the first simplex
  std::uint32_t look_ = 0;
  std::uint64_t joggle_ = 0;
  double least_height_ = 0.0;  // of the planes looked at that bound the body: no radius is larger
};

}  // namespace clearance::detail
