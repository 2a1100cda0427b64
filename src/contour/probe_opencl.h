// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ways to probe that run the kernels of kernels/probe.cl: on an OpenCL device, or on this CPU.
#pragma once

#include <memory>

#include <clearance/contour/prober.h>

#include "contour/probe_opencl_device.h"

namespace clearance::detail {

/// OpenCl, OpenClCulled or KernelOnCpu, as options.method says. It has no mesh yet: set_mesh()
/// comes next. Errors: no such device, OpenCL not built in.
[[nodiscard]] Result<std::unique_ptr<Prober>> make_opencl_prober(const ProberOptions& options);

/// Candidates the device has room for: at first, and at most (12 bytes each). When there are more,
/// fewer triangles are looked at in one go. The candidates of one block fit always: not below
/// PROBE_BLOCK * PROBE_BATCH.
struct CandidateRoom {
  std::size_t first = std::size_t{1} << 16;
  std::size_t most = std::size_t{1} << 22;
};

/// The same on a device that is there already.
[[nodiscard]] std::unique_ptr<Prober> make_device_prober(const ProberOptions& options,
                                                         std::unique_ptr<KernelDevice> device,
                                                         const CandidateRoom& room = {});

}  // namespace clearance::detail
