// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Contours against meshes, on the scenes of study/contour_gpu. The rival is the paper's algorithm
// over all pairs on one core (study/contour_gpu/brute_force.h), whole, or our own slower ways. Our
// answers are compared bit for bit with the scalar reference, which looks at every pair; the
// paper's are approximate, and ours may not be above them by more than that.
//
// Frames come in random order: no query gains from the one before it. The scenarios' figures are
// those of a controller, frame after frame.
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clearance/contour/prober.h>

#include "contour_gpu/brute_force.h"
#include "contour_gpu/contour_gpu.h"
#include "contour_gpu/scenes.h"
#include "harness.h"

namespace clearance::bench {
namespace {

using study::ContourFrame;
using study::ContourScene;
using study::PaperBruteForce;

constexpr std::size_t kMillion = 1'000'000;
constexpr std::size_t kFrames = 48;
/// Frames compared with the reference on large meshes, where it takes its time.
constexpr std::size_t kCompared = 2;
/// How far the paper's distance may be below the right one, as a part of a segment's size.
constexpr double kPaperError = 0.01;

/// The tube of 30 segments in an atrium; scenes are shared by the rows about them.
const std::shared_ptr<ContourScene>& tube(std::size_t triangles) {
  static std::map<std::size_t, std::shared_ptr<ContourScene>> scenes;
  std::shared_ptr<ContourScene>& scene = scenes[triangles];
  if (!scene) {
    scene = std::make_shared<ContourScene>(study::tube_scene(triangles, kFrames, seed()).value());
    study::shuffle_frames(scene->frames, seed());
  }
  return scene;
}

/// A prober that is asked about one frame after the other.
class Player {
 public:
  Player(std::shared_ptr<const ContourScene> scene, const ProberOptions& options)
      : scene_(std::move(scene)), prober_(std::move(make_prober(scene_->mesh, options)).value()) {}

  void run() { keep(prober_->closest(scene_->frames[next_++ % scene_->frames.size()]).value()); }
  [[nodiscard]] ProbeHit at(std::size_t frame) {
    return prober_->closest(scene_->frames[frame]).value();
  }

 private:
  std::shared_ptr<const ContourScene> scene_;
  std::unique_ptr<Prober> prober_;
  std::size_t next_ = 0;
};

bool same(const ProbeHit& a, const ProbeHit& b) {
  return a.distance == b.distance && a.triangle == b.triangle && a.segment == b.segment;
}

bool same_answers(Player& a, Player& b, std::size_t frames) {
  for (std::size_t i = 0; i < frames; ++i) {
    if (!same(a.at(i), b.at(i))) return false;
  }
  return true;
}

/// Whether an answer is the reference's, and not above the paper's.
bool right(const std::shared_ptr<ContourScene>& scene, const PaperBruteForce& paper,
           const ProbeHit& hit) {
  const ContourFrame& frame = scene->frames.front();
  Player scalar(scene, {.method = ProbeMethod::Scalar, .threads = {0}});
  const double size = bounds_of(frame[hit.segment]).diagonal();
  return same(hit, scalar.at(0)) &&
         hit.distance <= paper.closest(frame, {0}).distance + kPaperError * size;
}

Row against_paper(const std::shared_ptr<ContourScene>& scene, std::optional<double> bar) {
  auto tree = std::make_shared<Player>(scene, ProberOptions{});
  auto paper = std::make_shared<PaperBruteForce>(scene->mesh);
  return Row{.rival = "the paper's brute force, one core",
             .ours = [=] { tree->run(); },
             .theirs = [=] { keep(paper->closest(scene->frames.front())); },
             .equal = [=] { return right(scene, *paper, tree->at(0)); },
             .bar = bar};
}

/// From the bare mesh to the first answer.
Row first_query(const std::shared_ptr<ContourScene>& scene, const ProberOptions& options,
                std::optional<double> bar) {
  auto paper = std::make_shared<PaperBruteForce>(scene->mesh);
  const auto first = [=] {
    return make_prober(scene->mesh, options).value()->closest(scene->frames.front()).value();
  };
  return Row{.rival = "the paper's brute force, one core",
             .ours = [=] { keep(first()); },
             .theirs = [=] { keep(paper->closest(scene->frames.front())); },
             .equal = [=] { return right(scene, *paper, first()); },
             .bar = bar};
}

Row between(const std::shared_ptr<ContourScene>& scene, const ProberOptions& ours,
            const ProberOptions& theirs, const std::string& rival, std::optional<double> bar) {
  auto fast = std::make_shared<Player>(scene, ours);
  auto slow = std::make_shared<Player>(scene, theirs);
  return Row{.rival = rival,
             .ours = [=] { fast->run(); },
             .theirs = [=] { slow->run(); },
             .equal = [=] { return same_answers(*fast, *slow, kCompared); },
             .bar = bar};
}

const RowEntry kTree1m{"contour/closest_1m_30/tree",
                       [] { return against_paper(tube(kMillion), 5'000.0); }};
// With the tree built inside the time, on one core.
const RowEntry kFirst1m{"contour/first_query_1m_30", [] {
                          return first_query(tube(kMillion), {.tree = ProbeTree::Quick}, 50.0);
                        }};
const RowEntry kFirst1mFull{"contour/first_query_1m_30/full_tree",
                            [] { return first_query(tube(kMillion), {}, {}); }};
const RowEntry kFirst1mAsNeeded{
    "contour/first_query_1m_30/as_needed",
    [] { return first_query(tube(kMillion), {.tree = ProbeTree::AsNeeded}, {}); }};
// Where only one answer is wanted no tree is needed.
const RowEntry kFirstSimd1m{"contour/first_query_1m_30/simd", [] {
                              return first_query(tube(kMillion), {.method = ProbeMethod::Simd}, {});
                            }};
// What the full tree gains once it is there.
const RowEntry kQuickQueries{
    "contour/closest_1m_30/full_vs_quick_tree",
    [] { return between(tube(kMillion), {}, {.tree = ProbeTree::Quick}, "the quick tree", {}); }};
const RowEntry kSimd{"contour/simd_vs_scalar", [] {
                       return between(tube(kMillion / 10), {.method = ProbeMethod::Simd},
                                      {.method = ProbeMethod::Scalar}, "all pairs, scalar", 3.0);
                     }};
const RowEntry kBisection{"contour/closest_1m_30/tree_vs_bisection_3", [] {
                            return between(tube(kMillion), {},
                                           {.method = ProbeMethod::Bisection, .bisections = 3},
                                           "the paper's culling, made exact", {});
                          }};

/// OpenCL, where a device is found.
struct DeviceRows {
  DeviceRows() {
    if (probe_devices().empty()) return;
    static constexpr double kBar = 1.0;
    const RowEntry all_pairs("contour/opencl_vs_simd_all_cores", [] {
      return between(tube(kMillion), {.method = ProbeMethod::OpenCl, .threads = {0}},
                     {.method = ProbeMethod::Simd, .threads = {0}}, "SIMD, all cores", kBar);
    });
    const RowEntry culled("contour/opencl_culled_vs_simd_all_cores", [] {
      return between(tube(kMillion), {.method = ProbeMethod::OpenClCulled, .threads = {0}},
                     {.method = ProbeMethod::Simd, .threads = {0}}, "SIMD, all cores", {});
    });
  }
};
const DeviceRows kDeviceRows;

study::ContourStudyOptions study_options() {
  study::ContourStudyOptions options;
  const char* named = std::getenv("CLEARANCE_DATA");
  options.data = named != nullptr ? named : CLEARANCE_BESIDE_SOURCE "/shared/data";
  options.seed = seed();
  return options;
}

/// Scenario B (0) or C (1), measured once for the figures about it.
const study::ContourScenarioRow& scenario(std::size_t which) {
  static std::map<std::size_t, study::ContourScenarioRow> rows;
  if (!rows.contains(which)) {
    const auto scenes = study::contour_scenarios(study_options()).value();
    rows[which] = study::measure_scenario("", scenes[which], study_options()).value();
  }
  return rows[which];
}

constexpr double kLatency = 200.0;     // [us]
constexpr double kMovingRate = 100.0;  // [Hz]
Figure at_rest(std::size_t which) {
  return {.value = scenario(which).slowest_us, .unit = "us, 99 %", .at_most = kLatency};
}
Figure moving(std::size_t which) {
  return {.value = 1e6 / scenario(which).moving_slowest_us,
          .unit = "Hz, 99 %",
          .at_least = kMovingRate};
}
const FigureEntry kRestB{"contour/scenario_b", [] { return at_rest(0); }};
const FigureEntry kRestC{"contour/scenario_c", [] { return at_rest(1); }};
const FigureEntry kMovingB{"contour/scenario_b/moving", [] { return moving(0); }};
const FigureEntry kMovingC{"contour/scenario_c/moving", [] { return moving(1); }};

/// Four million triangles a thousand times a second: times of queries [us], measured once.
const std::vector<double>& times_4m() {
  static const std::vector<double> times = [] {
    Player player(tube(4 * kMillion), {});
    std::vector<double> result;
    for (std::size_t i = 0; i < 4 * kFrames; ++i) {
      const auto start = std::chrono::steady_clock::now();
      player.run();
      const std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - start;
      result.push_back(time.count());
    }
    return result;
  }();
  return times;
}
constexpr double kMillisecond = 1000.0;  // [us]
const FigureEntry k4m{"contour/4m_30", [] {
                        const std::vector<double>& times = times_4m();
                        return Figure{.value = std::accumulate(times.begin(), times.end(), 0.0) /
                                               static_cast<double>(times.size()),
                                      .unit = "us a query",
                                      .at_most = kMillisecond};
                      }};
const FigureEntry k4mSlowest{"contour/4m_30/slowest", [] {
                               return Figure{.value = quantile(times_4m(), 0.99),
                                             .unit = "us, 99 %",
                                             .at_most = kMillisecond};
                             }};

}  // namespace
}  // namespace clearance::bench
