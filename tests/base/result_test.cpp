// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <clearance/base/result.h>

namespace clearance {
namespace {

const Error kError{ErrorCode::Malformed, "part.stl", "byte 80", "promises 7 triangles, holds 3",
                   "was the copy cut short?"};

TEST(Error, MessageNamesFilePlaceReasonAdvice) {
  EXPECT_EQ(kError.message(),
            "part.stl: byte 80: promises 7 triangles, holds 3 (was the copy cut short?)");
}

TEST(Error, MessageLeavesOutWhatIsEmpty) {
  EXPECT_EQ((Error{ErrorCode::Invalid, "", "", "no points", ""}).message(), "no points");
  EXPECT_EQ((Error{ErrorCode::Invalid, "", "point 3", "not finite", ""}).message(),
            "point 3: not finite");
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 7);
  const Result<int> bad = kError;
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().place, "byte 80");
}

TEST(Result, ValueMovesOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, CanHoldAnErrorAsItsValueType) {
  // in_place_index keeps the two apart even where the types convert into each other.
  const Result<std::string> text = std::string("fine");
  EXPECT_EQ(text->size(), 4u);
}

TEST(Status, IsGoodByDefault) {
  EXPECT_TRUE(Status().ok());
  const Status bad = kError;
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::Malformed);
}

#if defined(CLEARANCE_CHECKED)
TEST(ResultDeathTest, ReadingTheWrongSideAborts) {
  const Result<int> bad = kError;
  const Result<int> good = 1;
  EXPECT_DEATH((void)bad.value(), "assertion failed");
  EXPECT_DEATH((void)good.error(), "assertion failed");
  EXPECT_DEATH((void)Status().error(), "assertion failed");
}
#endif

}  // namespace
}  // namespace clearance
