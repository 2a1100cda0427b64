// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/grasp/points_file.h>

namespace clearance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string reason_of(const std::string& text) {
  const Result<std::vector<Vec3>> points = parse_points(text, "points");
  return points ? "read" : points.error().message();
}

template <class T>
std::string bytes_of(T value, bool swap) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  if (swap) std::reverse(raw.begin(), raw.end());
  return {raw.begin(), raw.end()};
}

TEST(ReadPoints, ReadsTextWithHeaderCommentsAndMoreColumns) {
  const Result<std::vector<Vec3>> points =
      parse_points("x,y,z,intensity\n# seen\n1, 2, 3, 9\n\n4 5\t6\r\n", "points", 0.001);
  ASSERT_TRUE(points.ok()) << points.error().message();
  EXPECT_THAT(*points, ElementsAre(Vec3{0.001, 0.002, 0.003}, Vec3{0.004, 0.005, 0.006}));
}

TEST(ReadPoints, ReadsPlyInEveryFormat) {
  const std::string properties =
      "element vertex 2\nproperty uchar red\nproperty float x\nproperty float y\n"
      "property double z\nend_header\n";
  const std::vector<Vec3> expected{{1.0, 2.0, 3.0}, {-0.5, 0.25, 8.0}};
  const Result<std::vector<Vec3>> ascii =
      parse_points("ply\nformat ascii 1.0\n" + properties + "7 1 2 3\n8 -0.5 0.25 8\n", "points");
  ASSERT_TRUE(ascii.ok()) << ascii.error().message();
  EXPECT_EQ(*ascii, expected);
  for (const bool swap : {false, true}) {
    std::string text = std::string("ply\nformat binary_") + (swap ? "big" : "little") +
                       "_endian 1.0\n" + properties;
    for (const Vec3& p : expected) {
      text += std::string(1, '\7') + bytes_of(static_cast<float>(p.x), swap) +
              bytes_of(static_cast<float>(p.y), swap) + bytes_of(p.z, swap);
    }
    const Result<std::vector<Vec3>> binary = parse_points(text, "points");
    ASSERT_TRUE(binary.ok()) << binary.error().message();
    EXPECT_EQ(*binary, expected);
  }
}

TEST(ReadPoints, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(reason_of("0 0 0\n0 nan 0\n"), HasSubstr("line 2: a coordinate is not finite"));
  EXPECT_THAT(reason_of("0 0 0\n0 1e999 0\n"), HasSubstr("line 2"));
  EXPECT_THAT(reason_of("0 0 0\n0 0\n"), HasSubstr("line 2: is not three numbers"));
  EXPECT_THAT(reason_of(""), HasSubstr("no points"));
  EXPECT_THAT(reason_of("ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
                        "property float y\nproperty float z\nend_header\n1 2 3\n"),
              HasSubstr("points"));
  EXPECT_THAT(reason_of("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                        "property float y\nend_header\n1 2\n"),
              HasSubstr("no 'z'"));
}

}  // namespace
}  // namespace clearance
