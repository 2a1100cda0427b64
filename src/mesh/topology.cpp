// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/topology.h"

#include <algorithm>
#include <numeric>

#include "mesh/weld.h"

namespace clearance::detail {
namespace {

// Vertices per piece of a parallel loop; fixed, so that results do not depend on the
// number of threads.
constexpr std::size_t kBlock = 16384;

std::size_t blocks_for(std::size_t count) { return (count + kBlock - 1) / kBlock; }

/// Lists of items filed under a vertex: counted, then filled, in one flat array.
template <class Item>
struct Filed {
  std::vector<std::size_t> start;  ///< items of v: [start[v], start[v + 1])
  std::vector<Item> items;

  [[nodiscard]] std::span<Item> of(std::size_t v) {
    return {items.data() + start[v], items.data() + start[v + 1]};
  }
};

/// Files the items under vertices; each_item(f) must call f(vertex, item) for the same pairs in the
/// same order twice.
template <class Item, class EachItem>
Filed<Item> file_under_vertices(std::size_t vertex_count, const EachItem& each_item) {
  Filed<Item> filed;
  filed.start.assign(vertex_count + 2, 0);
  each_item([&](std::uint32_t v, const Item&) { ++filed.start[v + 2]; });
  std::partial_sum(filed.start.begin(), filed.start.end(), filed.start.begin());
  filed.items.resize(filed.start.back());
  // start[v + 1] is where the next item of v goes; after the fill it is where v ends.
  each_item([&](std::uint32_t v, const Item& item) { filed.items[filed.start[v + 1]++] = item; });
  filed.start.pop_back();
  return filed;
}

/// An edge seen from its lower end: the other end, and whether the triangle runs towards it.
struct HalfEdge {
  std::uint32_t to = 0;
  bool forward = false;
};

/// A triangle seen from its lowest corner: the other two in order, and whether they were so.
struct Corners {
  std::uint32_t middle = 0;
  std::uint32_t high = 0;
  bool even = false;
  bool operator<(const Corners& o) const {
    return middle != o.middle ? middle < o.middle : high < o.high;
  }
};

void count_edges(Topology& topology, std::span<const Vec3> vertices, std::span<const Face> faces,
                 Threads threads) {
  Filed<HalfEdge> edges = file_under_vertices<HalfEdge>(vertices.size(), [&](const auto& put) {
    for (const Face& face : faces) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t from = face[k];
        const std::uint32_t to = face[(k + 1) % 3];
        from < to ? put(from, HalfEdge{to, true}) : put(to, HalfEdge{from, false});
      }
    }
  });
  std::vector<Topology> blocks(blocks_for(vertices.size()));
  parallel_for(threads, blocks.size(), [&](std::size_t b) {
    Topology& block = blocks[b];
    const std::size_t end = std::min(vertices.size(), (b + 1) * kBlock);
    for (std::size_t v = b * kBlock; v < end; ++v) {
      const std::span<HalfEdge> list = edges.of(v);
      std::sort(list.begin(), list.end(),
                [](const HalfEdge& p, const HalfEdge& q) { return p.to < q.to; });
      for (std::size_t i = 0; i < list.size();) {
        const std::uint32_t to = list[i].to;
        std::size_t uses = 0;
        std::size_t forward = 0;
        for (; i < list.size() && list[i].to == to; ++i, ++uses) forward += list[i].forward ? 1 : 0;
        const std::size_t backward = uses - forward;
        const std::size_t imbalance = std::max(forward, backward) - std::min(forward, backward);
        block.open_edges += uses == 1 ? 1 : 0;
        block.non_manifold_edges += uses > 2 ? 1 : 0;
        block.odd_edges += uses % 2;
        // An odd number of uses cannot balance better than to one.
        block.inconsistent_edges += imbalance > uses % 2 ? 1 : 0;
        block.edge_lengths.push_back(distance(vertices[v], vertices[to]));
      }
    }
  });
  for (const Topology& block : blocks) {
    topology.open_edges += block.open_edges;
    topology.non_manifold_edges += block.non_manifold_edges;
    topology.odd_edges += block.odd_edges;
    topology.inconsistent_edges += block.inconsistent_edges;
    topology.edge_lengths.insert(topology.edge_lengths.end(), block.edge_lengths.begin(),
                                 block.edge_lengths.end());
  }
}

void count_duplicates(Topology& topology, std::size_t vertex_count, std::span<const Face> faces,
                      Threads threads) {
  Filed<Corners> triangles = file_under_vertices<Corners>(vertex_count, [&](const auto& put) {
    for (const Face& face : faces) {
      // Turned so that the lowest comes first; then the winding shows in the order of the others.
      const auto first =
          static_cast<std::size_t>(std::min_element(face.begin(), face.end()) - face.begin());
      const std::uint32_t second = face[(first + 1) % 3];
      const std::uint32_t third = face[(first + 2) % 3];
      put(face[first], Corners{std::min(second, third), std::max(second, third), second < third});
    }
  });
  std::vector<Topology> blocks(blocks_for(vertex_count));
  parallel_for(threads, blocks.size(), [&](std::size_t b) {
    for (std::size_t v = b * kBlock; v < std::min(vertex_count, (b + 1) * kBlock); ++v) {
      const std::span<Corners> list = triangles.of(v);
      std::sort(list.begin(), list.end());
      for (std::size_t i = 0; i < list.size();) {
        const Corners& group = list[i];
        std::size_t even = 0;
        std::size_t odd = 0;
        for (; i < list.size() && !(group < list[i]); ++i) ++(list[i].even ? even : odd);
        blocks[b].duplicate_triangles += (even > 1 ? even - 1 : 0) + (odd > 1 ? odd - 1 : 0);
        blocks[b].opposite_triangles += std::min(even, odd);
      }
    }
  });
  for (const Topology& block : blocks) {
    topology.duplicate_triangles += block.duplicate_triangles;
    topology.opposite_triangles += block.opposite_triangles;
  }
}

/// Union-find with path halving; the lower number becomes the root.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t root(std::uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

void count_components(Topology& topology, std::size_t vertex_count, std::span<const Face> faces) {
  Groups groups(vertex_count);
  std::vector<std::uint8_t> used(vertex_count, 0);
  for (const Face& face : faces) {
    groups.join(face[0], face[1]);
    groups.join(face[1], face[2]);
    for (const std::uint32_t v : face) used[v] = 1;
  }
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (used[v] == 0) continue;
    ++topology.topological_vertices;
    if (groups.root(v) == v) ++topology.components;
  }
}

}  // namespace

Topology analyse_topology(const Mesh& mesh, Threads threads) {
  Topology topology;
  std::vector<std::uint8_t> used(mesh.vertex_count(), 0);
  for (const Face& face : mesh.faces()) {
    for (const std::uint32_t v : face) used[v] = 1;
  }
  topology.unused_vertices = static_cast<std::size_t>(std::count(used.begin(), used.end(), 0));

  std::vector<Vec3> vertices(mesh.vertices().begin(), mesh.vertices().end());
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  weld(vertices, faces);
  topology.distinct_positions = vertices.size();
  std::erase_if(faces, [](const Face& face) {
    return face[0] == face[1] || face[1] == face[2] || face[2] == face[0];
  });
  topology.collapsed_triangles = mesh.triangle_count() - faces.size();

  count_components(topology, vertices.size(), faces);
  count_edges(topology, vertices, faces, threads);
  count_duplicates(topology, vertices.size(), faces, threads);
  return topology;
}

}  // namespace clearance::detail
