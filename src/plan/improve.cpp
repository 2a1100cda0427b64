// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <clearance/plan/improve.h>

#include "plan/improve_editor.h"
#include "plan/proof_motion.h"

namespace clearance {
namespace detail {
namespace {

// Changes are proven against this many times the rounding that the proof of a path allows for, so
// that it agrees whatever the last bits are.
constexpr double kRoundings = 2.0;
// A motion that needs more looks than this is left alone: it slides along a surface.
constexpr std::size_t kLooks = 20000;
// Looks by halving before a motion is walked through (proof.cpp).
constexpr std::size_t kHalvings = 15;

}  // namespace

PathEditor::PathEditor(const PlanProblem& problem, const PlanPath& path,
                       const ImproveOptions& options)
    : poses(path.poses),
      problem_(problem),
      options_(options),
      prover_(problem),
      pivot_(path.pivot),
      radius_(gyration_radius(problem.body.mesh(), path.pivot)) {}

double PathEditor::apart(const Pose& a, const Pose& b) const {
  return pose_distance(a, b, pivot_, radius_);
}

bool PathEditor::keeps(const Pose& a, const Pose& b, double clearance, std::size_t looks,
                       Work& work) const {
  const RigidMotion way = motion(a, b);
  const double speed = prover_.longest_way(way);
  const double rounding =
      kRoundings * motion_rounding(problem_.obstacles, problem_.body, way, speed);
  const MotionToProve it{problem_.obstacles, problem_.body, way, speed, clearance, rounding};
  Coherence coherence;
  Looks found;
  found.left = {{0.0, 1.0}};
  halve(it, std::min(looks, kHalvings), coherence, found);
  if (found.status == ProofStatus::Free)
    advance(it, looks - std::min(looks, found.count), nullptr, coherence, found);
  work += found.work;
  return found.status == ProofStatus::Free;
}

bool PathEditor::free(const Pose& a, const Pose& b, Work& work) const {
  return keeps(a, b, problem_.clearance, kLooks, work);
}

PathEditor::Narrowest PathEditor::narrowest(const Pose& a, const Pose& b, Work& work) const {
  const RigidMotion way = motion(a, b);
  const double speed = prover_.longest_way(way);
  const double rounding = motion_rounding(problem_.obstacles, problem_.body, way, speed);
  const MotionToProve it{problem_.obstacles, problem_.body, way, speed,
                         problem_.clearance, rounding,      0.5, true};
  Coherence coherence;
  Looks found;
  found.left = {{0.0, 1.0}};
  halve(it, kHalvings, coherence, found);
  if (found.status == ProofStatus::Free) advance(it, kLooks, nullptr, coherence, found);
  work += found.work;
  return {found.narrowest_time, found.narrowest.distance};
}

void PathEditor::each(std::size_t count, const std::function<void(std::size_t, Work&)>& attempt) {
  std::vector<Work> work(count);
  parallel_for(options_.threads, count, [&](std::size_t i) { attempt(i, work[i]); });
  for (const Work& one : work) operations_ += one.volume_tests + one.triangle_tests;
}

bool PathEditor::spent() const {
  return operations_ >= options_.operations || is_cancelled(options_.monitor);
}

namespace {

/// A turn by nearly half a turn may be read either way once its poses went through a file: a pose
/// in the middle says which is meant.
void split_half_turns(PathEditor& editor) {
  constexpr double kLargestTurn = 3.0;  // [rad]
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < editor.poses.size(); ++i) {
    if (i > 0) {
      const Pose& a = editor.poses[i - 1];
      const Pose& b = editor.poses[i];
      if (length_of({editor.pivot(), {a, b}}).rotation > kLargestTurn) {
        Pose middle = editor.motion(a, b).at(0.5);
        middle.rotation = nearest_rotation(middle.rotation);
        bool proven = false;
        editor.each(1, [&](std::size_t, Work& work) {
          proven = editor.free(a, middle, work) && editor.free(middle, b, work);
        });
        if (proven) poses.push_back(middle);
      }
    }
    poses.push_back(editor.poses[i]);
  }
  editor.poses = std::move(poses);
}

}  // namespace
}  // namespace detail

Improved improve_path(const PlanProblem& problem, const PlanPath& path,
                      const ImproveOptions& options) {
  Improved result{path, length_of(path), {}, 0};
  if (path.poses.size() >= 2) {
    detail::PathEditor editor(problem, path, options);
    if (options.shorten) detail::shorten(editor);
    // A tenth of the size of the body, where nothing else is said.
    const double widen_to =
        options.widen_to < 0.0 ? 0.1 * problem.body.bvh().bounds().diagonal() : options.widen_to;
    if (widen_to > problem.clearance) detail::widen(editor, widen_to);
    detail::split_half_turns(editor);
    result.path.poses = std::move(editor.poses);
    result.operations = editor.operations();
  }
  result.after = length_of(result.path);
  return result;
}

}  // namespace clearance
