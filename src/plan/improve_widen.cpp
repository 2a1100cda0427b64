// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wider: each inner pose that is close to an obstacle is moved along the normal of the closest
// points or turned about its pivot away from them. Kept where both motions next to it are proven to
// have more clearance than they had.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "plan/improve_editor.h"

namespace clearance::detail {
namespace {

// Rounds over all poses at most; every other one begins with new poses at narrow places.
constexpr int kRounds = 10;
// Poses are put in as long as there are fewer than this.
constexpr std::size_t kMostPoses = 400;
// A change must widen its place by this factor: smaller ones are not worth their proof.
constexpr double kLeastGain = 1.05;
// The proof of a change gives up here: what it takes beyond is an escape by a hair.
constexpr std::size_t kLooks = 3000;
// Parts of the room that is wanted, tried from far to near.
constexpr std::array kSteps{1.0, 0.5, 0.25, 0.1};
// A new pose is put in no nearer to the ends of its piece than this, in its time.
constexpr double kAwayFromEnds = 0.1;

class Widening {
 public:
  Widening(PathEditor& editor, double widen_to) : editor_(editor), widen_to_(widen_to) {}

  void run() {
    measure_all();
    for (int round = 0; round < kRounds && !editor_.spent(); ++round) {
      const bool more_poses = round % 2 == 0 && put_in_poses();
      const bool odd = move_poses(1);
      const bool even = move_poses(2);
      if (!more_poses && !odd && !even) break;
    }
  }

 private:
  std::vector<Pose>& poses() { return editor_.poses; }

  void measure_all() {
    narrow_.resize(poses().size() - 1);
    editor_.each(narrow_.size(), [&](std::size_t i, Work& work) {
      narrow_[i] = editor_.narrowest(poses()[i], poses()[i + 1], work);
    });
  }

  /// A pose at the narrowest place of each piece that is narrower inside than at its ends.
  bool put_in_poses() {
    const std::size_t pieces = narrow_.size();
    std::vector<std::optional<Pose>> extra(pieces);
    std::vector<std::array<PathEditor::Narrowest, 2>> halves(pieces);
    editor_.each(pieces, [&](std::size_t i, Work& work) {
      const double time = narrow_[i].time;
      if (narrow_[i].distance >= widen_to_ || time < kAwayFromEnds || time > 1.0 - kAwayFromEnds)
        return;
      const Pose& a = poses()[i];
      const Pose& b = poses()[i + 1];
      // Steps shorter than the gap itself change nothing.
      if (editor_.apart(a, b) < narrow_[i].distance) return;
      Pose middle = editor_.motion(a, b).at(time);
      middle.rotation = nearest_rotation(middle.rotation);
      if (!editor_.free(a, middle, work) || !editor_.free(middle, b, work)) return;
      extra[i] = middle;
      halves[i] = {editor_.narrowest(a, middle, work), editor_.narrowest(middle, b, work)};
    });
    bool any = false;
    std::vector<Pose> path{poses().front()};
    std::vector<PathEditor::Narrowest> narrow;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (extra[i] && path.size() + pieces - i < kMostPoses) {
        path.push_back(*extra[i]);
        narrow.insert(narrow.end(), halves[i].begin(), halves[i].end());
        any = true;
      } else {
        narrow.push_back(narrow_[i]);
      }
      path.push_back(poses()[i + 1]);
    }
    poses() = std::move(path);
    narrow_ = std::move(narrow);
    return any;
  }

  struct Change {
    Pose pose;
    std::array<PathEditor::Narrowest, 2> narrow;
  };

  /// Every other inner pose from `first` on: no two of them share a motion.
  bool move_poses(std::size_t first) {
    if (poses().size() < 3) return false;
    const std::size_t count = (poses().size() - first) / 2;
    std::vector<std::optional<Change>> changes(count);
    editor_.each(count,
                 [&](std::size_t i, Work& work) { changes[i] = try_pose(first + 2 * i, work); });
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!changes[i]) continue;
      const std::size_t place = first + 2 * i;
      poses()[place] = changes[i]->pose;
      narrow_[place - 1] = changes[i]->narrow[0];
      narrow_[place] = changes[i]->narrow[1];
      any = true;
    }
    return any;
  }

  std::optional<Change> try_pose(std::size_t place, Work& work) {
    if (place + 1 >= poses().size()) return std::nullopt;
    const double before = std::min(narrow_[place - 1].distance, narrow_[place].distance);
    if (before >= widen_to_) return std::nullopt;
    const Pose& pose = poses()[place];
    Coherence coherence;
    const auto distance_at = [&](const Pose& at) {
      const Distance d = distance(editor_.problem().obstacles.bvh(), editor_.problem().body.bvh(),
                                  at, {}, &coherence);
      work += d.work;
      return d;
    };
    const Distance here = distance_at(pose);
    if (here.distance >= widen_to_) return std::nullopt;

    // The pose that is farthest from the obstacles of those a step away.
    std::optional<Pose> best;
    double best_distance = kLeastGain * here.distance;
    const double wanted = std::min(widen_to_ - here.distance, editor_.radius());
    for (const double part : kSteps) {
      for (const Pose& candidate : candidates(pose, here, part * wanted)) {
        const double d = distance_at(candidate).distance;
        if (d <= best_distance) continue;
        best = candidate;
        best_distance = d;
      }
      if (best) break;
    }
    if (!best) return std::nullopt;

    // Half way there as well: the pose may gain what the motions next to it lose.
    const RigidMotion way = editor_.motion(pose, *best);
    for (const double part : {1.0, 0.5, 0.25}) {
      Pose moved = part < 1.0 ? way.at(part) : *best;
      moved.rotation = nearest_rotation(moved.rotation);
      const double least =
          std::max(editor_.problem().clearance, (1.0 + 0.5 * (kLeastGain - 1.0) * part) * before);
      const Pose& last = poses()[place - 1];
      const Pose& next = poses()[place + 1];
      if (!editor_.keeps(last, moved, least, kLooks, work) ||
          !editor_.keeps(moved, next, least, kLooks, work)) {
        continue;
      }
      return Change{moved,
                    {editor_.narrowest(last, moved, work), editor_.narrowest(moved, next, work)}};
    }
    return std::nullopt;
  }

  /// Away from the closest point by `step`: moved, turned about the pivot, and half of each.
  [[nodiscard]] std::vector<Pose> candidates(const Pose& pose, const Distance& d,
                                             double step) const {
    const Vec3 pivot = pose * editor_.pivot();
    const Vec3 arm = d.on_b - pivot;
    const Vec3 axis = cross(arm, d.normal);
    const double lever = norm(axis);
    std::vector<Pose> result;
    const auto add = [&](double move, double turn) {
      Mat3 rotation = pose.rotation;
      if (turn > 0.0) {
        // With a short lever a step is a large turn; half a radian at most.
        const double angle = std::min(turn / std::max(lever, 1e-3 * editor_.radius()), 0.5);
        rotation = nearest_rotation(rotation_about(axis / lever, angle) * rotation);
      }
      result.push_back({rotation, pivot + move * d.normal - rotation * editor_.pivot()});
    };
    add(step, 0.0);
    if (lever > 1e-3 * editor_.radius()) {
      add(0.0, step);
      add(0.5 * step, 0.5 * step);
    }
    return result;
  }

  PathEditor& editor_;
  double widen_to_;
  std::vector<PathEditor::Narrowest> narrow_;  // of each piece
};

}  // namespace

void widen(PathEditor& editor, double widen_to) {
  if (editor.poses.size() < 2 || editor.spent()) return;
  Widening(editor, widen_to).run();
}

}  // namespace clearance::detail
