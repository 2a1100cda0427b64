// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "probe_input.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/contour/contour_file.h>
#include <clearance/query/query.h>
#include <clearance/robot/robot_file.h>

#include "text.h"

namespace clearance::cli {
namespace {

namespace fs = std::filesystem;

Error invalid(std::string place, std::string reason, std::string advice = {}) {
  return {ErrorCode::Invalid, {}, std::move(place), std::move(reason), std::move(advice)};
}

Error in_line(const std::string& path, std::size_t line, const Error& error) {
  const std::string place = error.place.empty() ? "" : ": " + error.place;
  return {error.code, path, "line " + std::to_string(line) + place, error.reason, error.advice};
}

std::string lower_extension(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line, std::string_view apart) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find_first_of(apart, at), line.size());
    fields.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return fields;
}

Result<double> number_of(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  double value = 0.0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc{} || stop != digits.data() + digits.size())
    return invalid({}, "'" + std::string(text) + "' is not a number");
  if (!std::isfinite(value)) return invalid({}, "'" + std::string(text) + "' is not finite");
  return value;
}

std::string names_of(const ProbeRobot& robot) {
  std::string names;
  for (const std::string& name : robot.shape.joints) names += (names.empty() ? "" : ", ") + name;
  return names;
}

/// The joint of that name, or an error with the nearest one.
Result<std::size_t> joint_of(const ProbeRobot& robot, const std::string& name) {
  const auto found = std::find(robot.shape.joints.begin(), robot.shape.joints.end(), name);
  if (found != robot.shape.joints.end())
    return static_cast<std::size_t>(found - robot.shape.joints.begin());
  const std::string near = nearest(name, robot.shape.joints);
  return invalid({}, "the robot has no joint '" + name + "'",
                 near.empty() ? "its joints: " + names_of(robot) : "did you mean '" + near + "'?");
}

Status check_joints(const ProbeRobot& robot, std::span<const double> joints) {
  if (robot.ignore_limits || !robot.contours.robot()) return {};
  const Status status = robot.contours.robot()->check(joints);
  if (status) return {};
  Error error = status.error();
  if (error.advice.empty()) error.advice = "--ignore-limits allows it";
  return error;
}

/// What is said about a robot that was read.
ProbeRobot described(ContourRobot contours, const ProbeRobotOptions& options) {
  ProbeRobot robot{options.file, std::move(contours), options.ignore_limits, {}, {}, {}, {}, {}};
  if (const std::optional<Robot>& moved = robot.contours.robot()) {
    for (const std::uint32_t joint : moved->free_joints())
      robot.shape.joints.push_back(moved->joints()[joint].name);
    robot.joints = moved->rest();
  } else {
    for (const LinkContour& series : robot.contours.series())
      robot.shape.nodes += series.contour.nodes().size();
  }
  return robot;
}

RobotFileOptions file_options(const ProbeRobotOptions& options) {
  RobotFileOptions result;
  result.package_folders = options.packages;
  result.threads = options.threads;
  result.visual = options.visual;
  result.collision = !options.visual;
  return result;
}

Result<ProbeRobot> fitted(const ProbeRobotOptions& options, Monitor& monitor) {
  const Result<RobotFile> file = read_robot(options.file, file_options(options));
  if (!file) return file.error();
  RobotFitOptions fit_options;
  fit_options.most_segments = options.segments;
  fit_options.link.margin = options.fit_margin;
  fit_options.visual = options.visual;
  fit_options.threads = options.threads;
  Result<RobotFit> fit = fit_contours(file->robot, fit_options, &monitor);
  if (!fit) {
    Error error = fit.error();
    if (error.file.empty()) error.file = options.file;
    return error;
  }
  ProbeRobot robot = described(std::move(fit->contours), options);
  robot.notes = file->notes;
  robot.fits = std::move(fit->links);
  return robot;
}

/// The path of a file as one beside `from` sees it.
std::string seen_from(const std::string& file, const std::string& from) {
  std::error_code problem;
  const fs::path folder = fs::absolute(fs::path(from), problem).parent_path();
  const fs::path relative = fs::relative(file, folder, problem);
  return problem || relative.empty() ? fs::absolute(file).string() : relative.string();
}

/// The columns of a CSV file of configurations.
struct PathColumns {
  enum class Kind : std::uint8_t { Time, Pose, Joint };
  struct Column {
    Kind kind = Kind::Time;
    std::size_t index = 0;
  };
  std::vector<Column> columns;
  bool position = false;
  bool rotation = false;
};

Result<PathColumns> columns_of(std::string_view header, const ProbeRobot& robot) {
  constexpr std::array<std::string_view, 7> kPose{"x", "y", "z", "qx", "qy", "qz", "qw"};
  PathColumns result;
  std::array<int, 7> pose_columns{};
  for (const std::string_view field : fields_of(header, ",;")) {
    const std::string name(field);
    const auto* const found = std::find(kPose.begin(), kPose.end(), field);
    if (name == "time" || name == "t") {
      result.columns.push_back({PathColumns::Kind::Time, 0});
    } else if (found != kPose.end()) {
      const auto index = static_cast<std::size_t>(found - kPose.begin());
      ++pose_columns[index];
      result.columns.push_back({PathColumns::Kind::Pose, index});
    } else {
      if (robot.shape.joints.empty()) {
        return invalid("column '" + name + "'", "is neither time nor part of a pose",
                       "the columns of a rigid body: time, x, y, z, qx, qy, qz, qw");
      }
      const Result<std::size_t> joint = joint_of(robot, name);
      if (!joint) return joint.error();
      result.columns.push_back({PathColumns::Kind::Joint, *joint});
    }
    const auto same = [&](const PathColumns::Column& column) {
      return column.kind == result.columns.back().kind &&
             column.index == result.columns.back().index;
    };
    if (std::count_if(result.columns.begin(), result.columns.end(), same) > 1)
      return invalid("column '" + name + "'", "is there twice");
  }
  const auto given = [&](std::size_t first, std::size_t last) {
    return std::count(pose_columns.begin() + static_cast<std::ptrdiff_t>(first),
                      pose_columns.begin() + static_cast<std::ptrdiff_t>(last), 1);
  };
  result.position = given(0, 3) == 3;
  result.rotation = given(3, 7) == 4;
  if ((given(0, 3) != 0 && !result.position) || (given(3, 7) != 0 && !result.rotation) ||
      (result.rotation && !result.position))
    return invalid({}, "a pose has the columns x, y, z, or x, y, z, qx, qy, qz, qw");
  return result;
}

Result<ProbeConfiguration> row_of(std::string_view line, const PathColumns& columns,
                                  const ProbeRobot& robot) {
  const std::vector<std::string_view> fields = fields_of(line, ",;");
  if (fields.size() != columns.columns.size()) {
    return invalid({}, count_of(fields.size(), "field", "fields") + " instead of the " +
                           std::to_string(columns.columns.size()) + " of the header");
  }
  ProbeFrame frame;
  std::array<double, 7> pose{0, 0, 0, 0, 0, 0, 1};
  if (!robot.shape.joints.empty()) frame.joints = robot.joints;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Result<double> value = number_of(fields[i]);
    if (!value) return value.error();
    const PathColumns::Column& column = columns.columns[i];
    if (column.kind == PathColumns::Kind::Time) frame.time = *value;
    if (column.kind == PathColumns::Kind::Pose) pose[column.index] = *value;
    if (column.kind == PathColumns::Kind::Joint) frame.joints[column.index] = *value;
  }
  if (columns.position) {
    // Through the reader of lines, so that the same poses are refused.
    const auto number = [](double v) { return format_number("%.17g", v); };
    std::string text = "{\"pose\":[";
    for (std::size_t i = 0; i < pose.size(); ++i) text += (i == 0 ? "" : ",") + number(pose[i]);
    ProbeFrame checked;
    if (Status status = parse_frame(text + "]}", {}, checked); !status) return status.error();
    frame.world_from_root = checked.world_from_root;
  }
  ProbeConfiguration configuration;
  if (Status status = apply(frame, robot, configuration); !status) return status.error();
  return configuration;
}

}  // namespace

std::string ProbeRobot::series_name(std::size_t segment) const {
  const std::uint32_t series = contours.series_of(segment);
  const std::string& name = contours.series()[series].contour.name();
  if (!name.empty()) return name;
  const std::string link = link_name(segment);
  return link.empty() ? "series " + std::to_string(series) : link;
}

std::string ProbeRobot::link_name(std::size_t segment) const {
  if (!contours.robot()) return {};
  return contours.robot()->links()[contours.series()[contours.series_of(segment)].link].name;
}

Result<ProbeRobot> load_robot(const ProbeRobotOptions& options, Monitor& monitor) {
  const std::string extension = lower_extension(options.file);
  const bool urdf = extension == ".urdf";
  if (!urdf && extension != ".json") {
    return Error{ErrorCode::Unsupported, options.file, "",
                 "a robot is a .json file of contours or a .urdf file", ""};
  }
  if (!urdf && (options.segments > 0 || options.fit_margin > 0.0 || options.visual)) {
    return Error{
        ErrorCode::Invalid, options.file, "",
        "--segments, --fit-margin and --visual are for fitting a .urdf; a file of contours "
        "is taken as it is",
        ""};
  }
  const auto load = [&]() -> Result<ProbeRobot> {
    if (urdf) return fitted(options, monitor);
    Result<ContourRobot> contours = read_contours(options.file, file_options(options));
    if (!contours) return contours.error();
    if (!options.packages.empty() && !contours->robot()) {
      return Error{ErrorCode::Invalid, options.file, "",
                   "--package is for a .urdf; these contours belong to none", ""};
    }
    return described(std::move(*contours), options);
  };
  Result<ProbeRobot> robot = load();
  if (!robot || options.save_contours.empty()) return robot;
  const std::string urdf_path = urdf ? seen_from(options.file, options.save_contours) : "";
  if (!urdf && robot->contours.robot()) {
    return Error{ErrorCode::Invalid, options.file, "",
                 "--save-contours is for contours fitted to a .urdf", ""};
  }
  if (Status status = write_contours(options.save_contours, robot->contours, urdf_path); !status)
    return status.error();
  return robot;
}

Status set_joints(ProbeRobot& robot, const std::string& text) {
  const auto at_joints = [](Error error) {
    error.place = "--joints";
    return error;
  };
  if (robot.shape.joints.empty())
    return at_joints(invalid({}, "'" + robot.file + "' is a rigid body without joints"));
  std::vector<std::string_view> fields;
  for (const std::string_view field :
       fields_of(text, text.find('=') == std::string::npos ? " ,;\t" : ",;"))
    if (!field.empty()) fields.push_back(field);
  const bool named = text.find('=') != std::string::npos;
  if (!named && fields.size() != robot.joints.size()) {
    return at_joints(invalid({},
                             count_of(fields.size(), "number", "numbers") + ", but the robot has " +
                                 count_of(robot.joints.size(), "joint", "joints"),
                             "its joints, in this order: " + names_of(robot)));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::size_t index = i;
    std::string_view digits = fields[i];
    if (named) {
      const std::size_t equals = digits.find('=');
      if (equals == std::string_view::npos) {
        return at_joints(invalid({}, "'" + std::string(digits) + "' has no name",
                                 "as name=value, name=value, or a number for each joint"));
      }
      const Result<std::size_t> joint =
          joint_of(robot, std::string(trimmed(digits.substr(0, equals))));
      if (!joint) return at_joints(joint.error());
      index = *joint;
      digits = trimmed(digits.substr(equals + 1));
    }
    const Result<double> value = number_of(digits);
    if (!value) return at_joints(value.error());
    robot.joints[index] = *value;
  }
  if (Status status = check_joints(robot, robot.joints); !status) return at_joints(status.error());
  return {};
}

ProbeConfiguration start_of(const ProbeRobot& robot) {
  return {std::nullopt, robot.world_from_root, robot.joints, {}};
}

Status apply(const ProbeFrame& frame, const ProbeRobot& robot, ProbeConfiguration& configuration) {
  configuration.time = frame.time;
  configuration.world_from_root = frame.world_from_root.value_or(robot.world_from_root);
  configuration.joints = robot.joints;
  for (std::size_t i = 0; i < frame.joints.size(); ++i)
    if (!std::isnan(frame.joints[i])) configuration.joints[i] = frame.joints[i];
  configuration.nodes = frame.nodes;
  return frame.joints.empty() ? Status{} : check_joints(robot, configuration.joints);
}

Status place(const ProbeRobot& robot, const ProbeConfiguration& configuration,
             std::vector<ContourSegment>& segments, std::vector<Pose>& scratch) {
  segments.resize(robot.contours.segment_count());
  if (configuration.nodes.empty()) {
    robot.contours.place(configuration.joints, configuration.world_from_root, segments, scratch);
    return {};
  }
  std::size_t next = 0;
  std::size_t node = 0;
  for (const LinkContour& series : robot.contours.series()) {
    for (std::size_t i = 0; i + 1 < series.contour.nodes().size(); ++i, ++node) {
      const ContourNode& start = configuration.nodes[node];
      const ContourNode& end = configuration.nodes[node + 1];
      const std::string_view equal = start == end ? "is equal to the one before" : "";
      const Result<ContourSegment> segment = make_segment(start, end);
      if (!segment || !equal.empty()) {
        return Error{ErrorCode::Invalid,
                     {},
                     "nodes/" + std::to_string(node + 1),
                     segment ? std::string(equal) : segment.error().reason,
                     {}};
      }
      segments[next++] = configuration.world_from_root * *segment;
    }
    ++node;
  }
  return {};
}

Result<std::vector<ProbeConfiguration>> read_path(const std::string& path,
                                                  const ProbeRobot& robot) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const bool csv = lower_extension(path) == ".csv";
  std::optional<PathColumns> columns;
  std::vector<ProbeConfiguration> configurations;
  std::string_view text = file->text();
  ProbeFrame frame;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (csv && !columns) {
      Result<PathColumns> header = columns_of(line, robot);
      if (!header) return in_line(path, number, header.error());
      columns = std::move(*header);
      continue;
    }
    if (csv) {
      Result<ProbeConfiguration> row = row_of(line, *columns, robot);
      if (!row) return in_line(path, number, row.error());
      configurations.push_back(std::move(*row));
      continue;
    }
    ProbeConfiguration configuration;
    Status status = parse_frame(line, robot.shape, frame);
    if (status) status = apply(frame, robot, configuration);
    if (!status) return in_line(path, number, status.error());
    configurations.push_back(std::move(configuration));
  }
  if (configurations.empty())
    return Error{ErrorCode::Malformed, path, "", "holds no configuration", ""};
  return configurations;
}

std::string frame_line(const ProbeConfiguration& configuration) {
  const Pose& pose = configuration.world_from_root;
  const Quaternion q = quaternion_from(nearest_rotation(pose.rotation));
  const Vec3& t = pose.translation;
  nlohmann::ordered_json line{{"pose", {t.x, t.y, t.z, q.x, q.y, q.z, q.w}}};
  if (!configuration.joints.empty()) line["joints"] = configuration.joints;
  for (const ContourNode& node : configuration.nodes) {
    const Vec3& p = node.position;
    const Vec3& d = node.tangent;
    line["nodes"].push_back({p.x, p.y, p.z, d.x, d.y, d.z, node.radius});
  }
  return line.dump();
}

}  // namespace clearance::cli
