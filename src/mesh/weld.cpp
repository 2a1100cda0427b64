// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/weld.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <random>

#include "mesh/huge_pages.h"

namespace clearance::detail {
namespace {

// Positions looked up together: their slots are fetched while the others are hashed.
constexpr std::size_t kBatch = 64;
constexpr std::size_t kFewestBuckets = 8;

// -0 + 0 = 0; every other number stays as it is.
Vec3 without_negative_zero(const Vec3& p) { return {p.x + 0.0, p.y + 0.0, p.z + 0.0}; }

bool same_bits(const Vec3& a, const Vec3& b) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return ((bits(a.x) ^ bits(b.x)) | (bits(a.y) ^ bits(b.y)) | (bits(a.z) ^ bits(b.z))) == 0;
}

// Multiplications carry entropy upward only, and doubles that came from floats end in zeros: so the
// sum is folded down once before the last multiplication, and the upper half is the hash.
std::uint32_t hash_of(const Vec3& p, std::uint64_t secret) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(p.x) * secret +
                    std::bit_cast<std::uint64_t>(p.y) * 0xc2b2ae3d27d4eb4fu +
                    std::bit_cast<std::uint64_t>(p.z) * 0xd6e8feb86659fd93u;
  h = (h ^ (h >> 32)) * 0xff51afd7ed558ccdu;
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace

std::uint64_t hash_secret() {
  static const std::uint64_t secret = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) | 1u;
  }();
  return secret;
}

PositionTable::PositionTable(std::size_t expected) {
  allocate(std::max(kFewestBuckets, std::bit_ceil(expected / kBucket * 3 / 2 + 1)));
}

void PositionTable::allocate(std::size_t bucket_count) {
  // calloc: zeroed by the system page by page, where it is touched. Aligned by hand.
  const std::size_t bytes = (bucket_count + 1) * sizeof(Bucket);
  memory_.reset(std::calloc(1, bytes));
  if (memory_ == nullptr) throw std::bad_alloc();
  prefer_huge_pages(memory_.get(), bytes);
  void* first = memory_.get();
  std::size_t room = bytes;
  buckets_ =
      static_cast<Bucket*>(std::align(alignof(Bucket), bucket_count * sizeof(Bucket), first, room));
  mask_ = bucket_count - 1;
}

void PositionTable::insert(std::uint32_t hash, std::uint32_t number_plus_one) {
  for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
    Bucket& bucket = buckets_[at];
    const unsigned empty = matching(bucket.numbers_plus_one.data(), ~0u, 0);
    if (empty == 0) continue;
    const auto slot = static_cast<std::size_t>(std::countr_zero(empty));
    bucket.hashes[slot] = hash;
    bucket.numbers_plus_one[slot] = number_plus_one;
    return;
  }
}

void PositionTable::grow() {
  const std::unique_ptr<void, Free> old_memory = std::move(memory_);
  const Bucket* const old = buckets_;
  const std::size_t old_count = mask_ + 1;
  allocate(2 * old_count);
  for (std::size_t i = 0; i < old_count; ++i) {
    for (std::size_t k = 0; k < kBucket && old[i].numbers_plus_one[k] != 0; ++k)
      insert(old[i].hashes[k], old[i].numbers_plus_one[k]);
  }
}

void PositionTable::add(std::span<const Vec3> positions, std::span<std::uint32_t> numbers,
                        std::vector<Vec3>& vertices) {
  std::array<Vec3, kBatch> batch;
  std::array<std::uint32_t, kBatch> hashes;
  for (std::size_t first = 0; first < positions.size(); first += kBatch) {
    const std::size_t size = std::min(kBatch, positions.size() - first);
    // At most three quarters full, so that a search ends soon.
    while (4 * (count_ + size) > 3 * kBucket * (mask_ + 1)) grow();
    // Three passes, each of which fetches what the next one needs: buckets, then vertices.
    for (std::size_t i = 0; i < size; ++i) {
      batch[i] = without_negative_zero(positions[first + i]);
      hashes[i] = hash_of(batch[i], secret_);
      __builtin_prefetch(&buckets_[hashes[i] & mask_], 1);
    }
    // Room for all of the batch, so that nothing moves while it is looked up.
    const std::size_t count_before = vertices.size();
    vertices.resize(count_before + size);
    std::size_t vertex_count = count_before;
    Vec3* const known = vertices.data();
    for (std::size_t i = 0; i < size; ++i) {
      const Bucket& bucket = buckets_[hashes[i] & mask_];
      const unsigned same = matching(bucket.hashes.data(), ~0u, hashes[i]);
      if (same != 0) {
        const std::uint32_t number =
            bucket.numbers_plus_one[static_cast<std::size_t>(std::countr_zero(same))];
        if (number != 0) __builtin_prefetch(known + (number - 1));
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      const auto find = [&]() -> std::uint32_t {
        for (std::size_t at = hashes[i] & mask_;; at = (at + 1) & mask_) {
          Bucket& bucket = buckets_[at];
          unsigned same = matching(bucket.hashes.data(), ~0u, hashes[i]);
          for (; same != 0; same &= same - 1) {
            const std::uint32_t number =
                bucket.numbers_plus_one[static_cast<std::size_t>(std::countr_zero(same))];
            if (number != 0 && same_bits(known[number - 1], batch[i])) return number - 1;
          }
          const unsigned empty = matching(bucket.numbers_plus_one.data(), ~0u, 0);
          if (empty == 0) continue;
          const auto slot = static_cast<std::size_t>(std::countr_zero(empty));
          known[vertex_count++] = batch[i];
          bucket.hashes[slot] = hashes[i];
          bucket.numbers_plus_one[slot] = static_cast<std::uint32_t>(vertex_count);
          return static_cast<std::uint32_t>(vertex_count - 1);
        }
      };
      numbers[first + i] = find();
    }
    count_ += vertex_count - count_before;
    vertices.resize(vertex_count);
  }
}

void weld(std::vector<Vec3>& vertices, std::vector<Face>& faces) {
  // Blocks of faces: first collect the vertices met for the first time, then look them up together,
  // then renumber the block.
  constexpr std::size_t kBlock = 1024;
  constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t kCollected = kNew - 1;
  std::vector<std::uint32_t> number(vertices.size(), kNew);
  std::vector<Vec3> distinct;
  reserve_huge(distinct, vertices.size());
  PositionTable table(vertices.size());
  std::vector<std::uint32_t> met;
  std::vector<Vec3> positions;
  std::vector<std::uint32_t> numbers;
  for (std::size_t first = 0; first < faces.size(); first += kBlock) {
    const std::span<Face> block =
        std::span(faces).subspan(first, std::min(kBlock, faces.size() - first));
    met.clear();
    positions.clear();
    for (const Face& face : block) {
      for (const std::uint32_t v : face) {
        if (number[v] != kNew) continue;
        number[v] = kCollected;
        met.push_back(v);
        positions.push_back(vertices[v]);
      }
    }
    numbers.resize(met.size());
    table.add(positions, numbers, distinct);
    for (std::size_t i = 0; i < met.size(); ++i) number[met[i]] = numbers[i];
    for (Face& face : block) face = {number[face[0]], number[face[1]], number[face[2]]};
  }
  vertices = std::move(distinct);
}

}  // namespace clearance::detail

namespace clearance {

Mesh welded(const Mesh& mesh) {
  if (mesh.empty()) return mesh;
  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  detail::weld(vertices, faces);
  return Mesh::make(std::move(vertices), std::move(faces),
                    {mesh.parts().begin(), mesh.parts().end()})
      .value();
}

}  // namespace clearance
