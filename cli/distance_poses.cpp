// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "distance_poses.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <span>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/query/query.h>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kForms = "a pose is 'x y z' or 'x y z qx qy qz qw'";

Error invalid(std::string reason, std::string advice = {}) {
  return {ErrorCode::Invalid, {}, {}, std::move(reason), std::move(advice)};
}

/// The numbers of a text, apart by spaces and commas.
Result<std::vector<double>> numbers_in(std::string_view text) {
  constexpr std::string_view kApart = " \t\r,;";
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_not_of(kApart); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kApart, at), text.size());
    std::string_view word = text.substr(at, end - at);
    const std::string shown(word);
    if (word.front() == '+') word.remove_prefix(1);
    double value = 0.0;
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc{} || stop != word.data() + word.size())
      return invalid("'" + shown + "' is not a number");
    if (!std::isfinite(value)) return invalid("'" + shown + "' is not finite");
    numbers.push_back(value);
    at = text.find_first_not_of(kApart, end);
  }
  return numbers;
}

/// A pose that queries answer.
Result<Pose> answerable(const Pose& pose) {
  if (norm(pose.translation) > kLargestTranslation)
    return invalid("the translation is beyond " + format_number("%.0e", kLargestTranslation) + " m",
                   "check the unit of the poses");
  return checked_pose(pose);
}

Result<Pose> pose_of(std::span<const double> n, double metres_per_unit) {
  if (n.size() != 3 && n.size() != 7)
    return invalid(count_of(n.size(), "number", "numbers") + " instead of 3 or 7", kForms);
  Pose pose = Pose::translate(metres_per_unit * Vec3{n[0], n[1], n[2]});
  if (n.size() == 7) {
    const double length = std::sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
    if (!(std::abs(length - 1.0) <= kQuaternionTolerance))
      return invalid("the quaternion has length " + format_number("%.4g", length) + ", not 1",
                     kForms);
    pose.rotation = rotation_from(Quaternion{n[3], n[4], n[5], n[6]});
  }
  return answerable(pose);
}

bool is_matrix(const Json& value) {
  if (!value.is_array() || value.size() != 4) return false;
  for (const Json& row : value)
    if (!row.is_array() || row.size() != 4) return false;
  return true;
}

Result<Pose> pose_of_matrix(const Json& rows, double metres_per_unit) {
  Pose pose;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const Json& entry = rows[i][j];
      if (!entry.is_number())
        return invalid("row " + std::to_string(i + 1) + " of the matrix holds " + entry.dump() +
                       ", which is not a number");
      const auto value = entry.get<double>();
      if (!std::isfinite(value)) return invalid("the matrix holds a number that is not finite");
      if (i == 3 && value != (j == 3 ? 1.0 : 0.0))
        return invalid("the last row of the matrix is not 0 0 0 1",
                       "matrices are written row by row, the translation in the last column");
      if (i < 3 && j < 3) pose.rotation[i][j] = value;
      if (i < 3 && j == 3) pose.translation[i] = metres_per_unit * value;
    }
  }
  return answerable(pose);
}

Result<Pose> pose_of_json(const Json& value, double metres_per_unit) {
  if (is_matrix(value)) return pose_of_matrix(value, metres_per_unit);
  if (!value.is_array())
    return invalid("is neither an array of numbers nor a 4 x 4 matrix", kForms);
  std::vector<double> numbers;
  for (const Json& number : value) {
    if (!number.is_number()) return invalid(number.dump() + " is not a number", kForms);
    numbers.push_back(number.get<double>());
    if (!std::isfinite(numbers.back())) return invalid("a number is not finite");
  }
  return pose_of(numbers, metres_per_unit);
}

Error at(const std::string& path, std::string place, Error error) {
  error.file = path;
  error.place = std::move(place);
  return error;
}

Result<std::vector<Pose>> read_json(const std::string& path, std::string_view text,
                                    double metres_per_unit) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded())
    return Error{ErrorCode::Malformed, path, {}, "is not JSON", "one pose a line needs no .json"};
  if (!document.is_array())
    return Error{ErrorCode::Malformed, path, {}, "is not an array of poses", kForms};
  const bool single = is_matrix(document);
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < (single ? 1 : document.size()); ++i) {
    const Result<Pose> pose = pose_of_json(single ? document : document[i], metres_per_unit);
    if (!pose) return at(path, "pose " + std::to_string(i), pose.error());
    poses.push_back(*pose);
  }
  return poses;
}

Result<std::vector<Pose>> read_lines(const std::string& path, std::string_view text,
                                     double metres_per_unit) {
  std::vector<Pose> poses;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Result<Pose> pose = parse_pose(std::string(line), metres_per_unit);
    if (!pose) return at(path, "line " + std::to_string(number), pose.error());
    poses.push_back(*pose);
  }
  return poses;
}

}  // namespace

Result<Pose> parse_pose(const std::string& text, double metres_per_unit) {
  const Result<std::vector<double>> numbers = numbers_in(text);
  if (!numbers) return numbers.error();
  return pose_of(*numbers, metres_per_unit);
}

Result<Pose> parse_pose_rpy_deg(const std::string& text, double metres_per_unit) {
  const Result<std::vector<double>> numbers = numbers_in(text);
  if (!numbers) return numbers.error();
  const std::vector<double>& n = *numbers;
  if (n.size() != 6)
    return invalid(count_of(n.size(), "number", "numbers") + " instead of 6",
                   "'x y z roll pitch yaw', angles in degrees");
  constexpr double kRadians = std::numbers::pi / 180.0;
  return answerable({rotation_from_rpy(kRadians * n[3], kRadians * n[4], kRadians * n[5]),
                     metres_per_unit * Vec3{n[0], n[1], n[2]}});
}

Result<std::vector<Pose>> read_poses(const std::string& path, double metres_per_unit) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const bool json = path.size() > 5 && path.substr(path.size() - 5) == ".json";
  Result<std::vector<Pose>> poses = json ? read_json(path, file->text(), metres_per_unit)
                                         : read_lines(path, file->text(), metres_per_unit);
  if (poses.ok() && poses->empty())
    return Error{ErrorCode::Malformed, path, {}, "holds no pose", kForms};
  return poses;
}

}  // namespace clearance::cli
