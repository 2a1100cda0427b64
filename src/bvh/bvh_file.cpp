// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/bvh_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <clearance/base/file.h>
#include <clearance/bvh/bvh.h>

#include "bvh/bvh_file_check.h"
#include "bvh/bvh_input.h"

namespace clearance {
namespace detail {
namespace {

/// The four arrays after the header, in the order of the file.
struct Section {
  std::uint64_t count;
  std::uint64_t element_bytes;
  [[nodiscard]] std::uint64_t bytes() const { return count * element_bytes; }
};
std::array<Section, 4> sections_of(const TreeFileHeader& h) {
  return {{{h.node_count, h.node_bytes},
           {h.leaf_count, h.leaf_bytes},
           {h.vertex_count, sizeof(Vec3)},
           {h.triangle_count, sizeof(std::array<std::uint32_t, 3>)}}};
}

/// True when header and arrays are exactly the file; no product or sum overflows on the way.
bool fills_file(const TreeFileHeader& header) {
  std::uint64_t left = header.seal.file_bytes - sizeof(TreeFileHeader);
  for (const Section& s : sections_of(header)) {
    if (s.count == 0) continue;
    if (s.element_bytes == 0 || s.count > left / s.element_bytes) return false;
    if (aligned(s.bytes()) > left) return false;
    left -= aligned(s.bytes());
  }
  return left == 0;
}

/// The header of a file that is whole: all that can be said without looking at the arrays.
Result<TreeFileHeader> checked_header(std::span<const std::byte> file, const std::string& path) {
  if (Status whole = check_seal(file, kTreeFile, path); !whole) return whole.error();
  const auto refuse = [&](std::string reason) {
    return Error{ErrorCode::Malformed, path, "header", std::move(reason), {}};
  };
  TreeFileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  const bool wide = header.volume == static_cast<std::uint32_t>(Volume::Wide);
  if (header.volume > static_cast<std::uint32_t>(Volume::Sphere)) return refuse("unknown volume");
  if (header.fitter > static_cast<std::uint32_t>(Fitter::Inertia)) return refuse("unknown fitter");
  if (header.node_bytes != (wide ? sizeof(WideNode) : sizeof(BinaryNode)) ||
      header.leaf_bytes != (wide ? sizeof(WideLeaf) : 0))
    return refuse("nodes or leaves of another size");
  if (!fills_file(header))
    return refuse("nodes, leaves, vertices and triangles do not add up to the size of the file");
  return header;
}

/// The arrays in their places.
struct Arrays {
  std::span<const std::byte> nodes, leaves;
  std::span<const Vec3> vertices;
  Faces faces;
};
template <class T>
std::span<const T> as_array(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}
Arrays arrays_of(const TreeFileHeader& header, std::span<const std::byte> file) {
  std::array<std::span<const std::byte>, 4> parts;
  std::size_t at = sizeof header;
  const std::array<Section, 4> sections = sections_of(header);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i] = file.subspan(at, sections[i].bytes());
    at += aligned(sections[i].bytes());
  }
  return {parts[0], parts[1], as_array<Vec3>(parts[2]),
          as_array<std::array<std::uint32_t, 3>>(parts[3])};
}

}  // namespace

}  // namespace detail

Status Bvh::save(const std::string& path) const {
  using namespace detail;
  TreeFileHeader header;
  header.volume = static_cast<std::uint32_t>(data_->volume);
  header.fitter = static_cast<std::uint32_t>(data_->fitter);
  header.vertex_count = data_->vertices.size();
  header.triangle_count = data_->faces.size();
  std::span<const std::byte> nodes;
  std::span<const std::byte> leaves;
  if (data_->wide) {
    const WideTree& tree = *data_->wide;
    nodes = std::as_bytes(tree.nodes);
    leaves = std::as_bytes(tree.leaves);
    header.node_bytes = sizeof(WideNode);
    header.leaf_bytes = sizeof(WideLeaf);
    header.node_count = tree.nodes.size();
    header.leaf_count = tree.leaves.size();
    header.center = {tree.center.x, tree.center.y, tree.center.z};
    header.radius = tree.radius;
    header.root = tree.root;
  } else {
    nodes = std::as_bytes(std::span(data_->binary->nodes));
    header.node_bytes = sizeof(BinaryNode);
    header.node_count = data_->binary->nodes.size();
  }
  const std::array<std::span<const std::byte>, 4> sections{
      nodes, leaves, std::as_bytes(data_->vertices), std::as_bytes(data_->faces)};
  return write_sealed(path, kTreeFile, std::as_writable_bytes(std::span(&header, 1)), sections);
}

Result<Bvh> Bvh::map(const std::string& path) {
  using namespace detail;
  Result<MappedFile> opened = MappedFile::open(path);
  if (!opened) return opened.error();
  const auto file = std::make_shared<const MappedFile>(std::move(opened).value());
  const Result<TreeFileHeader> header = checked_header(file->bytes(), path);
  if (!header) return header.error();
  const auto refused = [&](Error error) {
    error.code = ErrorCode::Malformed;
    error.file = path;
    return error;
  };
  const Arrays arrays = arrays_of(*header, file->bytes());
  const Result<Box> bounds = checked_bounds(arrays.vertices, arrays.faces);
  if (!bounds) return refused(bounds.error());

  auto data = std::make_shared<Data>();
  data->vertices = arrays.vertices;
  data->faces = arrays.faces;
  data->owner = file;
  data->bounds = *bounds;
  data->volume = static_cast<Volume>(header->volume);
  data->fitter = static_cast<Fitter>(header->fitter);
  if (data->volume == Volume::Wide) {
    auto tree = std::make_shared<WideTree>();
    tree->center = {header->center[0], header->center[1], header->center[2]};
    tree->radius = header->radius;
    tree->root = header->root;
    tree->nodes = as_array<WideNode>(arrays.nodes);
    tree->leaves = as_array<WideLeaf>(arrays.leaves);
    tree->owner = file;
    if (const Status status = check_wide_tree(*tree, *bounds, data->faces.size()); !status)
      return refused(status.error());
    data->wide = std::move(tree);
  } else {
    const std::span<const BinaryNode> nodes = as_array<BinaryNode>(arrays.nodes);
    if (const Status status = check_binary_nodes(nodes, data->faces.size()); !status)
      return refused(status.error());
    auto tree = std::make_shared<BinaryTree>();
    tree->volume = data->volume;
    tree->fitter = data->fitter;
    tree->nodes.assign(nodes.begin(), nodes.end());
    data->binary = std::move(tree);
  }
  return Bvh(std::move(data));
}

}  // namespace clearance
