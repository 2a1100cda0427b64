// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh against simple shapes: points, segments and rays, balls, capsules, boxes, convex bodies,
// half-spaces, point clouds, and what a depth camera saw.
//
// The shape is solid, the mesh is its surface: a mesh wholly inside a ball touches it, a ball
// wholly inside a closed mesh does not. (InsideTest of mesh/inside.h tells where a point is.)
//
// Every query takes the tree of the mesh, the shape, and the pose mesh_from_shape that puts the
// shape into the mesh's frame; points come back in the mesh's frame.
//
// - collide() is true whenever the exact shape at the exact pose touches a triangle. A gap below
//   kShapeContactError of the pair's extent (sizes plus gap; with a pose also the coordinates) may
//   be called contact, never the other way.
// - distance() is 0 whenever collide() is true. Otherwise it is within kDistanceError
//   (closest_points.h) of the extent of the closest pair: nine digits while the gap is more than
//   1e-5 of the shapes that make it. Convex bodies and point clouds: as query.h, to 1e-9 of itself.
// - within() never says "no" to a distance at or below its limit.
//
// The tree must be a wide one (Volume::Wide, the default): asserted. A shape or pose with a number
// that is not finite or beyond kLargestTranslation, a negative radius or half size, a pose that is
// not rigid (pose.h): answered as contact with no triangle, never as free. It is not repaired.
// Cost, for shapes near a mesh of a million triangles, on one core: collide() and within() 1 to 4
// microseconds, a ray 2, the distance of a point or a ball 20, of a capsule 70, of a box up to 300
// where its faces are parallel to the mesh's, so that many triangles are equally near.
// Nothing here throws or prints; all is safe on any thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/bvh/bvh.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/mesh.h>
#include <clearance/query/query.h>

namespace clearance {

/// Largest gap that may be called contact, as a fraction of the extent of the pair; with a pose,
/// of the coordinates as well. Twice what the distances of closest_points.h are off at most.
inline constexpr double kShapeContactError = 2e-14;

/// All points p with dot(normal, p) <= offset: the floor, a wall, a safety fence. The normal points
/// out of the solid and may have any length but zero.
struct HalfSpace {
  Vec3 normal{0.0, 0.0, 1.0};
  double offset = 0.0;  ///< [m] for a normal of unit length
};

/// A convex body: the hull of points. Immutable; copies share their data.
class ConvexBody {
 public:
  /// The smallest convex body around the points (convex_hull.h: exact, flat ones and single points
  /// included). Errors as convex_hull().
  static Result<ConvexBody> around(std::span<const Vec3> points);

  [[nodiscard]] std::span<const Vec3> corners() const { return data_->corners; }
  /// Counter-clockwise seen from outside; a flat body has both sides, a line or a point one
  /// triangle without area.
  [[nodiscard]] std::span<const Face> faces() const { return data_->faces; }
  /// 3 for a solid, 2 flat, 1 a segment, 0 a point.
  [[nodiscard]] int dimension() const { return data_->dimension; }
  /// The tree of the faces.
  [[nodiscard]] const Bvh& surface() const { return *data_->surface; }
  /// Of a solid, half-spaces with normals of unit length that hold all of it, to rounding: one
  /// along every face with a normal. That of a sliver leans, as rounding has it.
  [[nodiscard]] std::span<const HalfSpace> planes() const { return data_->planes; }

 private:
  struct Data {
    std::vector<Vec3> corners;
    std::vector<Face> faces;
    std::vector<HalfSpace> planes;
    int dimension = 3;
    std::optional<Bvh> surface;
  };
  explicit ConvexBody(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// Points that each stand for a ball of one radius, as scanners and depth cameras deliver them.
/// Has a tree of its own. Immutable; copies share their data.
class PointCloud {
 public:
  /// Errors: no point; one that is not finite; a radius that is negative or not finite. Cost as
  /// Bvh::build(); about 70 bytes a point.
  static Result<PointCloud> make(std::vector<Vec3> points, double radius, Threads threads = {});

  [[nodiscard]] std::span<const Vec3> points() const { return data_->points; }
  [[nodiscard]] double radius() const { return data_->radius; }  ///< [m]
  /// The tree: a triangle of three equal corners for each point, of the same number.
  [[nodiscard]] const Bvh& tree() const { return *data_->tree; }

 private:
  struct Data {
    std::vector<Vec3> points;
    std::vector<Face> faces;
    double radius = 0.0;
    std::optional<Bvh> tree;
  };
  explicit PointCloud(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// Any of the shapes. Each converts by itself: distance(mesh, Sphere{center, radius}).
using Shape =
    std::variant<Vec3, Segment, Sphere, Capsule, OrientedBox, HalfSpace, ConvexBody, PointCloud>;

struct ShapeCollision {
  bool hit = false;
  std::uint32_t triangle = kNoTriangle;  ///< one that touches, when hit
  std::uint32_t point = kNoTriangle;     ///< of a PointCloud, the point it touches
  Work work;
};

/// Does the shape touch the surface? Stops at the first triangle found.
[[nodiscard]] ShapeCollision collide(const Bvh& mesh, const Shape& shape,
                                     const Pose& mesh_from_shape = Pose::identity());

struct ShapeDistance {
  /// [m]; 0 when they touch; infinity when beyond the upper bound.
  double distance = std::numeric_limits<double>::infinity();
  bool beyond = false;    ///< nothing is closer than the upper bound; no points then
  Vec3 on_mesh, on_shape; /**< the closest points, in the mesh's frame [m]. When they touch, both
                               are about one common point. */
  std::uint32_t triangle = kNoTriangle;  ///< of on_mesh
  std::uint32_t point = kNoTriangle;     ///< of a PointCloud, the nearest point
  Work work;
};

/// How far is the surface from the shape? Among equally close triangles the lowest number comes
/// back; when they touch, some triangle that does. Distances at or above upper_bound [m] come back
/// as `beyond`.
[[nodiscard]] ShapeDistance distance(const Bvh& mesh, const Shape& shape,
                                     const Pose& mesh_from_shape = Pose::identity(),
                                     double upper_bound = std::numeric_limits<double>::infinity());

struct ShapeWithin {
  bool within = false;
  double lower = 0.0;  ///< proven bounds of the distance, as far as the query got [m]
  double upper = std::numeric_limits<double>::infinity();
  std::uint32_t triangle = kNoTriangle;  ///< one closer than or at the limit, when within
  std::uint32_t point = kNoTriangle;     ///< of a PointCloud
  Work work;
};

/// Is the surface at `limit` [m] or closer? Cheaper than the distance.
[[nodiscard]] ShapeWithin within(const Bvh& mesh, const Shape& shape, double limit,
                                 const Pose& mesh_from_shape = Pose::identity());

struct RayHit {
  bool hit = false;
  double distance = std::numeric_limits<double>::infinity();  ///< along the ray [m]
  Vec3 point;                                                 ///< where it hits [m]
  Vec3 normal;  ///< of the triangle, as wound; zero when it is degenerate
  std::uint32_t triangle = kNoTriangle;
  Work work;
};

/// Where a ray first meets the surface, from either side of a triangle. The direction may have any
/// length but zero. A ray through an edge or a corner hits it: no leaks between triangles. Among
/// triangles met at the same distance the lowest number comes back. The triangle found is within
/// kShapeContactError of the extent of being hit exactly; the distance is right to 1e-9 of the
/// extent, or, where the ray runs nearly within the triangle, is that of a point both share.
[[nodiscard]] RayHit first_hit(const Bvh& mesh, const Vec3& origin, const Vec3& direction,
                               double max_distance = std::numeric_limits<double>::infinity());

/// A pinhole camera without distortion. Its frame has x to the right, y down, z forward (as OpenCV
/// and ROS optical frames). Pixel (column u, row v) with depth z is the point
/// ((u - center_u) z / focal_u, (v - center_v) z / focal_v, z): depth is along the axis, not along
/// the ray.
struct PinholeCamera {
  int width = 0;   ///< [pixels]
  int height = 0;  ///< [pixels]
  double focal_u = 0.0;
  double focal_v = 0.0;
  double center_u = 0.0;
  double center_v = 0.0;
};

/// What to think of space the camera could not see: behind what it saw, and along pixels that
/// brought no depth.
enum class UnseenSpace : std::uint8_t {
  Free,   ///< nothing is there until seen: only the seen surface is an obstacle
  Solid,  ///< all of it is an obstacle, up to the range: safe, and often too careful
};

struct DepthOptions {
  UnseenSpace unseen = UnseenSpace::Solid;
  /// Nearer depths are noise and count as none [m].
  double nearest = 0.05;
  /// Farther depths count as none; unseen space ends here [m].
  double range = 10.0;
  /// With UnseenSpace::Free: neighbouring pixels whose depths differ by more than this fraction of
  /// the nearer one are not joined; the surface has a gap there.
  double largest_step = 0.05;
};

/// The pixels of a depth image as points of the camera's frame, those without depth left out, as
/// balls of a radius [m] that covers the sensor's noise and half the distance of neighbouring
/// pixels. `depth` has width * height values [m], row after row; 0, negative, infinite or NaN
/// means none. Errors: sizes that do not fit, focal lengths that are not above 0, no pixel with a
/// depth. Unseen space is free.
[[nodiscard]] Result<PointCloud> point_cloud_of(const PinholeCamera& camera,
                                                std::span<const float> depth, double radius,
                                                const DepthOptions& options = {});

/// A depth image as triangles between neighbouring pixels, in the camera's frame.
/// UnseenSpace::Free: the seen surface, open, facing the camera.
/// UnseenSpace::Solid: a closed solid, facing outward, of everything behind the seen surface out to
/// the range; a pixel without depth hides everything from `nearest` on, and steps in depth become
/// walls. Use it as a solid: what is inside it is in unseen space. What is outside the picture is
/// free in both cases.
/// Between pixels the surface is taken as flat; nothing thinner than a pixel is seen.
/// Errors as point_cloud_of(); with Free, also when no two neighbours can be joined.
[[nodiscard]] Result<Mesh> mesh_of(const PinholeCamera& camera, std::span<const float> depth,
                                   const DepthOptions& options = {});

}  // namespace clearance
