// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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
    picture.values.push_back(static_cast<float>(257 * i + 3));
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
  EXPECT_TRUE(read->is_whole);
  EXPECT_FALSE(write_depth_picture(folder.file("wrong.png"), {3, 3, {1, 2}}).ok());
  EXPECT_THAT(write_depth_picture(folder.file("wrong.png"), {2, 1, {1, 1.5F}}).error().message(),
              HasSubstr("no whole number"));
  EXPECT_FALSE(write_depth_picture(folder.file("wrong.png"), {2, 1, {1, 65536}}).ok());
}

TEST(DepthPicture, RefusesWhatIsNoDepth) {
  const test::TemporaryFolder folder;
  const auto reason_of = [](std::string_view bytes) {
    const Result<DepthPicture> read = parse_depth_picture(bytes, "depth.png");
    return read ? "read" : read.error().message();
  };
  EXPECT_THAT(reason_of(""), HasSubstr("depth.png: is no depth image"));
  EXPECT_THAT(reason_of("II*"), HasSubstr("a grey PNG or PGM (P5) file of 16 bits"));
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

TEST(DepthPicture, ReadsPgmFilesOfSixteenBits) {
  const std::string pixels("\x01\x02\xff\xff\x00\x00\x03\x04\x00\x01\x10\x00", 12);
  const Result<DepthPicture> read =
      parse_depth_picture("P5\n# from a camera\n3 2\n65535\n" + pixels, "depth.pgm");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->width, 3);
  EXPECT_EQ(read->height, 2);
  EXPECT_TRUE(read->is_whole);
  EXPECT_THAT(read->values, testing::ElementsAre(258, 65535, 0, 772, 1, 4096));
  const auto reason_of = [](const std::string& bytes) {
    const Result<DepthPicture> refused = parse_depth_picture(bytes, "depth.pgm");
    return refused ? "read" : refused.error().message();
  };
  EXPECT_THAT(reason_of("P5 3 2 255\n......"), HasSubstr("its largest value is '255'"));
  EXPECT_THAT(reason_of("P5 3 2 65535\n..........."),
              HasSubstr("has 11 bytes of pixels where 3 x 2 take 12"));
  EXPECT_THAT(reason_of("P5 3 2 65535\n............."), HasSubstr("has 13 bytes"));
  EXPECT_THAT(reason_of("P5 0 2 65535\n"), HasSubstr("no width, height"));
  EXPECT_THAT(reason_of("P5 99999 99999 65535\n"), HasSubstr("no width, height"));
  EXPECT_THAT(reason_of("P5 3"), HasSubstr("no width, height"));
}

/// As numpy.save() writes an array.
template <class Number>
std::string npy(const std::string& kind, const std::string& shape,
                const std::vector<Number>& numbers, const std::string& fortran = "False") {
  std::string header =
      "{'descr': '" + kind + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  header.resize(118 - 1, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY" + std::string("\x01\x00\x76\x00", 4) + header;
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  return bytes;
}

TEST(DepthPicture, ReadsNumpyArraysWithTheirNans) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Result<DepthPicture> read = parse_depth_picture(
      npy<float>("<f4", "(2, 3)", {0.5F, kNan, 1.25F, -1.0F, 0.0F, 2.0F}), "depth.npy");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->width, 3);
  EXPECT_EQ(read->height, 2);
  EXPECT_FALSE(read->is_whole);
  EXPECT_EQ(read->values[2], 1.25F);
  EXPECT_TRUE(std::isnan(read->values[1]));
  const Result<DepthPicture> longer =
      parse_depth_picture(npy<double>("<f8", "(1, 2)", {0.5, 0.75}), "depth.npy");
  ASSERT_TRUE(longer.ok()) << longer.error().message();
  EXPECT_THAT(longer->values, testing::ElementsAre(0.5F, 0.75F));
  const Result<DepthPicture> whole =
      parse_depth_picture(npy<std::uint16_t>(">u2", "(2, 1)", {0x0100, 0x0302}), "depth.npy");
  ASSERT_TRUE(whole.ok()) << whole.error().message();
  EXPECT_TRUE(whole->is_whole);
  EXPECT_THAT(whole->values, testing::ElementsAre(1, 515));

  const auto reason_of = [](const std::string& bytes) {
    const Result<DepthPicture> refused = parse_depth_picture(bytes, "depth.npy");
    return refused ? "read" : refused.error().message();
  };
  const std::vector<float> two{1.0F, 2.0F};
  EXPECT_THAT(reason_of(npy<float>("<f4", "(2,)", two)), HasSubstr("no array of rows and columns"));
  EXPECT_THAT(reason_of(npy<float>("<f4", "(1, 1, 2)", two)), HasSubstr("rows and columns"));
  EXPECT_THAT(reason_of(npy<float>("<f4", "(1, 2)", two, "True")),
              HasSubstr("column after column"));
  EXPECT_THAT(reason_of(npy<float>("<i4", "(1, 2)", two)), HasSubstr("numbers of type '<i4'"));
  EXPECT_THAT(reason_of(npy<float>("<f4", "(1, 3)", two)), HasSubstr("has 8 bytes of pixels"));
  const std::string whole_file = npy<float>("<f4", "(1, 2)", two);
  for (std::size_t size = 0; size < whole_file.size(); ++size)
    EXPECT_FALSE(parse_depth_picture(whole_file.substr(0, size), "cut").ok()) << size;
}

}  // namespace
}  // namespace clearance
