// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of a disassembly: the strip of key frames and the precedence graph.
#include <algorithm>
#include <cmath>
#include <map>

#include <clearance/picture/picture.h>
#include <clearance/picture/xml_text.h>

#include "disassemble_report.h"
#include "text.h"

namespace clearance::cli {
namespace {

constexpr std::size_t kFrames = 12;
constexpr int kColumns = 4;
constexpr int kFrameWidth = 320;
constexpr int kFrameHeight = 260;
constexpr int kGap = 6;  ///< between frames [pixels]
constexpr Colour kStanding{0.70, 0.74, 0.79};
constexpr Colour kMoving{0.93, 0.55, 0.18};
constexpr Colour kStuck{0.82, 0.16, 0.14};
/// How much of the way out the moving part is shown at.
constexpr double kShownAt = 0.5;

// The precedence graph [pixels].
constexpr int kBoxWidth = 150;
constexpr int kBoxHeight = 26;
constexpr int kColumnWidth = 230;
constexpr int kRowHeight = 40;
constexpr int kMargin = 20;

Image beside(const std::vector<Image>& images) {
  const int rows = (static_cast<int>(images.size()) + kColumns - 1) / kColumns;
  const int columns = std::min(kColumns, static_cast<int>(images.size()));
  Image all;
  all.width = columns * (kFrameWidth + kGap) - kGap;
  all.height = rows * (kFrameHeight + kGap) - kGap;
  all.rgb.assign(static_cast<std::size_t>(3) * static_cast<std::size_t>(all.width) *
                     static_cast<std::size_t>(all.height),
                 255);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const int left = static_cast<int>(i) % columns * (kFrameWidth + kGap);
    const int top = static_cast<int>(i) / columns * (kFrameHeight + kGap);
    for (int row = 0; row < kFrameHeight; ++row) {
      const auto from = images[i].rgb.begin() + static_cast<std::ptrdiff_t>(3) * row * kFrameWidth;
      std::copy(
          from, from + static_cast<std::ptrdiff_t>(3) * kFrameWidth,
          all.rgb.begin() + static_cast<std::ptrdiff_t>(3) * ((top + row) * all.width + left));
    }
  }
  return all;
}

}  // namespace

Status draw_disassembly(const std::string& path, const DisassemblyReport& report, Threads threads) {
  const std::vector<RemovalStep>& steps = report.disassembly.steps;
  std::vector<bool> stuck(report.parts.size(), false);
  for (const StuckPart& part : report.disassembly.stuck) stuck[part.part] = true;
  std::vector<std::vector<PictureItem>> frames;
  Box region;
  std::vector<PictureItem> whole;
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    whole.push_back({report.parts[i].mesh, Pose::identity(), stuck[i] ? kStuck : kStanding});
    region.include(report.parts[i].mesh.bounds());
  }
  frames.push_back(std::move(whole));
  const std::size_t shown = std::min(kFrames - 1, steps.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const RemovalStep& step = steps[k * steps.size() / shown];
    std::vector<PictureItem> items;
    const double radius = gyration_radius(report.parts[step.parts.front()].mesh, step.path.pivot);
    const Pose pose = pose_at(step.path, kShownAt, radius);
    for (const std::size_t part : step.parts) {
      items.push_back({report.parts[part].mesh, pose, kMoving});
      region.include(transformed(report.parts[part].mesh, pose).bounds());
    }
    for (const std::size_t part : step.present) {
      // Earlier steps of the same round are gone by now.
      const bool gone = std::any_of(
          steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(k * steps.size() / shown),
          [&](const RemovalStep& before) {
            return std::binary_search(before.parts.begin(), before.parts.end(), part) &&
                   !step.of_group;
          });
      if (!gone) {
        items.push_back(
            {report.parts[part].mesh, Pose::identity(), stuck[part] ? kStuck : kStanding});
      }
    }
    frames.push_back(std::move(items));
  }
  PictureOptions options;
  options.width = kFrameWidth;
  options.height = kFrameHeight;
  options.region = region;
  options.threads = threads;
  std::vector<Image> images;
  images.reserve(frames.size());
  for (const std::vector<PictureItem>& items : frames) {
    images.push_back(render(items, {}, options));
  }
  return write_png(path, beside(images), {.colours = 256});
}

std::string precedence_svg(const DisassemblyReport& report) {
  // A column for each round, then one for what stays or is stuck.
  const Disassembly& result = report.disassembly;
  struct Place {
    std::size_t column = 0;
    std::size_t row = 0;
  };
  std::vector<Place> places(report.parts.size());
  std::map<std::size_t, std::size_t> filled;
  std::vector<bool> moves(report.parts.size(), false);
  for (const RemovalStep& step : result.steps) {
    for (const std::size_t part : step.parts) {
      moves[part] = true;
      places[part] = {step.round, filled[step.round]++};
    }
  }
  std::vector<bool> stuck(report.parts.size(), false);
  for (const StuckPart& part : result.stuck) stuck[part.part] = true;
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    if (!moves[i]) places[i] = {result.rounds, filled[result.rounds]++};
  }
  std::size_t rows = 1;
  for (const auto& [column, count] : filled) rows = std::max(rows, count);
  const auto width = static_cast<int>(result.rounds + 1) * kColumnWidth + kMargin;
  const auto height = static_cast<int>(rows) * kRowHeight + 2 * kMargin + kRowHeight;
  const auto left = [&](std::size_t part) {
    return kMargin + static_cast<int>(places[part].column) * kColumnWidth;
  };
  const auto top = [&](std::size_t part) {
    return kMargin + kRowHeight + static_cast<int>(places[part].row) * kRowHeight;
  };
  const auto text_of = [](int value) { return std::to_string(value); };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + text_of(width) +
                    "\" height=\"" + text_of(height) + "\" viewBox=\"0 0 " + text_of(width) + " " +
                    text_of(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
                    "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\""
                    " refY=\"4\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#5a6b80\"/>"
                    "</marker></defs>\n";
  for (std::size_t column = 0; column <= result.rounds; ++column) {
    if (filled[column] == 0) continue;
    svg += "<text x=\"" + text_of(kMargin + static_cast<int>(column) * kColumnWidth) + "\" y=\"" +
           text_of(kMargin + 10) + "\" fill=\"#5a6b80\">" +
           (column < result.rounds ? "round " + std::to_string(column + 1)
                                   : std::string("stays, or stuck")) +
           "</text>\n";
  }
  for (const RemovalStep& step : result.steps) {
    for (const std::size_t before : step.after) {
      for (const std::size_t part : step.parts) {
        svg += "<line x1=\"" + text_of(left(before) + kBoxWidth) + "\" y1=\"" +
               text_of(top(before) + kBoxHeight / 2) + "\" x2=\"" + text_of(left(part)) +
               "\" y2=\"" + text_of(top(part) + kBoxHeight / 2) +
               "\" stroke=\"#5a6b80\" marker-end=\"url(#tip)\"/>\n";
      }
    }
  }
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    const char* fill = stuck[i] ? "#f3c6c2" : (moves[i] ? "#fbe3c8" : "#dde4ec");
    svg += "<rect x=\"" + text_of(left(i)) + "\" y=\"" + text_of(top(i)) + "\" width=\"" +
           text_of(kBoxWidth) + "\" height=\"" + text_of(kBoxHeight) + "\" rx=\"4\" fill=\"" +
           fill + "\" stroke=\"#5a6b80\"/>\n<text x=\"" + text_of(left(i) + kBoxWidth / 2) +
           "\" y=\"" + text_of(top(i) + kBoxHeight / 2 + 4) + "\" text-anchor=\"middle\">" +
           xml_text(report.parts[i].name) + "</text>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace clearance::cli
