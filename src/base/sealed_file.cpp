// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/sealed_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <clearance/base/assert.h>
#include <clearance/base/file.h>

namespace clearance::detail {
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

/// The header with its own checksum as zero.
void add_header(std::span<const std::byte> header, Checksum& checksum) {
  std::array<std::byte, kSectionAlignment> first;
  std::memcpy(first.data(), header.data(), first.size());
  std::memset(first.data() + offsetof(FileSeal, checksum), 0, sizeof(FileSeal::checksum));
  checksum.add(first);
  checksum.add(header.subspan(first.size()));
}

std::uint64_t checksum_of(std::span<const std::byte> file, const FileKind& kind) {
  Checksum checksum;
  add_header(file.first(kind.header_bytes), checksum);
  checksum.add(file.subspan(kind.header_bytes));
  return checksum.value();
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

Status check_seal(std::span<const std::byte> file, const FileKind& kind, const std::string& path) {
  const auto refuse = [&](ErrorCode code, std::size_t byte, std::string reason) {
    return Error{code, path, "byte " + std::to_string(byte), std::move(reason), kind.advice};
  };
  FileSeal seal;
  const std::size_t there = std::min(file.size(), sizeof seal);
  if (there > 0) std::memcpy(&seal, file.data(), there);
  if (there < sizeof seal.magic || seal.magic != kind.magic) {
    return Error{ErrorCode::Malformed,
                 path,
                 "byte 0",
                 std::string("is not a ") + kind.name + " of Clearance",
                 {}};
  }
  if (file.size() < kind.header_bytes)
    return refuse(ErrorCode::Malformed, file.size(), "ends within the header");
  if (seal.byte_order == __builtin_bswap32(kByteOrderMark)) {
    return refuse(ErrorCode::Unsupported, offsetof(FileSeal, byte_order),
                  "was written on a machine of the other byte order");
  }
  if (seal.byte_order != kByteOrderMark) {
    return refuse(ErrorCode::Malformed, offsetof(FileSeal, byte_order),
                  "the byte order mark is damaged");
  }
  if (seal.version != kind.version) {
    return refuse(ErrorCode::Unsupported, offsetof(FileSeal, version),
                  std::string("is a ") + kind.name + " of version " + std::to_string(seal.version) +
                      "; this program reads version " + std::to_string(kind.version));
  }
  if (seal.file_bytes != file.size()) {
    return refuse(ErrorCode::Malformed, offsetof(FileSeal, file_bytes),
                  "promises " + std::to_string(seal.file_bytes) + " bytes, but the file has " +
                      std::to_string(file.size()));
  }
  if (file.size() % kSectionAlignment != 0 || checksum_of(file, kind) != seal.checksum) {
    return refuse(ErrorCode::Malformed, offsetof(FileSeal, checksum),
                  "the checksum does not match: the file is damaged");
  }
  return {};
}

void seal_bytes(std::span<std::byte> file, const FileKind& kind) {
  if (file.size() < kind.header_bytes) return;
  FileSeal seal{.magic = kind.magic, .version = kind.version, .file_bytes = file.size()};
  std::memcpy(file.data(), &seal, sizeof seal);
  seal.checksum = checksum_of(file, kind);
  std::memcpy(file.data(), &seal, sizeof seal);
}

Status write_sealed(const std::string& path, const FileKind& kind, std::span<std::byte> header,
                    std::span<const std::span<const std::byte>> sections) {
  CLEARANCE_ASSERT(header.size() == kind.header_bytes);
  FileSeal seal{.magic = kind.magic, .version = kind.version, .file_bytes = header.size()};
  for (const auto& section : sections) seal.file_bytes += aligned(section.size());
  std::memcpy(header.data(), &seal, sizeof seal);
  Checksum checksum;
  add_header(header, checksum);
  for (const auto& section : sections) checksum.add(section);
  seal.checksum = checksum.value();
  std::memcpy(header.data(), &seal, sizeof seal);

  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(header.data(), header.size());
  constexpr std::array<std::byte, kSectionAlignment> kZeros{};
  for (const auto& section : sections) {
    file->write(section.data(), section.size());
    file->write(kZeros.data(), aligned(section.size()) - section.size());
  }
  return file->commit();
}

}  // namespace clearance::detail
