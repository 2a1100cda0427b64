// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Three grids to compare with. Grid is the paper's: all that is behind a changed joint is moved,
// all links are hashed and tested, O(N) a step. StrongGrid leaves the largest rigid piece where it
// is and takes out, moves, tests and puts back the rest only. LazyGrid first looks at the links
// next to the changed joint, one by one: a step that collides there has moved and undone nothing.
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

  /// Takes the balls of the moved pieces out of the grid and moves them.
  void take_out();
  /// Do balls that were taken out touch others? Leaves out the first `tested` of each piece.
  [[nodiscard]] bool test_taken_out(std::uint32_t tested);
  /// Does the ball touch one in the grid? Those in [skip_begin, skip_end) are not looked at.
  [[nodiscard]] bool touches_grid(const Ball& ball, std::uint32_t index, std::uint32_t skip_begin,
                                  std::uint32_t skip_end);

  HashGrid grid_;

 private:
  void insert_all();
  std::size_t pieces_inserted_ = 0;  ///< pieces, from the first, that are in the grid as proposed
};

class LazyGrid final : public StrongGrid {
 public:
  explicit LazyGrid(const Chain& chain) : StrongGrid(chain) {}
  [[nodiscard]] std::string name() const override { return "LazyGrid"; }

 protected:
  void update(std::span<const JointChange> changes) override;
  bool test() override;
  void undo() override;

 private:
  bool taken_out_ = false;
};

}  // namespace clearance::study
