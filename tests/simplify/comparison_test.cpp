// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include <clearance/mesh/generate.h>
#include <clearance/simplify/comparison.h>

namespace clearance {
namespace {

TEST(Compare, TellsWhatCanMissACollision) {
  PipeOptions pipe;
  pipe.triangles = 512;
  const Model body = Model::build(make_pipe(pipe).value()).value();
  const Result<Comparison> made = compare(body, {.error = 0.01, .external_diameter = 0.1});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->notes.empty());
  ASSERT_EQ(made->list.size(), 10U);
  for (const Representation& r : made->list) {
    SCOPED_TRACE(name_of(r.kind));
    EXPECT_LE(r.outward.lower, r.outward.upper);
    EXPECT_LE(r.inward.lower, r.inward.upper);
    EXPECT_GT(r.complexity, 0U);
    const bool may_miss = r.kind == RepresentationKind::Decimated ||
                          r.kind == RepresentationKind::Voxels ||
                          r.kind == RepresentationKind::Packing;
    EXPECT_TRUE(r.covers || may_miss);
    if (r.covers) {
      EXPECT_EQ(r.inward.upper, 0.0);
    }
  }
  const auto of = [&](RepresentationKind kind) {
    return *std::ranges::find(made->list, kind, &Representation::kind);
  };
  EXPECT_FALSE(of(RepresentationKind::Voxels).covers);
  EXPECT_FALSE(of(RepresentationKind::Packing).covers);
  EXPECT_FALSE(of(RepresentationKind::Decimated).covers);
  EXPECT_GT(of(RepresentationKind::Decimated).inward.lower, 0.0);
  EXPECT_GE(of(RepresentationKind::ConvexHull).outward.upper, 0.019);
  EXPECT_LE(of(RepresentationKind::SphereTree).outward.lower, 0.01);
  EXPECT_FALSE(compare(body, {.error = 0.0}));
}

}  // namespace
}  // namespace clearance
