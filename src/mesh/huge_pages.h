// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Large arrays that are filled once are mostly page faults: with 4 KiB pages, the faults of a
// million triangles cost as much as reading them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace clearance::detail {

/// Asks the system to back this memory, not touched yet, with huge pages. A hint: it may do
/// nothing.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  // Only the part that consists of whole huge pages, so that nothing beyond it is taken.
  constexpr std::uintptr_t kHugePage = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + kHugePage - 1) & ~(kHugePage - 1);
  const std::uintptr_t end = (address + bytes) & ~(kHugePage - 1);
  if (begin < end) {
    ::madvise(static_cast<char*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE);
  }
#endif
}

/// reserve() for an empty vector that is about to be filled, on huge pages where that helps.
template <class T>
void reserve_huge(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  prefer_huge_pages(values.data(), values.capacity() * sizeof(T));
}

}  // namespace clearance::detail
