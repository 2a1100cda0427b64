// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The view of `clearance fold`: the trajectory as balls, the boxes of the chain's hierarchy level
// by level, energy and acceptance over the steps.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>

#include "chain_shapes.h"
#include "fold_input.h"
#include "fold_run.h"
#include "text.h"
#include "view_chain.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::json;

/// Numbers of a trajectory that a page takes: positions of all moments.
constexpr std::size_t kMostNumbers = 30'000'000;

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
  if (models.size() > 1 && models.back().size() != models.front().size()) models.pop_back();
  if (models.empty() || models.front().empty())
    return Error{ErrorCode::Malformed, path, "", "holds no atoms", ""};
  for (std::size_t m = 1; m < models.size(); ++m) {
    if (models[m].size() != models.front().size()) {
      return Error{ErrorCode::Malformed, path, "model " + std::to_string(m + 1),
                   "has " + count_of(models[m].size(), "atom", "atoms") + ", the first one " +
                       std::to_string(models.front().size()),
                   ""};
    }
  }
  return models;
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
  ViewPlot rates{"rates",
                 {series("accepted", [](const FoldRow& r) { return r.acceptance; }),
                  series("clashed", [](const FoldRow& r) { return r.clash_rate; })},
                 {}};
  // The first row has no steps before it.
  for (ViewSeries& line : rates.series)
    if (!line.points.empty()) line.points.front().y = std::nan("");
  document.plots.push_back(std::move(rates));
}

/// The chain as it was at each of the times, about its middle; its boxes when the input is known.
void append_chain(std::vector<std::vector<Vec3>> models, const std::vector<double>& times,
                  const FoldInput* input, const std::vector<bool>& bad, ViewDocument& document) {
  const std::size_t atoms = models.front().size();
  // One end of the chain is held while it turns: about its middle it stays in the picture.
  for (std::vector<Vec3>& model : models) {
    Vec3 mean;
    for (const Vec3& p : model) mean += p;
    mean = mean / static_cast<double>(atoms);
    for (Vec3& p : model) p -= mean;
  }
  ViewItem balls;
  balls.name = "atoms";
  balls.group = "Chain";
  balls.shape = ViewShape::Spheres;
  balls.explodes = false;
  constexpr double kUsualRadius = 1.7;  // of carbon [Å]
  constexpr Colour kAside{0.80, 0.82, 0.85};
  for (std::size_t i = 0; i < atoms; ++i) {
    balls.spheres.push_back(
        {models.front()[i], input != nullptr ? input->protein.atoms[i].radius : kUsualRadius});
    if (bad.empty()) {
      balls.colours.push_back(along_chain(static_cast<double>(i) / static_cast<double>(atoms)));
    } else {
      balls.colours.push_back(bad[i] ? colour_of(ViewState::Bad) : kAside);
    }
  }
  if (models.size() > 1) {
    balls.motion.emplace();
    balls.motion->times = times;
    for (const std::vector<Vec3>& model : models)
      balls.motion->points.insert(balls.motion->points.end(), model.begin(), model.end());
    document.timeline = ViewTimeline{"step", "", 0.0, times.back(), 0.0, 10.0, {}};
  }
  document.add(std::move(balls));
  // All of it stays in the picture, wherever the chain goes.
  Box region;
  for (const std::vector<Vec3>& model : models)
    for (const Vec3& p : model) region.include(p);
  document.region = region;
  if (input == nullptr) return;
  double radius = 0.0;
  for (const ProteinAtom& atom : input->protein.atoms) radius = std::max(radius, atom.radius);
  append_boxes(input->protein.first_atom, models, times, radius, document);
}

/// The start that clashes: which atoms do, in red.
void append_clashes(const Json& json, const FoldInput* input, ViewDocument& document) {
  document.state = ViewState::Bad;
  document.summary = "the start clashes";
  ViewTable table{"Clashes", {"atom", "atom", "overlap"}, {}};
  std::set<std::string> names;
  for (const Json& clash : json.at("clashes")) {
    const auto a = clash.at("a").get<std::string>();
    const auto b = clash.at("b").get<std::string>();
    table.rows.push_back({{a, b, format_number("%.2f Å", clash.at("overlap").get<double>())},
                          ViewState::Bad,
                          std::nullopt});
    names.insert({a, b});
  }
  document.facts = {{"pairs that overlap", group_digits(table.rows.size())},
                    {"atoms among them", group_digits(names.size())}};
  if (input != nullptr) {
    document.facts.push_back({"atoms", group_digits(input->protein.atoms.size())});
    document.facts.push_back({"links", group_digits(input->protein.chain.links.size())});
  }
  document.tables.push_back(std::move(table));
  if (input == nullptr) return;
  std::vector<bool> bad;
  for (std::uint32_t link = 0; link < input->protein.chain.links.size(); ++link) {
    for (std::uint32_t i = 0; i < input->protein.atoms_of(link).size(); ++i)
      bad.push_back(names.contains(sphere_name(*input, link, i)));
  }
  if (bad.size() == input->start.size()) append_chain({input->start}, {0.0}, input, bad, document);
}

/// The trajectory that the run wrote, or the start when it wrote none; and the table.
void append_run(const ViewSource& source, const FoldInput* input, ViewDocument& document) {
  const Json& json = source.json();
  std::string trajectory;
  std::string table;
  for (const Json& written : json.at("written")) {
    const auto path = written.get<std::string>();
    if (path.ends_with(".pdb")) trajectory = path;
    if (path.ends_with(".csv")) table = path;
  }
  std::vector<std::vector<Vec3>> kept;
  std::vector<double> times;
  if (trajectory.empty()) {
    document.warn(
        "The run kept no trajectory, so that this is its start: fold with --out or --trajectory "
        "to see it move.");
  } else if (Result<std::vector<std::vector<Vec3>>> models = read_models(source.find(trajectory));
             models) {
    // Too long for a page: every n-th model.
    const std::size_t step = 1 + 3 * models->front().size() * models->size() / kMostNumbers;
    const double every = json.at("options").at("every").get<double>();
    for (std::size_t m = 0; m < models->size(); m += step) {
      times.push_back(every * static_cast<double>(m));
      kept.push_back(std::move((*models)[m]));
    }
  } else {
    document.warn(models.error().message());
  }
  if (kept.empty() && input != nullptr) {
    kept.push_back(input->start);
    times.push_back(0.0);
  }
  if (kept.empty()) return;
  const bool known = input != nullptr && input->protein.atoms.size() == kept.front().size();
  append_chain(std::move(kept), times, known ? input : nullptr, {}, document);
  if (table.empty() || !document.timeline) return;
  const Result<std::vector<FoldRow>> rows = read_rows(source.find(table));
  if (rows)
    append_plots(*rows, json.at("options").at("energy").get<std::string>() != "none", document);
  else
    document.warn(rows.error().message());
}

}  // namespace

Result<ViewDocument> view_fold(const ViewSource& source) {
  const Json& json = source.json();
  ViewDocument document;
  document.kind = "fold";
  document.unit = "Å";
  const auto file = json.at("file").get<std::string>();
  document.title = file_name(file);
  const bool clashes = json.at("ended").get<std::string>() == "start_clashes";
  ProteinOptions options;
  if (!clashes) options.chain = json.at("chain").at("name").get<std::string>();
  const Result<FoldInput> input = read_fold_input(source.find(file), options);
  if (!input) document.warn(input.error().message());
  if (clashes) {
    append_clashes(json, input ? &*input : nullptr, document);
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
  append_run(source, input ? &*input : nullptr, document);
  return document;
}

}  // namespace clearance::cli
