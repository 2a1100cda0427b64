// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "contour/probe_map.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <clearance/contour/segment_distance.h>

namespace clearance::detail {
namespace {

// Groups of eight a task maps; each may cost a millisecond of exact distances.
constexpr std::size_t kGroupsPerTask = 16;

// How one triangle or vertex is bounded and measured.
struct TriangleMeter {
  const ProbeQuery& query;
  [[nodiscard]] bool is_beyond(std::size_t segment, std::size_t i, double limit) const {
    return lower_bound(query.segments[segment], query.mesh.triangle(i), limit) > limit;
  }
  [[nodiscard]] double measured(std::size_t segment, std::size_t i) const {
    return distance(query.segments[segment], query.mesh.triangle(i)).distance;
  }
};
struct VertexMeter {
  const ProbeQuery& query;
  [[nodiscard]] bool is_beyond(std::size_t /*segment*/, std::size_t /*i*/, double /*limit*/) const {
    return false;
  }
  [[nodiscard]] double measured(std::size_t segment, std::size_t i) const {
    return distance(query.segments[segment], query.mesh.vertices[i]).distance;
  }
};

struct Candidate {
  float bound;
  std::uint32_t segment;
};

template <class Meter>
void map_all(const ProbeQuery& query, const PackedSpheres& spheres, Threads threads,
             std::span<double> distances, ProbeWork& work) {
  std::vector<Shell8> shells;
  for (const ContourSegment& segment : query.segments)
    shells.emplace_back(SegmentShell(segment), spheres);
  const Meter meter{query};
  const std::size_t tasks = (spheres.groups.size() + kGroupsPerTask - 1) / kGroupsPerTask;
  std::vector<ProbeWork> task_work(tasks);

  const auto map_task = [&](std::size_t task) {
    ProbeWork& mine = task_work[task];
    std::vector<float> lower(8 * shells.size());
    std::vector<Candidate> candidates;
    const std::size_t end = std::min(spheres.groups.size(), (task + 1) * kGroupsPerTask);
    for (std::size_t g = task * kGroupsPerTask; g < end; ++g) {
      for (std::size_t s = 0; s < shells.size(); ++s)
        store8(&lower[8 * s], shells[s].lower(spheres.groups[g]) - broadcast8(shells[s].margin));
      const std::size_t members = std::min<std::size_t>(8, spheres.count - 8 * g);
      mine.bounds += members * shells.size();
      for (std::size_t lane = 0; lane < members; ++lane) {
        candidates.clear();
        for (std::size_t s = 0; s < shells.size(); ++s) {
          const float bound = lower[8 * s + lane];
          if (!(static_cast<double>(bound) > query.range + query.slack))
            candidates.push_back({bound, static_cast<std::uint32_t>(s)});
        }
        std::sort(candidates.begin(), candidates.end(),
                  [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
        const std::size_t i = 8 * g + lane;
        double nearest = query.range;
        for (const Candidate& c : candidates) {
          const double limit = nearest + query.slack;
          if (static_cast<double>(c.bound) > limit) break;
          if (meter.is_beyond(c.segment, i, limit)) continue;
          ++mine.exact;
          const double measured = meter.measured(c.segment, i);
          // Equal to the range is within it.
          if (measured > nearest) continue;
          nearest = measured;
          distances[i] = measured;
          if (measured == 0.0) break;
        }
      }
    }
  };
  parallel_for(threads, tasks, std::ref(map_task));
  for (const ProbeWork& mine : task_work) {
    work.bounds += mine.bounds;
    work.exact += mine.exact;
  }
}

}  // namespace

void map_triangles(const ProbeQuery& query, const PackedSpheres& spheres, Threads threads,
                   std::span<double> distances, ProbeWork& work) {
  map_all<TriangleMeter>(query, spheres, threads, distances, work);
}

void map_vertices(const ProbeQuery& query, const PackedSpheres& spheres, Threads threads,
                  std::span<double> distances, ProbeWork& work) {
  map_all<VertexMeter>(query, spheres, threads, distances, work);
}

}  // namespace clearance::detail
