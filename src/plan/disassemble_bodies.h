// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of an assembly as bodies that move and as obstacles that stand, for disassemble.h.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <clearance/plan/disassemble.h>

namespace clearance::detail {

/// Numbers of parts, ascending.
using PartSet = std::vector<std::size_t>;

/// Some parts as one mesh; its parts() are theirs, in the order given.
[[nodiscard]] Mesh together(std::span<const DisassemblyPart> parts, const PartSet& which);

class Bodies {
 public:
  Bodies(std::span<const DisassemblyPart> parts, const DisassembleOptions& options);

  /// Builds all trees and finds how much each part has to be relieved to be free of all others.
  [[nodiscard]] Status build();

  [[nodiscard]] std::size_t count() const { return parts_.size(); }
  [[nodiscard]] double size() const { return size_; }  ///< diagonal of the assembly [m]
  [[nodiscard]] std::size_t largest(const PartSet& parts) const;
  /// The part overlaps others deeper than may be relieved.
  [[nodiscard]] bool overlaps(std::size_t part) const { return moving_[part].overlaps; }
  [[nodiscard]] const PoseReport& start(std::size_t part) const { return moving_[part].start; }
  [[nodiscard]] PartSet overlapped_by(std::size_t part, const PartSet& left) const;
  [[nodiscard]] bool near(std::size_t a, std::size_t b, double limit) const;

  /// These parts as one body among those; nothing when they cannot be made free of each other. Any
  /// thread.
  [[nodiscard]] std::optional<PlanProblem> problem(const PartSet& parts,
                                                   const PartSet& present) const;
  /// Depth by which the body of these parts is relieved [m].
  [[nodiscard]] double relief(const PartSet& parts) const;

 private:
  struct Moving {
    std::optional<Model> body;  // relieved
    double relief = 0.0;
    bool overlaps = false;
    PoseReport start;
  };
  [[nodiscard]] Moving relieve(const Mesh& mesh, const Model& obstacles) const;
  [[nodiscard]] Moving moving(const PartSet& parts) const;

  std::span<const DisassemblyPart> parts_;
  const DisassembleOptions& options_;
  double size_ = 0.0;
  std::vector<Model> standing_;
  std::vector<Moving> moving_;
  mutable std::mutex mutex_;
  mutable std::map<PartSet, Moving> groups_;  // guarded by mutex_
};

}  // namespace clearance::detail
