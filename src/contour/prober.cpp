// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <clearance/contour/prober.h>

#include "contour/probe_opencl.h"
#include "contour/probe_ways.h"

namespace clearance {
namespace {

constexpr int kMostBisections = 10;

Result<std::unique_ptr<Prober>> prober_without_mesh(const ProberOptions& options) {
  switch (options.method) {
    case ProbeMethod::Tree:
      return detail::make_tree_prober(options);
    case ProbeMethod::Scalar:
      return detail::make_scalar_prober(options);
    case ProbeMethod::Simd:
      return detail::make_simd_prober(options);
    case ProbeMethod::Bisection:
      if (options.bisections < 1 || options.bisections > kMostBisections)
        return Error{.code = ErrorCode::Invalid,
                     .reason = std::to_string(options.bisections) + " layers of bisection",
                     .advice = "choose 1 to 10"};
      return detail::make_bisection_prober(options);
    case ProbeMethod::OpenCl:
    case ProbeMethod::OpenClCulled:
    case ProbeMethod::KernelOnCpu:
      return detail::make_opencl_prober(options);
  }
  return Error{.code = ErrorCode::Invalid, .reason = "there is no such method"};
}

}  // namespace

const char* name_of(ProbeMethod method) {
  switch (method) {
    case ProbeMethod::Tree:
      return "tree";
    case ProbeMethod::Scalar:
      return "scalar";
    case ProbeMethod::Simd:
      return "simd";
    case ProbeMethod::Bisection:
      return "bisection";
    case ProbeMethod::OpenCl:
      return "opencl";
    case ProbeMethod::OpenClCulled:
      return "opencl-culled";
    case ProbeMethod::KernelOnCpu:
      return "kernel-on-cpu";
  }
  return "";
}

Result<std::unique_ptr<Prober>> make_prober(const Mesh& mesh, const ProberOptions& options) {
  Result<std::unique_ptr<Prober>> prober = prober_without_mesh(options);
  if (!prober) return prober;
  if (Status status = (*prober)->set_mesh(mesh); !status) return status.error();
  return prober;
}

}  // namespace clearance
