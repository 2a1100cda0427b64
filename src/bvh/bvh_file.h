// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of tree files (docs/tree_files.md): a header, then nodes, leaves, vertices and
// triangles as they lie in memory, each from a multiple of kSectionAlignment on, zeros between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bvh/binary_tree.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

inline constexpr std::array<char, 8> kTreeFileMagic{'C', 'L', 'E', 'A', 'R', 'B', 'V', 'H'};
inline constexpr std::uint32_t kByteOrderMark = 0x01020304U;
/// Raise it with every change of this header or of what a node or leaf holds or means.
inline constexpr std::uint32_t kTreeFileVersion = 1;
static_assert(sizeof(WideNode) == 288 && sizeof(WideLeaf) == 384 && sizeof(BinaryNode) == 136,
              "another layout is another version of the tree file: raise kTreeFileVersion");
inline constexpr std::size_t kSectionAlignment = 64;

struct TreeFileHeader {
  std::array<char, 8> magic = kTreeFileMagic;
  std::uint64_t checksum = 0;  // of the whole file, this field taken as zero
  std::uint32_t byte_order = kByteOrderMark;
  std::uint32_t version = kTreeFileVersion;
  std::uint64_t file_bytes = 0;
  std::uint32_t volume = 0;
  std::uint32_t fitter = 0;
  std::uint32_t node_bytes = 0;  // size of one
  std::uint32_t leaf_bytes = 0;  // size of one; 0 in binary trees, which have only nodes
  std::uint64_t node_count = 0;
  std::uint64_t leaf_count = 0;
  std::uint64_t vertex_count = 0;
  std::uint64_t triangle_count = 0;
  std::array<double, 3> center{};  // of a wide tree
  double radius = 0.0;
  std::uint32_t root = 0;
  std::array<std::uint32_t, 3> reserved{};
};
static_assert(sizeof(TreeFileHeader) == 128 && sizeof(TreeFileHeader) % kSectionAlignment == 0);

/// A hash of a sequence of blocks, for damage, not for forgers: about as fast as memory is read. A
/// change within one 8-byte word always shows; any other goes unseen once in 2^64.
class Checksum {
 public:
  static constexpr std::size_t kBlock = 32;
  /// Appends bytes, and zeros up to a multiple of kSectionAlignment.
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t value() const;

 private:
  void add_blocks(const std::byte* data, std::size_t size);
  std::array<std::uint64_t, 4> lanes_{0x243f6a8885a308d3U, 0x13198a2e03707344U, 0xa4093822299f31d0U,
                                      0x082efa98ec4e6c89U};
};

/// Makes what says that a file is whole true of these bytes: magic, byte order, version, size and
/// checksum, so that a test can reach what is checked after them. Nothing when there is no room for
/// a header.
void seal_tree_file(std::span<std::byte> file);

}  // namespace clearance::detail
