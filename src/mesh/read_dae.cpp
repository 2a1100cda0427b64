// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// COLLADA 1.4 and 1.5: every node with a geometry becomes a part, in the unit the file declares.
// The up axis is reported and not applied: the tools that use these files on robots take the
// coordinates as they stand, and poses in URDF are written for that
// (docs/decisions/0003-own-readers.md).
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mesh/dae_document.h"
#include "mesh/readers.h"

namespace clearance::detail {
namespace {

/// How far the named unit may be from the declared length before we say so; relative.
constexpr double kUnitNameTolerance = 1e-3;

class DaeReader {
 public:
  DaeReader(const DaeDocument& document, std::size_t bytes, const ReadOptions& options)
      : document_(document), options_(options), builder_(document.name()), budget_(bytes) {
    loaded_.info.path = document.name();
    loaded_.info.format = "COLLADA";
    loaded_.info.bytes = bytes;
  }

  Result<LoadedAssembly> read() {
    if (Status status = read_asset(); !status) return status.error();
    const Status walked = walk_dae(
        document_, {loaded_.info.metres_per_unit, options_.monitor},
        [this](pugi::xml_node node, pugi::xml_node geometry, const Affine& world_from_shape) {
          return place(node, geometry, world_from_shape);
        },
        loaded_.info.warnings, ignored_);
    if (!walked) return walked.error();
    std::vector<std::string>& warnings = loaded_.info.warnings;
    for (const auto& [sentence, count] : ignored_) {
      warnings.push_back(sentence + " (" + std::to_string(count) + " times).");
    }
    warnings.insert(warnings.end(), builder_.warnings().begin(), builder_.warnings().end());
    Result<Assembly> assembly = std::move(builder_).finish();
    if (!assembly) return assembly.error();
    loaded_.assembly = std::move(assembly).value();
    return std::move(loaded_);
  }

 private:
  Status read_asset() {
    const pugi::xml_node asset = document_.root().child("asset");
    // Without a <unit> the specification says one metre.
    double declared = 1.0;
    if (const pugi::xml_node unit = asset.child("unit"); unit.attribute("meter")) {
      const pugi::xml_attribute meter = unit.attribute("meter");
      declared = meter.as_double(0.0);
      if (!(declared > 0.0 && std::isfinite(declared))) {
        return document_.malformed(
            unit, std::string("a unit of '") + meter.value() + "' metres is no length");
      }
      const std::string unit_name = unit.attribute("name").value();
      const std::optional<double> named = unit_from_name(unit_name);
      if (named && std::abs(*named - declared) > kUnitNameTolerance * declared) {
        loaded_.info.warnings.push_back("The unit is named '" + unit_name + "', but declared as " +
                                        meter.value() + " m; the number counts.");
      }
    }
    settle_unit(loaded_.info, options_, declared);

    const std::string up_axis = asset.child("up_axis").child_value();
    if (up_axis.find("Z_UP") == std::string::npos) {
      loaded_.info.warnings.push_back(
          (up_axis.empty() ? "The file declares no up axis, which means Y_UP"
                           : "The file declares the up axis " + up_axis) +
          "; coordinates are taken as they stand, as ROS tools do, and not turned to Z up.");
    }
    return {};
  }

  Status place(pugi::xml_node node, pugi::xml_node geometry, const Affine& world_from_shape) {
    auto known = shapes_.find(geometry.hash_value());
    if (known == shapes_.end()) {
      Result<std::optional<Mesh>> mesh =
          read_dae_geometry(document_, geometry, loaded_.info.metres_per_unit, budget_, ignored_);
      if (!mesh) return mesh.error();
      std::optional<std::size_t> shape;
      if (*mesh) shape = builder_.add_shape(options_.weld ? welded(**mesh) : std::move(**mesh));
      known = shapes_.emplace(geometry.hash_value(), shape).first;
    }
    if (!known->second) return {};
    for (const pugi::xml_node source : {node, geometry}) {
      for (const char* attribute : {"name", "id"}) {
        const char* label = source.attribute(attribute).value();
        if (*label != '\0') return builder_.place(label, *known->second, world_from_shape);
      }
    }
    return builder_.place("", *known->second, world_from_shape);
  }

  const DaeDocument& document_;
  const ReadOptions& options_;
  AssemblyBuilder builder_;
  ElementBudget budget_;
  LoadedAssembly loaded_;
  Ignored ignored_;
  std::unordered_map<std::size_t, std::optional<std::size_t>> shapes_;  ///< by <geometry> element
};

}  // namespace

Result<LoadedAssembly> read_dae(std::string_view bytes, const std::string& name,
                                const ReadOptions& options) {
  DaeDocument document;
  if (Status status = document.open(bytes, name); !status) return status.error();
  return DaeReader(document, bytes.size(), options).read();
}

}  // namespace clearance::detail
