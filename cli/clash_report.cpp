// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "clash_report.h"

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include "text.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Assemblies of more parts get no matrix: it would not fit on a page.
constexpr std::size_t kMostPartsInMatrix = 40;

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clash:
      return "clash";
    case Verdict::Near:
      return "near";
    case Verdict::Allowed:
      return "allowed";
    case Verdict::Clear:
      break;
  }
  return "clear";
}

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }

double depth(const ClashPair& pair) { return pair.penetration ? pair.penetration->lower : 0.0; }

Json to_json(const ClashPair& pair, const ClashReport& report) {
  Json result{
      {"a", report.parts[pair.pair.a].name},
      {"b", report.parts[pair.pair.b].name},
      {"verdict", name_of(pair.verdict)},
      {"distance", pair.pair.distance},
      {"touch", clearance::name_of(pair.pair.touch)},
      {"allowed", pair.pair.allowed},
      {"penetration", Json()},
      {"on_a", to_json(pair.pair.on_a)},
      {"on_b", to_json(pair.pair.on_b)},
      {"triangle_a", pair.pair.triangle_a},
      {"triangle_b", pair.pair.triangle_b},
  };
  if (pair.penetration) {
    result["penetration"] = {{"lower", pair.penetration->lower},
                             {"upper", pair.penetration->upper}};
  }
  return result;
}

/// Lengths from here on are written in metres [m].
constexpr double kShortestInMetres = 10.0;

std::string length_words(double metres) {
  return metres < kShortestInMetres ? format_number("%.4g mm", 1e3 * metres)
                                    : format_number("%.4g m", metres);
}

/// "0.5 mm", "touch", "a in b": how near a pair is.
std::string distance_words(const ClashPair& pair) {
  switch (pair.pair.touch) {
    case Touch::AInsideB:
      return "A inside B";
    case Touch::BInsideA:
      return "B inside A";
    case Touch::Surfaces:
      return "contact";
    case Touch::None:
      break;
  }
  return length_words(pair.pair.distance);
}

/// "0.12 to 0.13 mm deep", from proven bounds.
std::string depth_words(const ClashPair& pair) {
  if (!pair.penetration) return "";
  const Penetration& p = *pair.penetration;
  // Two bounds that print alike are one number.
  const bool in_metres = p.upper >= kShortestInMetres;
  const double unit = in_metres ? 1.0 : 1e-3;
  const std::string lower = format_number("%.3g", p.lower / unit);
  const std::string upper = format_number("%.3g", p.upper / unit);
  return (lower == upper ? upper : lower + " to " + upper) + (in_metres ? " m" : " mm");
}

char letter(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clash:
      return 'X';
    case Verdict::Near:
      return 'n';
    case Verdict::Allowed:
      return 'a';
    case Verdict::Clear:
      break;
  }
  return '.';
}

std::string matrix(const ClashReport& report) {
  const std::size_t n = report.parts.size();
  std::vector<std::string> cells(n, std::string(n, ' '));
  for (const ClashPair& pair : report.pairs) {
    cells[pair.pair.a][pair.pair.b] = cells[pair.pair.b][pair.pair.a] = letter(pair.verdict);
  }
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head{"", "part"};
  for (std::size_t i = 0; i < n; ++i) head.push_back(std::to_string(i + 1));
  lines.push_back(head);
  std::vector<std::size_t> right{0};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::string> line{std::to_string(i + 1), report.parts[i].name};
    for (std::size_t j = 0; j < n; ++j) line.emplace_back(1, cells[i][j]);
    lines.push_back(line);
    right.push_back(i + 2);
  }
  return "\n" + align_columns(lines, right) + "X clash, " +
         (report.clearance > 0.0 ? "n below the clearance, " : "") + "a allowed, . clear\n";
}

}  // namespace

std::size_t ClashReport::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [&](const ClashPair& pair) { return pair.verdict == verdict; }));
}

bool ClashReport::is_good() const {
  return count(Verdict::Clash) == 0 && count(Verdict::Near) == 0;
}

void sort_pairs(std::vector<ClashPair>& pairs) {
  const auto key = [](const ClashPair& p) {
    return std::tuple(p.verdict, -depth(p), p.pair.distance, p.pair.a, p.pair.b);
  };
  std::sort(pairs.begin(), pairs.end(),
            [&](const ClashPair& x, const ClashPair& y) { return key(x) < key(y); });
}

nlohmann::ordered_json clash_json(const ClashReport& report) {
  Json parts = Json::array();
  for (const ClashPart& part : report.parts)
    parts.push_back({{"name", part.name}, {"triangles", part.triangles}, {"solid", part.is_solid}});
  Json pairs = Json::array();
  for (const ClashPair& pair : report.pairs) pairs.push_back(to_json(pair, report));
  return {
      {"schema", "clearance.clash"},
      {"version", 1},
      {"files", report.files},
      {"warnings", report.warnings},
      {"clearance", report.clearance},
      {"touching", report.touching ? Json(*report.touching) : Json()},
      {"good", report.is_good()},
      {"summary",
       {{"parts", report.parts.size()},
        {"pairs", report.pairs.size()},
        {"clash", report.count(Verdict::Clash)},
        {"near", report.count(Verdict::Near)},
        {"allowed", report.count(Verdict::Allowed)},
        {"clear", report.count(Verdict::Clear)}}},
      {"parts", std::move(parts)},
      {"pairs", std::move(pairs)},
  };
}

std::string clash_csv(const ClashReport& report) {
  std::string text =
      "verdict,part_a,part_b,distance_m,touch,penetration_lower_m,penetration_upper_m,allowed,"
      "a_x,a_y,a_z,b_x,b_y,b_z\n";
  const auto number = [](double v) { return format_number("%.17g", v); };
  for (const ClashPair& pair : report.pairs) {
    const ScenePair& p = pair.pair;
    text += std::string(name_of(pair.verdict)) + ',' + csv_field(report.parts[p.a].name) + ',' +
            csv_field(report.parts[p.b].name) + ',' + number(p.distance) + ',' +
            clearance::name_of(p.touch) + ',' +
            (pair.penetration ? number(pair.penetration->lower) : "") + ',' +
            (pair.penetration ? number(pair.penetration->upper) : "") + ',' +
            (p.allowed ? "yes" : "no");
    for (const double v : {p.on_a.x, p.on_a.y, p.on_a.z, p.on_b.x, p.on_b.y, p.on_b.z})
      text += ',' + number(v);
    text += '\n';
  }
  return text;
}

std::string clash_text(const ClashReport& report, std::size_t rows) {
  std::string text;
  const std::size_t shown = rows == 0 ? report.pairs.size() : std::min(rows, report.pairs.size());
  if (shown > 0) {
    std::vector<std::vector<std::string>> lines{
        {"verdict", "part A", "part B", "clearance", "penetration"}};
    for (std::size_t i = 0; i < shown; ++i) {
      const ClashPair& pair = report.pairs[i];
      lines.push_back({name_of(pair.verdict), report.parts[pair.pair.a].name,
                       report.parts[pair.pair.b].name, distance_words(pair), depth_words(pair)});
    }
    const std::size_t right[] = {3, 4};
    text += align_columns(lines, right);
  }
  if (shown < report.pairs.size()) {
    const ClashPair& next = report.pairs[shown];
    text += "... " + count_of(report.pairs.size() - shown, "more pair", "more pairs") + ", " +
            (next.verdict == Verdict::Clear
                 ? "clear by " + length_words(next.pair.distance) + " or more"
                 : std::string("the next one ") + name_of(next.verdict)) +
            " (--rows 0 lists all)\n";
  }
  if (report.parts.size() > 2 && report.parts.size() <= kMostPartsInMatrix) text += matrix(report);
  text += (text.empty() ? "" : "\n") + count_of(report.parts.size(), "part", "parts") + ", " +
          count_of(report.pairs.size(), "pair", "pairs") + ": " +
          count_of(report.count(Verdict::Clash), "clash", "clashes");
  if (report.clearance > 0.0) {
    text += ", " + group_digits(report.count(Verdict::Near)) + " below " +
            length_words(report.clearance);
  }
  text += ", " + group_digits(report.count(Verdict::Allowed)) + " allowed, " +
          group_digits(report.count(Verdict::Clear)) + " clear\n";
  return text;
}

ClashPicture clash_picture(const Assembly& assembly, const ClashReport& report) {
  constexpr Colour kColours[] = {
      {0.80, 0.22, 0.16}, {0.93, 0.62, 0.15}, {0.45, 0.58, 0.75}, {0.78, 0.80, 0.82}};
  std::vector<Verdict> worst(assembly.parts.size(), Verdict::Clear);
  ClashPicture picture;
  for (const ClashPair& pair : report.pairs) {
    for (const BodyId body : {pair.pair.a, pair.pair.b})
      worst[body] = std::min(worst[body], pair.verdict);
    if (pair.verdict == Verdict::Near) picture.lines.push_back({{pair.pair.on_a, pair.pair.on_b}});
  }
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const AssemblyPart& part = assembly.parts[i];
    picture.items.push_back(
        {part.mesh, part.world_from_part, kColours[static_cast<std::size_t>(worst[i])]});
  }
  return picture;
}

}  // namespace clearance::cli
