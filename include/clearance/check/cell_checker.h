// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a configuration of a robot free in its cell, on the exact shapes? Yes or no, for
// configurations that mostly follow each other along a path.
//
// What was found to be some distance away is not asked again before it can have met: a lower bound
// of a distance, less how far any point has moved since, is one still. Bodies that move are cut
// into patches for this, each with a bound and a way of its own: the tip of a tool a millimetre
// from a seam is asked again soon, its grip, which swings more but is far, seldom. Eight
// configurations are placed and held against these bounds at once, in single precision, rounded to
// the safe side; what they do not decide is asked of the triangles. Pairs far apart are ruled out
// by spheres around the bodies before that.
//
// Never a false "free": true whenever the shapes touch at the poses of Robot::link_poses(), or are
// closer than the rounding of these (1e-12 of the coordinates). The answers do not depend on what
// was asked before or together, only the work does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <clearance/check/cell.h>
#include <clearance/check/collision_matrix.h>
#include <clearance/query/query.h>

namespace clearance {

/// Remembers from one configuration to the next: one for each thread.
class CellChecker {
 public:
  /// Checks the pairs of cell.matrix. The cell is shared, not copied, and must outlive the checker.
  /// Cost: a second tree over the triangles of each body that moves.
  explicit CellChecker(const ReadyCell& cell);
  ~CellChecker();
  CellChecker(CellChecker&&) noexcept;
  CellChecker& operator=(CellChecker&&) noexcept;
  CellChecker(const CellChecker&) = delete;
  CellChecker& operator=(const CellChecker&) = delete;

  /// One for another thread: shares what was prepared, remembers nothing.
  [[nodiscard]] CellChecker another() const;

  /// Does any pair touch? `values` has degrees_of_freedom() numbers (asserted); limits are not
  /// looked at; a number that is not finite counts as contact. Stops at the first pair found: that
  /// of the last contact is asked first. Forward kinematics cost as much as those of eight
  /// configurations of a list.
  [[nodiscard]] bool collides(std::span<const double> values);
  /// Many configurations, one after the other in `values`; hits[i] is 1 or 0 for each. Neighbours
  /// in the list are best neighbours in space.
  void collides(std::span<const double> values, std::span<std::uint8_t> hits);
  /// The pair that was found for the last configuration; absent when it was free.
  [[nodiscard]] std::optional<BodyPair> contact() const;

  struct Counts {
    std::size_t configurations = 0;
    std::size_t queries = 0;  ///< pairs that no bound decided: triangles were asked
    Work work;
  };
  [[nodiscard]] const Counts& counts() const;

 private:
  struct Prepared;
  struct State;
  explicit CellChecker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace clearance
