// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The energy of a pair of spheres, and the native contacts among them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clearance/chain/fold.h>

namespace clearance::detail {

/// A sum over pairs.
struct FoldTally {
  std::int64_t quanta = 0;    ///< energy in kFoldEnergyQuantum
  std::int64_t contacts = 0;  ///< native contacts formed
};

/// A pair of spheres that attract each other because they are close in the native state.
struct NativeContact {
  std::uint32_t partner = 0;
  double distance = 0.0;  ///< of the centres in the native state
  double depth = 0.0;     ///< the contacts of two groups share one unit
};

class PairEnergy {
 public:
  /// `native` holds the pairs a < b of spheres that are contacts, with their distances.
  struct NativePair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    double distance = 0.0;
  };
  PairEnergy(FoldEnergy kind, double cutoff, std::span<const FoldAtom> atoms,
             std::vector<NativePair> native);

  /// Adds (sign 1) or takes off (sign -1) the pair of spheres a and b, in any order.
  void add(std::uint32_t a, std::uint32_t b, double distance, std::int64_t sign,
           FoldTally& tally) const;
  [[nodiscard]] std::int64_t native_count() const {
    return static_cast<std::int64_t>(contacts_.size());
  }

 private:
  struct AtomClass {
    double radius = 0.0;
    double root_depth = 0.0;  ///< the depth of a pair is the geometric mean
  };
  [[nodiscard]] const NativeContact* find(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] double lennard_jones(const AtomClass& a, const AtomClass& b, double distance) const;
  [[nodiscard]] double native_well(const NativeContact& contact, double distance) const;

  FoldEnergy kind_;
  double cutoff_;
  std::vector<AtomClass> atoms_;
  // Contacts of sphere a with higher spheres, sorted by them: [first_[a], first_[a + 1]).
  std::vector<NativeContact> contacts_;
  std::vector<std::uint32_t> first_;
};

}  // namespace clearance::detail
