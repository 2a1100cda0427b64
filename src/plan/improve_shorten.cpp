// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shorter: first poses are left out, then windows of the path, from all of it to a few hundredths,
// are replaced by a straight motion, or by one that is straight in its translation or its turn
// alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "plan/improve_editor.h"

namespace clearance::detail {
namespace {

// Rounds over all windows at most, and what a round must gain to be followed by another.
constexpr int kRounds = 8;
constexpr double kLeastGain = 0.01;
// Windows are this part of the path at the smallest.
constexpr int kSmallestWindow = 64;
// A change is tried where it makes a window this much shorter.
constexpr double kWorthTrying = 0.98;
// Windows of more poses are not straightened pose by pose.
constexpr std::size_t kMostPoses = 100;

/// From each pose on to the farthest that can be reached directly, tried from far to near.
void leave_out_poses(PathEditor& editor) {
  const std::vector<Pose>& poses = editor.poses;
  std::vector<Pose> kept{poses.front()};
  std::size_t here = 0;
  while (here + 1 < poses.size()) {
    std::size_t reached = here + 1;
    // Four at a time: all that is left, and three, two and one quarter of it.
    std::size_t most = poses.size() - 1 - here;
    while (most >= 2 && reached == here + 1 && !editor.spent()) {
      std::array<std::size_t, 4> steps{most, most * 3 / 4, most / 2, most / 4};
      std::array<bool, 4> open{};
      editor.each(steps.size(), [&](std::size_t i, Work& work) {
        open[i] = steps[i] >= 2 && (i == 0 || steps[i] != steps[i - 1]) &&
                  editor.free(poses[here], poses[here + steps[i]], work);
      });
      for (std::size_t i = 0; i < steps.size() && reached == here + 1; ++i) {
        if (open[i]) reached = here + steps[i];
      }
      most /= 8;
    }
    kept.push_back(poses[reached]);
    here = reached;
  }
  editor.poses = std::move(kept);
}

/// The path by arc length.
class ArcLength {
 public:
  explicit ArcLength(const PathEditor& editor) : editor_(editor) {
    ends_.push_back(0.0);
    for (std::size_t i = 0; i + 1 < editor.poses.size(); ++i)
      ends_.push_back(ends_.back() + editor.apart(editor.poses[i], editor.poses[i + 1]));
  }
  [[nodiscard]] double total() const { return ends_.back(); }

  struct Place {
    std::size_t piece = 0;
    Pose pose;
    bool at_pose = false;  // it is a pose of the path: the first of its piece, or the last of all
  };
  [[nodiscard]] Place at(double way) const {
    const std::vector<Pose>& poses = editor_.poses;
    if (way <= 0.0) return {0, poses.front(), true};
    if (way >= total()) return {poses.size() - 1, poses.back(), true};
    const auto after = std::upper_bound(ends_.begin(), ends_.end(), way);
    const auto piece = static_cast<std::size_t>(after - ends_.begin()) - 1;
    const double time = (way - ends_[piece]) / (ends_[piece + 1] - ends_[piece]);
    if (time <= 0.0) return {piece, poses[piece], true};
    Pose pose = editor_.motion(poses[piece], poses[piece + 1]).at(time);
    pose.rotation = nearest_rotation(pose.rotation);
    return {piece, pose, false};
  }

 private:
  const PathEditor& editor_;
  std::vector<double> ends_;  // of the pieces; the first entry is 0
};

/// A window of the path and what shall stand in its place.
struct Window {
  ArcLength::Place begin;
  ArcLength::Place end;
  std::optional<std::vector<Pose>> instead;  // poses between begin and end, when proven
};

double length(const PathEditor& editor, std::span<const Pose> poses) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < poses.size(); ++i) sum += editor.apart(poses[i], poses[i + 1]);
  return sum;
}

bool all_free(const PathEditor& editor, std::span<const Pose> poses, Work& work) {
  for (std::size_t i = 0; i + 1 < poses.size(); ++i) {
    if (!editor.free(poses[i], poses[i + 1], work)) return false;
  }
  return true;
}

/// The poses with the pivot on a straight line, or with the turn at a constant rate, by arc length;
/// the rest as it is.
std::vector<Pose> straightened(const PathEditor& editor, std::span<const Pose> poses,
                               bool translation) {
  const double total = length(editor, poses);
  const RigidMotion direct = editor.motion(poses.front(), poses.back());
  std::vector<Pose> result(poses.begin(), poses.end());
  double way = 0.0;
  for (std::size_t i = 1; i + 1 < poses.size(); ++i) {
    way += editor.apart(poses[i - 1], poses[i]);
    const Pose straight = direct.at(way / total);
    const Mat3 rotation = translation ? poses[i].rotation : nearest_rotation(straight.rotation);
    const Vec3 pivot = translation ? straight * editor.pivot() : poses[i] * editor.pivot();
    result[i] = {rotation, pivot - rotation * editor.pivot()};
  }
  return result;
}

/// Looks for something shorter in the place of a window.
void try_window(const PathEditor& editor, Window& window, Work& work) {
  const std::vector<Pose>& poses = editor.poses;
  if (window.begin.piece >= window.end.piece) return;
  std::vector<Pose> now{window.begin.pose};
  for (std::size_t i = window.begin.piece + 1; i <= window.end.piece; ++i) now.push_back(poses[i]);
  if (!window.end.at_pose) now.push_back(window.end.pose);
  if (now.size() < 3) return;
  const double old = length(editor, now);
  if (editor.apart(now.front(), now.back()) > kWorthTrying * old) return;
  // The ends of the window cut pieces in two; these too are proven, as they will stand.
  const auto ends_are_free = [&] {
    return (window.begin.at_pose ||
            editor.free(poses[window.begin.piece], window.begin.pose, work)) &&
           (window.end.at_pose || editor.free(window.end.pose, poses[window.end.piece + 1], work));
  };
  if (editor.free(now.front(), now.back(), work)) {
    if (ends_are_free()) window.instead.emplace();
    return;
  }
  if (now.size() > kMostPoses) return;
  for (const bool translation : {true, false}) {
    const std::vector<Pose> changed = straightened(editor, now, translation);
    if (length(editor, changed) > kWorthTrying * old) continue;
    if (!all_free(editor, changed, work) || !ends_are_free()) continue;
    window.instead.emplace(changed.begin() + 1, changed.end() - 1);
    return;
  }
}

/// The path with the windows that were proven; they follow each other and do not overlap.
std::vector<Pose> replaced(const PathEditor& editor, std::span<const Window> windows) {
  const std::vector<Pose>& poses = editor.poses;
  std::vector<Pose> result;
  std::size_t next = 0;  // first pose of the old path that is not in the result or replaced
  const auto add = [&](const Pose& pose) {
    if (result.empty() || !(result.back() == pose)) result.push_back(pose);
  };
  for (const Window& window : windows) {
    if (!window.instead) continue;
    for (; next <= window.begin.piece; ++next) add(poses[next]);
    if (!window.begin.at_pose) add(window.begin.pose);
    for (const Pose& pose : *window.instead) add(pose);
    add(window.end.pose);
    next = window.end.piece + 1;
  }
  for (; next < poses.size(); ++next) add(poses[next]);
  return result;
}

/// All windows of this part of the path, beside each other, at once.
void replace_windows(PathEditor& editor, int parts, double shift) {
  const ArcLength arc(editor);
  const double size = arc.total() / parts;
  std::vector<Window> windows;
  ArcLength::Place begin = arc.at(shift * size);
  for (int i = 0; i < parts && (i + shift) * size < arc.total(); ++i) {
    ArcLength::Place end = arc.at((i + 1 + shift) * size);
    windows.push_back({begin, end, {}});
    begin = end;
  }
  editor.each(windows.size(),
              [&](std::size_t i, Work& work) { try_window(editor, windows[i], work); });
  editor.poses = replaced(editor, windows);
}

}  // namespace

void shorten(PathEditor& editor) {
  leave_out_poses(editor);
  double before = ArcLength(editor).total();
  for (int round = 0; round < kRounds; ++round) {
    for (int parts = 1; parts <= kSmallestWindow; parts *= 2) {
      for (const double shift : {0.0, 0.5}) {
        if (editor.spent() || editor.poses.size() < 3) return;
        replace_windows(editor, parts, shift);
      }
    }
    const double after = ArcLength(editor).total();
    if (after > (1.0 - kLeastGain) * before) break;
    before = after;
  }
  if (!editor.spent()) leave_out_poses(editor);
}

}  // namespace clearance::detail
