// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of bounding volumes over the triangles of a mesh: what every query descends.
//
// The default, Volume::Wide, is the fast one: nodes of eight children whose boxes share one
// orientation, single precision rounded outward, leaves of up to eight triangles
// (docs/decisions/0005-the-tree.md). The other volumes are binary trees with one triangle a leaf,
// as in the paper "Construction of Bounding Volume Hierarchies for Triangle Meshes with Mixed Face
// Sizes" (Li, Shellshear, Bohlin, Carlson) and in PQP and RAPID; they are kept for comparison, for
// studies, and as second opinion in tests. Every query gives the same answer on every tree.
//
// A Bvh is an immutable value: copies share their data, and any number of threads may read it. It
// refers to the vertices and triangles it was built from and does not copy them; `owner` keeps
// them alive (query/model.h passes the Mesh). Triangles may be degenerate, duplicate or all
// identical; coordinates must be finite and indices in range, as a Mesh guarantees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/shapes.h>

namespace clearance {

namespace detail {
struct WideTree;
struct BinaryTree;
}  // namespace detail

/// What bounds the triangles of a node.
enum class Volume : std::uint8_t {
  Wide,    ///< eight oriented boxes to a node (the default)
  Rss,     ///< rectangle swept sphere: all points within a radius of a rectangle
  Obb,     ///< oriented box
  Aabb,    ///< axis-aligned box
  Sphere,  ///< sphere
};

/// How a set of triangles is split in two, and along which axes volumes are fitted.
enum class Fitter : std::uint8_t {
  Binned,   ///< least surface-area cost over bins along three axes (the default)
  Pqp,      ///< mean and covariance of the vertices (paper, section II)
  Rapid2,   ///< covariance of the surface, by area (paper, section III)
  Inertia,  ///< inertia about the centre of mass, by A_i / A_min (paper, section IV)
};

[[nodiscard]] const char* name_of(Volume volume);  ///< "wide", "rss", "obb", "aabb", "sphere"
[[nodiscard]] const char* name_of(Fitter fitter);  ///< "binned", "pqp", "rapid2", "inertia"

struct BvhOptions {
  Volume volume = Volume::Wide;
  Fitter fitter = Fitter::Binned;
  Threads threads;  ///< for building; the tree is the same for any number
};

/// What a tree is made of. Areas and volumes are sums over all bounding volumes, the root and the
/// leaves included (Table II of the paper), in m² and m³.
struct BvhStatistics {
  std::size_t node_count = 0;  ///< bounding volumes, leaves included
  std::size_t leaf_count = 0;
  std::size_t depth = 0;  ///< volumes on the longest way from the root to a leaf
  double total_area = 0.0;
  double total_volume = 0.0;
  double triangles_per_leaf = 0.0;
  double children_per_node = 0.0;  ///< of the inner nodes
  std::size_t memory_bytes = 0;    ///< of the tree, without vertices and triangles
};

class Bvh {
 public:
  /// Builds a tree over faces.size() triangles. Errors: no triangle; an index out of range; a
  /// coordinate that is not finite; 2³¹ triangles or more. Cost: n log n; 1.25 million triangles
  /// take well under a second on one core.
  static Result<Bvh> build(std::span<const Vec3> vertices,
                           std::span<const std::array<std::uint32_t, 3>> faces,
                           const BvhOptions& options = {},
                           std::shared_ptr<const void> owner = nullptr);

  /// The same tree around moved vertices (same number, same triangles): looser the more the shape
  /// has changed, right however much it has. Cheaper than building: for the wide tree somewhat more
  /// than twice (1.25 million triangles, of one core: 0.33 s to build, 0.15 s to refit to a bent
  /// and twisted shape). The result does not depend on the number of threads.
  [[nodiscard]] Result<Bvh> refit(std::span<const Vec3> vertices,
                                  std::shared_ptr<const void> owner = nullptr,
                                  Threads threads = {}) const;

  /// Writes tree, vertices and triangles to one file: versioned, checksummed, whole or not at all.
  /// The same tree gives the same bytes. Format: docs/tree_files.md.
  [[nodiscard]] Status save(const std::string& path) const;
  /// Maps a file written by save() and uses it in place; the nodes of binary trees are copied. A
  /// damaged file, or one of another version or byte order, is an error that says so: the checksum
  /// covers every byte and is compared before anything is used, then the tree is checked for
  /// everything that could lead a query astray in memory. Cost: one pass over the file, about 0.07
  /// s for 1.25 million triangles. The file must not be changed in place while the tree lives;
  /// save() to the same name is fine, it makes a new one.
  static Result<Bvh> map(const std::string& path);

  [[nodiscard]] std::span<const Vec3> vertices() const { return data_->vertices; }
  [[nodiscard]] std::span<const std::array<std::uint32_t, 3>> faces() const { return data_->faces; }
  [[nodiscard]] std::size_t triangle_count() const { return data_->faces.size(); }
  [[nodiscard]] Triangle triangle(std::size_t i) const {
    const auto& f = data_->faces[i];
    return {data_->vertices[f[0]], data_->vertices[f[1]], data_->vertices[f[2]]};
  }
  /// Axis-aligned bounds of the triangles, exact.
  [[nodiscard]] const Box& bounds() const { return data_->bounds; }
  [[nodiscard]] Volume volume() const { return data_->volume; }
  [[nodiscard]] Fitter fitter() const { return data_->fitter; }
  [[nodiscard]] BvhStatistics statistics() const;

  /// The tree behind it, for the queries: one of the two is set.
  [[nodiscard]] const detail::WideTree* wide() const { return data_->wide.get(); }
  [[nodiscard]] const detail::BinaryTree* binary() const { return data_->binary.get(); }

 private:
  struct Data {
    std::span<const Vec3> vertices;
    std::span<const std::array<std::uint32_t, 3>> faces;
    std::shared_ptr<const void> owner;  // of the memory behind the two spans
    Box bounds;
    Volume volume = Volume::Wide;
    Fitter fitter = Fitter::Binned;
    std::shared_ptr<const detail::WideTree> wide;
    std::shared_ptr<const detail::BinaryTree> binary;
  };
  explicit Bvh(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace clearance
