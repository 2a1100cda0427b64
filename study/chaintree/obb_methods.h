// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The paper's two rivals with hierarchies of oriented boxes, built anew at each step: one tree of
// the whole chain tested against itself, and a tree for each rigid piece, tested in pairs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chaintree/grid_methods.h"
#include "chaintree/obb_tree.h"

namespace clearance::study {

class ObbMethod : public PlacedMethod {
 protected:
  explicit ObbMethod(const Chain& chain) : PlacedMethod(chain, Fixed::First) {}
  void keep() override { chain_.keep(); }
  void undo() override { chain_.undo(); }
  /// Do any balls of the trees touch? They are the same tree, or have no ball in common.
  [[nodiscard]] bool trees_touch(const ObbTree& a, const ObbTree& b);

 private:
  [[nodiscard]] bool leaves_touch(const ObbTree& tree_a, const ObbTree::Node& a,
                                  const ObbTree& tree_b, const ObbTree::Node& b);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack_;
};

class OneObbTree final : public ObbMethod {
 public:
  OneObbTree(const Chain& chain, std::uint32_t leaf_size) : ObbMethod(chain), tree_(leaf_size) {}
  [[nodiscard]] std::string name() const override { return "1-OBBTree"; }

 protected:
  void update(std::span<const JointChange> changes) override;
  bool test() override;

 private:
  ObbTree tree_;
};

class KObbTrees final : public ObbMethod {
 public:
  KObbTrees(const Chain& chain, std::uint32_t leaf_size)
      : ObbMethod(chain), leaf_size_(leaf_size) {}
  [[nodiscard]] std::string name() const override { return "K-OBBTree"; }

 protected:
  void update(std::span<const JointChange> changes) override;
  bool test() override;

 private:
  std::uint32_t leaf_size_;
  std::vector<ObbTree> trees_;  ///< by piece; those beyond the last piece are left from earlier
};

}  // namespace clearance::study
