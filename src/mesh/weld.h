// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Welding: one vertex for all vertices at exactly the same position. Positions are compared bit by
// bit after -0 was made 0; nothing moves. Vertices are numbered by first use, so the result is the
// same whatever the hash function and the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <clearance/mesh/mesh.h>

#include "mesh/hash_bucket.h"

namespace clearance::detail {

/// An odd number, drawn once per run of the program, that hash functions multiply with: so no file
/// can be made whose positions all fall into one slot. Results do not depend on it.
std::uint64_t hash_secret();

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
  // Eight entries in a line of the cache: a hash that spares nearly every look at a vertex that is
  // not the one sought (and growing the table needs no vertex at all), and a number plus one, 0 in
  // an empty entry. A bucket is filled from the front; a full one goes on in the next.
  struct alignas(64) Bucket {
    std::array<std::uint32_t, kBucket> hashes;
    std::array<std::uint32_t, kBucket> numbers_plus_one;
  };
  void grow();
  void allocate(std::size_t bucket_count);
  void insert(std::uint32_t hash, std::uint32_t number_plus_one);

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  Bucket* buckets_ = nullptr;  // in memory_
  std::size_t mask_ = 0;       // number of buckets, a power of two, minus 1
  std::size_t count_ = 0;
  std::uint64_t secret_ = hash_secret();
};

/// Welds an indexed mesh in place. Indices must be below the number of vertices. Vertices that no
/// face uses go.
void weld(std::vector<Vec3>& vertices, std::vector<Face>& faces);

}  // namespace clearance::detail
