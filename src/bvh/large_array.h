// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of many plain structs, not initialised, and in large pages where that is asked for and the
// system has them. Large pages are for what lives long and is walked at random, such as chains of a
// million joints. Building a tree asks for small ones: a machine that is itself a guest gives free
// memory back to its host by whole large pages, and getting one again then takes forty times as
// long as writing to it (docs/decisions/0005-the-tree.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace clearance::detail {

/// Size of a large page on x86-64 and most others [bytes].
inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

/// Asks for large pages for memory nobody has written to yet. It is advice, and may go unheard.
inline void advise_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  // Only whole large pages: the rest would take memory that nobody uses.
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::size_t before = (kLargePage - address % kLargePage) % kLargePage;
  if (bytes >= before + kLargePage) {
    ::madvise(static_cast<char*>(memory) + before, (bytes - before) / kLargePage * kLargePage,
              MADV_HUGEPAGE);
  }
#endif
}

enum class Pages : std::uint8_t { Small, Large };

template <class T>
class LargeArray {
  static_assert(std::is_trivially_default_constructible_v<T> &&
                std::is_trivially_destructible_v<T>);

 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t count, Pages pages = Pages::Small)
      : size_(count), data_(allocate(count, pages)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  static constexpr std::align_val_t kAlignment{std::max(alignof(T), std::size_t{64})};
  struct Free {
    void operator()(T* p) const { ::operator delete(static_cast<void*>(p), kAlignment); }
  };

  static T* allocate(std::size_t count, Pages pages) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, kAlignment);
    if (pages == Pages::Large) advise_large_pages(memory, bytes);
    return static_cast<T*>(memory);
  }

  std::size_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace clearance::detail
