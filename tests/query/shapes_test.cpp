// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh against simple shapes, held to brute force over all triangles: seeded scenes of every kind
// of triangle, at any scale and far from the origin, about half of them in contact.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/intersect.h>
#include <clearance/geometry/predicates.h>
#include <clearance/geometry/triangle_triangle.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/health.h>
#include <clearance/query/model.h>
#include <clearance/query/shapes.h>

#include "support/query_scenes.h"
#include "support/random_shapes.h"
#include "support/simple_meshes.h"

namespace clearance::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Bvh tree_of(const TriangleSet& set) {
  Result<Bvh> tree = Bvh::build(set.vertices, set.faces);
  EXPECT_TRUE(tree.ok());
  return std::move(tree).value();
}

// How far one triangle is from a shape in its own frame, by another way than the library's.
double apart(const Vec3& p, const Triangle& t) { return closest_points(p, t).distance; }
double apart(const Segment& s, const Triangle& t) { return closest_points(s, t).distance; }
double apart(const Sphere& s, const Triangle& t) { return closest_points(s, t).distance; }
double apart(const Capsule& s, const Triangle& t) { return closest_points(s, t).distance; }
double apart(const HalfSpace& s, const Triangle& t) {
  const auto height = [&](const Vec3& p) {
    return std::max(0.0, (dot(s.normal, p) - s.offset) / norm(s.normal));
  };
  return std::min({height(t.a), height(t.b), height(t.c)});
}
double apart(const ConvexBody& body, const Triangle& t) {
  double least = kInfinity;
  bool inside = body.dimension() == 3;
  for (const Face& f : body.faces()) {
    const Triangle face{body.corners()[f[0]], body.corners()[f[1]], body.corners()[f[2]]};
    least = std::min(least, closest_points(face, t).distance);
    // orientation() is positive below a face that is counter-clockwise seen from outside.
    inside = inside && orientation(face.a, face.b, face.c, t.a) >= 0;
  }
  return inside ? 0.0 : least;
}
double apart(const OrientedBox& box, const Triangle& t) {
  return apart(*ConvexBody::around(corners(box)), t);
}
double apart(const PointCloud& cloud, const Triangle& t) {
  double least = kInfinity;
  for (const Vec3& p : cloud.points())
    least = std::min(least, closest_points(Sphere{p, cloud.radius()}, t).distance);
  return least;
}

double brute_distance(const TriangleSet& mesh, const Shape& shape, const Pose& mesh_from_shape) {
  const Pose shape_from_mesh = inverse(mesh_from_shape);
  double least = kInfinity;
  for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
    const Triangle t = moved(shape_from_mesh, mesh.triangle(i));
    least = std::min(least, std::visit([&](const auto& s) { return apart(s, t); }, shape));
  }
  return least;
}

/// A shape of about unit size that holds the origin of its frame.
Shape random_shape(Random& random, std::size_t kind) {
  const double size = std::pow(10.0, random.uniform(-2.0, 0.0));
  const auto near = [&] { return size * scenes::in_ball(random); };
  switch (kind) {
    case 0:
      return Vec3{};
    case 1: {
      const Vec3 end = near();
      return Segment{-random.uniform() * end, end};
    }
    case 2: {
      const double radius = size * random.uniform();
      return Sphere{radius * scenes::in_ball(random), radius};
    }
    case 3: {
      const Vec3 end = near();
      return Capsule{{-random.uniform() * end, end}, size * random.uniform()};
    }
    case 4: {
      // Some are flat, some are sticks; the origin is inside.
      Vec3 half{size * random.uniform(), size * random.uniform(), size * random.uniform()};
      if (random.below(3) == 0) half[random.below(3)] = 0.0;
      const Mat3 rotation = scenes::rotation(random);
      const Vec3 center{half.x * random.uniform(-1, 1), half.y * random.uniform(-1, 1), 0.0};
      return OrientedBox{{rotation, rotation * center}, half};
    }
    case 5:
      return HalfSpace{random.uniform(0.5, 2.0) * scenes::direction(random), 0.0};
    case 6: {
      std::vector<Vec3> points{Vec3{}};
      const std::size_t count = random.below(3) == 0 ? random.below(3) : 10 + random.below(20);
      for (std::size_t i = 0; i < count; ++i) points.push_back(near());
      return *ConvexBody::around(points);
    }
    default: {
      std::vector<Vec3> points{Vec3{}};
      for (std::size_t i = 0; i < 30; ++i) points.push_back(scenes::in_ball(random));
      const double radius = random.below(3) == 0 ? 0.0 : 0.1 * size;
      return *PointCloud::make(points, radius, Threads{1});
    }
  }
}
constexpr std::size_t kShapeKinds = 8;
const char* const kShapeNames[kShapeKinds] = {"point", "segment",    "sphere", "capsule",
                                              "box",   "half-space", "convex", "cloud"};

Shape scaled_shape(const Shape& shape, double scale) {
  struct {
    double f;
    Shape operator()(const Vec3& p) const { return f * p; }
    Shape operator()(const Segment& s) const { return Segment{f * s.a, f * s.b}; }
    Shape operator()(const Sphere& s) const { return Sphere{f * s.center, f * s.radius}; }
    Shape operator()(const Capsule& s) const {
      return Capsule{{f * s.axis.a, f * s.axis.b}, f * s.radius};
    }
    Shape operator()(const OrientedBox& s) const {
      return OrientedBox{{s.world_from_box.rotation, f * s.world_from_box.translation},
                         f * s.half_size};
    }
    Shape operator()(const HalfSpace& s) const { return HalfSpace{s.normal, f * s.offset}; }
    Shape operator()(const ConvexBody& s) const {
      std::vector<Vec3> points;
      for (const Vec3& p : s.corners()) points.push_back(f * p);
      return *ConvexBody::around(points);
    }
    Shape operator()(const PointCloud& s) const {
      std::vector<Vec3> points;
      for (const Vec3& p : s.points()) points.push_back(f * p);
      return *PointCloud::make(points, f * s.radius(), Threads{1});
    }
  } by{scale};
  return std::visit(by, shape);
}

struct ShapeScene {
  TriangleSet mesh;
  Shape shape;
  Pose mesh_from_shape;
  double scale = 1.0;
  double coordinates = 0.0;  // the largest in the mesh's frame
};

/// The origin of the shape on the mesh; in half of the scenes a plane fits between the two.
ShapeScene shape_scene(Random& random, SceneKind kind, std::size_t shape_kind,
                       const ScenePlacement& placement) {
  ShapeScene scene;
  scene.mesh = scenes::triangle_set(random, kind, 30);
  scene.scale =
      std::pow(10.0, random.uniform(placement.least_exponent, placement.greatest_exponent));
  scenes::place(random, scene.mesh, scene.scale, placement.far);
  scene.shape = scaled_shape(random_shape(random, shape_kind), scene.scale);
  scene.mesh_from_shape = {scenes::rotation(random), scenes::point_on(random, scene.mesh)};
  if (random.below(2) == 0) {
    // No shape reaches farther than two sizes from its origin; a half-space is turned round.
    Vec3 away = scenes::direction(random);
    double reach = 2.5 * scene.scale;
    if (const auto* half_space = std::get_if<HalfSpace>(&scene.shape)) {
      away = -normalized(scene.mesh_from_shape.rotation * half_space->normal);
      reach = 0.0;
    }
    double top = -kInfinity;
    for (const Vec3& p : scene.mesh.vertices) top = std::max(top, dot(away, p));
    const double gap = scene.scale * std::pow(10.0, random.uniform(-6.0, 0.5));
    const double now = dot(away, scene.mesh_from_shape.translation);
    scene.mesh_from_shape.translation += (top - now + reach + gap) * away;
  }
  scene.coordinates = norm(scene.mesh_from_shape.translation) + scene.scale;
  for (const Vec3& p : scene.mesh.vertices)
    scene.coordinates = std::max(scene.coordinates, norm(p));
  return scene;
}

void expect_right(const ShapeScene& scene, HitCounter& hits, const std::string& what) {
  SCOPED_TRACE(what);
  const Bvh tree = tree_of(scene.mesh);
  const double right = brute_distance(scene.mesh, scene.shape, scene.mesh_from_shape);
  // The oracle moves the mesh instead of the shape, and rounds as well.
  const double tolerance = 2e-9 * right + 1e-13 * scene.scale + 1e-14 * scene.coordinates;
  const ShapeDistance found = distance(tree, scene.shape, scene.mesh_from_shape);
  const ShapeCollision hit = collide(tree, scene.shape, scene.mesh_from_shape);
  hits.count(hit.hit);
  EXPECT_NEAR(found.distance, right, tolerance);
  EXPECT_EQ(hit.hit, found.distance == 0.0);
  if (right == 0.0) {
    // Contact of the rounded oracle is contact but for that rounding.
    EXPECT_LE(found.distance, 1e-14 * scene.coordinates);
  }
  // The witnesses are where they say.
  ASSERT_LT(found.triangle, scene.mesh.faces.size());
  const Triangle t = scene.mesh.triangle(found.triangle);
  EXPECT_LE(closest_points(found.on_mesh, t).distance, tolerance);
  EXPECT_NEAR(distance(found.on_mesh, found.on_shape), found.distance, 2.0 * tolerance);

  // Within: yes at the distance and above, no below.
  EXPECT_TRUE(within(tree, scene.shape, right + tolerance, scene.mesh_from_shape).within);
  EXPECT_TRUE(within(tree, scene.shape, found.distance, scene.mesh_from_shape).within);
  if (right > 4.0 * tolerance) {
    const ShapeWithin no =
        within(tree, scene.shape, right - 2.0 * tolerance, scene.mesh_from_shape);
    EXPECT_FALSE(no.within);
    EXPECT_EQ(no.lower, right - 2.0 * tolerance);
    // An upper bound below the distance leaves nothing.
    const ShapeDistance beyond =
        distance(tree, scene.shape, scene.mesh_from_shape, right - 2.0 * tolerance);
    EXPECT_TRUE(beyond.beyond);
    EXPECT_EQ(beyond.distance, kInfinity);
  }
  const ShapeDistance bounded =
      distance(tree, scene.shape, scene.mesh_from_shape, right + 2.0 * tolerance + 1e-300);
  EXPECT_EQ(bounded.distance, found.distance);
  if (found.distance > 0.0) {
    EXPECT_EQ(bounded.triangle, found.triangle);
  }
}

class Shapes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Shapes, AgreeWithBruteForceOnEveryKindOfTriangle) {
  HitCounter hits;
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Random random(1000 * seed + static_cast<std::uint64_t>(kind));
      expect_right(shape_scene(random, kind, GetParam(), kHere), hits,
                   std::string(name_of(kind)) + " " + std::to_string(seed));
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(hits.fraction(), 0.3);
  EXPECT_LT(hits.fraction(), 0.7);
}

TEST_P(Shapes, AgreeWithBruteForceAtAnyScaleAndFarAway) {
  HitCounter hits;
  for (const ScenePlacement& placement : {kAnyScale, kFarAway}) {
    for (const SceneKind kind : {SceneKind::Soup, SceneKind::Mixed, SceneKind::Surface}) {
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Random random(77 + 1000 * seed + static_cast<std::uint64_t>(kind));
        expect_right(shape_scene(random, kind, GetParam(), placement), hits,
                     std::string(name_of(kind)) + " " + std::to_string(seed));
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(hits.fraction(), 0.3);
  EXPECT_LT(hits.fraction(), 0.7);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Shapes, ::testing::Range(std::size_t{0}, kShapeKinds),
                         [](const auto& param) {
                           std::string name = kShapeNames[param.param];
                           std::erase(name, '-');
                           return name;
                         });

Bvh cube_tree(const Mesh& mesh) { return std::move(*Bvh::build(mesh.vertices(), mesh.faces())); }

TEST(ShapeCollide, FindsContactsThatAreExact) {
  // Each shape meets the face x = 1 of the unit cube in exactly one point or face.
  const Mesh mesh = cube();
  const Bvh tree = cube_tree(mesh);
  const std::vector<Shape> shapes{
      Vec3{1, 0.5, 0.5},
      Segment{{1, 0.25, 0.5}, {2, 0.25, 0.5}},
      Sphere{{1.5, 0.5, 0.5}, 0.5},
      Capsule{{{1.25, 0.5, 0.25}, {1.25, 0.5, 0.75}}, 0.25},
      OrientedBox{Pose::translate({1.25, 0.5, 0.5}), {0.25, 0.25, 0.25}},
      HalfSpace{{-2, 0, 0}, -2},
      *ConvexBody::around(std::vector<Vec3>{{1, 0.5, 0.5}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}}),
      *PointCloud::make({{1.25, 0.5, 0.5}, {3, 0, 0}}, 0.25)};
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(kShapeNames[shape.index()]);
    EXPECT_TRUE(collide(tree, shape).hit);
    EXPECT_EQ(distance(tree, shape).distance, 0.0);
    // A hair away it is free, and says how far.
    const Pose away = Pose::translate({1e-9, 0, 0});
    EXPECT_FALSE(collide(tree, shape, away).hit);
    EXPECT_NEAR(distance(tree, shape, away).distance, 1e-9, 1e-14);
  }
}

TEST(ShapeCollide, CountsAMeshInsideTheShapeAsContactAndAShapeInsideTheMeshNot) {
  const Mesh mesh = cube();
  const Bvh tree = cube_tree(mesh);
  const Vec3 middle{0.5, 0.5, 0.5};
  std::vector<Vec3> octahedron;
  for (std::size_t k = 0; k < 3; ++k) {
    for (const double s : {-1.0, 1.0}) {
      Vec3 p;
      p[k] = s;
      octahedron.push_back(p);
    }
  }
  for (const double size : {4.0, 0.1}) {
    std::vector<Vec3> points;
    for (const Vec3& p : octahedron) points.push_back(middle + size * p);
    const std::vector<Shape> shapes{
        Sphere{middle, size}, Capsule{{middle, middle + Vec3{0.1, 0, 0}}, size},
        OrientedBox{Pose::translate(middle), {size, size, size}}, *ConvexBody::around(points)};
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(kShapeNames[shape.index()]);
      EXPECT_EQ(collide(tree, shape).hit, size > 1.0);
      EXPECT_EQ(distance(tree, shape).distance == 0.0, size > 1.0);
      EXPECT_EQ(within(tree, shape, 1e-6).within, size > 1.0);
    }
  }
}

TEST(ShapeCollide, FindsTheOneSmallPieceInsideAConvexBody) {
  // Two cubes far apart: the first surface does not touch the body, the second is inside it.
  const Mesh mesh = together({cube(1.0), cube(0.1, {10, 0, 0})});
  const Bvh tree = cube_tree(mesh);
  const ConvexBody body =
      *ConvexBody::around(corners(OrientedBox{Pose::translate({10, 0, 0}), {1, 1, 1}}));
  EXPECT_TRUE(collide(tree, body).hit);
  EXPECT_GE(collide(tree, body).triangle, 12U);
  EXPECT_FALSE(collide(tree, body, Pose::translate({-5, 0, 0})).hit);
  EXPECT_NEAR(distance(tree, body, Pose::translate({-5, 0, 0})).distance, 3.0, 1e-12);
}

// The exact hull of points on the edges of a turned cube has slivers 1e-17 m wide, whose rounded
// normals point anywhere. Planes through them cut the body, and what was inside counted as outside
// at nearly every pose.
TEST(ShapeCollide, FindsAMeshInsideAConvexBodyWithSlivers) {
  Random random(17);
  for (int scene = 0; scene < 20; ++scene) {
    const Mat3 turned = scenes::rotation(random);
    std::vector<Vec3> points;
    for (int i = 0; i <= 6; ++i) {
      const double u = i / 3.0 - 1.0;
      for (const double v : {-1.0, 1.0}) {
        for (const double w : {-1.0, 1.0}) {
          for (const Vec3& p : {Vec3{u, v, w}, Vec3{v, u, w}, Vec3{v, w, u}})
            points.push_back(turned * p);
        }
      }
    }
    const ConvexBody body = *ConvexBody::around(points);
    for (int i = 0; i < 10; ++i) {
      const Pose pose{scenes::rotation(random), {random.uniform(-5.0, 5.0), 0.0, 0.0}};
      const Vec3 place{random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9),
                       random.uniform(-0.9, 0.9)};
      const Mesh mesh = cube(0.02, pose * (turned * place));
      const Bvh tree = cube_tree(mesh);
      EXPECT_TRUE(collide(tree, body, pose).hit);
      EXPECT_EQ(distance(tree, body, pose).distance, 0.0);
      EXPECT_TRUE(within(tree, body, 0.0, pose).within);
      // Beside it, in the planes of its faces.
      Vec3 beside = place;
      beside.x = 1.5;
      beside.y = 0.98;
      const Mesh other = cube(0.02, pose * (turned * beside));
      EXPECT_FALSE(collide(cube_tree(other), body, pose).hit);
    }
  }
}

TEST(ShapeCollide, CountsNothingBesideAFlatConvexBodyAsInside) {
  // A plate as thin as rounding makes it: its sides are slivers, and what lies beside it in its
  // plane is below its faces.
  Random random(18);
  for (int scene = 0; scene < 50; ++scene) {
    const Mat3 turned = scenes::rotation(random);
    std::vector<Vec3> points;
    for (int i = 0; i <= 4; ++i) {
      for (int j = 0; j <= 4; ++j) points.push_back(turned * Vec3{0.25 * i, 0.25 * j, 0.0});
    }
    const ConvexBody body = *ConvexBody::around(points);
    const Mat3 pose = scenes::rotation(random);
    for (const Vec3& p : {Vec3{1.5, 0.3, 0.0}, Vec3{0.3, -0.5, 0.0}, Vec3{2.0, 2.0, 0.0}}) {
      const std::array<Vec3, 3> corners{pose * (turned * p),
                                        pose * (turned * (p + Vec3{0.1, 0.0, 0.0})),
                                        pose * (turned * (p + Vec3{0.0, 0.1, 0.0}))};
      const std::array<Face, 1> face{{{0, 1, 2}}};
      const Bvh tree = *Bvh::build(corners, face);
      EXPECT_FALSE(collide(tree, body, {pose, {}}).hit);
      EXPECT_GT(distance(tree, body, {pose, {}}).distance, 0.3);
    }
  }
}

// A matrix that is a rotation to seven digits only swells a ball. Of balls in the origin of their
// frame, and of the points of a cloud, that was left out.
TEST(ShapeCollide, CountsWhatAMatrixThatIsNotQuiteARotationSwells) {
  const std::array<Vec3, 3> corners{{{1.0000003, -1, -1}, {1.0000003, 1, -1}, {1.0000003, 0, 1}}};
  const std::array<Face, 1> face{{{0, 1, 2}}};
  const Bvh tree = *Bvh::build(corners, face);
  Pose pose;
  for (std::size_t k = 0; k < 3; ++k) pose.rotation[k][k] = 1.0 + 4e-7;
  for (const Shape& shape :
       {Shape{Sphere{{}, 1.0}}, Shape{Capsule{{{}, {-1, 0, 0}}, 1.0}},
        Shape{OrientedBox{Pose::identity(), {1, 1, 1}}}, Shape{*PointCloud::make({{}}, 1.0)}}) {
    SCOPED_TRACE(kShapeNames[shape.index()]);
    EXPECT_TRUE(collide(tree, shape, pose).hit);
    EXPECT_EQ(distance(tree, shape, pose).distance, 0.0);
    EXPECT_TRUE(within(tree, shape, 0.0, pose).within);
    EXPECT_FALSE(collide(tree, shape).hit);
  }
}

// At 4e6 m, 7e-11 m is rounding: collide() called it contact, and distance() did not.
TEST(ShapeDistance, OfAPointCloudIsZeroWheneverItCollides) {
  Random random(19);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const double far = std::pow(10.0, random.uniform(0.0, 9.0));
    const double radius = std::pow(10.0, random.uniform(-6.0, 1.0));
    const Pose pose{scenes::rotation(random), far * scenes::direction(random)};
    const Vec3 point = scenes::in_ball(random);
    const Vec3 out = scenes::direction(random);
    const double off = std::pow(10.0, random.uniform(-17.0, -2.0)) * random.uniform(-1.0, 1.0);
    const Vec3 corner = pose * point + (1.0 + off) * radius * out;
    const Vec3 side = any_perpendicular(out);
    const std::array<Vec3, 3> corners{corner, corner + radius * (out + side),
                                      corner + radius * (out + cross(out, side))};
    const std::array<Face, 1> face{{{0, 1, 2}}};
    const Bvh tree = *Bvh::build(corners, face);
    const PointCloud cloud = *PointCloud::make({point}, radius);
    const bool hit = collide(tree, cloud, pose).hit;
    hits += hit ? 1 : 0;
    EXPECT_EQ(distance(tree, cloud, pose).distance == 0.0, hit);
    EXPECT_EQ(distance(tree, cloud, pose, 1e-30).beyond, !hit);
  }
  EXPECT_GT(hits, 90);
  EXPECT_LT(hits, 270);
}

TEST(ShapeCollide, NeverCallsABadShapeOrPoseFree) {
  const Mesh mesh = uv_sphere(1.0, 8);
  const Bvh tree = Bvh::build(mesh.vertices(), mesh.faces()).value();
  const double nan = std::nan("");
  const auto expect_contact = [&](const Shape& shape, const Pose& pose) {
    EXPECT_TRUE(collide(tree, shape, pose).hit) << shape.index();
    EXPECT_EQ(collide(tree, shape, pose).triangle, kNoTriangle);
    EXPECT_EQ(distance(tree, shape, pose).distance, 0.0) << shape.index();
    EXPECT_FALSE(distance(tree, shape, pose).beyond);
    EXPECT_TRUE(within(tree, shape, 0.1, pose).within) << shape.index();
  };
  const std::vector<Vec3> corners{{5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
  const std::vector<Shape> good{Vec3{5, 0, 0},
                                Segment{{5, 0, 0}, {6, 0, 0}},
                                Sphere{{5, 0, 0}, 1.0},
                                Capsule{{{5, 0, 0}, {6, 0, 0}}, 1.0},
                                OrientedBox{Pose::translate({5, 0, 0}), {1, 1, 1}},
                                HalfSpace{{-1, 0, 0}, -5.0},
                                ConvexBody::around(corners).value(),
                                PointCloud::make(corners, 0.1).value()};
  for (const Shape& shape : good) {
    EXPECT_FALSE(collide(tree, shape).hit) << shape.index();
    for (const Pose& bad :
         {Pose::translate({nan, 0, 0}), Pose::translate({kInfinity, 0, 0}),
          Pose::translate({0, 1e16, 0}), Pose{1.01 * Mat3::identity(), {}},
          Pose{Mat3::diagonal({1, 1, -1}), {}}, Pose{rotation_about({0, 0, 1}, nan), {}}})
      expect_contact(shape, bad);
    // A bound that is no number bounds nothing.
    EXPECT_GT(distance(tree, shape, Pose::identity(), nan).distance, 0.0) << shape.index();
    EXPECT_FALSE(distance(tree, shape, Pose::identity(), nan).beyond) << shape.index();
    EXPECT_TRUE(within(tree, shape, nan).within) << shape.index();
  }
  for (const Shape& bad : {Shape{Vec3{nan, 0, 0}}, Shape{Segment{{5, 0, 0}, {kInfinity, 0, 0}}},
                           Shape{Sphere{{5, 0, 0}, nan}}, Shape{Sphere{{5, 0, 0}, -1.0}},
                           Shape{Capsule{{{5, 0, 0}, {nan, 0, 0}}, 1.0}},
                           Shape{OrientedBox{Pose::translate({5, nan, 0}), {1, 1, 1}}},
                           Shape{OrientedBox{Pose::translate({5, 0, 0}), {1, nan, 1}}},
                           Shape{HalfSpace{{}, -5.0}}, Shape{HalfSpace{{-1, 0, 0}, nan}}})
    expect_contact(bad, Pose::identity());
}

TEST(ShapeDistance, PrunesAllButAFewTriangles) {
  GenerateOptions options;
  options.triangles = 20000;
  const Mesh mesh = generate("conrod", options)->flattened();
  const Bvh tree = cube_tree(mesh);
  const Box bounds = tree.bounds();
  const ShapeDistance found = distance(tree, Sphere{bounds.high, 0.001});
  EXPECT_GT(found.distance, 0.0);
  EXPECT_LT(found.work.triangle_tests, 200U);
  EXPECT_LT(found.work.volume_tests, 2000U);
}

TEST(FirstHit, AgreesWithBruteForce) {
  HitCounter hits;
  for (const SceneKind kind : kSceneKinds) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(seed));
      Random random(9000 + 100 * seed + static_cast<std::uint64_t>(kind));
      const TriangleSet mesh = scenes::triangle_set(random, kind, 30);
      const Bvh tree = tree_of(mesh);
      const Vec3 origin = 3.0 * scenes::direction(random);
      const bool aimed = random.below(2) == 0;
      const Vec3 target = aimed ? scenes::point_on(random, mesh) : 2.0 * scenes::direction(random);
      const Vec3 direction = random.uniform(0.1, 10.0) * (target - origin);
      const RayHit found = first_hit(tree, origin, direction);
      hits.count(found.hit);

      // All triangles the ray meets, by the proven test; the first is where the ray comes nearest.
      const Segment ray{origin, origin + 10.0 * normalized(direction)};
      bool met = false;
      double first = kInfinity;
      for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
        const Triangle t = mesh.triangle(i);
        if (!intersects(ray, t)) continue;
        met = true;
        const double slope = dot(cross(t.b - t.a, t.c - t.a), normalized(direction));
        if (std::abs(slope) < 1e-6 * norm(cross(t.b - t.a, t.c - t.a))) continue;
        first = std::min(first, distance(origin, closest_points(ray, t).on_a));
      }
      EXPECT_EQ(found.hit, met);
      if (!found.hit) continue;
      EXPECT_LE(found.distance, first + 1e-7);
      EXPECT_LE(closest_points(found.point, mesh.triangle(found.triangle)).distance, 1e-9);
      EXPECT_NEAR(distance(origin, found.point), found.distance, 1e-12);
      // Cut short before the hit, the ray is free; just behind, it hits again.
      if (found.distance > 1e-6) {
        const RayHit before = first_hit(tree, origin, direction, found.distance - 1e-7);
        EXPECT_LE(before.hit ? before.distance : found.distance, found.distance);
      }
      EXPECT_TRUE(first_hit(tree, origin, direction, found.distance + 1e-7).hit);
    }
  }
  EXPECT_GT(hits.fraction(), 0.3);
  EXPECT_LT(hits.fraction(), 0.7);
}

TEST(FirstHit, GoesThroughNoEdgeAndNoCorner) {
  const Mesh mesh = uv_sphere(1.0, 12);
  const Bvh tree = cube_tree(mesh);
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 origin = 0.3 * scenes::in_ball(random);
    const Face f = mesh.faces()[random.below(mesh.triangle_count())];
    const Vec3& p = mesh.vertices()[f[0]];
    const Vec3& q = mesh.vertices()[f[1]];
    const Vec3 at = i % 2 == 0 ? p : p + random.uniform() * (q - p);
    const RayHit found = first_hit(tree, origin, at - origin);
    ASSERT_TRUE(found.hit) << i;
    EXPECT_NEAR(found.distance, distance(origin, at), 1e-9);
  }
}

TEST(FirstHit, AlongAFaceMeetsItsNearEdge) {
  const Mesh mesh = cube();
  const RayHit found = first_hit(cube_tree(mesh), {-1, 0.5, 1}, {1, 0, 0});
  ASSERT_TRUE(found.hit);
  EXPECT_NEAR(found.distance, 1.0, 1e-12);
}

TEST(PointCloud, RefusesWhatIsNoCloud) {
  EXPECT_FALSE(PointCloud::make({}, 0.1).ok());
  EXPECT_FALSE(PointCloud::make({{1, 2, 3}}, -1.0).ok());
  EXPECT_FALSE(PointCloud::make({{1, 2, 3}}, kInfinity).ok());
  EXPECT_FALSE(PointCloud::make({{1, std::nan(""), 3}}, 0.1).ok());
}

PinholeCamera small_camera() {
  return {.width = 9, .height = 7, .focal_u = 8, .focal_v = 8, .center_u = 4, .center_v = 3};
}

TEST(DepthMap, SeenSurfaceIsAtItsDepthAndCutAtSteps) {
  const PinholeCamera camera = small_camera();
  std::vector<float> depth(63, 2.0F);
  DepthOptions options;
  options.unseen = UnseenSpace::Free;
  const Mesh flat = *mesh_of(camera, depth, options);
  EXPECT_EQ(flat.triangle_count(), 2U * 8U * 6U);
  EXPECT_EQ(flat.bounds().low, (Vec3{-1.0, -0.75, 2.0}));
  EXPECT_EQ(flat.bounds().high, (Vec3{1.0, 0.75, 2.0}));
  // It faces the camera: its normals point to -z.
  const Triangle t = flat.triangle(0);
  EXPECT_LT(cross(t.b - t.a, t.c - t.a).z, 0.0);
  // The right half steps back: the squares across the step go. A pixel without depth takes its six
  // triangles with it.
  for (std::size_t i = 0; i < 63; ++i) depth[i] = i % 9 >= 5 ? 3.0F : 2.0F;
  EXPECT_EQ(mesh_of(camera, depth, options)->triangle_count(), 2U * 7U * 6U);
  depth[3 * 9 + 2] = std::nanf("");
  EXPECT_EQ(mesh_of(camera, depth, options)->triangle_count(), 2U * 7U * 6U - 6U);
}

TEST(DepthMap, UnseenSpaceIsAClosedSolidOrFree) {
  const PinholeCamera camera = small_camera();
  std::vector<float> depth(63, 2.0F);
  depth[3 * 9 + 4] = 0.0F;  // the pixel in the middle sees nothing
  const Mesh solid = *mesh_of(camera, depth);
  const MeshHealth health = examine(solid);
  EXPECT_TRUE(health.closed && health.consistently_oriented && health.volume_is_meaningful);
  EXPECT_FALSE(health.inside_out);
  const Model model = *Model::build(solid);
  EXPECT_EQ(model.side({0.5, 0.3, 1.9}), Side::Outside);   // before the wall
  EXPECT_EQ(model.side({0.5, 0.3, 5.0}), Side::Inside);    // behind it
  EXPECT_EQ(model.side({0.0, 0.0, 1.0}), Side::Inside);    // along the blind pixel
  EXPECT_EQ(model.side({0.0, 0.0, 11.0}), Side::Outside);  // beyond the range
  EXPECT_EQ(model.side({5.0, 0.0, 5.0}), Side::Outside);   // out of the picture

  DepthOptions free;
  free.unseen = UnseenSpace::Free;
  const Mesh surface = *mesh_of(camera, depth, free);
  EXPECT_FALSE(collide(cube_tree(surface), Sphere{{0, 0, 5}, 1.0}).hit);
  EXPECT_TRUE(collide(cube_tree(surface), Sphere{{0.5, 0, 2.5}, 0.6}).hit);
}

TEST(DepthMap, PointsAreThePixelsWithDepth) {
  std::vector<float> depth(63, 0.0F);
  depth[3 * 9 + 4] = 2.0F;
  depth[3 * 9 + 8] = 4.0F;
  depth[5] = 100.0F;  // beyond the range
  const PointCloud cloud = *point_cloud_of(small_camera(), depth, 0.01);
  ASSERT_EQ(cloud.points().size(), 2U);
  EXPECT_EQ(cloud.points()[0], (Vec3{0, 0, 2}));
  EXPECT_EQ(cloud.points()[1], (Vec3{2, 0, 4}));
}

TEST(DepthMap, RefusesWhatDoesNotFit) {
  const std::vector<float> depth(63, 2.0F);
  PinholeCamera camera = small_camera();
  camera.width = 8;
  EXPECT_NE(mesh_of(camera, depth).error().message().find("63 values for 8 x 7"),
            std::string::npos);
  camera = small_camera();
  camera.focal_v = 0.0;
  EXPECT_FALSE(mesh_of(camera, depth).ok());
  EXPECT_FALSE(point_cloud_of(small_camera(), std::vector<float>(63, 0.0F), 0.1).ok());
  DepthOptions options;
  options.range = 0.01;
  EXPECT_FALSE(mesh_of(small_camera(), depth, options).ok());
}

}  // namespace
}  // namespace clearance::test
