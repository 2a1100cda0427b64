// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <clearance/mesh/generate.h>
#include <clearance/query/model.h>
#include <clearance/query/self_contacts.h>

namespace clearance {
namespace {

std::vector<Contact> found(const Mesh& mesh) {
  return self_contacts(Model::build(mesh).value().bvh()).pairs;
}

std::vector<Contact> found(std::vector<Vec3> vertices, std::vector<Face> faces) {
  return found(Mesh::make(std::move(vertices), std::move(faces)).value());
}

TEST(SelfContacts, SoundPartsHaveNone) {
  EXPECT_TRUE(found(make_pipe_joint({}).value()).empty());
  const Assembly torch = make_torch().value();
  for (const AssemblyPart& part : torch.parts) EXPECT_TRUE(found(part.mesh).empty()) << part.name;
}

TEST(SelfContacts, NeighboursCountOnlyWhereTheyTouchElsewhere) {
  // About one edge: open like a book, folded flat, and folded so that only sides cross.
  EXPECT_TRUE(
      found({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0.5}}, {{0, 1, 2}, {1, 0, 3}}).empty());
  EXPECT_TRUE(found({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}}, {{0, 1, 2}, {1, 0, 3}}).empty());
  EXPECT_EQ(found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}}, {{0, 1, 2}, {1, 0, 3}}).size(), 1U);
  EXPECT_EQ(found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 0}}, {{0, 1, 2}, {1, 0, 3}}).size(), 1U);
  EXPECT_TRUE(
      found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 4, 1e-9}}, {{0, 1, 2}, {1, 0, 3}}).empty());
  // About one corner: apart, and one through the other.
  EXPECT_TRUE(
      found({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 1}, {0, -1, 1}}, {{0, 1, 2}, {0, 3, 4}})
          .empty());
  EXPECT_EQ(found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 1}, {1, 1, -1}}, {{0, 1, 2}, {0, 3, 4}})
                .size(),
            1U);
}

TEST(SelfContacts, NamesThePairsThatCross) {
  // Three triangles: the first two cross, the third is far; corners of equal place are one corner
  // whatever their numbers.
  const std::vector<Contact> pairs = found({{0, 0, 0},
                                            {4, 0, 0},
                                            {0, 4, 0},
                                            {1, 1, -1},
                                            {1, 1, 1},
                                            {9, 9, 1},
                                            {20, 0, 0},
                                            {24, 0, 0},
                                            {20, 4, 0},
                                            {20, 0, 0},
                                            {24, 0, 0},
                                            {20, -4, 0}},
                                           {{6, 7, 8}, {0, 1, 2}, {9, 10, 11}, {3, 4, 5}});
  EXPECT_EQ(pairs, (std::vector<Contact>{{1, 3}}));
}

TEST(SelfContacts, TwoBodiesOfOneMeshRunThroughEachOther) {
  const Mesh pipe = make_pipe_joint({}).value();
  const Mesh moved = transformed(pipe, Pose::translate({0.013, 0.021, 0.007}));
  const std::vector<Mesh> both{pipe, moved};
  const std::vector<std::string> names{"a", "b"};
  const std::size_t count = contacts(Model::build(pipe).value().bvh(),
                                     Model::build(moved).value().bvh(), Pose::identity())
                                .pairs.size();
  EXPECT_GT(count, 0U);
  EXPECT_EQ(found(merged(both, names).value()).size(), count);
}

}  // namespace
}  // namespace clearance
