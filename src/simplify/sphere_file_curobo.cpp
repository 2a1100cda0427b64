// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres as the YAML of cuRobo, read event by event with libyaml.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <set>

#include <yaml.h>

#include <clearance/simplify/sphere_robot_file.h>

#include "simplify/sphere_numbers.h"

namespace clearance {
namespace {

using detail::is_length;
using detail::shortest;

constexpr std::string_view kSpheres = "collision_spheres";
/// The keys a robot configuration has its spheres below.
constexpr std::array<std::string_view, 2> kAround{"robot_cfg", "kinematics"};

/// Of what is passed over. The time libyaml takes grows with the square of the depth.
constexpr std::size_t kDeepest = 100;

enum class Kind { Scalar, MapStart, MapEnd, ListStart, ListEnd, Alias, End, Broken };

/// What comes next in a document.
struct Event {
  Kind kind = Kind::Broken;
  std::string text;      // of a scalar
  std::size_t line = 0;  // from 1
  bool anchored = false;
};

/// The events of the first document of a text.
class Events {
 public:
  explicit Events(std::string_view text) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (ready_)
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                   text.size());
  }
  ~Events() {
    if (ready_) yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Event next() {
    for (;;) {
      yaml_event_t raw;
      if (!ready_ || yaml_parser_parse(&parser_, &raw) != 1) {
        return {Kind::Broken, parser_.problem == nullptr ? "" : parser_.problem,
                parser_.problem_mark.line + 1, false};
      }
      Event event = taken(raw);
      const bool is_frame = raw.type == YAML_STREAM_START_EVENT ||
                            raw.type == YAML_DOCUMENT_START_EVENT || raw.type == YAML_NO_EVENT;
      yaml_event_delete(&raw);
      if (!is_frame) return event;
    }
  }

 private:
  static Event taken(const yaml_event_t& raw) {
    Event event{Kind::End, "", raw.start_mark.line + 1, false};
    switch (raw.type) {
      case YAML_SCALAR_EVENT:
        event.kind = Kind::Scalar;
        event.text.assign(reinterpret_cast<const char*>(raw.data.scalar.value),
                          raw.data.scalar.length);
        event.anchored = raw.data.scalar.anchor != nullptr;
        break;
      case YAML_MAPPING_START_EVENT:
        event.kind = Kind::MapStart;
        event.anchored = raw.data.mapping_start.anchor != nullptr;
        break;
      case YAML_SEQUENCE_START_EVENT:
        event.kind = Kind::ListStart;
        event.anchored = raw.data.sequence_start.anchor != nullptr;
        break;
      case YAML_MAPPING_END_EVENT:
        event.kind = Kind::MapEnd;
        break;
      case YAML_SEQUENCE_END_EVENT:
        event.kind = Kind::ListEnd;
        break;
      case YAML_ALIAS_EVENT:
        event.kind = Kind::Alias;
        break;
      default:
        break;
    }
    return event;
  }

  yaml_parser_t parser_{};
  bool ready_ = false;
};

/// Reads one document; the first error ends it.
class CuroboReader {
 public:
  CuroboReader(std::string_view text, const std::string& path) : events_(text), path_(path) {}

  Result<std::vector<NamedSpheres>> read() {
    const Event top = next();
    if (!error_ && top.kind != Kind::MapStart) fail(top, "is not a map with collision_spheres");
    read_around();
    if (!error_ && !found_) {
      error_ = Error{ErrorCode::Malformed, path_, "", "has no collision_spheres",
                     "they are looked for at the top and in robot_cfg: kinematics:"};
    }
    if (error_) return *error_;
    return std::move(links_);
  }

 private:
  void fail(const Event& at, std::string reason) {
    if (error_) return;
    error_ = Error{ErrorCode::Malformed, path_, "line " + std::to_string(at.line),
                   std::move(reason), ""};
  }

  Event next() {
    Event event = events_.next();
    if (event.kind == Kind::Broken) {
      fail(event, "is not YAML" + (event.text.empty() ? "" : ": " + event.text));
    } else if (event.kind == Kind::Alias || event.anchored) {
      fail(event, "anchors and aliases are not read");
    }
    return event;
  }

  /// The next key of a map: nothing at its end, and after an error.
  std::optional<Event> key() {
    Event event = next();
    if (error_ || event.kind == Kind::MapEnd) return std::nullopt;
    if (event.kind == Kind::Scalar) return event;
    fail(event, "is not a key");
    return std::nullopt;
  }

  /// Passes over a value that begins with `event`.
  void skip(Event event) {
    std::size_t depth = 0;
    for (;; event = next()) {
      if (error_) return;
      if (event.kind == Kind::MapStart || event.kind == Kind::ListStart) ++depth;
      if (depth > kDeepest) return fail(event, "is nested too deep");
      if (event.kind == Kind::MapEnd || event.kind == Kind::ListEnd) --depth;
      if (depth == 0) return;
    }
  }

  /// The keys at the top and, by and by, those of the maps around the spheres.
  void read_around() {
    std::size_t depth = 1;
    while (!error_ && depth > 0) {
      const std::optional<Event> name = key();
      if (error_) return;
      if (!name) {
        --depth;
        continue;
      }
      const Event value = next();
      if (error_) return;
      if (name->text == kSpheres) {
        read_links(*name, value);
      } else if (value.kind == Kind::MapStart && depth <= kAround.size() &&
                 std::ranges::find(kAround, name->text) != kAround.end()) {
        ++depth;
      } else {
        skip(value);
      }
    }
  }

  void read_links(const Event& name, const Event& value) {
    if (found_) return fail(name, "a second collision_spheres");
    found_ = true;
    if (value.kind == Kind::Scalar) {
      fail(value, "collision_spheres is '" + value.text + "'");
      error_->advice = "where that is the name of a file, read it instead";
      return;
    }
    if (value.kind != Kind::MapStart) return fail(value, "collision_spheres is not a map of links");
    while (const std::optional<Event> link = key()) {
      if (link->text.empty()) return fail(*link, "names a link ''");
      if (!names_.insert(link->text).second)
        return fail(*link, "link '" + link->text + "' is there twice");
      const Event list = next();
      if (error_) return;
      if (list.kind != Kind::ListStart)
        return fail(list, "link '" + link->text + "' has no list of spheres");
      NamedSpheres& out = links_.emplace_back();
      out.name = link->text;
      for (;;) {
        const Event item = next();
        if (error_) return;
        if (item.kind == Kind::ListEnd) break;
        const Sphere sphere = read_sphere(item);
        if (error_) return;
        if (sphere.radius >= 0.0) out.spheres.push_back(sphere);
      }
    }
  }

  Sphere read_sphere(const Event& start) {
    Sphere out;
    if (start.kind != Kind::MapStart) {
      fail(start, "a sphere is not a map of center and radius");
      return out;
    }
    bool has_center = false;
    bool has_radius = false;
    while (const std::optional<Event> name = key()) {
      const Event value = next();
      if (error_) break;
      const bool is_center = name->text == "center";
      if (!is_center && name->text != "radius") {
        fail(*name, "'" + name->text + "' is neither center nor radius");
        break;
      }
      bool& has = is_center ? has_center : has_radius;
      if (has) fail(*name, "'" + name->text + "' is there twice");
      has = true;
      if (is_center) {
        out.center = read_center(value);
      } else {
        out.radius = number(value);
      }
      if (error_) break;
    }
    if (!error_ && !(has_center && has_radius)) fail(start, "a sphere needs center and radius");
    return out;
  }

  Vec3 read_center(const Event& start) {
    Vec3 out;
    if (start.kind != Kind::ListStart) {
      fail(start, "center is not a list of three numbers");
      return out;
    }
    for (std::size_t k = 0; k < 3 && !error_; ++k) {
      const Event value = next();
      if (!error_ && value.kind == Kind::ListEnd)
        fail(value, "center is not a list of three numbers");
      if (!error_) out[k] = number(value);
    }
    if (!error_) {
      const Event end = next();
      if (!error_ && end.kind != Kind::ListEnd) fail(end, "center is not a list of three numbers");
    }
    return out;
  }

  double number(const Event& event) {
    double value = 0.0;
    std::string_view text = event.text;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (event.kind != Kind::Scalar || problem != std::errc() || end != text.data() + text.size() ||
        !is_length(value)) {
      fail(event, "'" + event.text + "' is not a finite length");
      return 0.0;
    }
    return value;
  }

  Events events_;
  const std::string& path_;
  std::vector<NamedSpheres> links_;
  std::set<std::string> names_;
  bool found_ = false;
  std::optional<Error> error_;
};

/// A number that YAML 1.1 takes for one: "1e-05" would be a text.
std::string yaml_number(double value) {
  std::string text = shortest(value);
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

/// Words that YAML 1.1 takes for something else than text.
bool is_word_of_yaml(std::string name) {
  constexpr std::array<std::string_view, 10> kWords{"y",   "n",    "yes",   "no",   "on",
                                                    "off", "true", "false", "null", "none"};
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kWords, name) != kWords.end();
}

/// Takes a character off the front of a text in UTF-8; U+FFFD for a byte that begins none.
std::uint32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80         ? 1
                             : byte(0) >> 5 == 0x06 ? 2
                             : byte(0) >> 4 == 0x0e ? 3
                             : byte(0) >> 3 == 0x1e ? 4
                                                    : 0;
  std::uint32_t code = length < 2 ? byte(0) : byte(0) & (0x7fU >> length);
  bool good = length > 0 && length <= text.size();
  for (std::size_t i = 1; i < length && good; ++i) {
    good = byte(i) >> 6 == 2;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  text.remove_prefix(good ? length : 1);
  return good ? code : 0xfffd;
}

/// A key of a map: as it is where it is plainly a name, else in quotes and in ASCII.
std::string yaml_key(const std::string& name) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                     std::ranges::all_of(name, is_plain) && !is_word_of_yaml(name);
  if (plain) return name;
  std::string text = "\"";
  for (std::string_view rest = name; !rest.empty();) {
    const std::uint32_t code = take_character(rest);
    if (code >= 0x20 && code < 0x7f) {
      if (code == '"' || code == '\\') text += '\\';
      text += static_cast<char>(code);
      continue;
    }
    std::array<char, 12> escape{};
    std::snprintf(escape.data(), escape.size(), "\\U%08x", static_cast<unsigned>(code));
    text += escape.data();
  }
  return text + "\"";
}

}  // namespace

std::string curobo_text(std::span<const NamedSpheres> spheres) {
  std::string text = std::string(kSpheres) + ":";
  if (spheres.empty()) text += " {}";
  text += "\n";
  for (const NamedSpheres& link : spheres) {
    text += "  " + yaml_key(link.name) + ":" + (link.spheres.empty() ? " []" : "") + "\n";
    for (const Sphere& sphere : link.spheres) {
      const Vec3& c = sphere.center;
      text += "    - center: [" + yaml_number(c.x) + ", " + yaml_number(c.y) + ", " +
              yaml_number(c.z) + "]\n      radius: " + yaml_number(sphere.radius) + "\n";
    }
  }
  return text;
}

Result<std::vector<NamedSpheres>> parse_curobo(std::string_view text, const std::string& path) {
  return CuroboReader(text, path).read();
}

}  // namespace clearance
