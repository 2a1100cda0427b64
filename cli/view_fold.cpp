// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance fold`: the trajectory as balls, the boxes of the chain's hierarchy level
// by level, energy and acceptance over the steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>
#include <clearance/geometry/symmetric_eigen.h>

#include "fold_input.h"
#include "fold_run.h"
#include "text.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Numbers of a trajectory that a page takes: positions of all moments.
constexpr std::size_t kMostNumbers = 30'000'000;
/// Boxes of a level that can still be told apart.
constexpr std::size_t kMostBoxes = 64;
constexpr std::size_t kMostBoxMoments = 120;

/// Blue at the beginning of the chain, through green and yellow to red at its end.
Colour along_chain(double t) {
  constexpr std::array<Colour, 5> kStops{{{0.20, 0.35, 0.80},
                                          {0.15, 0.65, 0.75},
                                          {0.35, 0.70, 0.30},
                                          {0.93, 0.75, 0.25},
                                          {0.82, 0.25, 0.20}}};
  const double x = std::clamp(t, 0.0, 1.0) * (kStops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), kStops.size() - 2);
  const double f = x - static_cast<double>(i);
  const Colour& a = kStops[i];
  const Colour& b = kStops[i + 1];
  return {a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

/// The models of a trajectory in PDB format: positions of the atoms, model after model [Å].
Result<std::vector<std::vector<Vec3>>> read_models(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  std::vector<std::vector<Vec3>> models;
  std::string_view rest = file->text();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.starts_with("MODEL")) models.emplace_back();
    if (!line.starts_with("ATOM") || line.size() < 54) continue;
    if (models.empty()) models.emplace_back();
    const auto number = [&](std::size_t first) {
      return std::strtod(std::string(line.substr(first, 8)).c_str(), nullptr);
    };
    models.back().push_back({number(30), number(38), number(46)});
  }
  // Interrupted while it was written: the last model may lack atoms.
  while (models.size() > 1 && models.back().size() != models.front().size()) models.pop_back();
  if (models.empty() || models.front().empty())
    return Error{ErrorCode::Malformed, path, "", "holds no atoms", ""};
  return models;
}

/// The corners of a box along the principal axes of the points, enlarged by the radii.
std::array<Vec3, 8> box_around(std::span<const Vec3> points, double radius) {
  Vec3 mean;
  for (const Vec3& p : points) mean += p;
  mean = mean / static_cast<double>(points.size());
  Mat3 covariance;
  covariance.rows = {};
  for (const Vec3& p : points) {
    const Vec3 d = p - mean;
    for (std::size_t i = 0; i < 3; ++i) covariance[i] += d[i] * d;
  }
  const SymmetricEigen eigen = eigen_of_symmetric(covariance);
  Vec3 low;
  Vec3 high;
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = std::numeric_limits<double>::infinity();
    high[k] = -low[k];
    for (const Vec3& p : points) {
      const double x = dot(p, eigen.vectors.column(k));
      low[k] = std::min(low[k], x - radius);
      high[k] = std::max(high[k], x + radius);
    }
  }
  std::array<Vec3, 8> corners;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      corners[i] += ((i >> k & 1) != 0 ? high[k] : low[k]) * eigen.vectors.column(k);
  }
  return corners;
}

/// Boxes around 2^level links each, as the chain tree has them, at each moment.
void append_boxes(const FoldInput& input, const std::vector<std::vector<Vec3>>& models,
                  const std::vector<double>& times, ViewDocument& document) {
  constexpr std::array<std::array<std::size_t, 2>, 12> kEdges{{{0, 1},
                                                               {2, 3},
                                                               {4, 5},
                                                               {6, 7},
                                                               {0, 2},
                                                               {1, 3},
                                                               {4, 6},
                                                               {5, 7},
                                                               {0, 4},
                                                               {1, 5},
                                                               {2, 6},
                                                               {3, 7}}};
  const std::size_t links = input.protein.chain.links.size();
  std::vector<std::size_t> first{0};
  for (std::size_t link = 0; link < links; ++link)
    first.push_back(first.back() + input.protein.atoms_of(link).size());
  if (first.back() != models.front().size()) return;
  double radius = 0.0;
  for (const ProteinAtom& atom : input.protein.atoms) radius = std::max(radius, atom.radius);
  const std::size_t step = (models.size() + kMostBoxMoments - 1) / kMostBoxMoments;
  document.levels = {"off"};
  // From the root down, as trees are read.
  std::vector<std::size_t> spans;
  for (std::size_t span = 1; span < 2 * links; span *= 2) spans.push_back(span);
  std::reverse(spans.begin(), spans.end());
  for (const std::size_t span : spans) {
    const std::size_t count = (links + span - 1) / span;
    if (count > kMostBoxes) break;
    ViewItem item;
    item.name = "boxes";
    item.shape = ViewShape::Lines;
    item.level = static_cast<int>(document.levels.size());
    item.width = 1.4;
    item.explodes = false;
    item.motion.emplace();
    for (std::size_t m = 0; m < models.size(); m += step) {
      item.motion->times.push_back(times[m]);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = first[i * span];
        const std::size_t end = first[std::min(links, (i + 1) * span)];
        if (m == 0) {
          const Colour colour =
              along_chain((static_cast<double>(i) + 0.5) / static_cast<double>(count));
          item.colours.insert(item.colours.end(), kEdges.size(), colour);
        }
        std::array<Vec3, 8> corners{};
        if (end > begin)
          corners = box_around(std::span(models[m]).subspan(begin, end - begin), radius);
        for (const auto& [a, b] : kEdges) {
          if (m == 0) item.lines.push_back({corners[a], corners[b]});
          item.motion->points.insert(item.motion->points.end(), {corners[a], corners[b]});
        }
      }
    }
    if (item.motion->times.size() < 2) item.motion.reset();
    document.levels.push_back(count_of(count, "box", "boxes") + " of " +
                              count_of(span, "link", "links"));
    document.add(std::move(item));
  }
}

void append_plots(const std::vector<FoldRow>& rows, bool energy, ViewDocument& document) {
  const auto series = [&](const char* name, auto value) {
    ViewSeries line{name, {}, false};
    for (const FoldRow& row : rows)
      line.points.push_back({static_cast<double>(row.step), value(row)});
    return line;
  };
  if (energy) {
    document.plots.push_back(
        {"energy [contacts]", {series("", [](const FoldRow& r) { return r.measure.energy; })}, {}});
  }
  document.plots.push_back({"[Å]",
                            {series("gyration", [](const FoldRow& r) { return r.measure.radius; }),
                             series("rmsd", [](const FoldRow& r) { return r.measure.rmsd; })},
                            {}});
  document.plots.push_back({"share of steps",
                            {series("accepted", [](const FoldRow& r) { return r.acceptance; }),
                             series("clashed", [](const FoldRow& r) { return r.clash_rate; })},
                            {}});
}

}  // namespace

Result<ViewDocument> view_fold(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "fold";
  document.unit = "Å";
  document.title = file_name(json.at("file").get<std::string>());
  if (json.at("ended").get<std::string>() == "start_clashes") {
    document.state = ViewState::Bad;
    document.summary = "the start clashes";
    ViewTable table{"Clashes", {"atom", "atom", "overlap"}, {}};
    for (const Json& clash : json.at("clashes")) {
      table.rows.push_back({{clash.at("a").get<std::string>(), clash.at("b").get<std::string>(),
                             format_number("%.2f Å", clash.at("overlap").get<double>())},
                            ViewState::Bad,
                            std::nullopt});
    }
    document.tables.push_back(std::move(table));
    return document;
  }
  const Json& chain = json.at("chain");
  const Json& counts = json.at("counts");
  document.summary = group_digits(counts.at("steps").get<std::uint64_t>()) + " steps";
  document.state = ViewState::Good;
  const auto number = [](const Json& at, const char* name) {
    return format_number("%.4g", at.at(name).get<double>());
  };
  document.facts = {{"residues", group_digits(chain.at("residues").get<std::uint64_t>())},
                    {"links", group_digits(chain.at("links").get<std::uint64_t>())},
                    {"atoms", group_digits(chain.at("atoms").get<std::uint64_t>())},
                    {"accepted", group_digits(counts.at("accepted").get<std::uint64_t>())},
                    {"clashed", group_digits(counts.at("clashed").get<std::uint64_t>())},
                    {"rmsd at the end", number(json.at("end"), "rmsd") + " Å"},
                    {"steps a second",
                     format_number("%.0f", json.at("speed").at("steps_per_second").get<double>())}};

  std::string trajectory;
  std::string table;
  for (const Json& written : json.at("written")) {
    const auto path = written.get<std::string>();
    if (path.ends_with(".pdb")) trajectory = path;
    if (path.ends_with(".csv")) table = path;
  }
  if (trajectory.empty()) {
    document.warn("The run kept no trajectory: fold with --out or --trajectory to see it move.");
    return document;
  }
  Result<std::vector<std::vector<Vec3>>> models = read_models(source.find(trajectory));
  if (!models) {
    document.warn(models.error().message());
    return document;
  }
  const std::size_t atoms = models->front().size();
  // Too long for a page: every n-th model.
  const std::size_t step = 1 + 3 * atoms * models->size() / kMostNumbers;
  std::vector<std::vector<Vec3>> kept;
  std::vector<double> times;
  const double every = json.at("options").at("every").get<double>();
  for (std::size_t m = 0; m < models->size(); m += step) {
    times.push_back(every * static_cast<double>(m));
    kept.push_back(std::move((*models)[m]));
    // One end of the chain is held while it turns: about its middle it stays in the picture.
    Vec3 mean;
    for (const Vec3& p : kept.back()) mean += p;
    mean = mean / static_cast<double>(atoms);
    for (Vec3& p : kept.back()) p -= mean;
  }
  const Result<FoldInput> input =
      read_fold_input(source.find(json.at("file").get<std::string>()), {});
  if (!input) document.warn(input.error().message());
  const bool known = input && input->protein.atoms.size() == atoms;

  ViewItem balls;
  balls.name = "atoms";
  balls.group = "Chain";
  balls.shape = ViewShape::Spheres;
  balls.explodes = false;
  constexpr double kUsualRadius = 1.7;  // of carbon [Å]
  for (std::size_t i = 0; i < atoms; ++i) {
    balls.spheres.push_back(
        {kept.front()[i], known ? input->protein.atoms[i].radius : kUsualRadius});
    balls.colours.push_back(along_chain(static_cast<double>(i) / static_cast<double>(atoms)));
  }
  if (kept.size() > 1) {
    balls.motion.emplace();
    balls.motion->times = times;
    for (const std::vector<Vec3>& model : kept)
      balls.motion->points.insert(balls.motion->points.end(), model.begin(), model.end());
    document.timeline = ViewTimeline{"step", "", 0.0, times.back(), 0.0, 10.0, {}};
  }
  document.add(std::move(balls));
  // All of it stays in the picture, wherever the chain goes.
  Box region;
  for (const std::vector<Vec3>& model : kept)
    for (const Vec3& p : model) region.include(p);
  document.region = region;
  if (known) append_boxes(*input, kept, times, document);
  if (!table.empty() && document.timeline) {
    const Result<std::vector<FoldRow>> rows = read_rows(source.find(table));
    if (rows)
      append_plots(*rows, json.at("options").at("energy").get<std::string>() != "none", document);
    else
      document.warn(rows.error().message());
  }
  return document;
}

}  // namespace clearance::cli
