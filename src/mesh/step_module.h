// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What libclearance and libclearance_step say to each other. OpenCASCADE takes about 70 ms to load,
// so it stays in a shared module of its own (src/mesh/step), which read_step.cpp loads when the
// first STEP file is read. The two are built together; plain data passes between them, and the
// module needs nothing from libclearance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// Raised with every change of the structures below: a module of another build is refused.
inline constexpr int kStepInterface = 1;

struct StepRequest {
  std::string_view bytes;
  double deflection = 0.0;                ///< [m]
  double angle = 0.0;                     ///< [rad]
  std::optional<double> metres_per_unit;  ///< instead of what the file declares
  Monitor* monitor = nullptr;
};

/// One tessellated shape, in metres. Triangles of neighbouring faces repeat their vertices.
struct StepShape {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;
};

/// One use of a shape: p -> linear * p + translation [m].
struct StepInstance {
  std::string name;
  std::uint32_t shape = 0;
  Mat3 linear;
  Vec3 translation;
};

struct StepReply {
  std::optional<Error> error;  ///< when set, the rest means nothing; its `file` is empty
  std::vector<StepShape> shapes;
  std::vector<StepInstance> instances;
  std::optional<double> declared_metres_per_unit;
  std::vector<std::string> warnings;
};

/// The two functions of the module, by the names "clearance_step_interface" and
/// "clearance_step_read". The second is not safe to call from two threads at once.
using StepInterfaceFunction = int();
using StepReadFunction = void(const StepRequest& request, StepReply& reply);

/// Most instances of shapes in one file, instances of sub-assemblies unfolded.
inline constexpr std::size_t kMostStepInstances = 1'000'000;

}  // namespace clearance::detail
