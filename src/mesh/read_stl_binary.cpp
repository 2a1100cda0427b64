// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binary STL: 80 bytes of anything, a triangle count, then 50 bytes a triangle: a normal and three
// corners as floats, and two attribute bytes.
//
// A file of a million triangles is read about as fast as its bytes can be copied, because nothing
// larger than a cache is touched twice. The file is cut into pieces of fixed size. Each piece is
// read in small blocks and welded on its own, in a table that stays in the cache. Then the pieces,
// in their order, look up only their distinct vertices in the table of the whole mesh: so vertices
// are numbered by first use in the file, whichever thread did which piece.
#include "mesh/read_stl_binary.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "mesh/huge_pages.h"
#include "mesh/mesh_builder.h"
#include "mesh/piece_turns.h"

namespace clearance::detail {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

constexpr std::size_t kCountAt = 80;
constexpr std::size_t kHeaderBytes = 84;
constexpr std::size_t kTriangleBytes = 50;
constexpr std::size_t kNormalBytes = 12;
// Bytes after the last triangle that are taken for padding or a footer.
constexpr std::uint64_t kMostTrailingBytes = 4096;
// Triangles of a piece. Their distinct vertices are numbered in 16 bits, and the piece's table,
// corners and block fit a second-level cache.
constexpr std::size_t kPiece = std::size_t{1} << 14;
static_assert(3 * kPiece <= 0x10000);
// Triangles read at a time.
constexpr std::size_t kBlock = std::size_t{1} << 11;
// Largest bit pattern of a finite float, without its sign.
constexpr std::uint32_t kLargestFinite = 0x7f7fffff;

std::uint32_t count_of(std::string_view beginning) {
  std::uint32_t count = 0;
  std::memcpy(&count, beginning.data() + kCountAt, sizeof count);
  return count;
}

std::uint64_t bytes_for(std::uint64_t triangle_count) {
  return kHeaderBytes + kTriangleBytes * triangle_count;
}

// The distinct corners of one piece, numbered by first use.
class PieceWelder {
 public:
  PieceWelder() { slots_.resize(kFewestSlots); }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    distinct_.clear();
  }
  [[nodiscard]] std::span<const std::array<float, 3>> distinct() const { return distinct_; }

  std::uint16_t number(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    const std::uint64_t xy = x | std::uint64_t{y} << 32;
    std::uint64_t h = xy * 0x9e3779b97f4a7c15u;
    h = ((h ^ (h >> 32)) + z) * 0xc2b2ae3d27d4eb4fu;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (h >> 32) & mask;
    while (true) {
      Slot& slot = slots_[at];
      if (slot.xy == xy && slot.z == z && slot.number_plus_one != 0)
        return static_cast<std::uint16_t>(slot.number_plus_one - 1);
      if (slot.number_plus_one == 0) break;
      at = (at + 1) & mask;
    }
    distinct_.push_back(
        {std::bit_cast<float>(x), std::bit_cast<float>(y), std::bit_cast<float>(z)});
    slots_[at] = {xy, z, static_cast<std::uint32_t>(distinct_.size())};
    if (3 * slots_.size() < 4 * distinct_.size()) grow();
    return static_cast<std::uint16_t>(distinct_.size() - 1);
  }

 private:
  // A piece of a closed surface has about kPiece / 2 distinct corners.
  static constexpr std::size_t kFewestSlots = kPiece;
  struct Slot {
    std::uint64_t xy = 0;
    std::uint32_t z = 0;
    std::uint32_t number_plus_one = 0;  // 0: empty
  };
  void grow() {
    const std::vector<std::array<float, 3>> all = std::move(distinct_);
    slots_.assign(2 * slots_.size(), Slot{});
    distinct_.clear();
    distinct_.reserve(2 * all.size());
    for (const std::array<float, 3>& p : all) {
      number(std::bit_cast<std::uint32_t>(p[0]), std::bit_cast<std::uint32_t>(p[1]),
             std::bit_cast<std::uint32_t>(p[2]));
    }
  }
  std::vector<Slot> slots_;
  std::vector<std::array<float, 3>> distinct_;
};

// What one thread works with; reused from piece to piece.
struct Scratch {
  std::vector<char> block = std::vector<char>(kBlock * kTriangleBytes);
  PieceWelder welder;
  std::vector<std::uint16_t> corners = std::vector<std::uint16_t>(3 * kPiece);
  std::vector<std::uint32_t> numbers;
};

class BinaryReader {
 public:
  BinaryReader(const ByteSource& source, const ReadOptions& options, std::size_t triangle_count,
               double metres_per_unit)
      : source_(source),
        options_(options),
        scale_(metres_per_unit),
        triangle_count_(triangle_count),
        piece_count_((triangle_count + kPiece - 1) / kPiece),
        table_(triangle_count / 2) {}

  Result<LoadedMesh> read(FileInfo info) {
    reserve_huge(faces_, triangle_count_);
    faces_.resize(triangle_count_);
    if (options_.weld) {
      // A closed surface has half as many vertices as triangles; a soup grows beyond that.
      reserve_huge(vertices_, triangle_count_ / 2 + triangle_count_ / 32 + 64);
    } else {
      reserve_huge(vertices_, 3 * triangle_count_);
      vertices_.resize(3 * triangle_count_);
    }
    // Each worker takes the next piece in order; so the one with the lowest never waits.
    const auto workers = static_cast<std::size_t>(options_.threads.resolved());
    parallel_for(options_.threads, std::min(workers, piece_count_), [this](std::size_t) {
      Scratch scratch;
      for (std::size_t piece = next_piece_++; piece < piece_count_; piece = next_piece_++)
        process(piece, scratch);
    });
    if (failure_) return *failure_;
    if (bad_normals_ > 0) {
      info.warnings.push_back(std::to_string(bad_normals_) +
                              " normals are not numbers; normals are not used.");
    }
    return finish_mesh(std::move(info), std::move(vertices_), std::move(faces_), {});
  }

 private:
  void process(std::size_t piece, Scratch& scratch) {
    const std::size_t first = piece * kPiece;
    const std::size_t last = std::min(first + kPiece, triangle_count_);
    std::optional<Error> failure;
    if (!stopped_.load(std::memory_order_relaxed)) {
      failure = options_.weld ? collect(first, last, scratch) : copy(first, last, scratch);
    }

    // In order: the first error of the file is the one reported, and vertices get their numbers.
    turns_.wait_for(piece);
    if (!failure && is_cancelled(options_.monitor))
      failure = Error{ErrorCode::Cancelled, source_.name(), "", "cancelled", ""};
    if (failure && !failure_) {
      failure_ = std::move(failure);
      stopped_ = true;
    }
    const bool good = !failure_;
    if (good && options_.weld) look_up(scratch);
    report_progress(options_.monitor, "reading",
                    static_cast<double>(last) / static_cast<double>(triangle_count_));
    turns_.end(piece);

    if (good && options_.weld) {
      const std::uint16_t* corner = scratch.corners.data();
      for (std::size_t t = first; t < last; ++t, corner += 3) {
        faces_[t] = {scratch.numbers[corner[0]], scratch.numbers[corner[1]],
                     scratch.numbers[corner[2]]};
      }
    }
  }

  // Calls visit(triangle, its nine coordinates as bits, -0 made 0) for the triangles [first, last).
  template <class Visit>
  std::optional<Error> for_each_triangle(std::size_t first, std::size_t last,
                                         std::vector<char>& buffer, const Visit& visit) {
    for (std::size_t begin = first; begin < last; begin += kBlock) {
      const std::size_t count = std::min(kBlock, last - begin);
      const Result<std::string_view> bytes =
          source_.read(bytes_for(begin), std::span(buffer).first(count * kTriangleBytes));
      if (!bytes) return bytes.error();
      const char* record = bytes->data();
      std::uint32_t largest = 0;
      std::size_t bad_normals = 0;
      for (std::size_t i = 0; i < count; ++i, record += kTriangleBytes) {
        std::array<std::uint32_t, 3> normal;
        std::memcpy(normal.data(), record, sizeof normal);
        std::uint32_t largest_normal = 0;
        for (const std::uint32_t n : normal)
          largest_normal = std::max(largest_normal, n & 0x7fffffffu);
        bad_normals += largest_normal > kLargestFinite;

        std::array<float, 9> values;
        std::memcpy(values.data(), record + kNormalBytes, sizeof values);
        for (float& value : values) value += 0.0f;
        const auto bits = std::bit_cast<std::array<std::uint32_t, 9>>(values);
        for (const std::uint32_t b : bits) largest = std::max(largest, b & 0x7fffffffu);
        visit(begin + i, bits);
      }
      if (largest > kLargestFinite) return not_finite(begin, *bytes);
      if (bad_normals > 0) bad_normals_ += bad_normals;
    }
    return std::nullopt;
  }

  // Finds the triangle of a block that has a coordinate which is no number.
  Error not_finite(std::size_t begin, std::string_view bytes) const {
    std::size_t triangle = 0;
    std::array<float, 9> values;
    for (;; ++triangle) {
      std::memcpy(values.data(), bytes.data() + triangle * kTriangleBytes + kNormalBytes,
                  sizeof values);
      if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
        break;
    }
    return malformed_byte(
        source_, bytes_for(begin + triangle),
        "a coordinate of triangle " + std::to_string(begin + triangle) + " is not finite");
  }

  std::optional<Error> collect(std::size_t first, std::size_t last, Scratch& scratch) {
    scratch.welder.clear();
    std::uint16_t* corner = scratch.corners.data();
    return for_each_triangle(
        first, last, scratch.block, [&](std::size_t, const std::array<std::uint32_t, 9>& bits) {
          for (std::size_t c = 0; c < 9; c += 3)
            *corner++ = scratch.welder.number(bits[c], bits[c + 1], bits[c + 2]);
        });
  }

  // The distinct corners of a piece get their numbers in the whole mesh.
  void look_up(Scratch& scratch) {
    constexpr std::size_t kBatch = 256;
    std::array<Vec3, kBatch> positions;
    const std::span<const std::array<float, 3>> distinct = scratch.welder.distinct();
    scratch.numbers.resize(distinct.size());
    for (std::size_t begin = 0; begin < distinct.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, distinct.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const std::array<float, 3>& p = distinct[begin + i];
        positions[i] = {p[0] * scale_, p[1] * scale_, p[2] * scale_};
      }
      table_.add(std::span(positions).first(count),
                 std::span(scratch.numbers).subspan(begin, count), vertices_);
    }
  }

  std::optional<Error> copy(std::size_t first, std::size_t last, Scratch& scratch) {
    return for_each_triangle(
        first, last, scratch.block, [&](std::size_t t, const std::array<std::uint32_t, 9>& bits) {
          const auto value = [&](std::size_t i) { return std::bit_cast<float>(bits[i]) * scale_; };
          for (std::size_t c = 0; c < 3; ++c)
            vertices_[3 * t + c] = {value(3 * c), value(3 * c + 1), value(3 * c + 2)};
          const auto v = static_cast<std::uint32_t>(3 * t);
          faces_[t] = {v, v + 1, v + 2};
        });
  }

  const ByteSource& source_;
  const ReadOptions& options_;
  const double scale_;
  const std::size_t triangle_count_;
  const std::size_t piece_count_;
  std::atomic<std::size_t> next_piece_ = 0;
  PieceTurns turns_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> bad_normals_ = 0;
  // Touched only by the piece whose turn it is.
  std::optional<Error> failure_;
  PositionTable table_;
  std::vector<Vec3> vertices_;
  // Each piece writes its own triangles.
  std::vector<Face> faces_;
};

}  // namespace

bool is_exact_binary_stl(std::string_view beginning, std::uint64_t file_size) {
  return file_size >= kHeaderBytes && file_size == bytes_for(count_of(beginning));
}

Result<LoadedMesh> read_stl_binary(std::string_view beginning, const ByteSource& source,
                                   const ReadOptions& options) {
  if (source.size() < kHeaderBytes) {
    return Error{ErrorCode::Malformed, source.name(), "byte 0",
                 "is not an STL file: it does not begin with 'solid' as ASCII, and at " +
                     std::to_string(source.size()) +
                     " bytes it is shorter than the header of a binary one",
                 ""};
  }
  const std::uint64_t count = count_of(beginning);
  const std::uint64_t needed = bytes_for(count);
  if (needed > source.size()) {
    return malformed_byte(source, kCountAt,
                          "promises " + std::to_string(count) + " triangles (" +
                              std::to_string(needed) + " bytes), but the file has " +
                              std::to_string(source.size()) + " bytes",
                          "the file may have been cut short, or is not an STL file");
  }
  const std::uint64_t trailing = source.size() - needed;
  if (trailing > kMostTrailingBytes || (count == 0 && trailing > 0)) {
    return malformed_byte(source, kCountAt,
                          "promises " + std::to_string(count) + " triangles (" +
                              std::to_string(needed) + " bytes), but the file goes on for " +
                              std::to_string(trailing) + " bytes",
                          "it is not an STL file, or its count is wrong");
  }
  if (count == 0) return malformed_byte(source, kCountAt, "the file holds no triangles");
  // Three vertices a triangle must not exceed 32-bit indices, were none shared.
  if (3 * count > 0xfffffffeu) {
    return Error{ErrorCode::Unsupported, source.name(), "byte 80",
                 std::to_string(count) + " triangles are more than one mesh can hold", ""};
  }

  FileInfo info = plain_info(source, "binary STL", options);
  if (trailing > 0) {
    info.warnings.push_back("The last " + std::to_string(trailing) +
                            " bytes of the file, after the last triangle, were ignored.");
  }
  const double metres_per_unit = info.metres_per_unit;
  return BinaryReader(source, options, static_cast<std::size_t>(count), metres_per_unit)
      .read(std::move(info));
}

}  // namespace clearance::detail
