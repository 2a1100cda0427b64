// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every pair, eight at a time, in single precision rounded outward.
#include "contour/probe_blocks.h"
#include "contour/probe_ways.h"

namespace clearance::detail {
namespace {

class SimdProber final : public ProberBase {
 public:
  explicit SimdProber(const ProberOptions& options) : ProberBase(options) {}

 protected:
  Status prepare(const ProbeMesh& /*packed by the first query*/, Change /*change*/) override {
    return {};
  }
  Status find(Contest& contest) override {
    blocks_.set(triangle_spheres());
    blocks_.start(contest.query());
    blocks_.find(contest, threads());
    return {};
  }

 private:
  SphereBlocks blocks_;
};

}  // namespace

std::unique_ptr<Prober> make_simd_prober(const ProberOptions& options) {
  return std::make_unique<SimdProber>(options);
}

}  // namespace clearance::detail
