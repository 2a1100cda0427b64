// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of tree files (docs/tree_files.md): a header, then nodes, leaves, vertices and
// triangles as they lie in memory, each from a multiple of kSectionAlignment on, zeros between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/sealed_file.h"
#include "bvh/binary_tree.h"
#include "bvh/wide_tree.h"

namespace clearance::detail {

inline constexpr std::array<char, 8> kTreeFileMagic{'C', 'L', 'E', 'A', 'R', 'B', 'V', 'H'};
/// Raise it with every change of this header or of what a node or leaf holds or means.
inline constexpr std::uint32_t kTreeFileVersion = 2;
static_assert(sizeof(WideNode) == 320 && sizeof(WideLeaf) == 384 && sizeof(BinaryNode) == 136,
              "another layout is another version of the tree file: raise kTreeFileVersion");

struct TreeFileHeader {
  FileSeal seal;
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

inline constexpr FileKind kTreeFile{kTreeFileMagic, kTreeFileVersion, sizeof(TreeFileHeader),
                                    "tree file", "build the tree again from its mesh and save it"};

}  // namespace clearance::detail
