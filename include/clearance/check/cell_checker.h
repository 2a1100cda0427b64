// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a configuration of a robot free in its cell, on the exact shapes? Yes or no, for
// configurations that mostly follow each other along a path.
//
// A pair found to be farther apart than some limit is not asked again before the two bodies can
// have met: that limit, less how far any point of one has moved in the frame of the other since, is
// a lower bound of their distance. Pairs far apart are ruled out by spheres around the bodies
// before that.
//
// Never a false "free": true whenever the shapes touch at the poses of Robot::link_poses(), or are
// closer than the rounding of these. The answers do not depend on what was asked before, only the
// work does.
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
  explicit CellChecker(const ReadyCell& cell);
  ~CellChecker();
  CellChecker(CellChecker&&) noexcept;
  CellChecker& operator=(CellChecker&&) noexcept;
  CellChecker(const CellChecker&) = delete;
  CellChecker& operator=(const CellChecker&) = delete;

  /// Does any pair touch? `values` has degrees_of_freedom() numbers (asserted); limits are not
  /// looked at; a number that is not finite counts as contact. Stops at the first pair found: that
  /// of the last contact is asked first.
  [[nodiscard]] bool collides(std::span<const double> values);
  /// The pair that the last collides() found; absent when it found none.
  [[nodiscard]] std::optional<BodyPair> contact() const;

  struct Counts {
    std::size_t configurations = 0;
    std::size_t queries = 0;  ///< pairs that were asked in full
    Work work;
  };
  [[nodiscard]] const Counts& counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace clearance
