// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <clearance/base/random.h>
#include <clearance/mesh/mesh.h>

namespace clearance {
namespace {

TEST(Weld, JoinsEqualPositionsOnlyAndDropsUnused) {
  const double tiny = 5e-324;
  const Mesh mesh = welded(
      Mesh::make(
          {{7, 7, 7}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 1, -0.0}, {1, 0, tiny}, {0, 0, 0}},
          {Face{3, 2, 1}, Face{4, 5, 6}}, {{"a", 0, 2}})
          .value());
  // By first use: (0,1,0), (1,0,0), (0,0,0), then the one that is 5e-324 away.
  ASSERT_EQ(mesh.vertex_count(), 4u);
  EXPECT_EQ(mesh.faces()[0], (Face{0, 1, 2}));
  EXPECT_EQ(mesh.faces()[1], (Face{0, 3, 2}));
  EXPECT_EQ(mesh.vertices()[3], (Vec3{1, 0, tiny}));
  EXPECT_EQ(mesh.parts().size(), 1u);
}

TEST(Weld, KeepsTheEmptyMesh) { EXPECT_TRUE(welded(Mesh()).empty()); }

// Against an ordered map, over sizes that make the table grow, with few and many equal positions.
TEST(Weld, AgreesWithAnOrderedMap) {
  EXPECT_TRUE(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::uint64_t range = 1 + random.below(40);
    std::vector<Vec3> vertices(3 + random.below(2000));
    for (Vec3& v : vertices) {
      for (std::size_t i = 0; i < 3; ++i)
        v[i] = (random.below(2) == 0 ? -0.125 : 0.125) * static_cast<double>(random.below(range));
    }
    std::vector<Face> faces(1 + random.below(3000));
    for (Face& face : faces) {
      for (std::uint32_t& v : face) v = static_cast<std::uint32_t>(random.below(vertices.size()));
    }
    const Mesh mesh = welded(Mesh::make(vertices, faces).value());

    std::map<std::tuple<double, double, double>, std::uint32_t> numbers;
    for (std::size_t i = 0; i < faces.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3& p = vertices[faces[i][c]];
        const auto number = numbers.try_emplace({p.x, p.y, p.z}, numbers.size()).first->second;
        RC_ASSERT(mesh.faces()[i][c] == number);
        RC_ASSERT(mesh.vertices()[number] == p);
      }
    }
    RC_ASSERT(mesh.vertex_count() == numbers.size());
  }));
}

}  // namespace
}  // namespace clearance
