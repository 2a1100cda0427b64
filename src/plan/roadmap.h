// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Another way of searching: places all over, many of them between obstacles that are close together
// (a bridge from one touching place to another with a free one half way: Hsu et al., 2003; and
// places in narrow passages, fitted_places.h), joined by walks (walk.h) until start and goal hang
// together. A passage that is hard to find from outside is easy to leave from within: good for
// rooms behind rooms, where trees that grow from the ends must find one door after the other.
// Deterministic, as search.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <clearance/base/monitor.h>
#include <clearance/base/random.h>

#include "plan/fitted_places.h"
#include "plan/free_space.h"
#include "plan/place_sequence.h"
#include "plan/place_tree.h"
#include "plan/walk.h"

namespace clearance::detail {

struct RoadmapOptions {
  WalkOptions walk;
  std::uint64_t sequence = 0;  ///< which part of the sequence
  double listed = 0.0;         ///< places of a walk are kept for others so far apart [m]
};

class Roadmap {
 public:
  /// As for a search (search.h).
  Roadmap(const PlanProblem& problem, const BodyMeasures& measures, const Box& bounds,
          const std::vector<Place>& goals, const RoadmapOptions& options);

  /// Works until `operations` more are done or a way is found; true then.
  bool run(std::uint64_t operations, const Monitor* monitor);
  [[nodiscard]] const std::vector<Place>& way() const { return way_; }
  /// Piece `piece` of the way is not free after all.
  void refuse(std::size_t piece);

  [[nodiscard]] const RoadmapOptions& options() const { return options_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  [[nodiscard]] FreeSpace& space() { return space_; }
  [[nodiscard]] const FreeSpace& space() const { return space_; }

 private:
  struct Node {
    Place place;
    Near near;
  };
  struct Edge {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  struct Neighbour {
    float gap = std::numeric_limits<float>::infinity();
    std::uint32_t node = kNoPlace;
    std::uint32_t group = kNoPlace;
  };
  std::uint32_t add(const Place& place, const Near& near, bool listed);
  void link(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] std::uint32_t group_of(std::uint32_t node);
  /// The nearest listed nodes of other groups than this node's, one of each, nearest first.
  void find_neighbours(std::uint32_t node);
  /// A place in a narrow passage, half way of a bridge, or anywhere; nothing when none was found.
  std::optional<Place> sample();
  std::optional<Place> bridge();
  /// Walks from a node to a place; the last node is returned. Without sliding, nothing is kept
  /// unless it arrives.
  struct Walk {
    std::uint32_t last = kNoPlace;
    bool arrived = false;
  };
  Walk walk(std::uint32_t from, std::uint32_t to, int slides);
  void connect(std::uint32_t node);
  [[nodiscard]] bool joined();
  /// The shortest way from the start to a goal, by nodes.
  void find_way();

  FreeSpace space_;
  const Monitor* monitor_ = nullptr;
  Box bounds_;
  RoadmapOptions options_;
  Walker walker_;
  PlaceSequence sequence_;
  Random random_;  ///< for bridges: steps of the sequence hang together
  FittedPlaces fitted_;
  std::uint64_t samples_ = 0;
  std::size_t goals_ = 0;  ///< nodes 1 to this are goals, 0 is the start
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> group_;  ///< union-find: towards the root
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> listed_;
  std::vector<float> listed_at_[7];  ///< position and turn of those, in single precision
  std::vector<float> gaps_;
  std::vector<Neighbour> neighbours_;
  std::vector<Place> way_;
  std::vector<std::uint32_t> way_nodes_;
};

}  // namespace clearance::detail
