// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Wavefront OBJ: vertices, faces and the names of objects and groups; everything about looks is
// passed over. The file is cut at line ends into pieces, which threads parse on their own and which
// are put together in order. Only then is known how many vertices came before a piece, so indices
// relative to the current vertex (negative ones) are settled last.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "mesh/mesh_builder.h"
#include "mesh/piece_turns.h"
#include "mesh/readers.h"
#include "mesh/text_scanner.h"

namespace clearance::detail {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Where the last whole line of the text ends; 0 when there is none. A line that ends with a
// backslash goes on.
std::size_t end_of_last_line(std::string_view text) {
  for (std::size_t i = text.size(); i-- > 0;) {
    // A CR at the very end may be half of a CR LF.
    if (!is_line_end(text[i]) || (text[i] == '\r' && i + 1 == text.size())) continue;
    if (text[i] == '\r' && text[i + 1] == '\n') continue;
    const std::size_t before = text[i] == '\n' && i > 0 && text[i - 1] == '\r' ? i - 1 : i;
    if (before > 0 && text[before - 1] == '\\') continue;
    return i + 1;
  }
  return 0;
}

struct Failure {
  std::uint64_t offset = 0;
  std::string reason;
};

// A value and the byte of the line it stands in.
struct Extreme {
  std::int64_t value = 0;
  std::uint64_t offset = 0;
};

// What one piece of the file holds.
struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::vector<Vec3> vertices;
  // Indices from 0. Those listed in `relative` (3 * face + corner) count from the first vertex of
  // the piece, and may be negative as 32-bit integers.
  std::vector<Face> faces;
  std::vector<std::size_t> relative;
  Extreme largest_index{-1, 0};
  Extreme lowest_relative{0, 0};
  struct Name {
    std::size_t first_face = 0;
    std::string name;
  };
  std::vector<Name> names;
  std::size_t lines_and_points = 0;
  std::size_t other_statements = 0;
  std::optional<Failure> failure;

  void clear(std::uint64_t at) {
    offset = at;
    vertices.clear();
    faces.clear();
    relative.clear();
    largest_index = {-1, 0};
    lowest_relative = {0, 0};
    names.clear();
    lines_and_points = 0;
    other_statements = 0;
    failure.reset();
  }
};

class PieceParser {
 public:
  PieceParser(std::string_view text, Piece& piece)
      : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), piece_(piece) {}

  // Parses all lines, up to the first that is wrong.
  void parse() {
    while (at_ != end_ && !piece_.failure) {
      line_ = at_;
      skip_blanks();
      statement();
      skip_line();
    }
  }

 private:
  struct Corner {
    std::uint32_t index = 0;
    bool relative = false;
  };

  void fail(const char* place, std::string reason) {
    piece_.failure = {offset_of(place), std::move(reason)};
  }
  [[nodiscard]] std::uint64_t offset_of(const char* place) const {
    return piece_.offset + static_cast<std::uint64_t>(place - begin_);
  }

  // Skips blanks, and line ends after a backslash.
  void skip_blanks() {
    while (at_ != end_) {
      if (is_blank(*at_)) {
        ++at_;
      } else if (*at_ == '\\' && end_ - at_ >= 2 && is_line_end(at_[1])) {
        at_ += end_ - at_ >= 3 && at_[1] == '\r' && at_[2] == '\n' ? 3 : 2;
      } else {
        return;
      }
    }
  }
  void skip_line() {
    while (at_ != end_ && !is_line_end(*at_)) ++at_;
    if (at_ == end_) return;
    const char first = *at_++;
    if (first == '\r' && at_ != end_ && *at_ == '\n') ++at_;
  }
  [[nodiscard]] bool at_line_end() const { return at_ == end_ || is_line_end(*at_); }
  [[nodiscard]] std::string_view word_here() const {
    const char* const after =
        std::find_if(at_, end_, [](char c) { return is_blank(c) || is_line_end(c); });
    return {at_, static_cast<std::size_t>(after - at_)};
  }

  void statement() {
    if (at_line_end() || *at_ == '#') return;
    // The two that matter for speed first: they are a letter and a blank.
    if (end_ - at_ >= 2 && is_blank(at_[1])) {
      switch (*at_) {
        case 'v':
          at_ += 2;
          return vertex();
        case 'f':
          at_ += 2;
          return face();
        case 'o':
        case 'g':
          at_ += 2;
          return name();
        case 'l':
        case 'p':
          ++piece_.lines_and_points;
          return;
        default:
          break;
      }
    }
    const std::string_view keyword = word_here();
    if (keyword == "f") return fail(line_, "a face has at least three vertices, this one has none");
    if (keyword == "v") return fail(line_, "a vertex has three numbers");
    if (keyword == "g" || keyword == "o") {
      at_ += keyword.size();
      return name();
    }
    if (keyword == "vn" || keyword == "vt" || keyword == "s" || keyword == "usemtl" ||
        keyword == "mtllib") {
      return;
    }
    // Some exporters begin with a line of counts: what is text at all is passed over.
    if (static_cast<unsigned char>(*at_) < ' ')
      return fail(line_, "begins with no OBJ statement: " + quoted(keyword));
    ++piece_.other_statements;
  }

  void vertex() {
    Vec3 position;
    for (double* value : {&position.x, &position.y, &position.z}) {
      skip_blanks();
      if (at_line_end()) return fail(line_, "a vertex has three numbers");
      const char* const after = parse_number(at_, end_, *value);
      if (after == nullptr || !(after == end_ || is_blank(*after) || is_line_end(*after)))
        return fail(at_, quoted(word_here()) + " is not a number");
      if (!std::isfinite(*value)) return fail(at_, "a coordinate is not finite");
      at_ = after;
    }
    piece_.vertices.push_back(position);
  }

  // One corner: v, v/vt, v//vn or v/vt/vn, of which only v is used. False after a failure.
  bool corner(Corner& corner) {
    const char* const begin = at_;
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    std::int64_t number = 0;
    const char* const digits = at_;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      // Larger is out of range already; it need not grow until it wraps around.
      if (number <= std::numeric_limits<std::int32_t>::max()) number = 10 * number + (*at_ - '0');
    }
    if (at_ == digits) return fail(begin, quoted(word_here()) + " is not a vertex index"), false;
    // The other indices: their form is checked, their values are not used.
    const char* after = at_;
    for (int slashes = 0; after != end_ && !is_blank(*after) && !is_line_end(*after); ++after) {
      if (*after == '\\') break;
      const bool good =
          *after == '/' ? ++slashes <= 2 : (slashes > 0 && (is_digit(*after) || *after == '-'));
      if (!good) {
        at_ = begin;
        return fail(begin, quoted(word_here()) + " is not a vertex index"), false;
      }
    }
    at_ = after;
    if (number == 0) return fail(begin, "vertex index 0: indices begin with 1"), false;
    if (number > std::numeric_limits<std::int32_t>::max())
      return fail(begin, "vertex index " + std::to_string(number) + " is out of range"), false;
    if (!negative) {
      corner = {static_cast<std::uint32_t>(number - 1), false};
      if (number - 1 > piece_.largest_index.value)
        piece_.largest_index = {number - 1, offset_of(begin)};
      return true;
    }
    const std::int64_t relative = static_cast<std::int64_t>(piece_.vertices.size()) - number;
    corner = {static_cast<std::uint32_t>(relative), true};
    if (relative < piece_.lowest_relative.value)
      piece_.lowest_relative = {relative, offset_of(begin)};
    return true;
  }

  void face() {
    Corner first;
    Corner previous;
    std::size_t count = 0;
    for (skip_blanks(); !at_line_end() && *at_ != '#'; skip_blanks(), ++count) {
      Corner current;
      if (!corner(current)) return;
      if (count == 0) first = current;
      if (count >= 2) triangle(first, previous, current);
      previous = current;
    }
    if (count < 3) {
      fail(line_, "a face has at least three vertices, this one has " +
                      (count == 0 ? "none" : std::to_string(count)));
    }
  }

  void triangle(const Corner& a, const Corner& b, const Corner& c) {
    if (a.relative || b.relative || c.relative) {
      const std::size_t base = 3 * piece_.faces.size();
      if (a.relative) piece_.relative.push_back(base);
      if (b.relative) piece_.relative.push_back(base + 1);
      if (c.relative) piece_.relative.push_back(base + 2);
    }
    piece_.faces.push_back({a.index, b.index, c.index});
  }

  void name() {
    skip_blanks();
    const char* const begin = at_;
    while (!at_line_end()) ++at_;
    const char* after = at_;
    while (after != begin && is_blank(after[-1])) --after;
    piece_.names.push_back({piece_.faces.size(), std::string(begin, after)});
  }

  const char* const begin_;
  const char* at_;
  const char* const end_;
  const char* line_ = nullptr;
  Piece& piece_;
};

class ObjReader {
 public:
  ObjReader(const ByteSource& source, const ReadOptions& options)
      : source_(source), options_(options) {}

  Result<LoadedMesh> read() {
    if (const Status status = check_encoding(); !status) return status.error();
    const std::uint64_t most_pieces = source_.size() / kPieceBytes + 1;
    const auto workers = std::min<std::uint64_t>(
        static_cast<std::uint64_t>(options_.threads.resolved()), most_pieces);
    parallel_for(options_.threads, static_cast<std::size_t>(workers),
                 [this](std::size_t) { work(); });
    if (failure_) return *failure_;
    if (faces_.empty()) {
      return Error{ErrorCode::Malformed, source_.name(), "",
                   vertices_.empty() ? "the file holds no triangles"
                                     : "the file holds points but no triangles",
                   ""};
    }
    if (largest_index_.value >= static_cast<std::int64_t>(vertices_.size())) {
      return malformed_line(source_, largest_index_.offset,
                            "uses vertex " + std::to_string(largest_index_.value + 1) +
                                ", but there are only " + std::to_string(vertices_.size()));
    }
    FileInfo info = plain_info(source_, "OBJ", options_);
    if (lines_and_points_ > 0) {
      info.warnings.push_back(std::to_string(lines_and_points_) +
                              " lines and points were ignored; only faces are read.");
    }
    if (other_statements_ > 0) {
      info.warnings.push_back(
          std::to_string(other_statements_) +
          " statements of other kinds (curves, surfaces or unknown) were ignored.");
    }
    std::vector<MeshPart> parts = std::move(parts_).finish(faces_.size(), stem_of(source_.name()));
    return finish_indexed(std::move(info), options_.weld, std::move(vertices_), std::move(faces_),
                          std::move(parts));
  }

 private:
  Status check_encoding() {
    std::array<char, 3> buffer{};
    const Result<std::string_view> beginning = source_.read(0, buffer);
    if (!beginning) return beginning.error();
    if (beginning->starts_with("\xfe\xff") || beginning->starts_with("\xff\xfe")) {
      return Error{ErrorCode::Unsupported, source_.name(), "byte 0", "is UTF-16 text",
                   "convert the file to UTF-8"};
    }
    if (*beginning == "\xef\xbb\xbf") next_offset_ = 3;
    return {};
  }

  // Parses pieces until there are no more.
  void work() {
    std::vector<char> buffer;
    Piece piece;
    while (true) {
      std::size_t number = 0;
      Result<std::string_view> text = take(buffer, number, piece);
      if (text.ok() && text->empty()) return;
      if (text.ok()) {
        piece.bytes = text->size();
        PieceParser(*text, piece).parse();
      }
      turns_.wait_for(number);
      if (!text.ok() && !failure_) failure_ = text.error();
      if (text.ok() && !failure_) append(piece);
      const bool stop = failure_.has_value();
      turns_.end(number);
      if (stop) {
        const std::lock_guard lock(take_mutex_);
        next_offset_ = source_.size();
      }
      if (!text.ok()) return;
    }
  }

  // The next piece of the file, cut at a line end; empty at the end of the file.
  Result<std::string_view> take(std::vector<char>& buffer, std::size_t& number, Piece& piece) {
    const std::lock_guard lock(take_mutex_);
    piece.clear(next_offset_);
    if (next_offset_ >= source_.size()) return std::string_view();
    number = next_piece_++;
    // A line longer than the buffer makes the buffer longer.
    for (std::size_t size = kPieceBytes;; size *= 2) {
      if (buffer.size() < size) buffer.resize(size);
      const Result<std::string_view> text =
          source_.read(next_offset_, std::span(buffer).first(size));
      if (!text) {
        next_offset_ = source_.size();
        return text.error();
      }
      const bool rest = next_offset_ + text->size() >= source_.size();
      const std::size_t end = rest ? text->size() : end_of_last_line(*text);
      if (end == 0) continue;
      next_offset_ += end;
      return text->substr(0, end);
    }
  }

  // Appends, with room for as many again from each piece that is left: memory that is never touched
  // costs nothing, while an array that grows by copying itself is there twice.
  template <class T>
  static void append_all(std::vector<T>& all, const std::vector<T>& some, double pieces_left) {
    const std::size_t needed = all.size() + some.size();
    if (needed > all.capacity()) {
      // More than this at once might be refused by the system; then it grows in steps.
      constexpr double kMostAhead = 1e9 / sizeof(T);
      const double expected =
          std::min(1.05 * static_cast<double>(some.size()) * pieces_left, kMostAhead);
      all.reserve(std::max(needed + static_cast<std::size_t>(expected), 3 * all.capacity() / 2));
    }
    all.insert(all.end(), some.begin(), some.end());
  }

  // Adds a piece to the whole, when its turn has come.
  void append(Piece& piece) {
    if (piece.failure) {
      failure_ = malformed_line(source_, piece.failure->offset, piece.failure->reason);
      return;
    }
    if (is_cancelled(options_.monitor)) {
      failure_ = Error{ErrorCode::Cancelled, source_.name(), "", "cancelled", ""};
      return;
    }
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::size_t first_vertex = vertices_.size();
    if (first_vertex + piece.vertices.size() > kMost ||
        faces_.size() + piece.faces.size() > kMost) {
      failure_ = Error{ErrorCode::Unsupported, source_.name(), "",
                       "more than 2147483647 vertices or triangles", ""};
      return;
    }
    if (piece.lowest_relative.value + static_cast<std::int64_t>(first_vertex) < 0) {
      failure_ = malformed_line(source_, piece.lowest_relative.offset,
                                "a negative index reaches before the first vertex");
      return;
    }
    for (const std::size_t corner : piece.relative)
      piece.faces[corner / 3][corner % 3] += static_cast<std::uint32_t>(first_vertex);
    if (piece.largest_index.value > largest_index_.value) largest_index_ = piece.largest_index;
    for (Piece::Name& name : piece.names)
      parts_.begin(std::move(name.name), faces_.size() + name.first_face);
    const std::uint64_t rest =
        source_.size() - std::min(source_.size(), piece.offset + piece.bytes);
    const double pieces_left = static_cast<double>(rest) / static_cast<double>(piece.bytes);
    append_all(vertices_, piece.vertices, pieces_left);
    append_all(faces_, piece.faces, pieces_left);
    lines_and_points_ += piece.lines_and_points;
    other_statements_ += piece.other_statements;
    report_progress(options_.monitor, "reading",
                    static_cast<double>(piece.offset) / static_cast<double>(source_.size()));
  }

  const ByteSource& source_;
  const ReadOptions& options_;
  std::mutex take_mutex_;
  std::uint64_t next_offset_ = 0;
  std::size_t next_piece_ = 0;
  PieceTurns turns_;
  // Touched only by the piece whose turn it is.
  std::optional<Error> failure_;
  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;
  PartList parts_;
  Extreme largest_index_{-1, 0};
  std::size_t lines_and_points_ = 0;
  std::size_t other_statements_ = 0;
};

}  // namespace

Result<LoadedMesh> read_obj(const ByteSource& source, const ReadOptions& options) {
  return ObjReader(source, options).read();
}

}  // namespace clearance::detail
