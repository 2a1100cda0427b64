// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check_angles.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDegree = std::numbers::pi / 180.0;
/// Angles of one range at most: a slip in the step is not to fill the memory.
constexpr double kMostAngles = 3600.0;

std::optional<double> number_of(const std::string& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string degrees(double angle) { return format_number("%.6g", angle / kDegree); }

/// What is known of one work and travel angle.
struct MapCell {
  std::size_t free = 0;
  std::size_t blocked = 0;
};
MapCell cell_of(const std::vector<ToolAngle>& angles, const ToolAngleOptions& options,
                std::size_t work, std::size_t travel) {
  const std::size_t row = options.rotation.size();
  const std::size_t first = (work * options.travel.size() + travel) * row;
  MapCell cell;
  for (std::size_t i = first; i < first + row; ++i) {
    if (angles[i].status == ToolAngleStatus::Free) ++cell.free;
    if (angles[i].status == ToolAngleStatus::Blocked) ++cell.blocked;
  }
  return cell;
}

/// Green, the deeper the more rotations are free; red: reached, and none free; grey: not reached.
std::string colour_of(const MapCell& cell, std::size_t rotations) {
  if (cell.free == 0) return cell.blocked > 0 ? "#c8412e" : "#c9ced3";
  const double share = static_cast<double>(cell.free) / static_cast<double>(rotations);
  const auto channel = [&](double pale, double deep) {
    return static_cast<int>(std::lround(pale + share * (deep - pale)));
  };
  return "rgb(" + std::to_string(channel(205, 20)) + "," + std::to_string(channel(232, 125)) + "," +
         std::to_string(channel(205, 70)) + ")";
}

}  // namespace

Result<ProcessPoint> parse_process_point(const std::string& text) {
  std::stringstream stream(text);
  std::vector<double> numbers;
  for (std::string word; stream >> word;) {
    const std::optional<double> number = number_of(word);
    if (!number) {
      return Error{ErrorCode::Invalid, "", "--tool-angles", "'" + word + "' is not a number", ""};
    }
    numbers.push_back(*number);
  }
  if (numbers.size() != 9) {
    return Error{ErrorCode::Invalid, "", "--tool-angles",
                 "has " + std::to_string(numbers.size()) + " numbers, not nine",
                 "point, direction out of the surface, direction of the seam"};
  }
  return ProcessPoint{{numbers[0], numbers[1], numbers[2]},
                      {numbers[3], numbers[4], numbers[5]},
                      {numbers[6], numbers[7], numbers[8]}};
}

Result<std::vector<double>> parse_angles(const std::string& text, const std::string& option) {
  const auto wrong = [&](const std::string& reason) {
    return Error{ErrorCode::Invalid, "", option, reason, "FROM:TO:STEP, or a list: 0,30,60"};
  };
  std::vector<double> angles;
  const std::vector<std::string> range = split(text, ':');
  if (range.size() == 3) {
    const std::optional<double> from = number_of(range[0]);
    const std::optional<double> to = number_of(range[1]);
    const std::optional<double> step = number_of(range[2]);
    if (!from || !to || !step) return wrong("'" + text + "' is not a range of angles");
    if (!(*step > 0.0) || *to < *from || (*to - *from) / *step > kMostAngles)
      return wrong("'" + text + "' has no angle, or too many");
    const auto count = static_cast<int>(std::floor((*to - *from) / *step + 1e-9));
    for (int i = 0; i <= count; ++i) angles.push_back(kDegree * (*from + i * *step));
    return angles;
  }
  for (const std::string& part : split(text, ',')) {
    const std::optional<double> angle = number_of(part);
    if (!angle) return wrong("'" + part + "' is not an angle");
    angles.push_back(kDegree * *angle);
  }
  if (angles.empty()) return wrong("there is no angle");
  return angles;
}

std::string angles_text(const std::vector<ToolAngle>& angles, const ToolAngleOptions& options) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head{"work \\ travel"};
  std::vector<std::size_t> right{0};
  for (std::size_t t = 0; t < options.travel.size(); ++t) {
    head.push_back(degrees(options.travel[t]));
    right.push_back(t + 1);
  }
  lines.push_back(head);
  std::size_t free = 0;
  for (std::size_t w = 0; w < options.work.size(); ++w) {
    std::vector<std::string> line{degrees(options.work[w])};
    for (std::size_t t = 0; t < options.travel.size(); ++t) {
      const MapCell cell = cell_of(angles, options, w, t);
      free += cell.free;
      line.push_back(cell.free > 0 ? std::to_string(cell.free) : (cell.blocked > 0 ? "x" : "-"));
    }
    lines.push_back(line);
  }
  return align_columns(lines, right) + "free rotations of " +
         std::to_string(options.rotation.size()) +
         "; x: reached, but something touches; -: not reached\n" + group_digits(free) + " of " +
         count_of(angles.size(), "angle is free", "angles are free") + "\n";
}

nlohmann::ordered_json angles_json(const std::vector<ToolAngle>& angles, const ProcessPoint& point,
                                   const ReadyCell& cell, const std::string& cell_file) {
  const auto vector = [](const Vec3& v) { return Json::array({v.x, v.y, v.z}); };
  Json list = Json::array();
  std::size_t free = 0;
  for (const ToolAngle& angle : angles) {
    Json contact(nullptr);
    if (angle.contact) {
      contact = Json::array(
          {cell.bodies[angle.contact->first].name, cell.bodies[angle.contact->second].name});
    }
    list.push_back({{"work", angle.work},
                    {"travel", angle.travel},
                    {"rotation", angle.rotation},
                    {"status", name_of(angle.status)},
                    {"values", angle.values},
                    {"contact", std::move(contact)}});
    free += angle.status == ToolAngleStatus::Free ? 1 : 0;
  }
  return {{"schema", "clearance.check-angles"},
          {"version", 1},
          {"cell", cell_file},
          {"point", vector(point.point)},
          {"direction", vector(point.direction)},
          {"along", vector(point.along)},
          {"free", free},
          {"angles", std::move(list)}};
}

std::string angles_csv(const std::vector<ToolAngle>& angles, const ReadyCell& cell) {
  std::string text = "work_deg,travel_deg,rotation_deg,status,body_a,body_b";
  for (const std::uint32_t joint : cell.cell.robot.free_joints())
    text += ',' + csv_field(cell.cell.robot.joints()[joint].name);
  text += '\n';
  for (const ToolAngle& angle : angles) {
    text += degrees(angle.work) + ',' + degrees(angle.travel) + ',' + degrees(angle.rotation) +
            ',' + name_of(angle.status) + ',';
    if (angle.contact) text += csv_field(cell.bodies[angle.contact->first].name);
    text += ',';
    if (angle.contact) text += csv_field(cell.bodies[angle.contact->second].name);
    for (std::size_t k = 0; k < cell.cell.robot.degrees_of_freedom(); ++k)
      text += ',' + (angle.values.empty() ? "" : format_number("%.9g", angle.values[k]));
    text += '\n';
  }
  return text;
}

std::string angles_map(const std::vector<ToolAngle>& angles, const ToolAngleOptions& options) {
  constexpr int kSide = 44;  // of a cell [pixels]
  constexpr int kLeft = 90;
  constexpr int kTop = 70;
  const auto columns = static_cast<int>(options.travel.size());
  const auto rows = static_cast<int>(options.work.size());
  const int width = std::max(440, kLeft + columns * kSide + 20);
  const int height = kTop + rows * kSide + 70;
  const auto text = [](int x, int y, const std::string& words, const char* anchor, int size) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" font-size=\"" +
           std::to_string(size) + "\" text-anchor=\"" + anchor + "\">" + words + "</text>\n";
  };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) +
                    "\" height=\"" + std::to_string(height) +
                    "\" font-family=\"sans-serif\" fill=\"#222\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#f7fafc\"/>\n";
  svg +=
      text(kLeft, 24, "Free rotations of the tool, of " + std::to_string(options.rotation.size()),
           "start", 16);
  svg += text(kLeft, 46, "travel angle [deg] across, work angle [deg] down", "start", 12);
  for (int t = 0; t < columns; ++t) {
    svg += text(kLeft + t * kSide + kSide / 2, kTop - 6,
                degrees(options.travel[static_cast<std::size_t>(t)]), "middle", 12);
  }
  for (int w = 0; w < rows; ++w) {
    const int y = kTop + w * kSide;
    svg += text(kLeft - 8, y + kSide / 2 + 4, degrees(options.work[static_cast<std::size_t>(w)]),
                "end", 12);
    for (int t = 0; t < columns; ++t) {
      const MapCell cell =
          cell_of(angles, options, static_cast<std::size_t>(w), static_cast<std::size_t>(t));
      const int x = kLeft + t * kSide;
      svg += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
             std::to_string(kSide - 2) + "\" height=\"" + std::to_string(kSide - 2) + "\" fill=\"" +
             colour_of(cell, options.rotation.size()) + "\"/>\n";
      if (cell.free > 0) {
        svg += text(x + kSide / 2 - 1, y + kSide / 2 + 4, std::to_string(cell.free), "middle", 13);
      }
    }
  }
  const int y = kTop + rows * kSide + 24;
  const auto key = [&](int x, const std::string& colour, const std::string& words) {
    svg += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
           "\" width=\"14\" height=\"14\" fill=\"" + colour + "\"/>\n" +
           text(x + 20, y + 12, words, "start", 12);
  };
  key(20, "rgb(20,125,70)", "free");
  key(80, "#c8412e", "reached, but something touches");
  key(300, "#c9ced3", "not reached");
  return svg + "</svg>\n";
}

}  // namespace clearance::cli
