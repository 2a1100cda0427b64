// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bvh/bvh_file.h"

#include <algorithm>
#include <bit>
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

/// Odd, with bits everywhere: multiplying by them is one to one and spreads upward.
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;
constexpr std::uint64_t kFinalSpread = 0xd6e8feb86659fd93U;

constexpr std::uint64_t mixed(std::uint64_t v) {
  v ^= v >> 32;
  v *= kFinalSpread;
  v ^= v >> 29;
  v *= kFinalSpread;
  return v ^ (v >> 32);
}

constexpr std::uint64_t kAlignment = kSectionAlignment;
constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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
  std::uint64_t left = header.file_bytes - sizeof(TreeFileHeader);
  for (const Section& s : sections_of(header)) {
    if (s.count == 0) continue;
    if (s.element_bytes == 0 || s.count > left / s.element_bytes) return false;
    if (aligned(s.bytes()) > left) return false;
    left -= aligned(s.bytes());
  }
  return left == 0;
}

template <class T>
std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  return std::as_bytes(std::span<const T>(data, count));
}

/// The checksum of a file whose header was read; its own field counts as zero.
std::uint64_t checksum_of(TreeFileHeader header, std::span<const std::byte> file) {
  header.checksum = 0;
  Checksum checksum;
  checksum.add(bytes_of(&header, 1));
  checksum.add(file.subspan(sizeof header));
  return checksum.value();
}

struct Refusal {
  const std::string& path;
  Error operator()(ErrorCode code, std::string place, std::string reason,
                   std::string advice = "") const {
    return {code, path, std::move(place), std::move(reason), std::move(advice)};
  }
};

constexpr const char* kRebuild = "build the tree again from its mesh and save it";

/// The header of a file that is whole: all that can be said without looking at the arrays.
Result<TreeFileHeader> checked_header(std::span<const std::byte> file, const std::string& path) {
  const Refusal refuse{path};
  TreeFileHeader header;
  const std::size_t there = std::min(file.size(), sizeof header);
  if (there > 0) std::memcpy(&header, file.data(), there);
  if (file.size() < sizeof header.magic || header.magic != kTreeFileMagic)
    return refuse(ErrorCode::Malformed, "byte 0", "is not a tree file of Clearance");
  if (there < sizeof header)
    return refuse(ErrorCode::Malformed, "byte " + std::to_string(there), "ends within the header",
                  kRebuild);
  const std::string order_place = "byte " + std::to_string(offsetof(TreeFileHeader, byte_order));
  if (header.byte_order == __builtin_bswap32(kByteOrderMark))
    return refuse(ErrorCode::Unsupported, order_place,
                  "was written on a machine of the other byte order", kRebuild);
  if (header.byte_order != kByteOrderMark)
    return refuse(ErrorCode::Malformed, order_place, "the byte order mark is damaged", kRebuild);
  if (header.version != kTreeFileVersion)
    return refuse(ErrorCode::Unsupported,
                  "byte " + std::to_string(offsetof(TreeFileHeader, version)),
                  "is a tree file of version " + std::to_string(header.version) +
                      "; this program reads version " + std::to_string(kTreeFileVersion),
                  kRebuild);
  if (header.file_bytes != file.size())
    return refuse(ErrorCode::Malformed,
                  "byte " + std::to_string(offsetof(TreeFileHeader, file_bytes)),
                  "promises " + std::to_string(header.file_bytes) + " bytes, but the file has " +
                      std::to_string(file.size()),
                  kRebuild);
  if (header.file_bytes % kAlignment != 0 || checksum_of(header, file) != header.checksum)
    return refuse(ErrorCode::Malformed,
                  "byte " + std::to_string(offsetof(TreeFileHeader, checksum)),
                  "the checksum does not match: the file is damaged", kRebuild);

  const bool wide = header.volume == static_cast<std::uint32_t>(Volume::Wide);
  if (header.volume > static_cast<std::uint32_t>(Volume::Sphere))
    return refuse(ErrorCode::Malformed, "header", "unknown volume");
  if (header.fitter > static_cast<std::uint32_t>(Fitter::Inertia))
    return refuse(ErrorCode::Malformed, "header", "unknown fitter");
  if (header.node_bytes != (wide ? sizeof(WideNode) : sizeof(BinaryNode)) ||
      header.leaf_bytes != (wide ? sizeof(WideLeaf) : 0))
    return refuse(ErrorCode::Malformed, "header", "nodes or leaves of another size");
  if (!fills_file(header))
    return refuse(ErrorCode::Malformed, "header",
                  "nodes, leaves, vertices and triangles do not add up to the size of the file");
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

void Checksum::add_blocks(const std::byte* data, std::size_t size) {
  // Four lanes side by side: one alone would wait for its multiplications.
  std::array<std::uint64_t, 4> lanes = lanes_;
  for (std::size_t at = 0; at < size; at += kBlock) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), data + at, kBlock);
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = (std::rotl(lanes[i], 29) ^ words[i]) * kSpread;
  }
  lanes_ = lanes;
}

void Checksum::add(std::span<const std::byte> bytes) {
  const std::size_t whole = bytes.size() / kSectionAlignment * kSectionAlignment;
  add_blocks(bytes.data(), whole);
  if (whole == bytes.size()) return;
  std::array<std::byte, kSectionAlignment> last{};
  std::memcpy(last.data(), bytes.data() + whole, bytes.size() - whole);
  add_blocks(last.data(), last.size());
}

std::uint64_t Checksum::value() const {
  std::uint64_t value = 0;
  for (const std::uint64_t lane : lanes_) value = mixed(value ^ lane) + kSpread;
  return value;
}

void seal_tree_file(std::span<std::byte> file) {
  TreeFileHeader header;
  if (file.size() < sizeof header) return;
  std::memcpy(&header, file.data(), sizeof header);
  header.magic = kTreeFileMagic;
  header.byte_order = kByteOrderMark;
  header.version = kTreeFileVersion;
  header.file_bytes = file.size();
  header.checksum = checksum_of(header, file);
  std::memcpy(file.data(), &header, sizeof header);
}

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
  header.file_bytes = sizeof header;
  for (const auto& section : sections) header.file_bytes += aligned(section.size());
  Checksum checksum;
  checksum.add(bytes_of(&header, 1));
  for (const auto& section : sections) checksum.add(section);
  header.checksum = checksum.value();

  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(&header, sizeof header);
  constexpr std::array<std::byte, kSectionAlignment> kZeros{};
  for (const auto& section : sections) {
    file->write(section.data(), section.size());
    file->write(kZeros.data(), aligned(section.size()) - section.size());
  }
  return file->commit();
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
