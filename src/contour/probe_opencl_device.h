// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What runs the kernels of kernels/probe.cl: an OpenCL device, or this CPU. Memory stays where it
// is between launches, and launches run in the order they were asked for.
//
// A call that failed leaves the device in an unknown state: restart() it, and write everything
// again. Not safe to use from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/contour/prober.h>

namespace clearance::detail {

using uint = std::uint32_t;
#include "contour/kernels/layout.h"

enum class KernelBuffer : std::uint8_t {
  Vertices,      // three floats each
  Faces,         // three indices each
  Spheres,       // around the triangles: four arrays
  BlockSpheres,  // around the blocks: four floats each
  BlockList,
  Segments,    // PROBE_BATCH of ProbeSegment
  State,       // kernels/layout.h
  OfTriangle,  // limits of the triangles
};
inline constexpr std::size_t kKernelBufferCount = 8;

enum class ProbeKernel : std::uint8_t { BoundTriangles, BoundBlocks, ListBlocks, BoundPairs };
inline constexpr std::size_t kProbeKernelCount = 4;

class KernelDevice {
 public:
  virtual ~KernelDevice() = default;
  KernelDevice(const KernelDevice&) = delete;
  KernelDevice& operator=(const KernelDevice&) = delete;

  /// "OpenCL on ..."
  [[nodiscard]] virtual std::string description() const = 0;
  /// Work-groups that keep all of it busy: more wait for these.
  [[nodiscard]] virtual std::size_t group_count() const = 0;
  /// Elements (triangles, blocks) a group of the other kernels than BoundPairs looks at.
  [[nodiscard]] virtual std::size_t group_size() const = 0;

  /// Makes a buffer at least that large. What it held is lost when it grows.
  virtual Status reserve(KernelBuffer buffer, std::size_t bytes) = 0;
  /// The bytes are copied before it returns.
  virtual Status write(KernelBuffer buffer, std::size_t offset,
                       std::span<const std::byte> bytes) = 0;
  /// Fills the first `count` words with one value.
  virtual Status fill(KernelBuffer buffer, std::uint32_t word, std::size_t count) = 0;
  /// Waits for what was asked before.
  virtual Status read(KernelBuffer buffer, std::size_t offset, std::span<std::byte> bytes) = 0;
  virtual Status run(ProbeKernel kernel, std::size_t groups, const ProbeParameters& parameters) = 0;
  /// Begins anew after a failure: all buffers are gone.
  virtual Status restart() = 0;

 protected:
  KernelDevice() = default;
};

/// The kernels as C++.
[[nodiscard]] std::unique_ptr<KernelDevice> make_cpu_device(Threads threads);
/// The first device whose name holds `name`; triangles an item looks at together, 0 for what suits
/// it. Errors: none is there; it does not take the kernels (with what its compiler said).
[[nodiscard]] Result<std::unique_ptr<KernelDevice>> make_opencl_device(const std::string& name,
                                                                       std::size_t lanes = 0);

/// For tests: bounds of one pair as the kernels compute them, in the coordinates of the device.
struct DeviceBounds {
  float lower = 0.0F;
  float upper = 0.0F;
};
[[nodiscard]] DeviceBounds kernel_bounds(std::span<const float, 9> corners, float diameter,
                                         const ProbeSegment& segment, float slack, float limit);

}  // namespace clearance::detail
