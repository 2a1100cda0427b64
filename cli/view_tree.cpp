// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include <clearance/bvh/bvh_volumes.h>

#include "text.h"

namespace clearance::cli {
namespace {

/// Lines of a level that a page still turns fluently.
constexpr std::size_t kMostLines = 120'000;
/// Lines of a quarter of a circle.
constexpr int kArc = 4;
/// Ghosts and the like have no tree: what is fainter than this.
constexpr double kLeastOpacity = 0.3;
/// A radius below this part of the size is rounding: the volume is drawn as a box.
constexpr double kRounding = 1e-6;
/// About so many volumes are shown at first.
constexpr std::size_t kFirstVolumes = 40;

/// Colours that differ from one to the next, as far as there are different ones.
Colour nth_colour(std::size_t i) {
  const double hue = 6.0 * std::fmod(0.58 + 0.6180339887 * static_cast<double>(i), 1.0);
  const auto part = [&](double offset) {
    const double k = std::fmod(offset + hue, 6.0);
    return 0.86 - 0.62 * std::clamp(std::min(k, 4.0 - k), 0.0, 1.0);
  };
  return {part(5.0), part(3.0), part(1.0)};
}

/// The outline of a rectangle with rounded corners, in the plane of two axes of the volume.
void append_outline(const BvhVolume& volume, std::size_t i, std::size_t j,
                    std::vector<Segment>& lines) {
  std::vector<Vec3> points;
  for (int corner = 0; corner < 4; ++corner) {
    const double x = (corner == 0 || corner == 3 ? 1.0 : -1.0) * volume.half_size[i];
    const double y = (corner < 2 ? 1.0 : -1.0) * volume.half_size[j];
    for (int k = 0; k <= kArc; ++k) {
      const double angle = 0.5 * std::numbers::pi * (corner + static_cast<double>(k) / kArc);
      Vec3 p;
      p[i] = x + volume.radius * std::cos(angle);
      p[j] = y + volume.radius * std::sin(angle);
      points.push_back(volume.tree_from_box * p);
    }
  }
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Segment line{points[k], points[(k + 1) % points.size()]};
    if (line.a != line.b) lines.push_back(line);
  }
}

void append_lines(const BvhVolume& volume, std::vector<Segment>& lines) {
  const Vec3& h = volume.half_size;
  if (volume.radius > kRounding * (norm(h) + volume.radius)) {
    append_outline(volume, 0, 1, lines);
    append_outline(volume, 1, 2, lines);
    append_outline(volume, 2, 0, lines);
    return;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (unsigned side = 0; side < 4; ++side) {
      Vec3 a = h;
      if ((side & 1) != 0) a[(axis + 1) % 3] = -a[(axis + 1) % 3];
      if ((side & 2) != 0) a[(axis + 2) % 3] = -a[(axis + 2) % 3];
      Vec3 b = a;
      b[axis] = -b[axis];
      lines.push_back({volume.tree_from_box * a, volume.tree_from_box * b});
    }
  }
}

/// Items whose tree is shown: surfaces that are there all the time.
std::vector<std::size_t> owners_of(const ViewDocument& document) {
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < document.items.size(); ++i) {
    const ViewItem& item = document.items[i];
    if (item.shape == ViewShape::Mesh && !item.mesh.empty() && item.visible && !item.shown &&
        !item.level && item.opacity >= kLeastOpacity)
      owners.push_back(i);
  }
  return owners;
}

void append_facts(const std::map<const Face*, Bvh>& trees, const BvhOptions& options,
                  ViewDocument& document) {
  BvhStatistics all;
  std::size_t triangles = 0;
  for (const auto& [faces, tree] : trees) {
    const BvhStatistics s = tree.statistics();
    all.node_count += s.node_count;
    all.leaf_count += s.leaf_count;
    all.depth = std::max(all.depth, s.depth);
    all.memory_bytes += s.memory_bytes;
    triangles += tree.triangle_count();
  }
  std::string kind = name_of(options.volume);
  if (options.volume != Volume::Wide) kind += std::string(", ") + name_of(options.fitter);
  document.facts.insert(
      document.facts.end(),
      {{trees.size() > 1 ? "trees" : "tree", kind},
       {"bounding volumes", group_digits(all.node_count)},
       {"leaves", group_digits(all.leaf_count)},
       {"depth", std::to_string(all.depth)},
       {"bytes a triangle", format_number("%.1f", static_cast<double>(all.memory_bytes) /
                                                      static_cast<double>(triangles))}});
}

}  // namespace

void add_tree_options(Program& program, CLI::App& command, ViewTreeOptions& options) {
  command.add_flag("--tree", options.wanted,
                   "Show the trees of bounding volumes of the meshes, level by level");
  const auto choice = [&](const char* name, const char* help, auto& value, const auto& all) {
    std::vector<std::string> names;
    std::string words;
    for (const auto one : all) {
      names.emplace_back(name_of(one));
      words += (words.empty() ? "" : ", ") + names.back();
    }
    CLI::Option* option = command.add_option_function<std::string>(
        name,
        [&options, &value, all](const std::string& text) {
          for (const auto one : all)
            if (text == name_of(one)) value = one;
          options.wanted = true;
        },
        std::string(help) + words);
    option->option_text("NAME")->check(CLI::IsMember(names));
    program.hints[option] = {names, {}};
  };
  choice("--volume", "The same with other volumes: ", options.bvh.volume,
         std::array{Volume::Wide, Volume::Rss, Volume::Obb, Volume::Aabb, Volume::Sphere});
  choice("--fitter", "How volumes other than wide are fitted (rss when --volume is not given): ",
         options.bvh.fitter,
         std::array{Fitter::Binned, Fitter::Pqp, Fitter::Rapid2, Fitter::Inertia});
}

Status append_trees(const ViewTreeOptions& options, ViewDocument& document) {
  if (!options.wanted || !document.levels.empty()) return {};
  const std::vector<std::size_t> owners = owners_of(document);
  if (owners.empty()) return {};
  BvhOptions bvh = options.bvh;
  // The wide tree has one way of splitting: a fitter means the paper's volumes.
  if (bvh.fitter != Fitter::Binned && bvh.volume == Volume::Wide) bvh.volume = Volume::Rss;
  std::map<const Face*, Bvh> trees;
  std::size_t depth = 0;
  for (const std::size_t i : owners) {
    const Mesh& mesh = document.items[i].mesh;
    if (trees.contains(mesh.faces().data())) continue;
    Result<Bvh> tree = Bvh::build(mesh.vertices(), mesh.faces(), bvh);
    if (!tree) return tree.error();
    depth = std::max(depth, tree->statistics().depth);
    trees.emplace(mesh.faces().data(), std::move(*tree));
  }
  append_facts(trees, bvh, document);
  document.levels = {"off"};
  for (std::size_t level = 0; level < depth; ++level) {
    std::vector<ViewItem> items;
    std::size_t volumes = 0;
    std::size_t lines = 0;
    for (const std::size_t owner : owners) {
      const Bvh& tree = trees.at(document.items[owner].mesh.faces().data());
      const std::vector<BvhVolume> found = volumes_at(tree, level, kMostLines / 12);
      ViewItem item;
      item.name = document.items[owner].name + ", level " + std::to_string(level);
      item.group = "Tree";
      item.shape = ViewShape::Lines;
      item.level = static_cast<int>(level) + 1;
      item.owner = owner;
      item.width = 1.3;
      for (const BvhVolume& volume : found) {
        append_lines(volume, item.lines);
        item.colours.resize(item.lines.size(), nth_colour(volumes++));
      }
      lines += found.empty() ? kMostLines + 1 : item.lines.size();
      items.push_back(std::move(item));
    }
    if (lines > kMostLines) break;
    if (volumes <= kFirstVolumes || level == 0) document.first_level = level + 1;
    document.levels.push_back("level " + std::to_string(level) + ": " +
                              count_of(volumes, "volume", "volumes"));
    for (ViewItem& item : items) document.add(std::move(item));
  }
  return {};
}

}  // namespace clearance::cli
