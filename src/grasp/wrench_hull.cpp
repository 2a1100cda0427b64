// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "grasp/wrench_hull.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "geometry/simd.h"

namespace clearance::detail {
namespace {

/// What a facet can number.
constexpr std::size_t kMostCorners = 65'535;
/// A plane that misses its corners by more than this, about, is computed again from them.
constexpr double kLargestPlaneError = 1e-13;
/// What rounding adds to the height of a point above a plane, for coordinates of about 1.
constexpr double kHeightRounding = 4e-16;
/// Room for facets to begin with: as most grasps need.
constexpr std::size_t kFirstFacets = 1024;
/// The search is begun anew, with other joggles, when rounding tore the polytope: so often.
constexpr int kAttempts = 8;

/// Two vectors of four, as they lie in a Padded.
struct Eight {
  Double4 a, b;
};
Double4 load4(const double* p) {
  Double4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class Padded>
Eight load8(const Padded& p) {
  // One after the other: a copy of both at once goes through memory.
  return {load4(p.v.data()), load4(p.v.data() + 4)};
}
template <class Padded>
void store8(Padded& p, const Eight& e) {
  std::memcpy(p.v.data(), &e.a, sizeof e.a);
  std::memcpy(p.v.data() + 4, &e.b, sizeof e.b);
}
double sum(Double4 v) { return (v[0] + v[2]) + (v[1] + v[3]); }
double product(const Eight& x, const Eight& y) { return sum(fused(x.b, y.b, x.a * y.a)); }

/// The length of a normal: a plane without its last two numbers.
double normal_length(const Eight& plane) {
  const Double4 high = plane.b * Double4{1.0, 1.0, 0.0, 0.0};
  return std::sqrt(sum(fused(high, high, plane.a * plane.a)));
}

/// Takes from e what it has along a unit axis.
void remove(const Eight& axis, Eight& e) {
  const Double4 along = broadcast4(product(e, axis));
  e.a -= along * axis.a;
  e.b -= along * axis.b;
}

/// The order of the heap: the nearest facet on top, of equal ones the first.
template <class Waiting>
bool farther(const Waiting& x, const Waiting& y) {
  return x.offset != y.offset ? x.offset > y.offset : x.facet > y.facet;
}

/// A sequence that depends on nothing but its state (splitmix64).
std::uint64_t random_word(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}
/// In [-1, 1).
double random_sign(std::uint64_t& state) {
  return static_cast<double>(random_word(state) >> 11) * 0x1p-52 - 1.0;
}

}  // namespace

void WrenchHull::load(std::span<const Wrench> points) {
  count_ = points.size();
  // Rows of whole vectors; the last ones are repeated.
  const std::size_t padded = (count_ + 3) / 4 * 4;
  for (std::size_t k = 0; k < kCorners; ++k) {
    columns_[k].resize(padded);
    for (std::size_t i = 0; i < padded; ++i) columns_[k][i] = points[std::min(i, count_ - 1)][k];
  }
  products_.resize(padded);
}

double WrenchHull::support(const Padded& normal, std::span<const std::size_t> ends,
                           bool with_origin, Padded& point) {
  for (std::size_t i = 0; i < products_.size(); i += 4) {
    Double4 dots = broadcast4(0.0);
    for (std::size_t k = 0; k < kCorners; ++k) {
      dots = fused(load4(columns_[k].data() + i), broadcast4(normal.v[k]), dots);
    }
    std::memcpy(products_.data() + i, &dots, sizeof dots);
  }
  point = Padded{};
  point.v[6] = 1.0;
  double height = 0.0;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    std::size_t best = first;
    for (std::size_t i = first + 1; i < end; ++i)
      if (products_[i] > products_[best]) best = i;
    const bool use = first < end && (!with_origin || products_[best] > 0.0);
    first = end;
    if (!use) continue;
    height += products_[best];
    for (std::size_t k = 0; k < kCorners; ++k) point.v[k] += columns_[k][best];
  }
  return height;
}

std::uint16_t WrenchHull::add_corner(Padded point) {
  for (std::size_t k = 0; k < kCorners; ++k)
    point.v[k] += kJoggle / std::sqrt(double{kCorners}) * random_sign(joggle_);
  corners_.push_back(point);
  keys_.push_back(random_word(joggle_));
  return static_cast<std::uint16_t>(corners_.size() - 1);
}

void WrenchHull::wait(std::uint32_t facet) {
  const double offset = -facets_[facet].plane.v[6];
  if (offset >= least_height_) return;
  queue_.push_back({offset, facet, facets_[facet].key});
  std::push_heap(queue_.begin(), queue_.end(), farther<Waiting>);
}

void WrenchHull::set_plane_directly(Facet& facet) const {
  // The normal is at right angles to five differences of corners: elimination with full pivoting.
  std::array<std::array<double, kCorners>, kCorners - 1> m;
  const Padded& origin = corners_[facet.corner[0]];
  for (std::size_t i = 0; i + 1 < kCorners; ++i)
    for (std::size_t k = 0; k < kCorners; ++k)
      m[i][k] = corners_[facet.corner[i + 1]].v[k] - origin.v[k];
  std::array<std::size_t, kCorners> column{0, 1, 2, 3, 4, 5};
  for (std::size_t step = 0; step + 1 < kCorners; ++step) {
    std::size_t row = step;
    std::size_t at = step;
    for (std::size_t i = step; i + 1 < kCorners; ++i) {
      for (std::size_t k = step; k < kCorners; ++k) {
        if (std::abs(m[i][column[k]]) <= std::abs(m[row][column[at]])) continue;
        row = i;
        at = k;
      }
    }
    std::swap(m[step], m[row]);
    std::swap(column[step], column[at]);
    const double pivot = m[step][column[step]];
    if (pivot == 0.0) continue;
    for (std::size_t i = step + 1; i + 1 < kCorners; ++i) {
      const double factor = m[i][column[step]] / pivot;
      for (std::size_t k = step; k < kCorners; ++k) m[i][column[k]] -= factor * m[step][column[k]];
    }
  }
  Padded plane;
  plane.v[column[kCorners - 1]] = 1.0;
  for (std::size_t step = kCorners - 1; step-- > 0;) {
    double rest = 0.0;
    for (std::size_t k = step + 1; k < kCorners; ++k)
      rest += m[step][column[k]] * plane.v[column[k]];
    const double pivot = m[step][column[step]];
    plane.v[column[step]] = pivot == 0.0 ? 0.0 : -rest / pivot;
  }
  double length = 0.0;
  for (std::size_t k = 0; k < kCorners; ++k) length += plane.v[k] * plane.v[k];
  length = std::sqrt(length);
  double offset = 0.0;
  for (std::size_t k = 0; k < kCorners; ++k) {
    plane.v[k] /= length;
    offset += plane.v[k] * origin.v[k];
  }
  plane.v[6] = -offset;
  if (product(load8(plane), load8(inside_)) > 0.0)
    for (double& v : plane.v) v = -v;
  facet.plane = plane;
  facet.error = static_cast<float>(kHeightRounding);
}

bool WrenchHull::start(std::span<const std::size_t> ends, bool with_origin) {
  corners_.clear();
  keys_.clear();
  if (facets_.empty()) facets_.resize(kFirstFacets);
  used_ = kCorners + 1;
  free_.clear();
  queue_.clear();
  look_ = 0;
  made_count_ = 0;
  least_height_ = std::numeric_limits<double>::infinity();
  // Seven corners, each as far as can be from the space of those before.
  residuals_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t k = 0; k < kCorners; ++k)
      residuals_[i].v[k] = columns_[k][i] - (with_origin ? 0.0 : columns_[k][0]);
  std::array<Padded, kCorners> axes;
  Padded first;
  first.v[6] = 1.0;
  for (std::size_t k = 0; k < kCorners; ++k) first.v[k] = with_origin ? 0.0 : columns_[k][0];
  add_corner(first);
  for (std::size_t dimension = 0; dimension < kCorners; ++dimension) {
    Padded direction;
    double largest = -1.0;
    for (const Padded& r : residuals_) {
      const Eight e = load8(r);
      const double length = product(e, e);
      if (length <= largest) continue;
      largest = length;
      direction = r;
    }
    if (!(largest > kFlat * kFlat)) return false;
    const double scale = 1.0 / std::sqrt(largest);
    for (double& v : direction.v) v *= scale;
    // The farther of the two points farthest along it and against it.
    Padded ahead;
    Padded behind;
    Padded against;
    for (std::size_t k = 0; k < kCorners; ++k) against.v[k] = -direction.v[k];
    const double base = product(load8(direction), load8(corners_[0]));
    const double forth = support(direction, ends, with_origin, ahead) - base;
    const double back = support(against, ends, with_origin, behind) + base;
    const bool forward = forth >= back;
    if (!(std::max(forth, back) > kFlat)) return false;
    const std::uint16_t corner = add_corner(forward ? ahead : behind);
    // What is new in it becomes an axis, which no residual has a part of.
    Eight axis{load8(corners_[corner]).a - load8(corners_[0]).a,
               load8(corners_[corner]).b - load8(corners_[0]).b};
    for (std::size_t i = 0; i < dimension; ++i) remove(load8(axes[i]), axis);
    const Double4 shorten = broadcast4(1.0 / std::sqrt(product(axis, axis)));
    axis.a *= shorten;
    axis.b *= shorten;
    store8(axes[dimension], axis);
    for (Padded& r : residuals_) {
      Eight e = load8(r);
      remove(axis, e);
      store8(r, e);
    }
  }
  inside_ = Padded{};
  for (const Padded& corner : corners_)
    for (std::size_t k = 0; k < 7; ++k) inside_.v[k] += corner.v[k] / 7.0;
  inside_.v[6] = 1.0;
  for (std::uint32_t i = 0; i <= kCorners; ++i) {
    Facet facet{};
    std::size_t slot = 0;
    for (std::uint32_t corner = 0; corner <= kCorners; ++corner) {
      if (corner == i) continue;
      facet.corner[slot] = static_cast<std::uint16_t>(corner);
      facet.neighbour[slot] = corner;  // a facet has the number of the corner it lacks
      facet.key ^= keys_[corner];
      ++slot;
    }
    set_plane_directly(facet);
    facets_[i] = facet;
    wait(i);
  }
  return true;
}

bool WrenchHull::look(std::uint32_t facet, const Padded& point) {
  Facet& f = facets_[facet];
  f.seen = look_;
  f.height = product(load8(f.plane), load8(point));
  return f.height > 0.0;
}

std::uint32_t WrenchHull::make(std::uint32_t from, std::size_t slot, std::uint16_t corner) {
  std::uint32_t number = used_;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else if (++used_ > facets_.size()) {
    facets_.resize(std::size_t{2} * used_);
  }
  ++made_count_;
  Facet& made = facets_[number];
  const Facet& gone = facets_[from];
  Facet& stays = facets_[gone.neighbour[slot]];
  made.seen = look_;
  made.height = 0.0;
  made.corner = gone.corner;
  made.corner[slot] = corner;
  made.key = gone.key ^ keys_[gone.corner[slot]] ^ keys_[corner];
  made.neighbour[slot] = gone.neighbour[slot];
  for (std::uint32_t& back : stays.neighbour)
    if (back == from) back = number;

  // Its plane is in the pencil of those of the two facets that meet at the ridge: a sum with
  // weights above 0, so that nothing cancels but what must.
  const double w = gone.height;
  const double z = -stays.height;
  const Eight g = load8(gone.plane);
  const Eight s = load8(stays.plane);
  Eight plane{fused(broadcast4(w), s.a, broadcast4(z) * g.a),
              fused(broadcast4(w), s.b, broadcast4(z) * g.b)};
  const double scale = 1.0 / normal_length(plane);
  const double error =
      (w * (double{stays.error} + kHeightRounding) + z * (double{gone.error} + kHeightRounding)) *
      scale;
  if (error < kLargestPlaneError) {
    plane.a *= broadcast4(scale);
    plane.b *= broadcast4(scale);
    store8(made.plane, plane);
    made.error = static_cast<float>(error);
  } else {
    set_plane_directly(made);
  }
  return number;
}

bool WrenchHull::link() {
  // Each ridge through the new corner belongs to two new facets, which find each other by its key.
  const std::size_t needed = std::bit_ceil(made_.size() * (kCorners - 1) * 2);
  if (ridges_.size() < needed) {
    ridges_.assign(needed, {});
    round_ = 0;
  }
  if (++round_ == 0) {
    std::fill(ridges_.begin(), ridges_.end(), Ridge{});
    round_ = 1;
  }
  const std::size_t mask = ridges_.size() - 1;
  std::size_t open = 0;
  for (const Made& m : made_) {
    Facet& facet = facets_[m.facet];
    for (std::uint16_t slot = 0; slot < kCorners; ++slot) {
      if (slot == m.slot) continue;
      const std::uint64_t key = facet.key ^ keys_[facet.corner[slot]];
      std::size_t at = (key >> 20) & mask;
      while (ridges_[at].round == round_ && ridges_[at].key != key) at = (at + 1) & mask;
      Ridge& ridge = ridges_[at];
      if (ridge.round != round_) {
        ridge = {key, m.facet, slot, round_};
        ++open;
        continue;
      }
      facet.neighbour[slot] = ridge.facet;
      facets_[ridge.facet].neighbour[ridge.slot] = m.facet;
      --open;
    }
  }
  return open == 0;
}

bool WrenchHull::expand(std::uint32_t nearest, std::uint16_t corner) {
  const Padded point = corners_[corner];
  ++look_;
  visible_.clear();
  if (!look(nearest, point)) return false;
  visible_.push_back(nearest);
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    for (const std::uint32_t n : facets_[visible_[i]].neighbour)
      if (facets_[n].seen != look_ && look(n, point)) visible_.push_back(n);
  }
  // A facet over each ridge of the horizon.
  made_.clear();
  for (const std::uint32_t from : visible_) {
    for (std::uint32_t slot = 0; slot < kCorners; ++slot) {
      if (facets_[facets_[from].neighbour[slot]].height > 0.0) continue;
      made_.push_back({make(from, slot, corner), slot});
    }
  }
  if (!link()) return false;
  for (const std::uint32_t gone : visible_) {
    facets_[gone].key = 0;
    free_.push_back(gone);
  }
  for (const Made& m : made_) wait(m.facet);
  return true;
}

double WrenchHull::radius(std::span<const std::size_t> ends, bool with_origin) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    joggle_ = static_cast<std::uint64_t>(attempt) << 32;
    if (!start(ends, with_origin)) return 0.0;
    bool torn = false;
    while (!torn) {
      // Without a facet nearer than a plane that bounds the body, that plane decides.
      if (queue_.empty()) return least_height_;
      std::pop_heap(queue_.begin(), queue_.end(), farther<Waiting>);
      const Waiting nearest = queue_.back();
      queue_.pop_back();
      if (nearest.key != facets_[nearest.facet].key) continue;  // gone
      Padded point;
      const double height = support(facets_[nearest.facet].plane, ends, with_origin, point);
      // All of the body is on one side of a plane through the origin, or nearly.
      if (height <= kFlat) return 0.0;
      least_height_ = std::min(least_height_, height);
      if (least_height_ - nearest.offset <= kSupportTolerance) return least_height_;
      torn = corners_.size() > kMostCorners || !expand(nearest.facet, add_corner(point));
    }
  }
  return 0.0;
}

double WrenchHull::radius_in_hull(std::span<const Wrench> points) {
  if (points.empty()) return 0.0;
  load(points);
  const std::array<std::size_t, 1> ends{count_};
  return radius(ends, false);
}

double WrenchHull::radius_in_sum(std::span<const Wrench> points,
                                 std::span<const std::size_t> ends) {
  if (points.empty()) return 0.0;
  load(points);
  return radius(ends, true);
}

}  // namespace clearance::detail
