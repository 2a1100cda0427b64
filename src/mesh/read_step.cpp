// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// STEP through OpenCASCADE, which lives in a shared module of its own (step_module.h): it is loaded
// when the first STEP file is read, so that programs that read none start as fast as without it.
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "mesh/assembly_builder.h"
#include "mesh/readers.h"
#include "mesh/step_module.h"
#include "mesh/step_syntax.h"

namespace clearance::detail {

#if defined(CLEARANCE_WITH_STEP)
namespace {

constexpr const char* kModuleName = "libclearance_step.so";
/// Names the module's file; for programs linked statically that live far from it.
constexpr const char* kModuleVariable = "CLEARANCE_STEP_MODULE";

/// Where the module may be, best first.
std::vector<std::filesystem::path> module_candidates() {
  if (const char* given = secure_getenv(kModuleVariable); given != nullptr && *given != '\0') {
    return {given};
  }
  // Beside this code: the library it is part of, or the program it is linked into.
  std::vector<std::filesystem::path> folders;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&can_read_step), &self) != 0 &&
      std::string_view(self.dli_fname).find('/') != std::string_view::npos) {
    folders.push_back(std::filesystem::path(self.dli_fname).parent_path());
  }
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  if (!program.empty()) {
    folders.push_back(program);
    folders.push_back(program / ".." / CLEARANCE_LIBRARY_FOLDER);  // bin beside lib
    folders.push_back(program / "..");                             // the build tree
  }
  folders.emplace_back(CLEARANCE_LIBRARY_PATH);
  std::vector<std::filesystem::path> candidates;
  for (const auto& folder : folders) candidates.push_back(folder / kModuleName);
  return candidates;
}

struct Module {
  StepReadFunction* read = nullptr;
  std::string problem;  ///< why `read` is null
};

Module load_module() {
  Module module;
  void* handle = nullptr;
  for (const auto& path : module_candidates()) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    // Never unloaded: OpenCASCADE keeps objects that outlive any file.
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    const char* reason = dlerror();
    module.problem = std::string("cannot load ") + kModuleName + ": " +
                     (reason != nullptr ? reason : "unknown reason");
  }
  if (handle == nullptr) {
    if (module.problem.empty()) module.problem = std::string(kModuleName) + " was not found";
    return module;
  }
  const auto interface =
      reinterpret_cast<StepInterfaceFunction*>(dlsym(handle, "clearance_step_interface"));
  if (interface == nullptr || interface() != kStepInterface) {
    module.problem = std::string(kModuleName) + " is of another version than the library";
    return module;
  }
  module.read = reinterpret_cast<StepReadFunction*>(dlsym(handle, "clearance_step_read"));
  if (module.read == nullptr) module.problem = std::string(kModuleName) + " is incomplete";
  return module;
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

  static const Module module = load_module();
  if (module.read == nullptr) {
    return Error{ErrorCode::Unsupported, name, "", "STEP cannot be read: " + module.problem,
                 std::string("install it beside the library, or name it in ") + kModuleVariable};
  }
  StepRequest request;
  request.bytes = bytes;
  request.deflection = options.step_deflection;
  request.angle = options.step_angle;
  request.metres_per_unit = options.metres_per_unit;
  request.monitor = options.monitor;
  StepReply reply;
  {
    // OpenCASCADE keeps units and parameters in globals: one file at a time.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    module.read(request, reply);
  }
  if (reply.error) {
    reply.error->file = name;
    return *reply.error;
  }

  LoadedAssembly loaded;
  loaded.info.path = name;
  loaded.info.format = "STEP";
  loaded.info.bytes = bytes.size();
  settle_unit(loaded.info, options, reply.declared_metres_per_unit);
  loaded.info.warnings = std::move(reply.warnings);
  AssemblyBuilder builder(name);
  for (StepShape& shape : reply.shapes) {
    Result<Mesh> mesh = Mesh::make(std::move(shape.vertices), std::move(shape.faces));
    if (!mesh) {
      return Error{ErrorCode::Malformed, name, mesh.error().place,
                   "OpenCASCADE made a bad tessellation: " + mesh.error().reason, ""};
    }
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
