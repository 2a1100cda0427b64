// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binary files of our own: a header that begins with a FileSeal, then arrays as they lie in memory,
// each from a multiple of kSectionAlignment on, zeros between. The seal says what the file is and
// that it is whole; what the arrays hold, each kind of file checks for itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <clearance/base/result.h>

namespace clearance::detail {

inline constexpr std::uint32_t kByteOrderMark = 0x01020304U;
inline constexpr std::size_t kSectionAlignment = 64;

/// Up to a multiple of kSectionAlignment.
constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

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

/// A kind of file.
struct FileKind {
  std::array<char, 8> magic;
  std::uint32_t version;     // of the header and of all that follows it
  std::size_t header_bytes;  // the seal included; a multiple of kSectionAlignment
  const char* name;          // "tree file"
  const char* advice;        // how to get a good one
};

/// First in every header.
struct FileSeal {
  std::array<char, 8> magic{};
  std::uint64_t checksum = 0;  // of the whole file, this field taken as zero
  std::uint32_t byte_order = kByteOrderMark;
  std::uint32_t version = 0;
  std::uint64_t file_bytes = 0;
};
static_assert(sizeof(FileSeal) == 32);

/// Is the file of this kind and version, of this machine's byte order, and whole? The error says
/// what is wrong and at which byte.
[[nodiscard]] Status check_seal(std::span<const std::byte> file, const FileKind& kind,
                                const std::string& path);

/// Makes the seal true of these bytes, so that a test can reach what is checked after it. Nothing
/// when there is no room for a header.
void seal_bytes(std::span<std::byte> file, const FileKind& kind);

/// Writes a file of this kind, whole or not at all. The seal within `header` is filled in.
[[nodiscard]] Status write_sealed(const std::string& path, const FileKind& kind,
                                  std::span<std::byte> header,
                                  std::span<const std::span<const std::byte>> sections);

}  // namespace clearance::detail
