// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From files to view documents: which kind a result is, and the meshes it names. One function per
// kind, each in its view_<kind>.cpp. To add a kind: write it, declare it here, and list it in
// view_source.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <clearance/base/monitor.h>
#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/mesh/assembly.h>
#include <clearance/mesh/read.h>

#include "view_document.h"
#include "view_tree.h"

namespace clearance::cli {

struct ViewOptions {
  double metres_per_unit = 0.0;    ///< of meshes that declare none; 0: metres
  ViewTreeOptions tree;            ///< show the bounding volumes of meshes
  std::size_t most_triangles = 0;  ///< drawn coarser where there are more; 0: no limit
  Threads threads;
  Monitor* monitor = nullptr;  ///< must be set
};

/// A result file and what it takes to show it.
class ViewSource {
 public:
  ViewSource(std::string path, nlohmann::json json, const ViewOptions& options)
      : path_(std::move(path)), json_(std::move(json)), options_(options) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const nlohmann::json& json() const { return json_; }
  [[nodiscard]] const ViewOptions& options() const { return options_; }

  /// Where a file named by the result is: as named from the working folder, or beside the result.
  /// As named when it is nowhere.
  [[nodiscard]] std::string find(const std::string& name) const;
  /// The parts of a mesh file named by the result. When it cannot be read, says so in the document.
  [[nodiscard]] std::optional<Assembly> assembly(const std::string& name,
                                                 ViewDocument& document) const;
  [[nodiscard]] std::optional<Mesh> mesh(const std::string& name, ViewDocument& document) const;
  /// `metres_per_unit`: as the result says, when the options do not.
  void set_unit(double metres_per_unit);

 private:
  std::string path_;
  nlohmann::json json_;
  ViewOptions options_;
};

/// What a file shows: a --json result of any verb, or a mesh. Errors: not readable, not a result, a
/// kind or version that is not known, fields missing.
[[nodiscard]] Result<ViewDocument> view_of(const std::string& path, const ViewOptions& options);

/// The extensions of files that view_of() takes besides meshes: "json", ...
[[nodiscard]] std::vector<std::string> viewable_extensions();

// The kinds. They throw nlohmann::json::exception where the result does not hold what its schema
// promises; view_of() catches it.
[[nodiscard]] Result<ViewDocument> view_mesh(const std::string& path, const ViewOptions& options);
[[nodiscard]] Result<ViewDocument> view_check(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_check_angles(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_clash(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_disassembly(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_distance(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_fold(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_fold_robot(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_grasp(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_inspect(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_pick(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_plan(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_probe(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_probe_stream(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_simplify(const ViewSource& source);
[[nodiscard]] Result<ViewDocument> view_verify(const ViewSource& source);

/// Helpers of the kinds.
[[nodiscard]] Vec3 vector_of(const nlohmann::json& json);
/// {"translation" or "xyz", "quaternion" or "rotation"}
[[nodiscard]] Pose pose_of(const nlohmann::json& json);
/// "part.stl" of "folder/part.stl"
[[nodiscard]] std::string file_name(const std::string& path);
/// "12.35 mm": a length with four digits, in the unit that suits it.
[[nodiscard]] std::string short_length(double metres);
/// The mesh that a robot is inside of, as in anatomy: what happens there is seen through it.
[[nodiscard]] ViewItem mesh_around(const std::string& path, const Mesh& mesh, double opacity);
/// A colour for the i-th of several parts.
[[nodiscard]] Colour part_colour(std::size_t i);

}  // namespace clearance::cli
