// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Three grids to compare with. Grid is the paper's: all that is behind a changed joint is moved,
// all links are hashed and tested, O(N) a step. StrongGrid leaves the largest rigid piece where it
// is and takes out, moves, tests and puts back the rest only. LazyGrid moves no link before it is
// tested: a step that collides ends at the first link that does, having changed nothing.
#pragma once

#include <string>
#include <vector>

#include "chaintree/hash_grid.h"
#include "chaintree/placed_chain.h"
#include "chaintree/step_method.h"

namespace clearance::study {

/// What the methods with explicit positions share.
class PlacedMethod : public StepMethod {
 public:
  [[nodiscard]] const Pose& joint(std::size_t i) const override { return chain_.joint(i); }
  [[nodiscard]] std::vector<Vec3> centers() const override { return chain_.centers(); }

 protected:
  PlacedMethod(const Chain& chain, Fixed fixed) : chain_(chain, fixed) {}
  PlacedChain chain_;
};

class Grid final : public PlacedMethod {
 public:
  explicit Grid(const Chain& chain);
  [[nodiscard]] std::string name() const override { return "Grid"; }

 protected:
  void update(std::span<const JointChange> changes) override;
  bool test() override;
  void keep() override;
  void undo() override;

 private:
  HashGrid grid_;
};

class StrongGrid : public PlacedMethod {
 public:
  explicit StrongGrid(const Chain& chain);
  [[nodiscard]] std::string name() const override { return "StrongGrid"; }

 protected:
  void update(std::span<const JointChange> changes) override;
  bool test() override;
  void keep() override;
  void undo() override;

  /// Does the ball touch one in the grid? Those in [skip_begin, skip_end) are not looked at.
  [[nodiscard]] bool touches_grid(const Ball& ball, std::uint32_t index, std::uint32_t skip_begin,
                                  std::uint32_t skip_end);
  void insert_all();

  HashGrid grid_;

 private:
  std::size_t pieces_inserted_ = 0;  ///< pieces, from the first, that are in the grid as proposed
};

class LazyGrid final : public StrongGrid {
 public:
  explicit LazyGrid(const Chain& chain) : StrongGrid(chain) {}
  [[nodiscard]] std::string name() const override { return "LazyGrid"; }

 protected:
  void update(std::span<const JointChange> changes) override;
  bool test() override;
  void keep() override;
  void undo() override;

 private:
  bool eager_ = false;  ///< several joints at once: done as StrongGrid does it
};

}  // namespace clearance::study
