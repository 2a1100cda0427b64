// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The short way to a Mesh for a reader that has checked every number on its way: the arrays are
// taken as they are, in memory that was never filled with zeros first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <clearance/mesh/mesh.h>

#include "mesh/huge_pages.h"

namespace clearance::detail {

/// An array whose elements have no value until they are written. T is a plain struct.
template <class T>
class RawArray {
 public:
  RawArray() = default;
  explicit RawArray(std::size_t count) : size_(count) {
    if (count == 0) return;
    memory_.reset(std::malloc(count * sizeof(T)));
    if (memory_ == nullptr) throw std::bad_alloc();
    prefer_huge_pages(memory_.get(), count * sizeof(T));
  }
  T* data() { return static_cast<T*>(memory_.get()); }
  [[nodiscard]] std::span<const T> span() const {
    return {static_cast<const T*>(memory_.get()), size_};
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t size_ = 0;
};

/// What Mesh::make() would check is the caller's promise here: finite coordinates, indices in
/// range, at least one triangle, fewer than 2³² of each.
class CheckedArrays {
 public:
  /// `Vertices` and `Faces` are moved into the mesh: std::vector or RawArray.
  static Mesh make(std::vector<Vec3> vertices, RawArray<Face> faces) {
    return adopt(std::move(vertices), std::move(faces),
                 [](const auto& v) { return std::span<const Vec3>(v); });
  }
  static Mesh make(RawArray<Vec3> vertices, RawArray<Face> faces) {
    return adopt(std::move(vertices), std::move(faces), [](const auto& v) { return v.span(); });
  }

 private:
  template <class Vertices, class ToSpan>
  static Mesh adopt(Vertices vertices, RawArray<Face> faces, const ToSpan& to_span) {
    struct Arrays {
      Vertices vertices;
      RawArray<Face> faces;
    };
    const auto arrays =
        std::make_shared<const Arrays>(Arrays{std::move(vertices), std::move(faces)});
    return Mesh(std::make_shared<const Mesh::Data>(
        Mesh::Data{to_span(arrays->vertices), arrays->faces.span(), {}, arrays}));
  }
};

}  // namespace clearance::detail
