// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels on this CPU: probe.cl compiled as C++, work-group after work-group.
#include <array>
#include <cstring>

#include "contour/kernels/shim.h"
#include "contour/probe_opencl_device.h"

namespace clearance::detail {
namespace kernels {
#include "contour/kernels/probe.cl"
}  // namespace kernels
namespace {

class CpuDevice final : public KernelDevice {
 public:
  explicit CpuDevice(Threads threads) : threads_(threads) {}

  [[nodiscard]] std::string description() const override {
    const int count = threads_.resolved();
    return "OpenCL kernels on the CPU, " + std::to_string(count) +
           (count == 1 ? " thread" : " threads");
  }
  [[nodiscard]] std::size_t group_count() const override {
    // A few for each thread, since not all have as much to do.
    return 8 * static_cast<std::size_t>(threads_.resolved());
  }
  [[nodiscard]] std::size_t group_size() const override { return GROUP; }

  Status reserve(KernelBuffer buffer, std::size_t bytes) override {
    std::vector<std::uint32_t>& words = at(buffer);
    if (4 * words.size() < bytes) words.resize((bytes + 3) / 4);
    return {};
  }
  Status write(KernelBuffer buffer, std::size_t offset, std::span<const std::byte> bytes) override {
    CLEARANCE_ASSERT(offset + bytes.size() <= 4 * at(buffer).size());
    std::memcpy(reinterpret_cast<std::byte*>(at(buffer).data()) + offset, bytes.data(),
                bytes.size());
    return {};
  }
  Status fill(KernelBuffer buffer, std::uint32_t word, std::size_t count) override {
    CLEARANCE_ASSERT(count <= at(buffer).size());
    std::fill_n(at(buffer).begin(), count, word);
    return {};
  }
  Status read(KernelBuffer buffer, std::size_t offset, std::span<std::byte> bytes) override {
    CLEARANCE_ASSERT(offset + bytes.size() <= 4 * at(buffer).size());
    std::memcpy(bytes.data(), reinterpret_cast<std::byte*>(at(buffer).data()) + offset,
                bytes.size());
    return {};
  }
  Status run(ProbeKernel kernel, std::size_t groups, const ProbeParameters& p) override {
    const auto* vertices = as<const float>(KernelBuffer::Vertices);
    const auto* faces = as<const std::uint32_t>(KernelBuffer::Faces);
    auto* spheres = as<float>(KernelBuffer::Spheres);
    auto* block_spheres = as<float>(KernelBuffer::BlockSpheres);
    auto* list = as<std::uint32_t>(KernelBuffer::BlockList);
    const auto* segments = as<const ProbeSegment>(KernelBuffer::Segments);
    auto* state = as<std::uint32_t>(KernelBuffer::State);
    auto* of_triangle = as<std::uint32_t>(KernelBuffer::OfTriangle);
    parallel_for(threads_, groups, [&](std::size_t group) {
      kernels::group_id = static_cast<std::uint32_t>(group);
      switch (kernel) {
        case ProbeKernel::BoundTriangles:
          kernels::bound_triangles(vertices, faces, spheres, p);
          break;
        case ProbeKernel::BoundBlocks:
          kernels::bound_blocks(spheres, block_spheres, p);
          break;
        case ProbeKernel::ListBlocks:
          kernels::list_blocks(block_spheres, segments, state, list, p);
          break;
        case ProbeKernel::BoundPairs:
          kernels::bound_pairs(vertices, faces, spheres, block_spheres, segments, state,
                               of_triangle, list, p);
          break;
      }
    });
    return {};
  }
  Status restart() override {
    for (std::vector<std::uint32_t>& words : buffers_) words.clear();
    return {};
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t>& at(KernelBuffer buffer) {
    return buffers_[static_cast<std::size_t>(buffer)];
  }
  template <class T>
  [[nodiscard]] T* as(KernelBuffer buffer) {
    return reinterpret_cast<T*>(at(buffer).data());
  }

  Threads threads_;
  std::array<std::vector<std::uint32_t>, kKernelBufferCount> buffers_;
};

}  // namespace

std::unique_ptr<KernelDevice> make_cpu_device(Threads threads) {
  return std::make_unique<CpuDevice>(threads);
}

DeviceBounds kernel_bounds(std::span<const float, 9> corners, float diameter,
                           const ProbeSegment& segment, float slack, float limit) {
  const kernels::Bounds bounds =
      kernels::bound_pair(kernels::vload3(0, corners.data()), kernels::vload3(1, corners.data()),
                          kernels::vload3(2, corners.data()), diameter, &segment, slack, limit);
  return {bounds.lower, bounds.upper};
}

}  // namespace clearance::detail
