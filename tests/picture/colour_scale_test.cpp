// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <clearance/picture/colour_scale.h>

namespace clearance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ColourScale, SmallIsWarmLargeIsColdBeyondIsGrey) {
  const ColourScale scale{1.0, 3.0};
  const Colour near = colour_at(scale, 1.0);
  const Colour far = colour_at(scale, 3.0);
  EXPECT_GT(near.r, near.b + 0.3);
  EXPECT_GT(far.b, far.r + 0.3);
  EXPECT_EQ(colour_at(scale, -5.0).r, near.r);
  for (const double beyond : {3.0001, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    const Colour grey = colour_at(scale, beyond);
    EXPECT_NEAR(grey.r, grey.b, 0.05);
  }
}

TEST(ColourScale, ColoursGoFromOneToTheNextWithoutJumps) {
  const ColourScale scale{0.0, 1.0};
  Colour before = colour_at(scale, 0.0);
  for (int i = 1; i <= 1000; ++i) {
    const Colour c = colour_at(scale, i / 1000.0);
    EXPECT_LT(std::abs(c.r - before.r) + std::abs(c.g - before.g) + std::abs(c.b - before.b), 0.01);
    before = c;
  }
}

TEST(LegendTicks, AreRoundAndWithinTheScale) {
  EXPECT_THAT(legend_ticks({0.0, 0.02}, {"mm", 1000.0}), ElementsAre(0, 5, 10, 15, 20));
  EXPECT_THAT(legend_ticks({0.0, 0.9}, {"m", 1.0}),
              ElementsAre(0.0, testing::DoubleNear(0.2, 1e-12), testing::DoubleNear(0.4, 1e-12),
                          testing::DoubleNear(0.6, 1e-12), testing::DoubleNear(0.8, 1e-12)));
  for (double high = 1e-7; high < 1e7; high *= 1.7) {
    const std::vector<double> ticks = legend_ticks({0.0, high}, {"m", 1.0});
    EXPECT_GE(ticks.size(), 4U) << high;
    EXPECT_LE(ticks.size(), 9U) << high;
    EXPECT_LE(ticks.back(), high * (1.0 + 1e-9));
  }
}

TEST(WithLegend, PutsTheBarBesideThePictureAndLeavesThePicture) {
  Image image;
  image.width = 40;
  image.height = 200;
  image.rgb.assign(std::size_t(40) * 200 * 3, 17);
  const ColourScale scale{0.0, 0.01};
  const Image with = with_legend(image, scale, {"distance [mm]", 1000.0});
  EXPECT_EQ(with.height, 200);
  EXPECT_GT(with.width, 40 + 13 * 6);
  ASSERT_EQ(with.rgb.size(), std::size_t(with.width) * 200 * 3);
  const auto pixel = [&](int x, int y) {
    const std::size_t i = 3 * (std::size_t(y) * std::size_t(with.width) + std::size_t(x));
    return std::array<int, 3>{with.rgb[i], with.rgb[i + 1], with.rgb[i + 2]};
  };
  for (int y = 0; y < 200; ++y) EXPECT_EQ(pixel(39, y), (std::array<int, 3>{17, 17, 17}));
  // Inside the bar: cold above, warm below.
  EXPECT_GT(pixel(60, 42)[2], pixel(60, 42)[0]);
  EXPECT_GT(pixel(60, 165)[0], pixel(60, 165)[2]);
  // Something is written in the column of the numbers.
  int dark = 0;
  for (int y = 30; y < 180; ++y)
    for (int x = 40 + 10 + 22 + 10; x < with.width; ++x) dark += pixel(x, y)[0] < 100 ? 1 : 0;
  EXPECT_GT(dark, 30);
}

TEST(WithLegend, LeavesSmallImagesAlone) {
  Image image;
  image.width = image.height = 10;
  image.rgb.assign(300, 1);
  EXPECT_EQ(with_legend(image, {0.0, 1.0}, {"distance [m]", 1.0}).rgb, image.rgb);
}

TEST(LegendSvg, IsXmlWithTitleAndNumbers) {
  const std::string text = legend_svg({0.0, 0.02}, {"a < b & c [mm]", 1000.0});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  EXPECT_STREQ(document.child("svg").child("text").child_value(), "a < b & c [mm]");
  for (const char* label : {">0<", ">5<", ">20<"}) EXPECT_THAT(text, HasSubstr(label));
}

}  // namespace
}  // namespace clearance
