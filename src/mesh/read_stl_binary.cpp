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
#include <utility>

#include "mesh/checked_arrays.h"
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
constexpr std::size_t kBlock = std::size_t{1} << 10;
// Exponent of a float that is an infinity or no number.
constexpr std::int32_t kNotFinite = 0x7f800000;

// A float times this is a finite double.
constexpr double kLargestSafeUnit = 1e200;

using Float4 = float __attribute__((vector_size(16)));
using Word4 = std::int32_t __attribute__((vector_size(16)));

template <class T>
T load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::uint32_t count_of(std::string_view beginning) {
  std::uint32_t count = 0;
  std::memcpy(&count, beginning.data() + kCountAt, sizeof count);
  return count;
}

std::uint64_t bytes_for(std::uint64_t triangle_count) {
  return kHeaderBytes + kTriangleBytes * triangle_count;
}

// A corner as the bits of its three floats, -0 made 0.
struct Corner {
  std::uint64_t xy;
  std::uint64_t z;  // upper half zero
  bool operator==(const Corner& other) const { return ((xy ^ other.xy) | (z ^ other.z)) == 0; }
};

Corner corner_at(const char* bytes) {
  // Four floats at once; the last is the next corner's, or the two attribute bytes and what
  // follows.
  const Float4 floats = load<Float4>(bytes) + Float4{0.0f, 0.0f, 0.0f, 0.0f};
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(floats);
  return {words[0], words[1] & 0xffffffffu};
}

std::array<float, 3> floats_of(const Corner& corner) {
  return {std::bit_cast<float>(static_cast<std::uint32_t>(corner.xy)),
          std::bit_cast<float>(static_cast<std::uint32_t>(corner.xy >> 32)),
          std::bit_cast<float>(static_cast<std::uint32_t>(corner.z))};
}

// The distinct corners of one piece, numbered by first use. Corners that return do so soon, so the
// array of distinct corners is read near its end; the slots, which are read anywhere, are small.
class PieceWelder {
 public:
  void clear() {
    count_ = 0;
    std::fill(slots_.begin(), slots_.end(), 0);
  }
  [[nodiscard]] std::span<const Corner> distinct() const {
    return std::span(distinct_).first(count_);
  }

  std::uint16_t number(const Corner& corner) {
    // The upper bits of a product depend on all bits of its factors: they choose the slot, and the
    // next ones are kept in it.
    const std::uint64_t hash = (corner.xy ^ corner.z * 0x9e3779b97f4a7c15u) * secret_;
    const auto tag = static_cast<std::uint32_t>(hash >> 8) & kTagBits;
    for (std::size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() / kBucket - 1)) {
      std::uint32_t* const bucket = slots_.data() + at * kBucket;
      // An empty slot may match a tag of zeros: the number tells.
      for (unsigned same = matching(bucket, kTagBits, tag); same != 0; same &= same - 1) {
        const std::uint32_t number_plus_one = bucket[std::countr_zero(same)] & ~kTagBits;
        if (number_plus_one != 0 && distinct_[number_plus_one - 1] == corner)
          return static_cast<std::uint16_t>(number_plus_one - 1);
      }
      const unsigned empty = matching(bucket, ~0u, 0);
      if (empty == 0) continue;
      distinct_[count_++] = corner;
      bucket[std::countr_zero(empty)] = tag | static_cast<std::uint32_t>(count_);
      if (4 * count_ > 3 * slots_.size()) grow();
      return static_cast<std::uint16_t>(count_ - 1);
    }
  }

 private:
  // A piece of a closed surface has a few more than kPiece / 2 distinct corners; a soup makes the
  // table grow.
  static constexpr std::size_t kFewestSlots = 2 * kPiece;
  // A slot is 0 or a number plus one, and above it bits of the hash.
  static constexpr std::uint32_t kTagBits = 0xffff0000;
  static_assert(3 * kPiece <= 0xffff);

  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    --shift_;
    const std::size_t count = std::exchange(count_, 0);
    for (std::size_t i = 0; i < count; ++i) number(distinct_[i]);
  }

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kFewestSlots);
  int shift_ = 64 - std::bit_width(kFewestSlots / kBucket - 1);
  std::vector<Corner> distinct_ = std::vector<Corner>(3 * kPiece);
  std::size_t count_ = 0;
  // Keeps a hostile file from sending all its corners to one slot.
  std::uint64_t secret_ = hash_secret();
};

// What one thread works with; reused from piece to piece.
struct Scratch {
  // The last corner is loaded with what follows it.
  std::vector<char> block = std::vector<char>(kBlock * kTriangleBytes + sizeof(Float4));
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
    faces_ = RawArray<Face>(triangle_count_);
    if (options_.weld) {
      // A closed surface has half as many vertices as triangles; a soup grows beyond that.
      reserve_huge(vertices_, triangle_count_ / 2 + triangle_count_ / 32 + 64);
    } else {
      soup_ = RawArray<Vec3>(3 * triangle_count_);
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
    // Every coordinate was finite in the file; only an absurd unit can have changed that.
    Mesh mesh = options_.weld ? CheckedArrays::make(std::move(vertices_), std::move(faces_))
                              : CheckedArrays::make(std::move(soup_), std::move(faces_));
    if (scale_ > kLargestSafeUnit) {
      return finish_mesh(std::move(info), {mesh.vertices().begin(), mesh.vertices().end()},
                         {mesh.faces().begin(), mesh.faces().end()}, {});
    }
    return finish_checked(std::move(info), std::move(mesh), options_.threads);
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
      Face* face = faces_.data() + first;
      const std::uint16_t* corner = scratch.corners.data();
      const std::uint32_t* numbers = scratch.numbers.data();
      for (std::size_t t = first; t < last; ++t, ++face, corner += 3)
        *face = {numbers[corner[0]], numbers[corner[1]], numbers[corner[2]]};
    }
  }

  // Calls visit(triangle, its three corners) for the triangles [first, last).
  template <class Visit>
  std::optional<Error> for_each_triangle(std::size_t first, std::size_t last,
                                         std::vector<char>& buffer, const Visit& visit) {
    for (std::size_t begin = first; begin < last; begin += kBlock) {
      const std::size_t count = std::min(kBlock, last - begin);
      const std::size_t size = count * kTriangleBytes;
      const Result<std::string_view> bytes =
          source_.read(bytes_for(begin), std::span(buffer).first(size));
      if (!bytes) return bytes.error();
      const char* record = bytes->data();
      if (record != buffer.data()) {
        // Lent memory may end with the last triangle.
        std::memcpy(buffer.data(), record, size);
        record = buffer.data();
      }
      // Where an exponent is all ones, in any triangle: among the twelve floats 0 to 3 (the normal
      // and the first x), and 3 to 11.
      Word4 bad_head{};
      Word4 bad{};
      constexpr Word4 kExponent = {kNotFinite, kNotFinite, kNotFinite, kNotFinite};
      const auto not_finite_at = [&](std::size_t word) {
        return (load<Word4>(record + 4 * word) & kExponent) == kExponent;
      };
      for (std::size_t i = 0; i < count; ++i, record += kTriangleBytes) {
        bad_head |= not_finite_at(0);
        bad |= not_finite_at(3) | not_finite_at(5) | not_finite_at(8);
        visit(begin + i, std::array<Corner, 3>{corner_at(record + kNormalBytes),
                                               corner_at(record + kNormalBytes + 12),
                                               corner_at(record + kNormalBytes + 24)});
      }
      if ((bad_head[3] | bad[0] | bad[1] | bad[2] | bad[3]) != 0) return not_finite(begin, *bytes);
      if ((bad_head[0] | bad_head[1] | bad_head[2]) != 0) bad_normals_ += count_bad_normals(*bytes);
    }
    return std::nullopt;
  }

  static std::size_t count_bad_normals(std::string_view records) {
    std::size_t bad = 0;
    for (std::size_t at = 0; at < records.size(); at += kTriangleBytes) {
      const auto normal = load<std::array<float, 3>>(records.data() + at);
      bad += !std::all_of(normal.begin(), normal.end(), [](float v) { return std::isfinite(v); });
    }
    return bad;
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
    std::uint16_t* numbers = scratch.corners.data();
    return for_each_triangle(first, last, scratch.block,
                             [&](std::size_t, const std::array<Corner, 3>& corners) {
                               for (const Corner& corner : corners)
                                 *numbers++ = scratch.welder.number(corner);
                             });
  }

  [[nodiscard]] Vec3 position(const Corner& corner) const {
    const std::array<float, 3> p = floats_of(corner);
    return {p[0] * scale_, p[1] * scale_, p[2] * scale_};
  }

  // The distinct corners of a piece get their numbers in the whole mesh.
  void look_up(Scratch& scratch) {
    constexpr std::size_t kBatch = 256;
    std::array<Vec3, kBatch> positions;
    const std::span<const Corner> distinct = scratch.welder.distinct();
    scratch.numbers.resize(distinct.size());
    for (std::size_t begin = 0; begin < distinct.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, distinct.size() - begin);
      for (std::size_t i = 0; i < count; ++i) positions[i] = position(distinct[begin + i]);
      table_.add(std::span(positions).first(count),
                 std::span(scratch.numbers).subspan(begin, count), vertices_);
    }
  }

  std::optional<Error> copy(std::size_t first, std::size_t last, Scratch& scratch) {
    return for_each_triangle(first, last, scratch.block,
                             [&](std::size_t t, const std::array<Corner, 3>& corners) {
                               for (std::size_t c = 0; c < 3; ++c)
                                 soup_.data()[3 * t + c] = position(corners[c]);
                               const auto v = static_cast<std::uint32_t>(3 * t);
                               faces_.data()[t] = {v, v + 1, v + 2};
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
  // Each piece writes its own triangles, and its own vertices when they are not welded.
  RawArray<Face> faces_;
  RawArray<Vec3> soup_;
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
