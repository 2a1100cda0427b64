// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "text.h"

#include <gtest/gtest.h>

namespace clearance::cli {
namespace {

TEST(Text, GroupsDigitsByThree) {
  EXPECT_EQ(group_digits(0), "0");
  EXPECT_EQ(group_digits(999), "999");
  EXPECT_EQ(group_digits(1000), "1,000");
  EXPECT_EQ(group_digits(1234567), "1,234,567");
}

TEST(Text, CountsAgreeWithTheirNoun) {
  EXPECT_EQ(count_of(1, "edge", "edges"), "1 edge");
  EXPECT_EQ(count_of(0, "edge", "edges"), "0 edges");
}

TEST(Text, BytesCarryAUnitThatFits) {
  EXPECT_EQ(format_bytes(812), "812 bytes");
  EXPECT_EQ(format_bytes(1300000), "1.3 MB");
}

TEST(Text, SizesUseOneUnitForAllSides) {
  EXPECT_EQ(format_size({0.12, 0.045, 0.0305}), "120 x 45 x 30.5 mm");
  EXPECT_EQ(format_size({3.0, 0.5, 0.0}), "3 x 0.5 x 0 m");
  EXPECT_EQ(format_size({5e-5, 1e-5, 1e-6}), "50 x 10 x 1 um");
}

TEST(Text, LengthsUseTheUnitThatSuitsThem) {
  EXPECT_EQ(format_length(5.19373e-05), "51.9373 um");
  EXPECT_EQ(format_length(0.0305), "30.5 mm");
  EXPECT_EQ(format_length(-3.0), "-3 m");
  EXPECT_EQ(format_length(0.0), "0 m");
}

TEST(Text, AreasAndVolumesAvoidExponents) {
  EXPECT_EQ(format_area(0.0595281), "0.05953 m²");
  EXPECT_EQ(format_area(0.0012345678), "1,235 mm²");
  EXPECT_EQ(format_volume(1.7329e-4), "173,300 mm³");
  EXPECT_EQ(format_volume(-2.5), "-2.5 m³");
}

TEST(Text, ColumnsAreAlignedByCharactersNotBytes) {
  const std::size_t right[] = {1};
  EXPECT_EQ(align_columns({{"a", "count"}, {"m²x", "7"}}, right), "a    count\nm²x      7\n");
}

TEST(Text, CsvFieldsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

TEST(Text, TheNearestNameForgivesOneSlip) {
  const std::string names[] = {"inspect", "generate", "completion"};
  EXPECT_EQ(nearest("inpsect", names), "inspect");   // swapped
  EXPECT_EQ(nearest("generat", names), "generate");  // missing
  EXPECT_EQ(nearest("xyz", names), "");
}

}  // namespace
}  // namespace clearance::cli
