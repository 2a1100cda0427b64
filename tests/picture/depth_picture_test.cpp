// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clearance/picture/depth_picture.h>
#include <clearance/picture/picture.h>

#include "support/data.h"

namespace clearance {
namespace {

using testing::HasSubstr;

DepthPicture slope(int width, int height) {
  DepthPicture picture{width, height, {}};
  for (int i = 0; i < width * height; ++i)
    picture.values.push_back(static_cast<std::uint16_t>(257 * i + 3));
  return picture;
}

TEST(DepthPicture, ComesBackAsItWasWritten) {
  const test::TemporaryFolder folder;
  const DepthPicture picture = slope(7, 5);
  ASSERT_TRUE(write_depth_picture(folder.file("depth.png"), picture).ok());
  const Result<DepthPicture> read = read_depth_picture(folder.file("depth.png"));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->width, 7);
  EXPECT_EQ(read->height, 5);
  EXPECT_EQ(read->values, picture.values);
  EXPECT_FALSE(write_depth_picture(folder.file("wrong.png"), {3, 3, {1, 2}}).ok());
}

TEST(DepthPicture, RefusesWhatIsNoDepth) {
  const test::TemporaryFolder folder;
  const auto reason_of = [](std::string_view bytes) {
    const Result<DepthPicture> read = parse_depth_picture(bytes, "depth.png");
    return read ? "read" : read.error().message();
  };
  EXPECT_THAT(reason_of(""), HasSubstr("depth.png: is no PNG file"));
  EXPECT_THAT(reason_of("P5 2 2 65535 ........"), HasSubstr("is no PNG file"));
  ASSERT_TRUE(write_png(folder.file("colour.png"), {2, 1, {1, 2, 3, 4, 5, 6}}).ok());
  EXPECT_THAT(reason_of(test::contents(folder.file("colour.png"))),
              HasSubstr("has colour pixels of 8 bits"));
  EXPECT_EQ(read_depth_picture(folder.file("none.png")).error().code, ErrorCode::NotFound);
}

TEST(DepthPicture, RefusesFilesThatAreCutOrDamaged) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_depth_picture(folder.file("depth.png"), slope(9, 9)).ok());
  const std::string bytes = test::contents(folder.file("depth.png"));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_depth_picture(bytes.substr(0, size), "cut").ok()) << size;
  // The checksum of the pixels, before the 12 bytes of the end.
  std::string damaged = bytes;
  damaged[bytes.size() - 14] = static_cast<char>(damaged[bytes.size() - 14] ^ 1);
  const Result<DepthPicture> read = parse_depth_picture(damaged, "damaged");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), HasSubstr("its pixels are damaged"));
}

TEST(DepthPicture, RefusesMorePixelsThanTheFileCanHoldBeforeTakingMemory) {
  const std::string huge =
      test::contents(test::source_path("tests/data/fuzz/depth_picture/huge.png"));
  const Result<DepthPicture> read = parse_depth_picture(huge, "huge");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), HasSubstr("is too short for its 16384 x 16384 pixels"));
}

}  // namespace
}  // namespace clearance
