// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// parse_frame(): a reader of just the JSON that frames are made of, in one pass over the line and
// without allocation.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include <clearance/contour/stream.h>
#include <clearance/query/query.h>

namespace clearance {
namespace {

constexpr const char* kForms =
    R"(a frame is {"pose": [x, y, z, qx, qy, qz, qw]}, {"joints": [...]} or {"nodes": [...]})";
/// Numbers in the longest list of fixed length: a matrix.
constexpr std::size_t kMostPoseNumbers = 16;
constexpr std::size_t kNodeNumbers = 7;
/// As much of a wrong word as an error shows.
constexpr std::size_t kShown = 24;

/// Why a number or list was refused; the caller knows the place.
struct Failure {
  std::string reason;
};

class FrameReader {
 public:
  FrameReader(std::string_view line, const FrameShape& shape, ProbeFrame& frame)
      : at_(line.data()), end_(line.data() + line.size()), shape_(shape), frame_(frame) {}

  Status read() {
    frame_.id.reset();
    frame_.time.reset();
    frame_.world_from_root.reset();
    frame_.joints.clear();
    frame_.nodes.clear();
    if (!take('{')) return fail("", "is not a JSON object", kForms);
    bool first = true;
    while (!take('}')) {
      if (!first && !take(',')) return fail("", "expected ',' or '}'" + here());
      first = false;
      std::string_view key;
      if (!word(key)) return fail("", "expected a name in quotes" + here());
      if (!take(':')) return fail("", "expected ':' after \"" + std::string(key) + "\"" + here());
      if (Status status = member(key); !status) return status;
    }
    if (!at_end()) return fail("", "there is more behind the object" + here());
    if (!frame_.world_from_root && frame_.joints.empty() && frame_.nodes.empty())
      return fail("", "has neither \"pose\" nor \"joints\" nor \"nodes\"", kForms);
    if (!frame_.joints.empty() && !frame_.nodes.empty())
      return fail("", "\"joints\" and \"nodes\" exclude each other");
    return {};
  }

 private:
  static Status fail(std::string place, std::string reason, std::string advice = {}) {
    return Error{ErrorCode::Malformed, {}, std::move(place), std::move(reason), std::move(advice)};
  }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == end_;
  }
  /// Takes a character if it comes next.
  bool take(char wanted) {
    skip_space();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  /// ", not 'abc'", or that the line ends.
  std::string here() {
    if (at_end()) return ", but the line ends";
    const char* stop = at_ + 1;
    while (stop != end_ && static_cast<std::size_t>(stop - at_) < kShown &&
           std::string_view(" \t\r\n,:[]{}").find(*stop) == std::string_view::npos)
      ++stop;
    return ", not '" + std::string(at_, stop) + "'";
  }

  /// A string without escapes: no name of a frame needs one, and joints are compared as they stand.
  bool word(std::string_view& text) {
    const char* const start = at_;
    if (!take('"')) return false;
    const char* const first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20)
      ++at_;
    if (at_ == end_ || *at_ != '"') {
      at_ = start;
      return false;
    }
    text = {first, static_cast<std::size_t>(at_ - first)};
    ++at_;
    return true;
  }

  /// A finite number as JSON writes it.
  bool number(double& value, Failure& failure) {
    skip_space();
    const char* p = at_;
    if (p != end_ && *p == '-') ++p;
    // from_chars takes more than JSON: inf and nan, "5." and ".5"; and JSON has no leading zeros.
    const bool digit = p != end_ && *p >= '0' && *p <= '9';
    const bool leading_zero = digit && *p == '0' && p + 1 != end_ && p[1] >= '0' && p[1] <= '9';
    if (!digit || leading_zero) {
      failure.reason = "expected a number" + here();
      return false;
    }
    const auto [stop, problem] = std::from_chars(at_, end_, value);
    if (problem == std::errc::result_out_of_range) {
      // Too small counts as 0, as for any JSON reader; too large is not a place.
      const std::string_view text(at_, static_cast<std::size_t>(stop - at_));
      const std::size_t exponent = text.find_first_of("eE");
      const bool small = exponent != std::string_view::npos && exponent + 1 < text.size() &&
                         text[exponent + 1] == '-';
      if (!small) {
        failure.reason = "a number is too large" + here();
        return false;
      }
      value = 0.0;
    } else if (problem != std::errc{} || stop[-1] == '.') {
      failure.reason = "expected a number" + here();
      return false;
    }
    at_ = stop;
    return true;
  }

  /// An array of at most numbers.size() numbers.
  bool numbers(std::span<double> numbers, std::size_t& count, Failure& failure) {
    count = 0;
    if (!take('[')) {
      failure.reason = "expected a list of numbers" + here();
      return false;
    }
    while (!take(']')) {
      if (count > 0 && !take(',')) {
        failure.reason = "expected ',' or ']'" + here();
        return false;
      }
      double value = 0.0;
      if (!number(value, failure)) return false;
      if (count == numbers.size()) {
        failure.reason = "more than " + std::to_string(numbers.size()) + " numbers";
        return false;
      }
      numbers[count++] = value;
    }
    return true;
  }

  Status member(std::string_view key) {
    if (key == "pose") return frame_.world_from_root ? twice(key) : pose();
    if (key == "joints") return frame_.joints.empty() ? joints() : twice(key);
    if (key == "nodes") return frame_.nodes.empty() ? nodes() : twice(key);
    if (key == "id") return frame_.id ? twice(key) : id();
    if (key == "time") return frame_.time ? twice(key) : time();
    return fail("", "there is no \"" + std::string(key.substr(0, kShown)) + "\" in a frame",
                kForms);
  }

  static Status twice(std::string_view key) { return fail(std::string(key), "is there twice"); }

  Status id() {
    double value = 0.0;
    Failure failure;
    if (!number(value, failure)) return fail("id", failure.reason);
    // What a double holds exactly, and so does every JSON reader.
    constexpr double kLargest = 9007199254740992.0;
    if (value != std::floor(value) || std::abs(value) > kLargest)
      return fail("id", "is not an integer of at most 2^53");
    frame_.id = static_cast<std::int64_t>(value);
    return {};
  }

  Status time() {
    double value = 0.0;
    Failure failure;
    if (!number(value, failure)) return fail("time", failure.reason);
    frame_.time = value;
    return {};
  }

  Status pose() {
    std::array<double, kMostPoseNumbers> n{};
    std::size_t count = 0;
    Failure failure;
    if (!numbers(n, count, failure)) return fail("pose", failure.reason);
    if (count != 3 && count != 7 && count != 16)
      return fail("pose", std::to_string(count) + " numbers instead of 3, 7 or 16");
    Pose pose = Pose::translate({n[0], n[1], n[2]});
    if (count == 7) {
      const double length = std::sqrt(n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
      if (!(std::abs(length - 1.0) <= kFrameQuaternionTolerance))
        return fail("pose", "the quaternion has length " + shown(length) + ", not 1");
      pose.rotation = rotation_from(Quaternion{n[3], n[4], n[5], n[6]});
    } else if (count == 16) {
      if (n[12] != 0.0 || n[13] != 0.0 || n[14] != 0.0 || n[15] != 1.0)
        return fail("pose", "the last row of the matrix is not 0 0 0 1");
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) pose.rotation[i][j] = n[4 * i + j];
      pose.translation = {n[3], n[7], n[11]};
    }
    if (!(norm(pose.translation) <= kLargestTranslation))
      return fail("pose", "the translation is beyond " + shown(kLargestTranslation) + " m");
    const Result<Pose> checked = checked_pose(pose);
    if (!checked) return fail("pose", checked.error().reason);
    frame_.world_from_root = *checked;
    return {};
  }

  Status joints() {
    const std::size_t count = shape_.joints.size();
    if (count == 0) return fail("joints", "the robot has no joints");
    frame_.joints.resize(count);
    skip_space();
    if (at_ != end_ && *at_ == '{') return named_joints();
    std::size_t given = 0;
    Failure failure;
    if (!numbers(frame_.joints, given, failure)) return fail("joints", failure.reason);
    if (given != count) {
      return fail("joints", std::to_string(given) + " numbers, but the robot has " +
                                std::to_string(count) + " joints");
    }
    return {};
  }

  Status named_joints() {
    std::fill(frame_.joints.begin(), frame_.joints.end(), std::numeric_limits<double>::quiet_NaN());
    (void)take('{');
    bool first = true;
    while (!take('}')) {
      if (!first && !take(',')) return fail("joints", "expected ',' or '}'" + here());
      first = false;
      std::string_view name;
      if (!word(name)) return fail("joints", "expected the name of a joint in quotes" + here());
      const auto place = [&] { return "joints/" + std::string(name.substr(0, 2 * kShown)); };
      if (!take(':')) return fail(place(), "expected ':'" + here());
      const auto found = std::find(shape_.joints.begin(), shape_.joints.end(), name);
      if (found == shape_.joints.end()) return fail(place(), "the robot has no such joint");
      double& target = frame_.joints[static_cast<std::size_t>(found - shape_.joints.begin())];
      if (!std::isnan(target)) return fail(place(), "is there twice");
      Failure failure;
      if (!number(target, failure)) return fail(place(), failure.reason);
    }
    return {};
  }

  Status nodes() {
    if (shape_.nodes == 0) return fail("nodes", "the robot moves by its joints, not by its nodes");
    if (!take('[')) return fail("nodes", "expected a list of circles" + here());
    std::array<double, kNodeNumbers> n{};
    while (!take(']')) {
      const std::size_t index = frame_.nodes.size();
      const auto place = [&] { return "nodes/" + std::to_string(index); };
      if (index > 0 && !take(',')) return fail("nodes", "expected ',' or ']'" + here());
      if (index == shape_.nodes)
        return fail("nodes", "more than the " + std::to_string(index) + " circles of the robot");
      std::size_t count = 0;
      Failure failure;
      if (!numbers(n, count, failure)) return fail(place(), failure.reason);
      if (count != kNodeNumbers) {
        return fail(place(), std::to_string(count) + " numbers instead of 7",
                    "a circle is [x, y, z, tx, ty, tz, r]");
      }
      const ContourNode node{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6]};
      if (!(norm(node.position) <= kLargestTranslation))
        return fail(place(), "the position is beyond " + shown(kLargestTranslation) + " m");
      if (node.radius < 0.0) return fail(place(), "the radius is negative");
      if (node.radius > kLargestTranslation)
        return fail(place(), "the radius is beyond " + shown(kLargestTranslation) + " m");
      if (!(std::abs(norm(node.tangent) - 1.0) <= kTangentTolerance)) {
        return fail(place(), "the tangent has length " + shown(norm(node.tangent)) + ", not 1");
      }
      frame_.nodes.push_back(node);
    }
    if (frame_.nodes.size() != shape_.nodes) {
      return fail("nodes", std::to_string(frame_.nodes.size()) + " circles, but the robot has " +
                               std::to_string(shape_.nodes));
    }
    return {};
  }

  static std::string shown(double value) {
    std::array<char, 32> text{};
    const auto [end, problem] =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4);
    return {text.data(), end};
  }

  const char* at_;
  const char* end_;
  const FrameShape& shape_;
  ProbeFrame& frame_;
};

}  // namespace

Status parse_frame(std::string_view line, const FrameShape& shape, ProbeFrame& frame) {
  if (line.size() > kLongestFrame) {
    return Error{ErrorCode::Malformed,
                 {},
                 {},
                 "is longer than " + std::to_string(kLongestFrame) + " bytes",
                 {}};
  }
  return FrameReader(line, shape, frame).read();
}

}  // namespace clearance
