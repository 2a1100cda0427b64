// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <gtest/gtest.h>
#include <png.h>

#include <clearance/base/file.h>
#include <clearance/mesh/generate.h>
#include <clearance/picture/picture.h>

#include "support/data.h"

namespace clearance {
namespace {

// A square of side 2 facing up at height z.
Mesh square(double z) {
  return Mesh::make({{-1, -1, z}, {1, -1, z}, {1, 1, z}, {-1, 1, z}}, {{0, 1, 2}, {0, 2, 3}})
      .value();
}

PictureOptions from_above() {
  PictureOptions options;
  options.width = 60;
  options.height = 40;
  options.towards_eye = {0, 0, 1};
  options.up = {0, 1, 0};
  options.outlines = false;
  return options;
}

std::array<int, 3> pixel(const Image& image, int x, int y) {
  const std::uint8_t* p = &image.rgb[3 * (std::size_t(y) * std::size_t(image.width) + x)];
  return {p[0], p[1], p[2]};
}

constexpr Colour kRed{0.8, 0.1, 0.1};
constexpr Colour kBlue{0.1, 0.1, 0.8};

TEST(Render, GivesTheBackgroundForAnEmptyScene) {
  const Image image = render({}, {}, from_above());
  ASSERT_EQ(image.rgb.size(), 60U * 40U * 3U);
  EXPECT_EQ(pixel(image, 0, 0), pixel(image, 59, 39));
  EXPECT_GT(pixel(image, 30, 20)[0], 200);
}

TEST(Render, FitsTheSceneIntoThePicture) {
  const std::vector<PictureItem> items{{square(0), Pose::translate({100, 50, 0}), kRed}};
  const Image image = render(items, {}, from_above());
  // 4 % margin of the height: the square covers rows 1.6 to 38.4 and as many columns.
  EXPECT_LT(pixel(image, 30, 3)[2], 120);
  EXPECT_LT(pixel(image, 30, 36)[2], 120);
  EXPECT_GT(pixel(image, 30, 0)[2], 200);
  EXPECT_GT(pixel(image, 5, 20)[2], 200);
}

TEST(Render, BlendsTheColoursOfVertices) {
  PictureItem item{square(0), {}, kRed};
  item.vertex_colours = {kRed, kBlue, kBlue, kRed};  // red on the left, blue on the right
  const Image image = render(std::span(&item, 1), {}, from_above());
  EXPECT_GT(pixel(image, 14, 20)[0], pixel(image, 14, 20)[2] + 60);
  EXPECT_GT(pixel(image, 45, 20)[2], pixel(image, 45, 20)[0] + 60);
  EXPECT_NEAR(pixel(image, 30, 20)[0], pixel(image, 30, 20)[2], 12);
  item.vertex_colours.pop_back();
  const Image plain = render(std::span(&item, 1), {}, from_above());
  EXPECT_EQ(pixel(plain, 14, 20), pixel(plain, 45, 20));
}

TEST(Render, ShowsTheNearerOfTwoSurfaces) {
  const std::vector<PictureItem> items{{square(0), {}, kRed}, {square(1), {}, kBlue}};
  const Image above = render(items, {}, from_above());
  EXPECT_GT(pixel(above, 30, 20)[2], pixel(above, 30, 20)[0]);
  PictureOptions below = from_above();
  below.towards_eye = {0, 0, -1};
  const Image image = render(items, {}, below);
  EXPECT_GT(pixel(image, 30, 20)[0], pixel(image, 30, 20)[2]);
}

TEST(Render, DrawsLinesAndHidesThemBehindSurfaces) {
  const std::vector<PictureItem> items{{square(0), {}, kBlue}};
  PictureOptions options = from_above();
  options.region = Box{{-1, -1, -1}, {1, 1, 1}};
  const std::vector<PictureLine> before{{{{-1, 0, 0.5}, {1, 0, 0.5}}, kRed, 4.0}};
  const std::vector<PictureLine> behind{{{{-1, 0, -0.5}, {1, 0, -0.5}}, kRed, 4.0}};
  EXPECT_GT(pixel(render(items, before, options), 30, 20)[0], 150);
  EXPECT_LT(pixel(render(items, behind, options), 30, 20)[0], 100);
}

TEST(Render, DrawsTheEdgesOfTrianglesWhenAsked) {
  std::vector<PictureItem> items{{square(0), {}, kRed}};
  const Image plain = render(items, {}, from_above());
  items[0].triangles = true;
  const Image wired = render(items, {}, from_above());
  // The diagonal passes through the middle.
  EXPECT_LT(pixel(wired, 30, 20)[0], pixel(plain, 30, 20)[0]);
  EXPECT_EQ(pixel(wired, 25, 8), pixel(plain, 25, 8));
}

TEST(Render, IsTheSameForAnyNumberOfThreads) {
  const Result<Assembly> pipe = generate("pipe");
  ASSERT_TRUE(pipe.ok());
  const std::vector<PictureItem> items = picture_items(*pipe);
  PictureOptions options;
  options.width = 160;
  options.height = 120;
  options.threads.count = 1;
  const Image one = render(items, {}, options);
  options.threads.count = 4;
  EXPECT_EQ(render(items, {}, options).rgb, one.rgb);
}

Image read_back(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  Image image;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0) return image;
  png.format = PNG_FORMAT_RGB;
  image.width = int(png.width);
  image.height = int(png.height);
  image.rgb.resize(PNG_IMAGE_SIZE(png));
  png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr);
  return image;
}

TEST(WritePng, ReadsBackTheSame) {
  const test::TemporaryFolder folder;
  const std::vector<PictureItem> items{{square(0), {}, kRed}};
  const Image image = render(items, {}, from_above());
  ASSERT_TRUE(write_png(folder.file("a.png"), image).ok());
  const Image back = read_back(folder.file("a.png"));
  EXPECT_EQ(back.width, 60);
  EXPECT_EQ(back.height, 40);
  EXPECT_EQ(back.rgb, image.rgb);
}

TEST(WritePng, KeepsColoursNearInAPalette) {
  const test::TemporaryFolder folder;
  Image image{64, 64, {}};
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      for (const int value : {4 * x, 4 * y, 128}) image.rgb.push_back(std::uint8_t(value));
  ASSERT_TRUE(write_png(folder.file("a.png"), image, {256}).ok());
  const Image back = read_back(folder.file("a.png"));
  ASSERT_EQ(back.rgb.size(), image.rgb.size());
  // 4,096 colours on a plane in 256 groups of 4 x 4: each is within two steps of its mean.
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    ASSERT_NEAR(back.rgb[i], image.rgb[i], 16) << i;
}

TEST(WritePng, RefusesAFolderThatIsNotThere) {
  const Image image = render({}, {}, from_above());
  const test::TemporaryFolder folder;
  EXPECT_FALSE(write_png(folder.file("absent/a.png"), image).ok());
}

TEST(WritePng, RefusesPixelsThatDoNotMatchTheSize) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(write_png(folder.file("a.png"), Image{2, 2, {0, 0, 0}}).ok());
}

}  // namespace
}  // namespace clearance
