// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/topology.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace clearance::detail {
namespace {

// Vertices or triangles per piece of a parallel loop; fixed, so that results do not depend on the
// number of threads.
constexpr std::size_t kBlock = 16384;

std::size_t blocks_for(std::size_t count) { return (count + kBlock - 1) / kBlock; }

std::uint64_t position_hash(const Vec3& p) {
  // Adding 0 turns -0 into 0, so that equal positions have equal bits.
  std::uint64_t h = std::bit_cast<std::uint64_t>(p.x + 0.0) * 0x9e3779b97f4a7c15u;
  h = (std::rotl(h, 29) ^ std::bit_cast<std::uint64_t>(p.y + 0.0)) * 0xbf58476d1ce4e5b9u;
  h = (std::rotl(h, 31) ^ std::bit_cast<std::uint64_t>(p.z + 0.0)) * 0x94d049bb133111ebu;
  return h ^ (h >> 32);
}

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

/// Calls f(triangle corners) for those with three different ones.
template <class Function>
void for_each_proper(std::span<const Face> faces, const Function& f) {
  for (const Face& face : faces) {
    if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) f(face);
  }
}

void count_edges(Topology& topology, std::span<const Vec3> vertices, std::span<const Face> faces,
                 Threads threads) {
  Filed<HalfEdge> edges = file_under_vertices<HalfEdge>(vertices.size(), [&](const auto& put) {
    for_each_proper(faces, [&](const Face& face) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t from = face[k];
        const std::uint32_t to = face[(k + 1) % 3];
        from < to ? put(from, HalfEdge{to, true}) : put(to, HalfEdge{from, false});
      }
    });
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
    for_each_proper(faces, [&](const Face& face) {
      // Turned so that the lowest comes first; then the winding shows in the order of the others.
      const auto first =
          static_cast<std::size_t>(std::min_element(face.begin(), face.end()) - face.begin());
      const std::uint32_t second = face[(first + 1) % 3];
      const std::uint32_t third = face[(first + 2) % 3];
      put(face[first], Corners{std::min(second, third), std::max(second, third), second < third});
    });
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
  for_each_proper(faces, [&](const Face& face) {
    groups.join(face[0], face[1]);
    groups.join(face[1], face[2]);
    for (const std::uint32_t v : face) used[v] = 1;
  });
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (used[v] == 0) continue;
    ++topology.topological_vertices;
    if (groups.root(v) == v) ++topology.components;
  }
}

}  // namespace

std::vector<std::uint32_t> same_position(std::span<const Vec3> vertices, Threads threads) {
  // Vertices are dealt into shards by their hash, in order, so that each shard's table fits into
  // the cache and shards are independent.
  constexpr std::size_t kShardBits = 6;
  constexpr std::size_t kShards = std::size_t{1} << kShardBits;
  const std::size_t count = vertices.size();
  std::vector<std::uint64_t> hashes(count);
  parallel_for(threads, blocks_for(count), [&](std::size_t b) {
    for (std::size_t i = b * kBlock; i < std::min(count, (b + 1) * kBlock); ++i) {
      hashes[i] = position_hash(vertices[i]);
    }
  });
  const auto shard_of = [&](std::size_t i) { return hashes[i] >> (64 - kShardBits); };
  std::vector<std::size_t> start(kShards + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++start[shard_of(i) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::uint32_t> dealt(count);
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    dealt[next[shard_of(i)]++] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::uint32_t> first(count);
  parallel_for(threads, kShards, [&](std::size_t shard) {
    constexpr std::uint32_t kEmpty = 0xffffffffu;
    const std::size_t size = start[shard + 1] - start[shard];
    const std::size_t mask = std::bit_ceil(2 * size + 1) - 1;
    std::vector<std::uint32_t> table(mask + 1, kEmpty);
    for (std::size_t k = start[shard]; k < start[shard + 1]; ++k) {
      const std::uint32_t v = dealt[k];
      std::size_t slot = hashes[v] & mask;
      while (table[slot] != kEmpty && !(vertices[table[slot]] == vertices[v])) {
        slot = (slot + 1) & mask;
      }
      if (table[slot] == kEmpty) table[slot] = v;
      first[v] = table[slot];
    }
  });
  return first;
}

Topology analyse_topology(const Mesh& mesh, Threads threads) {
  Topology topology;
  const std::span<const Vec3> vertices = mesh.vertices();
  const std::vector<std::uint32_t> first = same_position(vertices, threads);

  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  std::vector<std::uint8_t> is_used(vertices.size(), 0);
  std::vector<std::uint8_t> is_position(vertices.size(), 0);
  for (Face& face : faces) {
    for (std::uint32_t& v : face) {
      is_used[v] = 1;
      v = first[v];
      is_position[v] = 1;
    }
    if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0]) {
      ++topology.collapsed_triangles;
    }
  }
  const auto ones = [](const std::vector<std::uint8_t>& flags) {
    return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), 1));
  };
  topology.unused_vertices = vertices.size() - ones(is_used);
  topology.distinct_positions = ones(is_position);

  count_components(topology, vertices.size(), faces);
  count_edges(topology, vertices, faces, threads);
  count_duplicates(topology, vertices.size(), faces, threads);
  return topology;
}

}  // namespace clearance::detail
