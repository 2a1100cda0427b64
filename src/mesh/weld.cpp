// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/weld.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>

#include "mesh/huge_pages.h"

namespace clearance::detail {
namespace {

// Positions looked up together: their slots are fetched while the others are hashed.
constexpr std::size_t kBatch = 32;
constexpr std::size_t kFewestSlots = 64;

// -0 + 0 = 0; every other number stays as it is.
Vec3 without_negative_zero(const Vec3& p) { return {p.x + 0.0, p.y + 0.0, p.z + 0.0}; }

bool same_bits(const Vec3& a, const Vec3& b) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return ((bits(a.x) ^ bits(b.x)) | (bits(a.y) ^ bits(b.y)) | (bits(a.z) ^ bits(b.z))) == 0;
}

// Multiplications carry entropy upward only, and doubles that came from floats end in zeros: so the
// sum is folded down once before the last multiplication, and the upper half is the hash.
std::uint32_t hash_of(const Vec3& p) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(p.x) * 0x9e3779b97f4a7c15u +
                    std::bit_cast<std::uint64_t>(p.y) * 0xc2b2ae3d27d4eb4fu +
                    std::bit_cast<std::uint64_t>(p.z) * 0xd6e8feb86659fd93u;
  h = (h ^ (h >> 32)) * 0xff51afd7ed558ccdu;
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace

PositionTable::PositionTable(std::size_t expected) {
  allocate(std::max(kFewestSlots, std::bit_ceil(expected + expected / 2)));
}

void PositionTable::allocate(std::size_t slot_count) {
  // calloc: zeroed by the system page by page, where it is touched.
  void* memory = std::calloc(slot_count, sizeof(Slot));
  if (memory == nullptr) throw std::bad_alloc();
  prefer_huge_pages(memory, slot_count * sizeof(Slot));
  slots_.reset(static_cast<Slot*>(memory));
  mask_ = slot_count - 1;
}

void PositionTable::grow() {
  const std::unique_ptr<Slot[], Free> old = std::move(slots_);
  const std::size_t old_count = mask_ + 1;
  allocate(2 * old_count);
  for (std::size_t i = 0; i < old_count; ++i) {
    if (old[i].number_plus_one == 0) continue;
    std::size_t at = old[i].hash & mask_;
    while (slots_[at].number_plus_one != 0) at = (at + 1) & mask_;
    slots_[at] = old[i];
  }
}

void PositionTable::add(std::span<const Vec3> positions, std::span<std::uint32_t> numbers,
                        std::vector<Vec3>& vertices) {
  std::array<Vec3, kBatch> batch;
  std::array<std::uint32_t, kBatch> hashes;
  for (std::size_t first = 0; first < positions.size(); first += kBatch) {
    const std::size_t size = std::min(kBatch, positions.size() - first);
    // At most three quarters full, so that a search ends soon.
    while (4 * (count_ + size) > 3 * (mask_ + 1)) grow();
    for (std::size_t i = 0; i < size; ++i) {
      batch[i] = without_negative_zero(positions[first + i]);
      hashes[i] = hash_of(batch[i]);
      __builtin_prefetch(&slots_[hashes[i] & mask_], 1);
    }
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t at = hashes[i] & mask_;
      while (true) {
        Slot& slot = slots_[at];
        if (slot.number_plus_one == 0) {
          slot = {hashes[i], static_cast<std::uint32_t>(vertices.size() + 1)};
          numbers[first + i] = static_cast<std::uint32_t>(vertices.size());
          vertices.push_back(batch[i]);
          ++count_;
          break;
        }
        if (slot.hash == hashes[i] && same_bits(vertices[slot.number_plus_one - 1], batch[i])) {
          numbers[first + i] = slot.number_plus_one - 1;
          break;
        }
        at = (at + 1) & mask_;
      }
    }
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
