// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Welding: one vertex for all vertices at exactly the same position. Positions are compared bit by
// bit after -0 was made 0; nothing moves. Vertices are numbered by first use, so the result is the
// same whatever the hash function and the number of threads.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <clearance/mesh/mesh.h>

namespace clearance::detail {

/// Distinct positions, each with a number, in the order they came.
class PositionTable {
 public:
  /// Room for about `expected` positions; it grows beyond that.
  explicit PositionTable(std::size_t expected);

  /// numbers[i] becomes the number of positions[i] in `vertices`; positions not there yet are
  /// appended. `vertices` is always the same vector, changed by no one else meanwhile; it must stay
  /// below 2³² - 1 entries.
  void add(std::span<const Vec3> positions, std::span<std::uint32_t> numbers,
           std::vector<Vec3>& vertices);

 private:
  // The upper half of the hash spares nearly every look at a vertex that is not the one sought, and
  // growing the table needs no vertex at all. number_plus_one is 0 in an empty slot.
  struct Slot {
    std::uint32_t hash;
    std::uint32_t number_plus_one;
  };
  void grow();
  void allocate(std::size_t slot_count);

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<Slot[], Free> slots_;
  std::size_t mask_ = 0;  // number of slots, a power of two, minus 1
  std::size_t count_ = 0;
};

/// Welds an indexed mesh in place. Indices must be below the number of vertices. Vertices that no
/// face uses go.
void weld(std::vector<Vec3>& vertices, std::vector<Face>& faces);

}  // namespace clearance::detail
