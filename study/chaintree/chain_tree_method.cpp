// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/chain_tree_method.h"

#include <string>
#include <utility>
#include <variant>

namespace clearance::study {
namespace {

class ChainTreeMethod final : public StepMethod {
 public:
  ChainTreeMethod(ChainTree tree, bool memory) : tree_(std::move(tree)), use_memory_(memory) {}

  [[nodiscard]] std::string name() const override {
    switch (tree_.volume()) {
      case ChainVolume::Wide:
        return "ChainTree (wide)";
      case ChainVolume::LooseObb:
        return "ChainTree (loose OBB)";
      case ChainVolume::TightObb:
        return "ChainTree (tight OBB)";
      case ChainVolume::Rss:
        return "ChainTree (RSS)";
    }
    return "ChainTree";
  }
  [[nodiscard]] const Pose& joint(std::size_t i) const override { return tree_.joint(i); }
  [[nodiscard]] std::vector<Vec3> centers() const override {
    std::vector<Vec3> result;
    const std::vector<Pose> poses = tree_.poses();
    for (std::size_t i = 0; i < poses.size(); ++i) {
      for (const Sphere& sphere : std::get<LinkSpheres>(tree_.link(i))) {
        result.push_back(poses[i] * sphere.center);
      }
    }
    return result;
  }

 protected:
  void update(std::span<const JointChange> changes) override { tree_.change(changes); }
  bool test() override {
    const ChainCollision collision = tree_.collide_changed(use_memory_ ? &memory_ : nullptr);
    work_.box_tests += collision.work.volume_tests;
    work_.sphere_tests += collision.work.link_tests;
    work_.remembered += collision.remembered ? 1 : 0;
    return collision.hit;
  }
  void keep() override { tree_.accept(); }
  void undo() override { tree_.reject(); }

 private:
  ChainTree tree_;
  ChainMemory memory_;
  bool use_memory_;
};

}  // namespace

std::unique_ptr<StepMethod> make_chain_tree_method(const Chain& chain,
                                                   const ChainTreeMethodOptions& options) {
  Result<ChainTree> tree = ChainTree::build(chain, {.volume = options.volume});
  if (!tree) return nullptr;
  return std::make_unique<ChainTreeMethod>(std::move(*tree), options.memory);
}

}  // namespace clearance::study
