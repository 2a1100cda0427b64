// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chain/fold_energy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace clearance::detail {
namespace {

double soft(double reach, double distance) {
  if (distance >= reach) return 0.0;
  const double overlap = 1.0 - distance / reach;
  return kFoldSoftStiffness * overlap * overlap;
}

/// x^12 - 2 x^6 with x = reach / distance: -1 where the distance is the reach.
double twelve_six(double reach, double distance) {
  const double x = reach / distance;
  const double x3 = x * x * x;
  const double x6 = x3 * x3;
  return x6 * (x6 - 2.0);
}

/// 5 x^12 - 6 x^10: -1 at the native distance, steeper than 12-6 (Clementi, Nymeyer and Onuchic).
double twelve_ten(double native, double distance) {
  const double x = native / distance;
  const double x2 = x * x;
  const double x5 = x2 * x2 * x;
  return x5 * x5 * (5.0 * x2 - 6.0);
}

std::int64_t quanta(double energy) {
  // Written so that NaN, as two centres at one point give it, counts as the most.
  const double bounded = energy < kFoldLargestPairEnergy ? energy : kFoldLargestPairEnergy;
  return std::llround(bounded / kFoldEnergyQuantum);
}

}  // namespace

PairEnergy::PairEnergy(FoldEnergy kind, double cutoff, std::span<const FoldAtom> atoms,
                       std::vector<NativePair> native)
    : kind_(kind), cutoff_(cutoff) {
  atoms_.reserve(atoms.size());
  for (const FoldAtom& atom : atoms) atoms_.push_back({atom.radius, std::sqrt(atom.depth)});
  if (kind != FoldEnergy::Go) return;

  // Two groups in contact are worth one unit, however many of their atoms meet.
  const auto groups = [&](const NativePair& pair) {
    return std::minmax(atoms[pair.a].group, atoms[pair.b].group);
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shared;
  for (const NativePair& pair : native) ++shared[groups(pair)];
  std::sort(native.begin(), native.end(), [](const NativePair& x, const NativePair& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  first_.assign(atoms.size() + 1, 0);
  for (const NativePair& pair : native) {
    contacts_.push_back({pair.b, pair.distance, 1.0 / shared[groups(pair)]});
    ++first_[pair.a + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

void PairEnergy::add(std::uint32_t a, std::uint32_t b, double distance, std::int64_t sign,
                     FoldTally& tally) const {
  if (distance >= cutoff_) return;  // the energy is 0 there; only rounding tells the two apart
  double energy = 0.0;
  switch (kind_) {
    case FoldEnergy::None:
      return;
    case FoldEnergy::Soft:
      energy = soft(atoms_[a].radius + atoms_[b].radius, distance);
      break;
    case FoldEnergy::LennardJones:
      energy = lennard_jones(atoms_[a], atoms_[b], distance);
      break;
    case FoldEnergy::Go:
      if (const NativeContact* contact = find(std::min(a, b), std::max(a, b))) {
        energy = native_well(*contact, distance);
        if (distance <= kFoldContactStretch * contact->distance) tally.contacts += sign;
      } else {
        energy = soft(atoms_[a].radius + atoms_[b].radius, distance);
      }
      break;
  }
  tally.quanta += sign * quanta(energy);
}

const NativeContact* PairEnergy::find(std::uint32_t a, std::uint32_t b) const {
  const auto begin = contacts_.begin() + first_[a];
  const auto end = contacts_.begin() + first_[a + 1];
  const auto at = std::lower_bound(
      begin, end, b,
      [](const NativeContact& contact, std::uint32_t x) { return contact.partner < x; });
  return at != end && at->partner == b ? &*at : nullptr;
}

double PairEnergy::lennard_jones(const AtomClass& a, const AtomClass& b, double distance) const {
  const double reach = a.radius + b.radius;
  return a.root_depth * b.root_depth * (twelve_six(reach, distance) - twelve_six(reach, cutoff_));
}

double PairEnergy::native_well(const NativeContact& contact, double distance) const {
  return contact.depth *
         (twelve_ten(contact.distance, distance) - twelve_ten(contact.distance, cutoff_));
}

}  // namespace clearance::detail
