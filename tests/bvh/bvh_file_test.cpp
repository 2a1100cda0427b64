// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/bvh_file.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/base/random.h>
#include <clearance/query/query.h>

#include "support/data.h"
#include "support/query_scenes.h"
#include "support/wide_tree_check.h"

namespace clearance {
namespace {

using namespace clearance::test;
using detail::TreeFileHeader;
using ::testing::HasSubstr;

Bvh build(const TriangleSet& set, Volume volume = Volume::Wide, Fitter fitter = Fitter::Binned) {
  BvhOptions options;
  options.volume = volume;
  options.fitter = fitter;
  return Bvh::build(set.vertices, set.faces, options).value();
}

TriangleSet some_triangles(std::size_t count, std::uint64_t seed = 1) {
  Random random(seed);
  return scenes::triangle_set(random, SceneKind::Soup, count);
}

/// A file in a folder of its own, written and mapped again and again.
class BvhFile : public ::testing::Test {
 protected:
  std::string saved(const Bvh& tree) {
    const Status status = tree.save(path_);
    EXPECT_TRUE(status) << status.error().message();
    return contents(path_);
  }
  /// What mapping these bytes says: the message, or "mapped".
  std::string answer(const std::string& bytes) {
    // Thousands of times: a new file each, which no file system hurries to the disk.
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
    const Result<Bvh> mapped = Bvh::map(path_);
    if (mapped) return "mapped";
    EXPECT_EQ(mapped.error().file, path_);
    return mapped.error().message();
  }
  /// The same for bytes that pass as whole: what the checksum would have caught is seen.
  std::string sealed_answer(std::string bytes) {
    detail::seal_bytes(std::as_writable_bytes(std::span(bytes)), detail::kTreeFile);
    return answer(bytes);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("tree.bvh");
};

/// A value among the bytes of a file, which need not be aligned: what is changed is written back.
template <class T>
class At {
 public:
  At(std::string& bytes, std::size_t offset) : place_(bytes.data() + offset) {
    std::memcpy(&value_, place_, sizeof value_);
    before_ = value_;
  }
  ~At() {
    if (std::memcmp(&value_, &before_, sizeof value_) != 0)
      std::memcpy(place_, &value_, sizeof value_);
  }
  At(const At&) = delete;
  At& operator=(const At&) = delete;
  T* operator->() { return &value_; }
  T& operator*() { return value_; }

 private:
  char* place_;
  T value_;
  T before_;
};
At<TreeFileHeader> header(std::string& bytes) { return {bytes, 0}; }
std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
std::size_t leaves_at(std::string& bytes) {
  return sizeof(TreeFileHeader) + aligned(header(bytes)->node_count * header(bytes)->node_bytes);
}
std::size_t vertices_at(std::string& bytes) {
  return leaves_at(bytes) + aligned(header(bytes)->leaf_count * header(bytes)->leaf_bytes);
}
std::size_t triangles_at(std::string& bytes) {
  return vertices_at(bytes) + aligned(header(bytes)->vertex_count * sizeof(Vec3));
}

TEST_F(BvhFile, GivesTheSameAnswersAsTheTreeThatWasSaved) {
  for (const auto& [volume, fitter] :
       {std::tuple(Volume::Wide, Fitter::Binned), std::tuple(Volume::Rss, Fitter::Inertia),
        std::tuple(Volume::Obb, Fitter::Rapid2), std::tuple(Volume::Aabb, Fitter::Binned),
        std::tuple(Volume::Sphere, Fitter::Pqp)}) {
    for (const SceneKind kind : kSceneKinds) {
      Random random(5);
      for (int repeat = 0; repeat < 3; ++repeat) {
        const QueryScene scene = random_scene(random, kind, 120, kAnyScale);
        const Bvh a = build(scene.a, volume, fitter);
        const Bvh b = build(scene.b, volume, fitter);
        ASSERT_TRUE(a.save(path_));
        const Result<Bvh> mapped = Bvh::map(path_);
        ASSERT_TRUE(mapped) << mapped.error().message();
        EXPECT_EQ(mapped->volume(), volume);
        EXPECT_EQ(mapped->fitter(), fitter);
        EXPECT_EQ(mapped->bounds(), a.bounds());
        EXPECT_EQ(mapped->statistics().total_area, a.statistics().total_area);
        const Distance wanted = distance(a, b, scene.a_from_b);
        const Distance found = distance(*mapped, b, scene.a_from_b);
        EXPECT_TRUE(same_answer(found, wanted)) << describe(found) << describe(wanted);
        EXPECT_EQ(found.work, wanted.work);
        EXPECT_EQ(contacts(*mapped, b, scene.a_from_b).pairs, contacts(a, b, scene.a_from_b).pairs);
      }
    }
  }
}

TEST_F(BvhFile, HoldsTheTreeToTheLastBit) {
  const TriangleSet set = some_triangles(3000);
  const Bvh tree = build(set);
  ASSERT_TRUE(tree.save(path_));
  const Bvh mapped = Bvh::map(path_).value();
  EXPECT_TRUE(same_wide_tree(*tree.wide(), *mapped.wide()));
  expect_sound_wide_tree(mapped, "mapped");
}

TEST_F(BvhFile, IsUsedInPlace) {
  const TriangleSet set = some_triangles(100);
  saved(build(set));
  const Bvh mapped = Bvh::map(path_).value();
  // All in one run of memory, in the order of the file.
  const auto* nodes = reinterpret_cast<const std::byte*>(mapped.wide()->nodes.data());
  const auto* faces = reinterpret_cast<const std::byte*>(mapped.faces().data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(nodes) % 64, 0U);
  EXPECT_GT(faces, nodes);
  EXPECT_LT(static_cast<std::size_t>(faces - nodes), std::filesystem::file_size(path_));
}

TEST_F(BvhFile, OutlivesItsNameAndTheResult) {
  const TriangleSet set = some_triangles(100);
  saved(build(set));
  Result<Bvh> mapped = Bvh::map(path_);
  ASSERT_TRUE(mapped);
  const Bvh kept = *mapped;
  mapped = Error{};
  std::filesystem::remove(path_);
  expect_sound_wide_tree(kept, "kept");
}

TEST_F(BvhFile, OfTheSameTreeHasTheSameBytes) {
  const TriangleSet set = some_triangles(500);
  for (const Volume volume : {Volume::Wide, Volume::Rss}) {
    const std::string first = saved(build(set, volume));
    EXPECT_EQ(first, saved(build(set, volume)));
    EXPECT_EQ(first.size() % 64, 0U);
    // Mapped and saved again over the file it is mapped from.
    EXPECT_EQ(first, saved(Bvh::map(path_).value()));
  }
}

TEST_F(BvhFile, CanBeRefitted) {
  Random random(3);
  const TriangleSet set = some_triangles(300);
  saved(build(set));
  std::vector<Vec3> moved = set.vertices;
  for (Vec3& p : moved) p += 0.1 * scenes::in_ball(random);
  const Bvh refitted = Bvh::map(path_).value().refit(moved).value();
  expect_sound_wide_tree(refitted, "refitted");
  EXPECT_TRUE(same_wide_tree(*refitted.wide(), *build(set).refit(moved).value().wide()));
}

TEST_F(BvhFile, KeepsVerticesThatNoTriangleUses) {
  TriangleSet set = some_triangles(5);
  set.vertices.push_back({std::numeric_limits<double>::quiet_NaN(), 0, 0});
  saved(build(set));
  EXPECT_EQ(Bvh::map(path_).value().vertices().size(), 16U);
}

TEST_F(BvhFile, WithAnyByteChangedIsRefused) {
  for (const Volume volume : {Volume::Wide, Volume::Sphere}) {
    const std::string bytes = saved(build(some_triangles(10), volume));
    ASSERT_EQ(answer(bytes), "mapped");
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
      ASSERT_NE(answer(damaged), "mapped") << "byte " << i;
    }
  }
}

TEST_F(BvhFile, CutShortOrGrownIsRefused) {
  const std::string bytes = saved(build(some_triangles(10)));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    ASSERT_NE(answer(bytes.substr(0, i)), "mapped") << i << " bytes";
    if (i % 64 == 0) {
      ASSERT_NE(sealed_answer(bytes.substr(0, i)), "mapped") << i << " bytes";
    }
  }
  EXPECT_THAT(answer(bytes + std::string(64, '\0')), HasSubstr("promises"));
  EXPECT_THAT(sealed_answer(bytes + std::string(64, '\0')), HasSubstr("do not add up"));
}

TEST_F(BvhFile, SaysWhatIsWrongWithIt) {
  const std::string bytes = saved(build(some_triangles(10)));
  EXPECT_THAT(answer(""), HasSubstr("byte 0: is not a tree file"));
  EXPECT_THAT(answer("solid cube"), HasSubstr("is not a tree file"));
  EXPECT_THAT(answer(bytes.substr(0, 50)), HasSubstr("byte 50: ends within the header"));
  EXPECT_THAT(answer(bytes.substr(0, 640)), HasSubstr("but the file has 640"));
  std::string changed = bytes;
  header(changed)->seal.version = 3;
  EXPECT_THAT(answer(changed), HasSubstr("version 3; this program reads version 2"));
  changed = bytes;
  header(changed)->seal.byte_order = 0x04030201;
  EXPECT_THAT(answer(changed), HasSubstr("other byte order"));
  changed = bytes;
  changed[700] = static_cast<char>(changed[700] + 1);
  EXPECT_THAT(answer(changed), HasSubstr("checksum does not match"));
  EXPECT_EQ(Bvh::map(folder_.file("none.bvh")).error().code, ErrorCode::NotFound);
  EXPECT_THAT(Bvh::map(folder_.path().string()).error().reason, HasSubstr("directory"));
}

struct Forgery {
  const char* expected;
  std::function<void(std::string&)> change;
};

TEST_F(BvhFile, OfNodesThatAreNoTreeIsRefused) {
  using detail::WideLeaf;
  using detail::WideNode;
  const std::string bytes = saved(build(some_triangles(100)));
  const auto node = [](std::string& b, std::size_t i) {
    return At<WideNode>(b, sizeof(TreeFileHeader) + i * sizeof(WideNode));
  };
  const auto leaf = [](std::string& b, std::size_t i) {
    return At<WideLeaf>(b, leaves_at(b) + i * sizeof(WideLeaf));
  };
  const std::size_t last = detail::kWidth - 1;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::uint64_t huge = std::uint64_t{1} << 62;
  const std::vector<Forgery> forgeries{
      {"unknown volume", [](std::string& b) { header(b)->volume = 5; }},
      {"unknown fitter", [](std::string& b) { header(b)->fitter = 4; }},
      {"another size", [](std::string& b) { header(b)->volume = 1; }},
      {"another size", [](std::string& b) { header(b)->node_bytes = 1; }},
      {"do not add up", [&](std::string& b) { header(b)->node_count = huge; }},
      {"do not add up", [&](std::string& b) { header(b)->triangle_count = huge * 3; }},
      {"do not add up", [](std::string& b) { header(b)->vertex_count = 0; }},
      {"radius", [](std::string& b) { header(b)->radius = 1e300; }},
      {"radius", [](std::string& b) { header(b)->radius = kNan; }},
      {"center", [](std::string& b) { header(b)->center[1] = kNan; }},
      {"center", [](std::string& b) { header(b)->center[1] = 1e3; }},
      {"only", [](std::string& b) { header(b)->root = 1000; }},
      {"not below the root", [](std::string& b) { header(b)->root = detail::kLeafBit; }},
      {"root 4294967295", [](std::string& b) { header(b)->root = detail::kNoChild; }},
      {"met before", [&](std::string& b) { node(b, 0)->child[0] = 0; }},
      {"met before", [&](std::string& b) { node(b, 0)->child[0] = node(b, 0)->child[1]; }},
      {"only", [&](std::string& b) { node(b, 0)->child[0] = 0x7fffffff; }},
      {"only", [&](std::string& b) { node(b, 0)->child[0] = 0xfffffffe; }},
      {"no children", [&](std::string& b) { node(b, 0)->child[0] = detail::kNoChild; }},
      {"frame", [&](std::string& b) { node(b, 0)->frame.axes[1][1] = 2.0F; }},
      {"frame", [&](std::string& b) { node(b, 0)->frame.origin[1] = kNan; }},
      {"frame", [&](std::string& b) { node(b, 0)->frame.half_size[1] = -1.0F; }},
      {"frame", [&](std::string& b) { leaf(b, 3)->frame.radius = 1e30F; }},
      {"lid", [&](std::string& b) { node(b, 0)->lid.axis = 4; }},
      {"lid", [&](std::string& b) { node(b, 0)->lid.curve[1] = kNan; }},
      {"lid", [&](std::string& b) { node(b, 0)->lid.high = 1e30F; }},
      {"box 0", [&](std::string& b) { node(b, 0)->half[2][0] = -1.0F; }},
      {"box 0", [&](std::string& b) { node(b, 0)->center[2][0] = kNan; }},
      {"no triangles", [&](std::string& b) { leaf(b, 3)->triangle[0] = detail::kNoChild; }},
      {"has triangle 100", [&](std::string& b) { leaf(b, 3)->triangle[0] = 100; }},
      {"in a leaf before",
       [&](std::string& b) { leaf(b, 3)->triangle[0] = leaf(b, 2)->triangle[0]; }},
      {"corners", [&](std::string& b) { leaf(b, 3)->corner[4][0] = kNan; }},
      {"corners", [&](std::string& b) { leaf(b, 3)->corner[4][0] = 1e20F; }},
      {"coordinate is not finite", [&](std::string& b) { *At<double>(b, vertices_at(b)) = kNan; }},
      {"uses vertex 300",
       [&](std::string& b) { *At<std::uint32_t>(b, triangles_at(b) + 12) = 300; }},
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    std::string forged = bytes;
    forgeries[i].change(forged);
    EXPECT_THAT(sealed_answer(forged), HasSubstr(forgeries[i].expected)) << "forgery " << i;
  }

  // Places without a child or triangle, in a tree that has some.
  const std::string small = saved(build(some_triangles(9)));
  std::string forged = small;
  ASSERT_EQ(node(forged, 0)->child[last], detail::kNoChild);
  node(forged, 0)->half[0][last] = 0.0F;
  EXPECT_THAT(sealed_answer(forged), HasSubstr("box 7"));
  forged = small;
  node(forged, 0)->child[last] = detail::kLeafBit;
  EXPECT_THAT(sealed_answer(forged), HasSubstr("gap"));
  forged = small;
  const std::size_t short_leaf = leaf(forged, 0)->triangle[last] == detail::kNoChild ? 0 : 1;
  ASSERT_EQ(leaf(forged, short_leaf)->triangle[last], detail::kNoChild);
  leaf(forged, short_leaf)->corner[0][last] += 1.0F;
  EXPECT_THAT(sealed_answer(forged), HasSubstr("corners of place 7"));
  forged = small;
  leaf(forged, short_leaf)->triangle[last] = 0;
  EXPECT_THAT(sealed_answer(forged), HasSubstr("gap"));
}

TEST_F(BvhFile, OfBinaryNodesThatAreNoTreeIsRefused) {
  using detail::BinaryNode;
  const std::string bytes = saved(build(some_triangles(50), Volume::Obb, Fitter::Inertia));
  const auto node = [](std::string& b, std::size_t i) {
    return At<BinaryNode>(b, sizeof(TreeFileHeader) + i * sizeof(BinaryNode));
  };
  std::string intact = bytes;
  std::size_t leaf = 0;
  while (!node(intact, leaf)->is_leaf()) ++leaf;
  const std::vector<Forgery> forgeries{
      {"not below it", [&](std::string& b) { node(b, 0)->right = 1; }},
      {"not below it", [&](std::string& b) { node(b, 0)->right = 99; }},
      {"not below it", [&](std::string& b) { node(b, 1)->right = node(b, 0)->right; }},
      {"a leaf where", [&](std::string& b) { node(b, 0)->right = 0; }},
      {"has triangle 50", [&](std::string& b) { node(b, leaf)->triangle = 50; }},
      {"in a leaf before", [&](std::string& b) { node(b, leaf)->triangle ^= 1; }},
      {"volume", [&](std::string& b) { node(b, 5)->volume.radius = -1.0; }},
      {"volume", [&](std::string& b) { node(b, 5)->volume.axes[0].x = 3.0; }},
  };
  for (std::size_t i = 0; i < forgeries.size(); ++i) {
    std::string forged = bytes;
    forgeries[i].change(forged);
    EXPECT_THAT(sealed_answer(forged), HasSubstr(forgeries[i].expected)) << "forgery " << i;
  }
}

TEST_F(BvhFile, ThatCannotBeWrittenIsAnError) {
  const TriangleSet set = some_triangles(10);
  const Bvh tree = build(set);
  const Status status = tree.save(folder_.file("no/such/folder/tree.bvh"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::NotFound);
}

TEST(Checksum, ShowsEveryBit) {
  std::array<std::byte, 256> bytes{};
  const auto checksum = [&] {
    detail::Checksum sum;
    sum.add(bytes);
    return sum.value();
  };
  const std::uint64_t intact = checksum();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(checksum(), intact) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

TEST(Checksum, DependsOnTheOrderAndOnTheLength) {
  std::array<std::byte, 128> bytes{};
  const auto checksum = [](std::span<const std::byte> part) {
    detail::Checksum sum;
    sum.add(part);
    return sum.value();
  };
  bytes[0] = std::byte{1};
  const std::uint64_t first = checksum(bytes);
  for (const std::size_t place : {std::size_t{8}, std::size_t{32}, std::size_t{64}}) {
    std::swap(bytes[0], bytes[place]);
    EXPECT_NE(checksum(bytes), first) << place;
    std::swap(bytes[0], bytes[place]);
  }
  EXPECT_NE(checksum(std::span(bytes).first(64)), first);
  // Zeros fill the last block, as in the file.
  EXPECT_EQ(checksum(std::span(bytes).first(65)), first);
}

}  // namespace
}  // namespace clearance
