// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_document.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <clearance/picture/colour_scale.h>

#include "text.h"
#include "view_shading.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the page reads little-endian arrays");

/// Places of the colour scale that the page blends between.
constexpr int kStops = 16;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json to_json(const Segment& s) { return Json::array({to_json(s.a), to_json(s.b)}); }
Json to_json(const ViewSpan& span) { return Json::array({span.from, span.to}); }

std::array<double, 7> numbers_of(const Pose& pose) {
  const Quaternion q = quaternion_from(nearest_rotation(pose.rotation));
  const Vec3& t = pose.translation;
  return {t.x, t.y, t.z, q.x, q.y, q.z, q.w};
}

std::array<std::uint8_t, 4> bytes_of(const Colour& colour) {
  const auto byte = [](double v) {
    return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(v, 0.0, 1.0)));
  };
  return {byte(colour.r), byte(colour.g), byte(colour.b), 255};
}

std::string hex_of(const Colour& colour) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "#";
  const std::array<std::uint8_t, 4> bytes = bytes_of(colour);
  for (std::size_t i = 0; i < 3; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

template <class T>
void set_if(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

/// Writes the arrays one behind the other, and what is shared once.
class Writer {
 public:
  explicit Writer(std::string& buffer) : buffer_(buffer) {}

  /// Where an array went: the offset in bytes, and how many elements.
  template <class T>
  Json array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    const std::size_t offset = buffer_.size();
    buffer_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return {{"offset", offset}, {"count", values.size()}};
  }
  template <class T>
  Json array(const std::vector<T>& values) {
    return array(std::span<const T>(values));
  }

  /// Coordinates as float: not for what is far from the origin.
  Json points(std::span<const Vec3> points, const Vec3& origin) {
    std::vector<std::array<float, 3>> values;
    values.reserve(points.size());
    for (const Vec3& point : points) {
      const Vec3 p = point - origin;
      values.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    }
    return array(values);
  }

  Json colours(const std::vector<Colour>& colours, const std::vector<std::uint32_t>* origin) {
    std::vector<std::array<std::uint8_t, 4>> values;
    if (origin == nullptr) {
      for (const Colour& colour : colours) values.push_back(bytes_of(colour));
    } else {
      for (const std::uint32_t i : *origin) values.push_back(bytes_of(colours[i]));
    }
    return array(values);
  }

  /// The number of a mesh among the geometries.
  std::size_t geometry(const Mesh& mesh) {
    const auto [known, is_new] = known_.try_emplace(mesh.faces().data(), shaded_.size());
    if (is_new) {
      shaded_.push_back(shaded(mesh));
      const ShadedMesh& s = shaded_.back();
      geometries.push_back({{"center", to_json(s.center)},
                            {"triangles", s.faces.size()},
                            {"positions", array(s.positions)},
                            {"normals", array(s.normals)},
                            {"faces", array(s.faces)},
                            {"edges", array(s.edges)}});
    }
    return known->second;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& origin(std::size_t geometry) const {
    return shaded_[geometry].origin;
  }

  Json geometries = Json::array();

 private:
  std::string& buffer_;
  std::map<const Face*, std::size_t> known_;
  std::vector<ShadedMesh> shaded_;
};

Json to_json(const ViewMotion& motion, Writer& writer) {
  Json json{{"times", motion.times}, {"steps", motion.steps}};
  if (!motion.poses.empty()) {
    // Text, not float: a pose moves everything, and few are far too many.
    Json poses = Json::array();
    for (const Pose& pose : motion.poses) poses.push_back(numbers_of(pose));
    json["poses"] = std::move(poses);
    json["pivot"] = to_json(motion.pivot);
  }
  if (!motion.points.empty()) json["points"] = writer.points(motion.points, {});
  return json;
}

Json to_json(const ViewItem& item, Writer& writer) {
  Json json{{"name", item.name},
            {"group", item.group},
            {"colour", hex_of(item.colour)},
            {"opacity", item.opacity},
            {"visible", item.visible},
            {"explodes", item.explodes},
            {"pose", numbers_of(item.world_from_item)}};
  const std::vector<std::uint32_t>* origin = nullptr;
  std::size_t count = 0;
  switch (item.shape) {
    case ViewShape::Mesh: {
      const std::size_t geometry = writer.geometry(item.mesh);
      origin = &writer.origin(geometry);
      count = item.mesh.vertex_count();
      json["shape"] = "mesh";
      json["geometry"] = geometry;
      json["outlined"] = item.outlined;
      break;
    }
    case ViewShape::Spheres: {
      std::vector<std::array<float, 4>> values;
      for (const Sphere& s : item.spheres) {
        const Vec3& c = s.center;
        values.push_back({static_cast<float>(c.x), static_cast<float>(c.y), static_cast<float>(c.z),
                          static_cast<float>(s.radius)});
      }
      count = values.size();
      json["shape"] = "spheres";
      json["spheres"] = writer.array(values);
      break;
    }
    case ViewShape::Lines: {
      std::vector<Vec3> ends;
      for (const Segment& s : item.lines) ends.insert(ends.end(), {s.a, s.b});
      count = item.lines.size();
      json["shape"] = "lines";
      json["lines"] = writer.points(ends, {});
      json["width"] = item.width;
      break;
    }
  }
  if (item.values.size() == count && item.legend) {
    if (origin == nullptr) {
      json["values"] = writer.array(item.values);
    } else {
      std::vector<float> values;
      values.reserve(origin->size());
      for (const std::uint32_t i : *origin) values.push_back(item.values[i]);
      json["values"] = writer.array(values);
    }
    json["legend"] = *item.legend;
  }
  if (!item.colours.empty() && item.colours.size() == count)
    json["colours"] = writer.colours(item.colours, origin);
  set_if(json, "level", item.level);
  set_if(json, "owner", item.owner);
  if (item.motion) json["motion"] = to_json(*item.motion, writer);
  if (item.shown) json["shown"] = to_json(*item.shown);
  return json;
}

Json to_json(const ViewLegend& legend) {
  const ColourScale scale{legend.low, legend.high};
  Json stops = Json::array();
  for (int i = 0; i <= kStops; ++i) {
    const double t = static_cast<double>(i) / kStops;
    const double at = legend.high_is_warm ? 1.0 - t : t;
    stops.push_back(hex_of(colour_at(scale, legend.low + at * (legend.high - legend.low))));
  }
  // Beyond the scale: what colour_at() gives a number that is not one.
  return {{"title", legend.title},
          {"low", legend.low},
          {"high", legend.high},
          {"unitsPerOne", legend.units_per_one},
          {"stops", std::move(stops)},
          {"beyond", hex_of(colour_at(scale, std::nan("")))},
          {"ticks", legend_ticks(scale, {legend.title, legend.units_per_one})}};
}

Json to_json(const ViewFocus& focus) {
  Json json{{"label", focus.label},
            {"point", to_json(focus.point)},
            {"radius", focus.radius},
            {"items", focus.items},
            {"show", focus.show}};
  if (focus.line) json["line"] = to_json(*focus.line);
  set_if(json, "time", focus.time);
  return json;
}

Json to_json(const ViewMatrix& matrix) {
  Json cells = Json::array();
  for (const ViewMatrix::Cell& cell : matrix.cells) {
    Json json{{"row", cell.row},
              {"column", cell.column},
              {"state", name_of(cell.state)},
              {"text", cell.text},
              {"words", cell.words}};
    set_if(json, "focus", cell.focus);
    cells.push_back(std::move(json));
  }
  return {{"title", matrix.title},
          {"labels", matrix.labels},
          {"items", matrix.items},
          {"cells", std::move(cells)}};
}

Json to_json(const ViewTable& table) {
  Json rows = Json::array();
  for (const ViewTable::Row& row : table.rows) {
    Json json{{"cells", row.cells}, {"state", name_of(row.state)}};
    set_if(json, "focus", row.focus);
    rows.push_back(std::move(json));
  }
  return {{"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

Json to_json(const ViewPlot& plot) {
  Json series = Json::array();
  for (const ViewSeries& line : plot.series) {
    Json x = Json::array();
    Json y = Json::array();
    for (const PlotPoint& point : line.points) {
      x.push_back(point.x);
      y.push_back(std::isfinite(point.y) ? Json(point.y) : Json());
    }
    series.push_back(
        {{"name", line.name}, {"dashed", line.dashed}, {"x", std::move(x)}, {"y", std::move(y)}});
  }
  Json json{{"title", plot.title}, {"series", std::move(series)}};
  set_if(json, "limit", plot.limit);
  return json;
}

Json to_json(const ViewTimeline& timeline) {
  Json marks = Json::array();
  for (const ViewMark& mark : timeline.marks) {
    Json json{{"span", to_json(mark.span)}, {"state", name_of(mark.state)}, {"label", mark.label}};
    set_if(json, "focus", mark.focus);
    marks.push_back(std::move(json));
  }
  return {{"label", timeline.label},  {"unit", timeline.unit},   {"low", timeline.low},
          {"high", timeline.high},    {"start", timeline.start}, {"seconds", timeline.seconds},
          {"marks", std::move(marks)}};
}

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

}  // namespace

const char* name_of(ViewState state) {
  switch (state) {
    case ViewState::Bad:
      return "bad";
    case ViewState::Warning:
      return "warning";
    case ViewState::Allowed:
      return "allowed";
    case ViewState::Good:
      return "good";
    case ViewState::Neutral:
      break;
  }
  return "neutral";
}

Colour colour_of(ViewState state) {
  switch (state) {
    case ViewState::Bad:
      return {0.83, 0.24, 0.19};
    case ViewState::Warning:
      return {0.93, 0.62, 0.15};
    case ViewState::Allowed:
      return {0.42, 0.58, 0.78};
    case ViewState::Good:
      return {0.30, 0.66, 0.42};
    case ViewState::Neutral:
      break;
  }
  return {0.70, 0.73, 0.77};
}

ViewDocument error_document(const std::string& title, const std::string& text) {
  ViewDocument document;
  document.kind = "error";
  document.title = title;
  document.summary = "cannot be shown";
  document.state = ViewState::Bad;
  document.messages.push_back({ViewState::Bad, text});
  return document;
}

ViewFiles view_files(const ViewDocument& document) {
  ViewFiles files;
  Writer writer(files.buffer);
  Json items = Json::array();
  for (const ViewItem& item : document.items) items.push_back(to_json(item, writer));
  Json facts = Json::array();
  for (const auto& [name, value] : document.facts) facts.push_back(Json::array({name, value}));
  Json messages = Json::array();
  for (const ViewMessage& message : document.messages)
    messages.push_back({{"state", name_of(message.state)}, {"text", message.text}});
  Json json{{"schema", "clearance.view"},
            {"version", 1},
            {"kind", document.kind},
            {"title", document.title},
            {"summary", document.summary},
            {"state", name_of(document.state)},
            {"unit", document.unit},
            {"facts", std::move(facts)},
            {"messages", std::move(messages)},
            {"towardsEye", to_json(document.towards_eye)},
            {"geometries", std::move(writer.geometries)},
            {"items", std::move(items)},
            {"legends", list_of(document.legends)},
            {"focuses", list_of(document.focuses)},
            {"tables", list_of(document.tables)},
            {"plots", list_of(document.plots)},
            {"levels", document.levels},
            {"firstLevel", document.first_level}};
  if (document.region)
    json["region"] = Json::array({to_json(document.region->low), to_json(document.region->high)});
  set_if(json, "firstFocus", document.first_focus);
  if (document.matrix) json["matrix"] = to_json(*document.matrix);
  if (document.timeline) json["timeline"] = to_json(*document.timeline);
  if (document.filter) {
    json["filter"] = {{"label", document.filter->label},
                      {"items", document.filter->items},
                      {"low", document.filter->low},
                      {"high", document.filter->high}};
  }
  if (document.live) json["live"] = true;
  // Names may hold bytes that are not UTF-8; "<" is written so that no name ends a script.
  files.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(files.json.size());
  for (const char c : files.json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  files.json = std::move(safe);
  return files;
}

}  // namespace clearance::cli
