// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include <clearance/geometry/closest_points.h>
#include <clearance/geometry/mass.h>
#include <clearance/grasp/grasp.h>
#include <clearance/query/shapes.h>

#include "grasp/contact_wrenches.h"
#include "grasp/grasp_cut.h"
#include "grasp/grasp_samples.h"
#include "grasp/open_gripper.h"
#include "grasp/part_check.h"

namespace clearance {
namespace {

using detail::GraspGrid;
using detail::GraspSample;

/// What is fixed for all samples.
struct Job {
  const Model& part;
  const Gripper& gripper;
  const GraspOptions& options;
  PartFrame frame;
  double turn = 1.0;  // -1: the mesh faces inward
  detail::OpenGripper open;
  GraspGrid grid;
};

/// The grasps of one row of the grid.
struct Row {
  std::vector<Grasp> grasps;
  std::vector<GraspContact> contacts;
  std::size_t free = 0;
  std::size_t feasible = 0;
};

Error refused(const char* what, double value, const char* reason) {
  return {ErrorCode::Invalid, {}, what, std::to_string(value) + " " + reason, {}};
}

Status check_options(const GraspOptions& options) {
  const auto is_above_0 = [](double v) { return std::isfinite(v) && v > 0.0; };
  const auto is_0_or_above = [](double v) { return std::isfinite(v) && v >= 0.0; };
  if (!is_above_0(options.step)) return refused("step", options.step, "is not above 0");
  if (!is_0_or_above(options.softness))
    return refused("softness", options.softness, "is not 0 or above");
  if (!is_above_0(options.quality.friction))
    return Error{ErrorCode::Invalid,
                 {},
                 "friction",
                 std::to_string(options.quality.friction) + " is not above 0",
                 "two fingers without friction hold nothing"};
  if (options.quality.cone_edges < 3 || options.quality.cone_edges > 1000)
    return refused("cone edges", options.quality.cone_edges, "is not between 3 and 1000");
  if (!is_0_or_above(options.quality.torsion))
    return refused("torsion", options.quality.torsion, "is not 0 or above");
  if (!is_0_or_above(options.alpha)) return refused("alpha", options.alpha, "is not 0 or above");
  if (!is_above_0(options.least_deviation))
    return refused("least deviation", options.least_deviation, "is not above 0");
  return {};
}

/// The middle of a pipe is not in its walls: a wire-frame is at fault when it keeps off the box
/// around the part.
Status check_wire_frame(const Model& part, std::span<const Segment> wire_frame) {
  if (wire_frame.empty()) return Error{ErrorCode::Invalid, {}, "wire-frame", "has no segments", {}};
  bool touches = false;
  for (std::size_t i = 0; i < wire_frame.size(); ++i) {
    const Segment& s = wire_frame[i];
    if (!is_finite(s.a) || !is_finite(s.b))
      return Error{ErrorCode::Invalid, {}, "segment " + std::to_string(i), "is not finite", {}};
    touches = touches || closest_points(s, part.mesh().bounds()).distance == 0.0;
  }
  if (!touches)
    return Error{ErrorCode::Invalid,
                 {},
                 "wire-frame",
                 "is wholly outside the part",
                 "are its unit and its origin those of the mesh?"};
  return {};
}

/// Mean over the surface of the distance from the nearest segment [m]: what turns about the
/// wire-frame are measured at.
double mean_radius(const Mesh& mesh, std::span<const Segment> wire_frame) {
  double sum = 0.0;
  double area = 0.0;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    const double a = triangle_area(t);
    area += a;
    for (const Vec3& middle : {0.5 * (t.a + t.b), 0.5 * (t.b + t.c), 0.5 * (t.c + t.a)}) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const Segment& s : wire_frame)
        nearest = std::min(nearest, closest_points(middle, s).distance);
      sum += a / 3.0 * nearest;
    }
  }
  return area > 0.0 ? sum / area : 0.0;
}

double largest_radius(const Mesh& mesh, const Vec3& center) {
  double largest = 0.0;
  for (const Face& face : mesh.faces())
    for (const std::uint32_t v : face)
      largest = std::max(largest, norm(mesh.vertices()[v] - center));
  return largest;
}

/// Tries the samples of rows, with memory that serves one after the other.
class RowWorker {
 public:
  explicit RowWorker(const Job& job) : job_(job) {}

  void run(std::size_t number, std::span<double> stability, Row& row) {
    for (std::uint32_t phi = 0; phi < job_.grid.phi_count(); ++phi)
      stability[phi] = try_sample(job_.grid.at(number, phi), row);
  }

 private:
  /// q, 0 when not stable, below 0 when not feasible. Stable grasps are appended to the row.
  double try_sample(const GraspSample& sample, Row& row) {
    const Pose pose = job_.grid.part_from_gripper(sample);
    if (job_.open.touches(job_.part, pose, coherence_)) return -1.0;
    ++row.free;
    const detail::FingerRegion region{0.5 * job_.gripper.opening(),
                                      0.5 * job_.gripper.finger_width()};
    detail::cut_region(job_.part.bvh(), pose, region, segments_);
    contacts_.clear();
    std::array<detail::FingerTouch, 2> touches;
    for (const std::uint32_t finger : {0U, 1U}) {
      touches[finger] = detail::touch_of(finger, segments_, pose, job_.options.softness, job_.turn,
                                         clipped_, contacts_);
      if (touches[finger].count == 0) return -1.0;
    }
    ++row.feasible;
    PartFrame frame = job_.frame;
    frame.first_edge = pose.rotation.column(2);
    const double q = rater_.rate(contacts_, frame, job_.options.quality);
    if (q <= 0.0) return 0.0;
    Grasp grasp;
    grasp.part_from_gripper = pose;
    grasp.width = std::max(touches[1].extreme - touches[0].extreme, 0.0);
    grasp.stability = q;
    grasp.segment = job_.grid.segment_of(sample.place);
    grasp.along = job_.grid.along_of(sample.place);
    grasp.theta = sample.theta;
    grasp.phi = sample.phi;
    grasp.first_contact = static_cast<std::uint32_t>(row.contacts.size());
    grasp.contact_count = static_cast<std::uint32_t>(contacts_.size());
    row.contacts.insert(row.contacts.end(), contacts_.begin(), contacts_.end());
    row.grasps.push_back(grasp);
    return q;
  }

  const Job& job_;
  Coherence coherence_;
  detail::GraspRater rater_;
  std::vector<detail::CutSegment> segments_;
  std::vector<detail::CutSegment> clipped_;
  std::vector<GraspContact> contacts_;
};

/// Rows share a worker in runs of this many, whatever the number of threads.
constexpr std::size_t kRowsPerPiece = 8;

/// r: 1 over the standard deviation of q among the 27 around a grasp (eq. 1 of the paper, over one
/// less than their number); 0 when one is not stable.
double robustness_of(const GraspGrid& grid, const Grasp& grasp, std::span<const double> stability,
                     double least_deviation) {
  std::array<std::size_t, 27> around;
  const GraspSample sample{grid.place_of(grasp.segment, grasp.along), grasp.theta, grasp.phi};
  if (!grid.neighbours(sample, around)) return 0.0;
  double sum = 0.0;
  for (const std::size_t i : around) {
    if (!(stability[i] > 0.0)) return 0.0;
    sum += stability[i];
  }
  const double mean = sum / 27.0;
  double squares = 0.0;
  for (const std::size_t i : around) squares += (stability[i] - mean) * (stability[i] - mean);
  return 1.0 / std::max(std::sqrt(squares / 26.0), least_deviation);
}

/// The set in the order of quality, with contacts in the order of grasps.
void sort_by_quality(GraspSet& set) {
  std::vector<std::uint32_t> order(set.grasps.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Grasp& x = set.grasps[a];
    const Grasp& y = set.grasps[b];
    if (x.quality != y.quality) return x.quality > y.quality;
    return (x.robustness > 0.0) > (y.robustness > 0.0);
  });
  std::vector<Grasp> grasps;
  std::vector<GraspContact> contacts;
  grasps.reserve(set.grasps.size());
  contacts.reserve(set.contacts.size());
  for (const std::uint32_t i : order) {
    const auto of_grasp = set.contacts_of(set.grasps[i]);
    grasps.push_back(set.grasps[i]);
    grasps.back().first_contact = static_cast<std::uint32_t>(contacts.size());
    contacts.insert(contacts.end(), of_grasp.begin(), of_grasp.end());
  }
  set.grasps = std::move(grasps);
  set.contacts = std::move(contacts);
}

void rate_robustness(const Job& job, std::span<const double> stability, GraspSet& set) {
  const GraspOptions& options = job.options;
  // In blocks, each its own grasps.
  constexpr std::size_t kBlock = 1024;
  parallel_for(options.threads, (set.grasps.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t end = std::min(set.grasps.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i)
      set.grasps[i].robustness =
          robustness_of(job.grid, set.grasps[i], stability, options.least_deviation);
  });
  double most_stable = 0.0;
  double most_robust = 0.0;
  for (const Grasp& g : set.grasps) {
    if (g.robustness <= 0.0) continue;
    ++set.counts.robust;
    most_stable = std::max(most_stable, g.stability);
    most_robust = std::max(most_robust, g.robustness);
  }
  for (Grasp& g : set.grasps) {
    if (g.robustness <= 0.0) continue;
    g.quality = std::pow(g.stability / most_stable, options.alpha) * (g.robustness / most_robust);
  }
}

}  // namespace

Result<GraspSet> generate_grasps(const Model& part, const Gripper& gripper,
                                 std::span<const Segment> wire_frame, const GraspOptions& options) {
  if (const Status status = detail::check_solid(part); !status) return status.error();
  if (part.bvh().wide() == nullptr)
    return Error{ErrorCode::Invalid, {}, "part", "has no wide tree", {}};
  if (const Status status = check_options(options); !status) return status.error();
  const Vec3 size = part.mesh().bounds().size();
  if (options.step > largest_component(size))
    return Error{ErrorCode::Invalid,
                 {},
                 "step",
                 std::to_string(options.step) + " m is larger than the part, which has " +
                     std::to_string(largest_component(size)) + " m",
                 "is the unit of the mesh right?"};
  if (const Status status = check_wire_frame(part, wire_frame); !status) return status.error();

  const SolidProperties solid =
      solid_properties(part.mesh().vertices(), part.mesh().faces(), options.threads);
  const Vec3 center = solid.center_of_mass;
  const Job job{part,
                gripper,
                options,
                {.mass_center = center, .largest_radius = largest_radius(part.mesh(), center)},
                solid.volume < 0.0 ? -1.0 : 1.0,
                detail::OpenGripper(gripper),
                GraspGrid(wire_frame, options.step, mean_radius(part.mesh(), wire_frame))};
  if (job.grid.expected() > detail::kMostSamples)
    return refused("step", options.step, "makes more than a hundred million samples");

  GraspSet set;
  set.counts.sampled = job.grid.count();
  std::vector<double> stability(job.grid.count(), -1.0);
  std::vector<Row> rows(job.grid.rows());
  const std::size_t pieces = (rows.size() + kRowsPerPiece - 1) / kRowsPerPiece;
  std::atomic<std::size_t> done{0};
  parallel_for(options.threads, pieces, [&](std::size_t piece) {
    if (is_cancelled(options.monitor)) return;
    RowWorker worker(job);
    const std::size_t end = std::min(rows.size(), (piece + 1) * kRowsPerPiece);
    for (std::size_t row = piece * kRowsPerPiece; row < end; ++row) {
      worker.run(row,
                 std::span(stability).subspan(row * job.grid.phi_count(), job.grid.phi_count()),
                 rows[row]);
    }
    report_progress(options.monitor, "grasping",
                    static_cast<double>(++done) / static_cast<double>(pieces));
  });
  if (is_cancelled(options.monitor)) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};

  for (const Row& row : rows) {
    const auto first = static_cast<std::uint32_t>(set.contacts.size());
    for (Grasp grasp : row.grasps) {
      grasp.first_contact += first;
      set.grasps.push_back(grasp);
    }
    set.contacts.insert(set.contacts.end(), row.contacts.begin(), row.contacts.end());
    set.counts.free += row.free;
    set.counts.feasible += row.feasible;
  }
  set.counts.stable = set.grasps.size();
  rate_robustness(job, stability, set);
  sort_by_quality(set);

  set.wire_frame.assign(wire_frame.begin(), wire_frame.end());
  set.step = options.step;
  set.theta_step = job.grid.theta_step();
  set.phi_step = job.grid.phi_step();
  set.mass_center = center;
  set.largest_radius = job.frame.largest_radius;
  set.part_fingerprint = fingerprint(part.mesh());
  set.gripper_fingerprint = gripper.fingerprint();
  set.gripper_sizes = gripper.sizes();
  return set;
}

}  // namespace clearance
