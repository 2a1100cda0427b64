// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mesh against mesh, ours and FCL's: distance, collision, "closer than d?", and building the trees.
// Both sides get the same meshes and the same 1,000 poses of each kind (scenes/motions.h). FCL is
// used with the faster of its two trees for the row at hand (OBBRSS, RSS), one thread, closest
// points asked for, as ours always gives them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <clearance/geometry/closest_points.h>
#include <clearance/mesh/generate.h>
#include <clearance/mesh/read.h>
#include <clearance/query/query.h>

#include "fcl_mesh.h"
#include "harness.h"
#include "motions.h"

namespace clearance::bench {
namespace {

using scenes::Motion;

constexpr std::size_t kPoses = 1000;
constexpr std::size_t kTrialPoses = 20;  // to find the faster tree of the rival
constexpr double kSameDistance = 1e-6;   // relative
constexpr std::array kMotions{Motion::Far, Motion::Near, Motion::Mixed, Motion::Path};

using ObbRss = fcl::BVHModel<fcl::OBBRSSd>;
using Rss = fcl::BVHModel<fcl::RSSd>;

/// A mesh in both worlds. Trees are made when first asked for.
class Body {
 public:
  explicit Body(Mesh mesh)
      : mesh_(std::move(mesh)),
        tree_(Bvh::build(mesh_.vertices(), mesh_.faces()).value()),
        fcl_mesh_(mesh_) {}
  [[nodiscard]] const Mesh& mesh() const { return mesh_; }
  [[nodiscard]] const Bvh& tree() const { return tree_; }
  [[nodiscard]] std::shared_ptr<ObbRss> new_obbrss() const {
    return fcl_mesh_.tree<fcl::OBBRSSd>();
  }
  [[nodiscard]] std::shared_ptr<Rss> new_rss() const { return fcl_mesh_.tree<fcl::RSSd>(); }
  [[nodiscard]] const fcl::CollisionGeometryd& fcl(bool rss) const {
    if (rss && !rss_) rss_ = new_rss();
    if (!rss && !obbrss_) obbrss_ = new_obbrss();
    return rss ? static_cast<const fcl::CollisionGeometryd&>(*rss_) : *obbrss_;
  }

 private:
  Mesh mesh_;
  Bvh tree_;
  FclMesh fcl_mesh_;
  mutable std::shared_ptr<ObbRss> obbrss_;
  mutable std::shared_ptr<Rss> rss_;
};

struct Poses {
  std::vector<Pose> ours;
  std::vector<fcl::Transform3d> theirs;
};

/// Two bodies and their poses, made once for all rows about them.
class Pair {
 public:
  Pair(Mesh mesh_a, Mesh mesh_b) : a(std::move(mesh_a)), b(std::move(mesh_b)) {}
  const Body a;
  const Body b;

  const Poses& poses(Motion motion) {
    Poses& p = poses_[motion];
    if (!p.ours.empty()) return p;
    p.ours = scenes::make_poses(a.tree(), b.tree(), motion, kPoses, seed());
    for (const Pose& pose : p.ours) p.theirs.push_back(fcl_pose(pose));
    return p;
  }

 private:
  std::map<Motion, Poses> poses_;
};

/// The parts of a generated scene that make up its movable body.
Mesh body_of(const char* generator) {
  const Assembly scene = generate(generator).value();
  Assembly body;
  for (const AssemblyPart& part : scene.parts) {
    if (part.name.rfind("body/", 0) == 0) body.parts.push_back(part);
  }
  return body.flattened();
}

/// ../shared/data beside the source tree, or the folder named by CLEARANCE_DATA.
std::string data_path(const std::string& file) {
  const char* named = std::getenv("CLEARANCE_DATA");
  return std::string(named != nullptr ? named : CLEARANCE_BESIDE_SOURCE "/shared/data") + "/" +
         file;
}
Mesh data_mesh(const std::string& file) { return read_mesh(data_path(file)).value().mesh; }

struct PairSource {
  const char* name;
  std::vector<const char*> files;  // that must be there; none for generated meshes
  std::function<std::shared_ptr<Pair>()> make;
};

const std::vector<PairSource>& sources() {
  const auto from_files = [](const char* name, const char* a, const char* b) {
    return PairSource{
        name, {a, b}, [=] { return std::make_shared<Pair>(data_mesh(a), data_mesh(b)); }};
  };
  static const std::vector<PairSource> all{
      {"cad_250k_73k",
       {},
       [] { return std::make_shared<Pair>(body_of("cylinder-head"), body_of("tunnel-console")); }},
      {"cad_1250k_250k",
       {},
       [] { return std::make_shared<Pair>(body_of("air-cleaner"), body_of("cylinder-head")); }},
      from_files("parts_conrod", "parts/conrod/linkrods_fine.stl", "parts/trimesh/fandisk.obj"),
      from_files("parts_scan", "parts/grasp_objects/rhino.obj", "parts/grasp_objects/mug.obj"),
      from_files("parts_machined", "parts/trimesh/featuretype.STL",
                 "parts/trimesh/angle_block.STL"),
      from_files("planning_alpha", "planning/alpha_puzzle/alpha_env-1.2.wt2.obj",
                 "planning/alpha_puzzle/alpha-1.2.wt2.obj"),
      from_files("planning_soup", "planning/fcl_env_rob/env.obj", "planning/fcl_env_rob/rob.obj"),
  };
  return all;
}

bool present(const PairSource& source) {
  return std::all_of(source.files.begin(), source.files.end(),
                     [](const char* f) { return std::filesystem::exists(data_path(f)); });
}

/// The pair of that name; the last one made is kept, since rows come sorted by name.
std::shared_ptr<Pair> pair_of(const PairSource& source) {
  static std::map<std::string, std::shared_ptr<Pair>> made;
  std::shared_ptr<Pair>& pair = made[source.name];
  if (!pair) pair = source.make();
  return pair;
}

double fcl_distance(const Pair& pair, const fcl::Transform3d& pose, bool rss) {
  static const fcl::Transform3d kIdentity = fcl::Transform3d::Identity();
  const fcl::DistanceRequestd request(true);
  fcl::DistanceResultd result;
  fcl::distance(&pair.a.fcl(rss), kIdentity, &pair.b.fcl(rss), pose, request, result);
  return std::max(0.0, result.min_distance);
}

bool fcl_collide(const Pair& pair, const fcl::Transform3d& pose, bool rss) {
  static const fcl::Transform3d kIdentity = fcl::Transform3d::Identity();
  const fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  return fcl::collide(&pair.a.fcl(rss), kIdentity, &pair.b.fcl(rss), pose, request, result) > 0;
}

/// Are the points of the answer on their triangles, and as far apart as it says? Then the true
/// distance is no larger.
bool points_prove(const Pair& pair, const Pose& a_from_b, const Distance& d) {
  const Triangle ta = pair.a.tree().triangle(d.triangle_a);
  const Triangle tb = pair.b.tree().triangle(d.triangle_b);
  const Triangle moved{a_from_b * tb.a, a_from_b * tb.b, a_from_b * tb.c};
  const double rounding = 1e-12 * pair.a.tree().bounds().diagonal();
  return norm(closest_point(d.on_a, ta) - d.on_a) <= rounding &&
         norm(closest_point(d.on_b, moved) - d.on_b) <= rounding &&
         std::abs(norm(d.on_a - d.on_b) - d.distance) <= rounding;
}

/// Is the rival faster on its RSS tree here? Tried on a few poses.
template <class Query>
bool faster_on_rss(const Poses& poses, const Query& query) {
  std::array<double, 2> seconds{};
  for (const bool rss : {false, true}) {
    query(poses.theirs[0], rss);  // makes the tree
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kTrialPoses; ++i)
      query(poses.theirs[i * (kPoses / kTrialPoses)], rss);
    seconds[rss ? 1 : 0] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return seconds[1] < seconds[0];
}

std::string rival_name(bool rss) { return rss ? "fcl RSS" : "fcl OBBRSS"; }

Row distance_row(const PairSource& source, Motion motion, bool warm, double bar) {
  const std::shared_ptr<Pair> pair = pair_of(source);
  const Poses& poses = pair->poses(motion);
  const bool rss = faster_on_rss(
      poses, [&](const fcl::Transform3d& t, bool r) { return fcl_distance(*pair, t, r); });
  const auto ours = [=, &poses](std::size_t i, Coherence& coherence) {
    if (!warm) coherence.forget();
    return distance(pair->a.tree(), pair->b.tree(), poses.ours[i], {}, &coherence);
  };
  return {.rival = rival_name(rss),
          .ours =
              [=] {
                Coherence coherence;
                for (std::size_t i = 0; i < kPoses; ++i) keep(ours(i, coherence).distance);
              },
          .theirs =
              [=, &poses] {
                for (std::size_t i = 0; i < kPoses; ++i)
                  keep(fcl_distance(*pair, poses.theirs[i], rss));
              },
          .equal =
              [=, &poses] {
                Coherence coherence;
                for (std::size_t i = 0; i < kPoses; ++i) {
                  const Distance d = ours(i, coherence);
                  const double f = fcl_distance(*pair, poses.theirs[i], rss);
                  if (std::abs(d.distance - f) <= kSameDistance * d.distance) continue;
                  // Next to slivers the rival is off by more. It is wrong where two points of the
                  // meshes are closer than it says.
                  if (!(d.distance < f && points_prove(*pair, poses.ours[i], d))) return false;
                }
                return true;
              },
          .bar = bar,
          .items = kPoses};
}

Row collide_row(const PairSource& source, Motion motion, std::optional<double> bar) {
  const std::shared_ptr<Pair> pair = pair_of(source);
  const Poses& poses = pair->poses(motion);
  const bool rss = faster_on_rss(
      poses, [&](const fcl::Transform3d& t, bool r) { return fcl_collide(*pair, t, r); });
  const auto ours = [=, &poses](std::size_t i, Coherence& coherence) {
    return collide(pair->a.tree(), pair->b.tree(), poses.ours[i], &coherence).hit;
  };
  return {.rival = rival_name(rss),
          .ours =
              [=] {
                Coherence coherence;
                for (std::size_t i = 0; i < kPoses; ++i) keep(ours(i, coherence));
              },
          .theirs =
              [=, &poses] {
                for (std::size_t i = 0; i < kPoses; ++i)
                  keep(fcl_collide(*pair, poses.theirs[i], rss));
              },
          .equal =
              [=, &poses] {
                Coherence coherence;
                for (std::size_t i = 0; i < kPoses; ++i) {
                  if (ours(i, coherence) != fcl_collide(*pair, poses.theirs[i], rss)) return false;
                }
                return true;
              },
          .bar = bar,
          .items = kPoses};
}

/// "Closer than d?" against our own distance, where the answer is clear: d is half or twice the
/// distance, by turns.
Row within_row(const PairSource& source, Motion motion) {
  const std::shared_ptr<Pair> pair = pair_of(source);
  const Poses& poses = pair->poses(motion);
  auto limits = std::make_shared<std::vector<double>>();
  Coherence coherence;
  for (std::size_t i = 0; i < kPoses; ++i) {
    const double d =
        distance(pair->a.tree(), pair->b.tree(), poses.ours[i], {}, &coherence).distance;
    limits->push_back(d * (i % 2 == 0 ? 0.5 : 2.0));
  }
  const auto ours = [=, &poses](std::size_t i, Coherence& c) {
    return within(pair->a.tree(), pair->b.tree(), poses.ours[i], (*limits)[i], &c).within;
  };
  const auto theirs = [=, &poses](std::size_t i, Coherence& c) {
    c.forget();
    return distance(pair->a.tree(), pair->b.tree(), poses.ours[i], {}, &c).distance;
  };
  return {.rival = "our distance()",
          .ours =
              [=] {
                Coherence c;
                for (std::size_t i = 0; i < kPoses; ++i) keep(ours(i, c));
              },
          .theirs =
              [=] {
                Coherence c;
                for (std::size_t i = 0; i < kPoses; ++i) keep(theirs(i, c));
              },
          .equal =
              [=] {
                Coherence c;
                for (std::size_t i = 0; i < kPoses; ++i) {
                  if (ours(i, c) != (theirs(i, c) <= (*limits)[i])) return false;
                }
                return true;
              },
          .bar = 2.0,
          .items = kPoses};
}

Row build_row(const PairSource& source, int threads, double bar) {
  const std::shared_ptr<Pair> pair = pair_of(source);
  const Body* body = &pair->a;
  std::array<double, 2> seconds{};
  for (const bool rss : {false, true}) {
    const auto start = std::chrono::steady_clock::now();
    if (rss) {
      keep(body->new_rss());
    } else {
      keep(body->new_obbrss());
    }
    seconds[rss ? 1 : 0] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const bool rss = seconds[1] < seconds[0];
  return {.rival = rival_name(rss),
          .ours =
              [=] {
                keep(Bvh::build(body->mesh().vertices(), body->mesh().faces(),
                                {.threads = Threads{threads}}));
              },
          .theirs =
              [=] {
                if (rss) {
                  keep(body->new_rss());
                } else {
                  keep(body->new_obbrss());
                }
              },
          .equal = {},
          .bar = bar,
          .items = body->mesh().triangle_count()};
}

/// Registers all rows of all pairs whose files are there.
struct QueryRows {
  QueryRows() {
    for (const PairSource& source : sources()) {
      if (!present(source)) continue;
      const std::string pair = source.name;
      for (const Motion motion : kMotions) {
        const std::string where = pair + "/" + scenes::name_of(motion);
        rows_.emplace_back("query/distance/" + where,
                           [&source, motion] { return distance_row(source, motion, false, 8.0); });
        // Far apart, the first test decides on either side.
        const bool far = motion == Motion::Far;
        rows_.emplace_back(
            (far ? "query/collide_far/" : "query/collide/") + where, [&source, motion, far] {
              return collide_row(source, motion, far ? std::optional<double>{} : 2.0);
            });
      }
      rows_.emplace_back("query/distance_warm/" + pair + "/path",
                         [&source] { return distance_row(source, Motion::Path, true, 8.0); });
      rows_.emplace_back("query/within/" + pair + "/near",
                         [&source] { return within_row(source, Motion::Near); });
      rows_.emplace_back("bvh/build/" + pair + "/1_thread",
                         [&source] { return build_row(source, 1, 8.0); });
      rows_.emplace_back("bvh/build/" + pair + "/2_threads",
                         [&source] { return build_row(source, 2, 12.0); });
    }
  }

 private:
  std::vector<RowEntry> rows_;
};
const QueryRows kRows;
const MeanEntry kDistanceMean{"query/distance mean", "query/distance/", 15.0};
const MeanEntry kWarmMean{"query/distance_warm mean", "query/distance_warm/", 40.0};
const MeanEntry kCollideMean{"query/collide mean", "query/collide/", 5.0};

const FigureEntry kBuildTime{
    "bvh/build_1250k", [] {
      const Mesh mesh = body_of("air-cleaner");
      std::vector<double> seconds;
      for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        keep(Bvh::build(mesh.vertices(), mesh.faces(), {.threads = Threads{1}}));
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      }
      return Figure{.value = median(seconds), .unit = "s, one thread", .at_most = 1.0};
    }};

const FigureEntry kMemory{
    "bvh/memory", [] {
      const Mesh mesh = body_of("air-cleaner");
      const Bvh tree = Bvh::build(mesh.vertices(), mesh.faces()).value();
      const double bytes =
          static_cast<double>(tree.statistics().memory_bytes + mesh.memory_bytes());
      return Figure{.value = bytes / static_cast<double>(mesh.triangle_count()),
                    .unit = "bytes a triangle, tree and mesh",
                    .at_most = 120.0};
    }};

/// How the distance of two atria, 1 % of their diameter apart, grows with their triangles: the
/// exponent p of time ~ (log n)^p, fitted over 10k to 4M. Log growth is p = 1.
const FigureEntry kGrowth{
    "query/growth", [] {
      constexpr std::size_t kGrowthPoses = 200;
      std::vector<double> x;
      std::vector<double> y;
      std::vector<Pose> poses;
      for (const std::size_t n : {10'000, 40'000, 160'000, 640'000, 2'000'000, 4'000'000}) {
        const Mesh mesh = generate("atrium", {.triangles = n}).value().flattened();
        const Bvh tree = Bvh::build(mesh.vertices(), mesh.faces()).value();
        poses = scenes::make_poses(tree, tree, Motion::Near, kGrowthPoses, seed());
        Coherence coherence;
        std::vector<double> times;
        for (int run = 0; run < 5; ++run) {
          const auto start = std::chrono::steady_clock::now();
          for (const Pose& pose : poses) {
            coherence.forget();
            keep(distance(tree, tree, pose, {}, &coherence).distance);
          }
          times.push_back(
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        x.push_back(std::log(std::log(static_cast<double>(n))));
        y.push_back(std::log(median(times)));
      }
      const double count = static_cast<double>(x.size());
      double sx = 0.0;
      double sy = 0.0;
      double sxx = 0.0;
      double sxy = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i)
        sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
      return Figure{.value = (count * sxy - sx * sy) / (count * sxx - sx * sx),
                    .unit = "p of (log n)^p, 10k to 4M",
                    .at_most = 1.0};
    }};

}  // namespace
}  // namespace clearance::bench
