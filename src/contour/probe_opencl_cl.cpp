// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels on an OpenCL device, through the C++ bindings without exceptions.
#include <clearance/contour/prober.h>

#include "contour/probe_opencl_device.h"

#if !defined(CLEARANCE_WITH_OPENCL)

namespace clearance {

std::vector<ProbeDevice> probe_devices() { return {}; }

Result<std::unique_ptr<detail::KernelDevice>> detail::make_opencl_device(const std::string&,
                                                                         std::size_t) {
  return Error{.code = ErrorCode::Unsupported,
               .reason = "OpenCL is not built in",
               .advice =
                   "install ocl-icd-opencl-dev and opencl-clhpp-headers and build again, or "
                   "take another method"};
}

}  // namespace clearance

#else

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <mutex>
#include <sstream>
#include <utility>

#include <CL/opencl.hpp>

#include "contour/probe_kernels.h"
#include "contour/probe_opencl_cache.h"

namespace clearance {
namespace detail {
namespace {

/// A device and the platform it is on.
struct Found {
  cl::Device device;
  std::string platform;
};

template <cl_device_info Name>
auto info(const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  return device.getInfo<Name>(&code);
}

std::string name_of(const cl::Device& device) {
  std::string name = info<CL_DEVICE_NAME>(device);
  while (!name.empty() &&
         (name.back() == '\0' || std::isspace(static_cast<unsigned char>(name.back())) != 0))
    name.pop_back();
  return name;
}

bool is_gpu(const cl::Device& device) {
  return (info<CL_DEVICE_TYPE>(device) & CL_DEVICE_TYPE_GPU) != 0;
}

/// All devices of all platforms, in the order OpenCL tells them. None when there is no platform.
std::vector<Found> all_devices() {
  give_pocl_a_cache();
  std::vector<Found> found;
  std::vector<cl::Platform> platforms;
  if (cl::Platform::get(&platforms) != CL_SUCCESS) return found;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    if (platform.getDevices(CL_DEVICE_TYPE_ALL, &devices) != CL_SUCCESS) continue;
    cl_int code = CL_SUCCESS;
    const std::string name = platform.getInfo<CL_PLATFORM_NAME>(&code);
    for (const cl::Device& device : devices) found.push_back({device, name});
  }
  return found;
}

/// What keeps a device from running the kernels; empty when nothing does.
std::string fault_of(const cl::Device& device) {
  if (info<CL_DEVICE_AVAILABLE>(device) != CL_TRUE) return "is not available";
  if (info<CL_DEVICE_COMPILER_AVAILABLE>(device) != CL_TRUE) return "has no compiler";
  // The error bounds of the kernels are those of the full profile.
  if (info<CL_DEVICE_PROFILE>(device).rfind("FULL", 0) != 0) return "has no full profile";
  int major = 0;
  int minor = 0;
  char dot = 0;
  std::istringstream version(info<CL_DEVICE_VERSION>(device).substr(sizeof "OpenCL"));
  if (!(version >> major >> dot >> minor) || 10 * major + minor < 12)
    return "knows an OpenCL before 1.2";
  return {};
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Result<Found> choose(const std::string& wanted) {
  const std::vector<Found> found = all_devices();
  if (found.empty())
    return Error{.code = ErrorCode::NotFound,
                 .reason = "there is no OpenCL device on this machine",
                 .advice = "install the driver of a GPU, or pocl-opencl-icd for the CPU"};
  const Found* chosen = nullptr;
  std::string there;
  for (const Found& f : found) {
    const std::string name = name_of(f.device);
    there += (there.empty() ? "" : ", ") + name;
    if (lower_case(name).find(lower_case(wanted)) == std::string::npos) continue;
    // The first of that name; without a name the first GPU goes before.
    if (chosen == nullptr || (wanted.empty() && is_gpu(f.device) && !is_gpu(chosen->device)))
      chosen = &f;
  }
  if (chosen == nullptr)
    return Error{.code = ErrorCode::NotFound,
                 .reason = "there is no OpenCL device whose name holds '" + wanted + "'",
                 .advice = "there are: " + there};
  if (const std::string fault = fault_of(chosen->device); !fault.empty())
    return Error{.code = ErrorCode::Unsupported,
                 .reason = "the OpenCL device " + name_of(chosen->device) + " " + fault};
  return *chosen;
}

const char* meaning_of(cl_int code) {
  switch (code) {
    case CL_DEVICE_NOT_FOUND:
      return "device not found";
    case CL_DEVICE_NOT_AVAILABLE:
      return "device not available";
    case CL_COMPILER_NOT_AVAILABLE:
      return "no compiler";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "no memory for the buffer";
    case CL_OUT_OF_RESOURCES:
      return "out of resources";
    case CL_OUT_OF_HOST_MEMORY:
      return "out of memory";
    case CL_BUILD_PROGRAM_FAILURE:
      return "the program did not compile";
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
      return "a command before it failed";
    case CL_INVALID_COMMAND_QUEUE:
      return "the queue is lost";
    case CL_INVALID_CONTEXT:
      return "the context is lost";
    case CL_INVALID_BUFFER_SIZE:
      return "the buffer is too large";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "the work-group is too large";
    default:
      return "error";
  }
}

constexpr std::array<const char*, kProbeKernelCount> kKernelNames = {
    "bound_triangles", "bound_blocks", "list_blocks", "bound_pairs"};

// What is compiled, and where. Compiling takes a tenth of a second and more, so it is done once for
// all probers on a device.
struct Built {
  cl::Context context;
  cl::Program program;
  std::size_t lanes = 1;
};

constexpr std::size_t kMostLanes = 16;

Error failure(const cl::Device& device, const std::string& what, cl_int code) {
  return {.code = ErrorCode::Unreadable,
          .reason = "OpenCL on " + name_of(device) + ": " + what + ": " + meaning_of(code) + " (" +
                    std::to_string(code) + ")"};
}

Result<Built> build(const cl::Device& device, std::size_t lanes) {
  Built built;
  built.lanes = lanes;
  cl_int code = CL_SUCCESS;
  built.context = cl::Context(device, nullptr, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) return failure(device, "making a context", code);
  built.program = cl::Program(built.context, std::string(kProbeKernels), false, &code);
  if (code != CL_SUCCESS) return failure(device, "taking the program", code);
  const std::string options = "-cl-std=CL1.2 -w -DLANES=" + std::to_string(lanes);
  code = built.program.build(device, options.c_str());
  if (code != CL_SUCCESS) {
    cl_int ignored = CL_SUCCESS;
    Error error = failure(device, "building the program", code);
    error.advice =
        "the compiler said: " + built.program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device, &ignored);
    return error;
  }
  for (const char* name : kKernelNames) {
    const cl::Kernel kernel(built.program, name, &code);
    if (code != CL_SUCCESS) return failure(device, name, code);
    const auto most = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device, &code);
    if (code == CL_SUCCESS && most < PROBE_BLOCK / lanes) code = CL_INVALID_WORK_GROUP_SIZE;
    if (code != CL_SUCCESS) return failure(device, name, code);
  }
  return built;
}

Result<Built> build_for(const cl::Device& device) {
  // On a CPU twice the lanes it has, so that one half is under way while the other waits: a third
  // faster. More where the groups of a device are small.
  std::size_t lanes = is_gpu(device) ? 1 : 2 * info<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>(device);
  lanes = std::bit_floor(std::clamp<std::size_t>(lanes, 1, kMostLanes));
  Result<Built> built =
      Error{.code = ErrorCode::Unsupported,
            .reason = "the work-groups of the OpenCL device " + name_of(device) + " are too small"};
  for (; lanes <= kMostLanes && !built; lanes *= 2) {
    if (PROBE_BLOCK / lanes <= info<CL_DEVICE_MAX_WORK_GROUP_SIZE>(device))
      built = build(device, lanes);
  }
  return built;
}

// Those of this process. They stay to its end: what OpenCL itself keeps may be gone by the time
// static objects are destroyed.
class BuiltPrograms {
 public:
  static BuiltPrograms& of_process() {
    static auto* all = new BuiltPrograms;
    return *all;
  }
  /// The one of a device, `anew` after a failure.
  Result<Built> get(const cl::Device& device, bool anew) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(all_.begin(), all_.end(),
                                    [&](const auto& entry) { return entry.first() == device(); });
    if (known != all_.end()) {
      if (!anew) return known->second;
      all_.erase(known);
    }
    auto built = build_for(device);
    if (built) all_.emplace_back(device, *built);
    return built;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<cl::Device, Built>> all_;
};

class OpenClDevice final : public KernelDevice {
 public:
  OpenClDevice(cl::Device device, std::size_t lanes) : device_(std::move(device)), lanes_(lanes) {}

  [[nodiscard]] std::string description() const override { return "OpenCL on " + name_of(device_); }
  [[nodiscard]] std::size_t group_count() const override {
    return kGroupsPerUnit * info<CL_DEVICE_MAX_COMPUTE_UNITS>(device_);
  }
  [[nodiscard]] std::size_t group_size() const override { return PROBE_BLOCK / built_.lanes; }

  Status start(bool anew) {
    for (cl::Buffer& buffer : buffers_) buffer = {};
    sizes_ = {};
    const auto built =
        lanes_ == 0 ? BuiltPrograms::of_process().get(device_, anew) : build(device_, lanes_);
    if (!built) return built.error();
    built_ = *built;
    cl_int code = CL_SUCCESS;
    queue_ = cl::CommandQueue(built_.context, device_, 0, &code);
    if (code != CL_SUCCESS) return failure(device_, "making a queue", code);
    for (std::size_t k = 0; k < kProbeKernelCount; ++k) {
      kernels_[k] = cl::Kernel(built_.program, kKernelNames[k], &code);
      if (code != CL_SUCCESS) return failure(device_, kKernelNames[k], code);
    }
    return {};
  }
  Status restart() override { return start(true); }

  Status reserve(KernelBuffer buffer, std::size_t bytes) override {
    std::size_t& size = sizes_[index(buffer)];
    if (bytes <= size) return {};
    // The old one goes first: both may not fit.
    buffers_[index(buffer)] = {};
    size = 0;
    cl_int code = CL_SUCCESS;
    buffers_[index(buffer)] = cl::Buffer(built_.context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    if (code != CL_SUCCESS)
      return failure(device_, "a buffer of " + std::to_string(bytes) + " bytes", code);
    size = bytes;
    return {};
  }
  Status write(KernelBuffer buffer, std::size_t offset, std::span<const std::byte> bytes) override {
    return checked("writing", queue_.enqueueWriteBuffer(buffers_[index(buffer)], CL_TRUE, offset,
                                                        bytes.size(), bytes.data()));
  }
  Status fill(KernelBuffer buffer, std::uint32_t word, std::size_t count) override {
    return checked("filling",
                   queue_.enqueueFillBuffer(buffers_[index(buffer)], word, 0, 4 * count));
  }
  Status read(KernelBuffer buffer, std::size_t offset, std::span<std::byte> bytes) override {
    return checked("reading", queue_.enqueueReadBuffer(buffers_[index(buffer)], CL_TRUE, offset,
                                                       bytes.size(), bytes.data()));
  }

  Status run(ProbeKernel kernel, std::size_t groups, const ProbeParameters& parameters) override {
    using enum KernelBuffer;
    switch (kernel) {
      case ProbeKernel::BoundTriangles:
        return launch(kernel, groups, parameters, {Vertices, Faces, Spheres});
      case ProbeKernel::BoundBlocks:
        return launch(kernel, groups, parameters, {Spheres, BlockSpheres});
      case ProbeKernel::ListBlocks:
        return launch(kernel, groups, parameters, {BlockSpheres, Segments, State, BlockList});
      case ProbeKernel::BoundPairs:
        return launch(
            kernel, groups, parameters,
            {Vertices, Faces, Spheres, BlockSpheres, Segments, State, OfTriangle, BlockList});
    }
    return {};
  }

 private:
  // Of a compute unit, so that none waits long for the last.
  static constexpr std::size_t kGroupsPerUnit = 16;

  static std::size_t index(KernelBuffer buffer) { return static_cast<std::size_t>(buffer); }

  [[nodiscard]] Status checked(const char* what, cl_int code) const {
    if (code != CL_SUCCESS) return failure(device_, what, code);
    return {};
  }

  Status launch(ProbeKernel which, std::size_t groups, const ProbeParameters& parameters,
                std::initializer_list<KernelBuffer> buffers) {
    cl::Kernel& kernel = kernels_[static_cast<std::size_t>(which)];
    cl_uint argument = 0;
    cl_int code = CL_SUCCESS;
    for (const KernelBuffer buffer : buffers) {
      if (code == CL_SUCCESS) code = kernel.setArg(argument++, buffers_[index(buffer)]);
    }
    if (code == CL_SUCCESS) code = kernel.setArg(argument, sizeof parameters, &parameters);
    if (code == CL_SUCCESS)
      code = queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * group_size()),
                                         cl::NDRange(group_size()));
    return checked(kKernelNames[static_cast<std::size_t>(which)], code);
  }

  cl::Device device_;
  std::size_t lanes_;
  Built built_;
  cl::CommandQueue queue_;
  std::array<cl::Kernel, kProbeKernelCount> kernels_;
  std::array<cl::Buffer, kKernelBufferCount> buffers_;
  std::array<std::size_t, kKernelBufferCount> sizes_{};
};

}  // namespace

Result<std::unique_ptr<KernelDevice>> make_opencl_device(const std::string& name,
                                                         std::size_t lanes) {
  const auto found = choose(name);
  if (!found) return found.error();
  auto device = std::make_unique<OpenClDevice>(found->device, lanes);
  if (const Status status = device->start(false); !status) return status.error();
  return std::unique_ptr<KernelDevice>(std::move(device));
}

}  // namespace detail

std::vector<ProbeDevice> probe_devices() {
  std::vector<ProbeDevice> devices;
  for (const detail::Found& found : detail::all_devices()) {
    const cl::Device& d = found.device;
    devices.push_back({.name = detail::name_of(d),
                       .platform = found.platform,
                       .gpu = detail::is_gpu(d),
                       .double_precision = detail::info<CL_DEVICE_DOUBLE_FP_CONFIG>(d) != 0,
                       .compute_units = detail::info<CL_DEVICE_MAX_COMPUTE_UNITS>(d),
                       .memory_bytes = detail::info<CL_DEVICE_GLOBAL_MEM_SIZE>(d)});
  }
  return devices;
}

}  // namespace clearance

#endif
