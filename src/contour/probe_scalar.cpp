// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every pair, one at a time, in double precision: the reference of the other ways.
#include <algorithm>
#include <limits>

#include "contour/probe_blocks.h"
#include "contour/probe_ways.h"

namespace clearance::detail {
namespace {

class ScalarBlocks final : public BlockSearch {
 public:
  void set(const ProbeMesh& mesh) {
    spheres_.clear();
    spheres_.reserve(mesh.faces.size());
    for (std::size_t t = 0; t < mesh.faces.size(); ++t)
      spheres_.push_back(sphere_of(mesh.triangle(t)));
  }
  void start(const ProbeQuery& query) {
    shells_.clear();
    for (const ContourSegment& segment : query.segments) shells_.emplace_back(segment);
  }
  [[nodiscard]] std::size_t triangle_count() const override { return spheres_.size(); }

 protected:
  [[nodiscard]] float bound(std::size_t block, std::size_t segment) const override {
    double least = std::numeric_limits<double>::infinity();
    const std::size_t end = end_of(block);
    for (std::size_t t = block * kBlockTriangles; t < end; ++t)
      least = std::min(least, lower(t, segment));
    // Not above it in single precision either.
    return std::nextafter(static_cast<float>(least), -std::numeric_limits<float>::infinity());
  }
  void open(std::size_t block, std::size_t segment, Contest& contest) const override {
    const std::size_t end = end_of(block);
    for (std::size_t t = block * kBlockTriangles; t < end; ++t) {
      if (!(lower(t, segment) > contest.limit(segment)))
        contest.measure(segment, static_cast<std::uint32_t>(t));
    }
    contest.work.bounds += end - block * kBlockTriangles;
  }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t block) const {
    return std::min(spheres_.size(), (block + 1) * kBlockTriangles);
  }
  [[nodiscard]] double lower(std::size_t triangle, std::size_t segment) const {
    const Sphere& sphere = spheres_[triangle];
    return shells_[segment].lower(sphere.center) - sphere.radius;
  }

  std::vector<Sphere> spheres_;
  std::vector<SegmentShell> shells_;
};

class ScalarProber final : public ProberBase {
 public:
  explicit ScalarProber(const ProberOptions& options) : ProberBase(options) {}

 protected:
  Status prepare(const ProbeMesh& mesh, Change /*change*/) override {
    blocks_.set(mesh);
    return {};
  }
  Status find(Contest& contest) override {
    blocks_.start(contest.query());
    blocks_.find(contest, threads());
    return {};
  }

 private:
  ScalarBlocks blocks_;
};

}  // namespace

std::unique_ptr<Prober> make_scalar_prober(const ProberOptions& options) {
  return std::make_unique<ScalarProber>(options);
}

}  // namespace clearance::detail
