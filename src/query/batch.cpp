// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <clearance/query/batch.h>

namespace clearance {
namespace {

// Poses per piece of the parallel loop: enough to share scratch memory, few enough to keep all
// cores busy to the end. The answers do not depend on it.
constexpr std::size_t kChunk = 16;

/// query(pose, coherence) for each pose. The coherence is a fresh one each time, but for its
/// memory.
template <class Answer, class Query>
std::vector<Answer> for_each_pose(std::span<const Pose> poses, Threads threads,
                                  const Query& query) {
  std::vector<Answer> answers(poses.size());
  parallel_for(threads, (poses.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    Coherence coherence;
    const std::size_t end = std::min(poses.size(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      coherence.forget();
      answers[i] = query(poses[i], &coherence);
    }
  });
  return answers;
}

template <class Answer, class Body>
std::vector<Answer> collide_each(const Body& a, const Body& b, std::span<const Pose> poses,
                                 Threads threads) {
  return for_each_pose<Answer>(poses, threads, [&](const Pose& pose, Coherence* coherence) {
    return collide(a, b, pose, coherence);
  });
}

template <class Answer, class Body>
std::vector<Answer> distance_each(const Body& a, const Body& b, std::span<const Pose> poses,
                                  const DistanceOptions& options, Threads threads) {
  return for_each_pose<Answer>(poses, threads, [&](const Pose& pose, Coherence* coherence) {
    return distance(a, b, pose, options, coherence);
  });
}

template <class Answer, class Body>
std::vector<Answer> within_each(const Body& a, const Body& b, std::span<const Pose> poses,
                                double limit, Threads threads) {
  return for_each_pose<Answer>(poses, threads, [&](const Pose& pose, Coherence* coherence) {
    return within(a, b, pose, limit, coherence);
  });
}

}  // namespace

std::vector<Collision> collisions(const Bvh& a, const Bvh& b, std::span<const Pose> a_from_b,
                                  Threads threads) {
  return collide_each<Collision>(a, b, a_from_b, threads);
}

std::vector<Distance> distances(const Bvh& a, const Bvh& b, std::span<const Pose> a_from_b,
                                const DistanceOptions& options, Threads threads) {
  return distance_each<Distance>(a, b, a_from_b, options, threads);
}

std::vector<Within> withins(const Bvh& a, const Bvh& b, std::span<const Pose> a_from_b,
                            double limit, Threads threads) {
  return within_each<Within>(a, b, a_from_b, limit, threads);
}

std::vector<SolidCollision> collisions(const Model& a, const Model& b,
                                       std::span<const Pose> a_from_b, Threads threads) {
  return collide_each<SolidCollision>(a, b, a_from_b, threads);
}

std::vector<SolidDistance> distances(const Model& a, const Model& b, std::span<const Pose> a_from_b,
                                     const DistanceOptions& options, Threads threads) {
  return distance_each<SolidDistance>(a, b, a_from_b, options, threads);
}

std::vector<SolidWithin> withins(const Model& a, const Model& b, std::span<const Pose> a_from_b,
                                 double limit, Threads threads) {
  return within_each<SolidWithin>(a, b, a_from_b, limit, threads);
}

}  // namespace clearance
