// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include <gtest/gtest.h>

#include <clearance/query/batch.h>

#include "query/solid_scenes.h"

namespace clearance {
namespace {

/// FNV-1a over the bytes of numbers, one by one: structures have gaps between them.
class Hash {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3ULL;
  }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  void add(const Work& w) { add(w.volume_tests), add(w.triangle_tests); }
  void add(const Contact& c) { add(c.triangle_a), add(c.triangle_b); }
  void add(const Collision& c) { add(c.hit), add(c.contact), add(c.work); }
  void add(const Within& w) { add(w.within), add(w.lower), add(w.upper), add(w.pair), add(w.work); }
  void add(const Distance& d) {
    add(d.distance), add(d.lower), add(d.upper), add(d.beyond), add(d.on_a), add(d.on_b);
    add(d.normal), add(d.triangle_a), add(d.triangle_b), add(d.work);
  }
  void add(const SolidCollision& c) {
    add(c.hit), add(c.touch), add(c.contact), add(c.inside_point), add(c.work);
  }
  void add(const SolidWithin& w) {
    add(w.within), add(w.touch), add(w.lower), add(w.upper), add(w.pair), add(w.work);
  }
  void add(const SolidDistance& d) {
    add(d.distance), add(d.lower), add(d.upper), add(d.touch), add(d.inside_point);
    add(d.surface), add(d.work);
  }
  template <class T>
  void add(const std::vector<T>& all) {
    for (const T& one : all) add(one);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

/// Two bodies and poses of which about half touch.
struct Scene {
  Model a, b;
  std::vector<Pose> poses;
};

Scene scene(std::size_t pose_count) {
  Random random(9);
  const Mesh a = test::lump(random, 12, 1.0);
  const Mesh b = test::lumps(random, 8, 0.5);
  Scene s{test::model_of(a), test::model_of(b), {}};
  for (std::size_t i = 0; i < pose_count; ++i) {
    const Mat3 rotation = test::scenes::rotation(random);
    s.poses.push_back({rotation, random.uniform(0.0, 2.6) * test::scenes::direction(random)});
  }
  return s;
}

constexpr double kLimit = 0.1;

std::uint64_t hash_of_batches(const Scene& s, int threads) {
  Hash hash;
  const Threads count{threads};
  DistanceOptions near;
  near.upper_bound = 0.2;
  hash.add(collisions(s.a.bvh(), s.b.bvh(), s.poses, count));
  hash.add(distances(s.a.bvh(), s.b.bvh(), s.poses, {}, count));
  hash.add(distances(s.a.bvh(), s.b.bvh(), s.poses, near, count));
  hash.add(withins(s.a.bvh(), s.b.bvh(), s.poses, kLimit, count));
  hash.add(collisions(s.a, s.b, s.poses, count));
  hash.add(distances(s.a, s.b, s.poses, {}, count));
  hash.add(withins(s.a, s.b, s.poses, kLimit, count));
  return hash.value();
}

std::uint64_t hash_of_single_calls(const Scene& s) {
  Hash hash;
  DistanceOptions near;
  near.upper_bound = 0.2;
  const auto each = [&](const auto& query) {
    for (const Pose& pose : s.poses) hash.add(query(pose));
  };
  each([&](const Pose& pose) { return collide(s.a.bvh(), s.b.bvh(), pose); });
  each([&](const Pose& pose) { return distance(s.a.bvh(), s.b.bvh(), pose); });
  each([&](const Pose& pose) { return distance(s.a.bvh(), s.b.bvh(), pose, near); });
  each([&](const Pose& pose) { return within(s.a.bvh(), s.b.bvh(), pose, kLimit); });
  each([&](const Pose& pose) { return collide(s.a, s.b, pose); });
  each([&](const Pose& pose) { return distance(s.a, s.b, pose); });
  each([&](const Pose& pose) { return within(s.a, s.b, pose, kLimit); });
  return hash.value();
}

TEST(Batch, GivesTheSameBitsForAnyNumberOfThreadsAndPoseByPose) {
  const Scene s = scene(500);
  const std::uint64_t expected = hash_of_single_calls(s);
  for (const int threads : {1, 2, 4, 0}) {
    EXPECT_EQ(hash_of_batches(s, threads), expected) << threads << " threads";
  }
}

TEST(Batch, TheSampleIsNotOneSidedAndTheOrderIsThatOfThePoses) {
  const Scene s = scene(500);
  test::HitCounter hits;
  const std::vector<SolidCollision> all = collisions(s.a, s.b, s.poses);
  ASSERT_EQ(all.size(), s.poses.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    hits.count(all[i].hit);
    EXPECT_EQ(all[i].hit, collide(s.a, s.b, s.poses[i]).hit);
  }
  EXPECT_GT(hits.fraction(), 0.3);
  EXPECT_LT(hits.fraction(), 0.7);
}

TEST(Batch, OfNoPosesIsEmpty) {
  const Scene s = scene(0);
  EXPECT_TRUE(distances(s.a, s.b, s.poses).empty());
  EXPECT_TRUE(collisions(s.a.bvh(), s.b.bvh(), s.poses).empty());
}

}  // namespace
}  // namespace clearance
