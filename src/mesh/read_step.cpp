// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// STEP through OpenCASCADE, which lives in the program clearance-step (step_protocol.h).
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mesh/assembly_builder.h"
#include "mesh/readers.h"
#include "mesh/step_process.h"
#include "mesh/step_syntax.h"
#include "mesh/topology.h"

namespace clearance::detail {

#if defined(CLEARANCE_WITH_STEP)
namespace {

/// Says so when the triangles of a closed solid leave gaps: an inside test may then be wrong.
void warn_about_cracks(FileInfo& info, const StepReply& reply, const StepShape& shape,
                       const Mesh& mesh, Threads threads) {
  const std::size_t open_edges = analyse_topology(mesh, threads).open_edges;
  if (open_edges == 0) return;
  const auto index = static_cast<std::size_t>(&shape - reply.shapes.data());
  const auto user = std::ranges::find(reply.instances, index, &StepInstance::shape);
  info.warnings.push_back("Part '" + (user != reply.instances.end() ? user->name : std::string()) +
                          "' is a closed solid in the file, but its triangles leave " +
                          std::to_string(open_edges) + " edges open.");
}

}  // namespace

bool can_read_step() { return true; }

Result<LoadedAssembly> read_step(std::string_view bytes, const std::string& name,
                                 const ReadOptions& options) {
  const auto is_positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if (!is_positive(options.step_deflection) || !is_positive(options.step_angle)) {
    return Error{ErrorCode::Invalid, name, "",
                 "the deflection and the angle of the tessellation must be above zero", ""};
  }
  if (Status status = check_step_syntax(bytes, name); !status) return status.error();

  StepRequest request;
  request.deflection = options.step_deflection;
  request.angle = options.step_angle;
  request.metres_per_unit = options.metres_per_unit;
  Result<StepReply> answer = run_step_program(bytes, name, request, options.monitor);
  if (!answer) return answer.error();
  StepReply reply = std::move(answer).value();
  if (reply.error) {
    reply.error->file = name;
    return *reply.error;
  }

  LoadedAssembly loaded;
  loaded.info.path = name;
  loaded.info.format = "STEP";
  loaded.info.bytes = bytes.size();
  settle_unit(loaded.info, options, reply.declared_metres_per_unit);
  if (loaded.info.unit_source == UnitSource::Assumed) loaded.info.metres_per_unit = 1e-3;
  loaded.info.warnings = std::move(reply.warnings);
  AssemblyBuilder builder(name);
  for (StepShape& shape : reply.shapes) {
    Result<Mesh> mesh = Mesh::make(std::move(shape.vertices), std::move(shape.faces));
    if (!mesh) {
      return Error{ErrorCode::Malformed, name, mesh.error().place,
                   "OpenCASCADE made a bad tessellation: " + mesh.error().reason, ""};
    }
    if (shape.is_closed) warn_about_cracks(loaded.info, reply, shape, *mesh, options.threads);
    builder.add_shape(options.weld ? welded(*mesh) : std::move(*mesh));
  }
  for (const StepInstance& instance : reply.instances) {
    const Affine world_from_shape{instance.linear, instance.translation};
    if (Status status = builder.place(instance.name, instance.shape, world_from_shape); !status) {
      return status.error();
    }
  }
  loaded.info.warnings.insert(loaded.info.warnings.end(), builder.warnings().begin(),
                              builder.warnings().end());
  Result<Assembly> assembly = std::move(builder).finish();
  if (!assembly) return assembly.error();
  loaded.assembly = std::move(assembly).value();
  return loaded;
}

#else

bool can_read_step() { return false; }

Result<LoadedAssembly> read_step(std::string_view, const std::string& name, const ReadOptions&) {
  return Error{ErrorCode::Unsupported, name, "",
               "this library was built without OpenCASCADE and cannot read STEP",
               "build with CLEARANCE_WITH_STEP=ON, or export the part as STL"};
}

#endif

}  // namespace clearance::detail
