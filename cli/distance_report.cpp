// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "distance_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

// Rows of the table for people; the closest are shown when there are more poses.
constexpr std::size_t kRowsShown = 40;

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

Json to_json(const DistanceBody& body) {
  return {{"path", body.path}, {"triangles", body.triangles}, {"closed", body.closed}};
}

Json to_json(const DistanceRow& row) {
  const SolidDistance& answer = row.answer;
  const Quaternion q = quaternion_from(nearest_rotation(row.a_from_b.rotation));
  Json result{
      {"pose",
       {{"translation", to_json(row.a_from_b.translation)},
        {"quaternion", Json::array({q.x, q.y, q.z, q.w})}}},
      {"too_close", row.too_close},
      {"touch", name_of(answer.touch)},
      {"distance", answer.distance},
      {"lower", answer.lower},
      {"upper", answer.upper},
      {"surface",
       {{"distance", answer.surface.distance},
        {"on_a", to_json(answer.surface.on_a)},
        {"on_b", to_json(answer.surface.on_b)},
        {"normal", to_json(answer.surface.normal)},
        {"triangle_a", answer.surface.triangle_a},
        {"triangle_b", answer.surface.triangle_b}}},
      {"penetration", nullptr},
      {"work",
       {{"volume_tests", answer.work.volume_tests},
        {"triangle_tests", answer.work.triangle_tests}}},
  };
  if (row.penetration) {
    result["penetration"] = {{"lower", row.penetration->lower},
                             {"upper", row.penetration->upper},
                             {"separation", to_json(row.penetration->separation)},
                             {"deepest_point", to_json(row.penetration->deepest_point)}};
  }
  return result;
}

const char* words_of(Touch touch) {
  switch (touch) {
    case Touch::None:
      return "free";
    case Touch::Surfaces:
      return "contact";
    case Touch::AInsideB:
      return "A inside B";
    case Touch::BInsideA:
      break;
  }
  return "B inside A";
}

std::string format_point(const Vec3& p) {
  return "(" + format_number("%.6g", p.x) + ", " + format_number("%.6g", p.y) + ", " +
         format_number("%.6g", p.z) + ") m";
}

std::string format_interval(double lower, double upper) {
  return format_length(lower) + " to " + format_length(upper);
}

std::string body_words(const DistanceBody& body, bool solid) {
  return body.path + ", " + count_of(body.triangles, "triangle", "triangles") + ", " +
         (body.closed ? (solid ? "closed: a solid" : "closed, as a surface") : "open: a surface");
}

std::vector<std::vector<std::string>> body_lines(const DistanceReport& report) {
  return {{"  A", body_words(report.a, report.solid)}, {"  B", body_words(report.b, report.solid)}};
}

std::string paragraph(const DistanceReport& report) {
  const DistanceRow& row = report.rows.front();
  const SolidDistance& answer = row.answer;
  std::vector<std::vector<std::string>> lines = body_lines(report);
  if (answer.touch == Touch::None) {
    lines.push_back({"  distance", format_length(answer.distance) + ", free"});
  } else {
    lines.push_back({"  distance", std::string("0, ") + words_of(answer.touch)});
    if (answer.touch != Touch::Surfaces)
      lines.push_back({"  surfaces", format_length(answer.surface.distance) + " apart"});
  }
  lines.push_back({"  on A", format_point(answer.surface.on_a) + ", triangle " +
                                 std::to_string(answer.surface.triangle_a)});
  lines.push_back({"  on B", format_point(answer.surface.on_b) + ", triangle " +
                                 std::to_string(answer.surface.triangle_b)});
  if (row.penetration) {
    lines.push_back({"  overlap", format_interval(row.penetration->lower, row.penetration->upper)});
    lines.push_back({"  way out", std::isfinite(row.penetration->upper)
                                      ? "move B by " + format_point(row.penetration->separation) +
                                            ": verified free"
                                      : "none found"});
  }
  if (report.within) {
    lines.push_back({"  within", std::string(row.too_close ? "yes" : "no") + ": limit " +
                                     format_length(*report.within)});
  }
  return align_columns(lines);
}

std::string table(const DistanceReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool cut = order.size() > kRowsShown;
  if (cut) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return report.rows[i].answer.distance < report.rows[j].answer.distance;
    });
    order.resize(kRowsShown);
  }
  const bool depths =
      std::any_of(report.rows.begin(), report.rows.end(),
                  [](const DistanceRow& row) { return row.penetration.has_value(); });
  std::vector<std::vector<std::string>> lines{
      {"pose", "distance", "", "triangle of A", "of B", "point on A"}};
  if (depths) lines.front().emplace_back("overlap");
  for (const std::size_t i : order) {
    const DistanceRow& row = report.rows[i];
    lines.push_back({std::to_string(i), format_length(row.answer.distance),
                     words_of(row.answer.touch), std::to_string(row.answer.surface.triangle_a),
                     std::to_string(row.answer.surface.triangle_b),
                     format_point(row.answer.surface.on_a)});
    if (depths) {
      lines.back().push_back(
          row.penetration ? format_interval(row.penetration->lower, row.penetration->upper) : "");
    }
  }
  const std::size_t right[] = {0, 1, 3, 4};
  std::string text = align_columns(body_lines(report)) + '\n' + align_columns(lines, right);
  if (cut) {
    text += "the " + std::to_string(kRowsShown) + " closest of " +
            count_of(report.rows.size(), "pose", "poses") + "; --csv and --json have all\n";
  }
  const std::size_t worst = report.worst();
  text += '\n' + count_of(report.rows.size(), "pose", "poses") + ", " +
          count_of(report.contact_count(), "contact", "contacts");
  if (report.within) {
    text += ", " + group_digits(report.too_close_count()) + " at " + format_length(*report.within) +
            " or closer";
  }
  text += "; closest: pose " + std::to_string(worst) + ", " +
          format_length(report.rows[worst].answer.distance) + '\n';
  return text;
}

}  // namespace

std::size_t DistanceReport::contact_count() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(),
                    [](const DistanceRow& row) { return row.answer.touch != Touch::None; }));
}

std::size_t DistanceReport::too_close_count() const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const DistanceRow& row) { return row.too_close; }));
}

std::size_t DistanceReport::worst() const {
  const auto worse = [](const DistanceRow& p, const DistanceRow& q) {
    if (p.answer.distance != q.answer.distance) return p.answer.distance < q.answer.distance;
    const auto depth = [](const DistanceRow& row) {
      return row.penetration ? row.penetration->upper : 0.0;
    };
    return depth(p) > depth(q);
  };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), worse) - rows.begin());
}

nlohmann::ordered_json distance_json(const DistanceReport& report) {
  Json rows = Json::array();
  for (const DistanceRow& row : report.rows) rows.push_back(to_json(row));
  const std::size_t worst = report.worst();
  return {{"schema", "clearance.distance"},
          {"version", 1},
          {"a", to_json(report.a)},
          {"b", to_json(report.b)},
          {"warnings", report.warnings},
          {"mode", report.solid ? "solid" : "surface"},
          {"within", report.within ? Json(*report.within) : Json()},
          {"summary",
           {{"poses", report.rows.size()},
            {"contacts", report.contact_count()},
            {"too_close", report.too_close_count()},
            {"closest_pose", worst},
            {"least_distance", report.rows[worst].answer.distance}}},
          {"poses", std::move(rows)}};
}

std::string distance_text(const DistanceReport& report) {
  return report.rows.size() == 1 ? paragraph(report) : table(report);
}

std::string distance_csv(const DistanceReport& report) {
  std::string text =
      "pose,x,y,z,qx,qy,qz,qw,distance,touch,too_close,surface_distance,ax,ay,az,bx,by,bz,"
      "triangle_a,triangle_b,penetration_lower,penetration_upper\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const DistanceRow& row = report.rows[i];
    const Distance& surface = row.answer.surface;
    const Vec3& t = row.a_from_b.translation;
    const Quaternion q = quaternion_from(nearest_rotation(row.a_from_b.rotation));
    text += std::to_string(i);
    const auto add = [&](double value) { text += format_number(",%.17g", value); };
    for (const double value : {t.x, t.y, t.z, q.x, q.y, q.z, q.w, row.answer.distance}) add(value);
    text += std::string(",") + name_of(row.answer.touch) + (row.too_close ? ",1" : ",0");
    for (const double value : {surface.distance, surface.on_a.x, surface.on_a.y, surface.on_a.z,
                               surface.on_b.x, surface.on_b.y, surface.on_b.z})
      add(value);
    text += "," + std::to_string(surface.triangle_a) + "," + std::to_string(surface.triangle_b);
    if (row.penetration) {
      add(row.penetration->lower);
      add(row.penetration->upper);
    } else {
      text += ",,";
    }
    text += '\n';
  }
  return text;
}

}  // namespace clearance::cli
