// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "clash_allow.h"

#include <gtest/gtest.h>

#include <clearance/base/file.h>

#include "support/data.h"

namespace clearance::cli {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(ClashPattern, StarsAndQuestionMarksStandForCharacters) {
  EXPECT_TRUE(matches("bolt#2", "bolt*"));
  EXPECT_TRUE(matches("bolt", "bolt*"));
  EXPECT_TRUE(matches("bolt", "b?lt"));
  EXPECT_TRUE(matches("a*b", "a*b"));
  EXPECT_TRUE(matches("axbxb", "a*b"));
  EXPECT_TRUE(matches("", "*"));
  EXPECT_FALSE(matches("bolt", "bolt?"));
  EXPECT_FALSE(matches("rebolt", "bolt*"));
  EXPECT_FALSE(matches("bolt", ""));
}

TEST(AllowedPairs, NamesAndPatternsInEitherOrder) {
  const std::vector<std::string> parts{"plate", "bolt", "bolt#2", "nut"};
  EXPECT_EQ(*allowed_pairs({"nut:plate"}, parts), (Pairs{{0, 3}}));
  EXPECT_EQ(*allowed_pairs({"bolt*:plate", "plate:bolt"}, parts), (Pairs{{0, 1}, {0, 2}}));
  // A part is no pair with itself.
  EXPECT_EQ(*allowed_pairs({"bolt*:bolt*"}, parts), (Pairs{{1, 2}}));
  EXPECT_EQ(*allowed_pairs({}, parts), Pairs{});
}

TEST(AllowedPairs, NamesMayHoldColons) {
  EXPECT_EQ(*allowed_pairs({"a:1:b:2"}, {"a:1", "b:2", "c"}), (Pairs{{0, 1}}));
}

TEST(AllowedPairs, AFileHasOneRuleALineAndComments) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("allowed.txt");
  ASSERT_TRUE(write_file(path, "# by design\n  plate : bolt*  # screwed\r\n\nnut:bolt\n").ok());
  EXPECT_EQ(*allowed_pairs({path}, {"plate", "bolt", "nut"}), (Pairs{{0, 1}, {1, 2}}));
}

TEST(AllowedPairs, ARuleThatFitsNothingIsNamedWithItsPlaceAndTheNearestPart) {
  const std::vector<std::string> parts{"plate", "bolt"};
  const auto error = [&](const std::string& rule) {
    return allowed_pairs({rule}, parts).error().message();
  };
  EXPECT_NE(error("plaet:bolt").find("no part 'plaet'"), std::string::npos);
  EXPECT_NE(error("plaet:bolt").find("did you mean 'plate'?"), std::string::npos);
  EXPECT_NE(error("plate").find("neither a file nor a pair"), std::string::npos);
  EXPECT_NE(error("plate:plate").find("no two different parts"), std::string::npos);
  const test::TemporaryFolder folder;
  const std::string path = folder.file("allowed.txt");
  ASSERT_TRUE(write_file(path, "plate:bolt\nplate:screw\n").ok());
  EXPECT_NE(error(path).find("allowed.txt: line 2: there is no part 'screw'"), std::string::npos);
}

}  // namespace
}  // namespace clearance::cli
