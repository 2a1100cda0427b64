// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// ChainTree: a chain under a hierarchy of bounding volumes along its links (Lotan, Schwarzer,
// Halperin and Latombe, SoCG 2002). A change of k joints costs O(k log(N/k)); after it, only pairs
// of links whose relative pose changed are tested against each other.
//
//   Result<ChainTree> tree = ChainTree::build(chain);
//   tree->change({{7, turned(tree->joint(7), {}, {1, 0, 0}, 0.1)}});
//   if (tree->collide_changed(&memory).hit) tree->reject(); else tree->accept();
//
// States. The tree holds the accepted state and, after change() or reshape(), a proposed one.
// Queries see the proposed state. accept() makes it the accepted one; reject() goes back to the
// accepted state, bit for bit, in the time the change took; exchange() swaps the two, so that both
// can be asked. Any number of changes may be made before accepting or rejecting.
//
// Answers are those of brute force over all pairs of links: "touch" is true whenever the exact
// shapes at the poses given by the joints touch; a gap below kChainContactError of the extent of
// the chain, the frames of its links included, for each of its links may be called contact, never
// the other way. Distances are right to that. Joints that are rotations to seven digits only stand
// for the nearest ones, and come back as these. Nothing throws or prints. One thread at a time per
// tree, questions included: a tree may put off part of an update until it is asked. Trees are
// independent.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/chain.h>
#include <clearance/query/query.h>

namespace clearance {

/// Largest gap that may be called contact, as a fraction of the size of the chain, for each of its
/// links: what products of that many poses may be off.
inline constexpr double kChainContactError = 1e-13;

/// The bounding volumes over the links.
enum class ChainVolume : std::uint8_t {
  Wide,      ///< the default: eight children a node, boxes in the frame of the node, SIMD
  LooseObb,  ///< the paper's: binary, each box around its two children's boxes
  TightObb,  ///< the paper's section 6.1: binary, boxes shrunk to the links
  Rss,       ///< binary, rectangular swept spheres
};

struct ChainTreeOptions {
  ChainVolume volume = ChainVolume::Wide;
};

struct ChainWork {
  std::uint64_t volume_tests = 0;  ///< pairs of bounding volumes
  std::uint64_t link_tests = 0;    ///< pairs of links (of spheres, for groups of them)
  bool operator==(const ChainWork&) const = default;
};

struct ChainCollision {
  bool hit = false;
  LinkPair pair;            ///< one that touches, when hit: which one depends on the memory
  bool remembered = false;  ///< the pair that collided last did it again: nothing else was tested
  ChainWork work;
};

/// What makes the next test cheaper: the pairs that collided last. Changes the work and which pair
/// is named, never whether there is one. Owned by the caller.
struct ChainMemory {
  std::vector<LinkPair> recent;  ///< newest first, a few
};

struct ChainDistance {
  double distance = std::numeric_limits<double>::infinity();  ///< 0 when they touch
  LinkPair pair;                                              ///< the lowest of equally close ones
  ChainWork work;
};

class ChainTree {
 public:
  /// Errors as check().
  static Result<ChainTree> build(Chain chain, const ChainTreeOptions& options = {});
  ChainTree(ChainTree&&) noexcept;
  ChainTree& operator=(ChainTree&&) noexcept;
  ~ChainTree();

  [[nodiscard]] std::size_t link_count() const;
  [[nodiscard]] const Pose& joint(std::size_t i) const;
  [[nodiscard]] const LinkShape& link(std::size_t i) const;
  [[nodiscard]] std::uint32_t neighbours() const;
  /// Pose of link b in the frame of link a. O(log N).
  [[nodiscard]] Pose relative(std::size_t a, std::size_t b) const;
  /// Poses of all links in the frame of link 0. O(N).
  [[nodiscard]] std::vector<Pose> poses() const;
  /// Bytes held, links and joints included.
  [[nodiscard]] std::size_t memory_bytes() const;
  [[nodiscard]] ChainVolume volume() const;

  /// Sets joints. Indices in range and poses rigid: asserted (check() is for data from outside). A
  /// joint named twice gets the last pose. O(k log(N/k)).
  void change(std::span<const JointChange> changes);
  void change(std::initializer_list<JointChange> changes) {
    change(std::span(changes.begin(), changes.size()));
  }
  /// New spheres for a link that is a group of spheres: same number, same frame. The inner joints
  /// of a side chain. O(log N), no joint moves.
  void reshape(std::size_t link, std::span<const Sphere> spheres);
  /// The proposed state becomes the accepted one. O(1), or what is left of the change to do: the
  /// wide tree leaves a single joint to accept(), so that a move that is rejected costs nothing.
  void accept();
  /// Back to the accepted state, bit for bit.
  void reject();
  /// The proposed and the accepted state trade places; "changed" means the same links in both.
  void exchange();

  /// Does any pair of links touch whose relative pose (or shape) is not as accepted? Right for the
  /// whole chain when the accepted state was free.
  [[nodiscard]] ChainCollision collide_changed(ChainMemory* memory = nullptr) const;
  /// Does any pair touch?
  [[nodiscard]] ChainCollision collide_self() const;
  /// All pairs that touch, sorted.
  [[nodiscard]] std::vector<LinkPair> contacts() const;
  /// The closest pair; neighbours excluded. Infinity when there is none.
  [[nodiscard]] ChainDistance distance_self() const;

  /// Each pair of links once whose surfaces are at `cutoff` or closer, in no particular order but
  /// always the same for the same state.
  using PairVisitor = std::function<void(std::uint32_t a, std::uint32_t b, double distance)>;
  void pairs_within(double cutoff, const PairVisitor& visit) const;
  /// The same for the pairs whose relative pose or shape is not as accepted: what a move removed
  /// (in the accepted state, see exchange()) and what it added.
  void changed_pairs_within(double cutoff, const PairVisitor& visit) const;

  /// For groups of spheres: each pair of single spheres once whose centres are at `cutoff` or
  /// closer, of links that are not neighbours. Spheres are numbered within their link.
  struct SpherePair {
    std::uint32_t link_a, sphere_a, link_b, sphere_b;
    double center_distance;
  };
  using SphereVisitor = std::function<void(const SpherePair&)>;
  void sphere_pairs_within(double cutoff, const SphereVisitor& visit) const;
  void changed_sphere_pairs_within(double cutoff, const SphereVisitor& visit) const;

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  explicit ChainTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace clearance
