// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What came out of planning, as files: the result itself as JSON (schema/plan.schema.json), the
// path as CSV and as an animated .glb. The JSON holds all that is needed to prove the path again:
// the files with size and checksum, their placement, the clearance, the relief, the poses with
// every bit. The same plan gives the same bytes; no times are in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/plan/plan.h>
#include <clearance/plan/scene_file.h>

namespace clearance {

/// The clearance at one moment of the path, with the closest points.
struct PlanSample {
  double at = 0.0;  ///< in [0, 1] of the path, by arc length (pose_at)
  std::size_t piece = 0;
  double time = 0.0;  ///< in [0, 1] of the piece
  double distance = 0.0;
  Vec3 on_obstacle, on_body;  ///< world [m]
};

struct PlanFile {
  SceneDescription scene;  ///< as load_scene() had it
  SceneSide body;
  SceneSide obstacles;
  double relief = 0.0;  ///< PlanScene::relief
  std::string planner;  ///< "clearance", or the name of a yardstick
  Plan plan;
  double radius = 0.0;  ///< of gyration: the weight of turns in `at` [m]
  std::vector<PlanSample> samples;
  std::vector<std::string> notes;
};

/// Samples of the clearance along a path: both ends of every piece and about `count` moments evenly
/// between, the narrowest one of the proof included. For plots and viewers; the proof is elsewhere.
[[nodiscard]] std::vector<PlanSample> sample_clearance(const PlanProblem& problem,
                                                       const PlanPath& path, const PathProof& proof,
                                                       std::size_t count, Threads threads = {});

/// Puts the parts together, with samples.
[[nodiscard]] PlanFile plan_file(const PlanScene& scene, Plan plan, std::string planner,
                                 Threads threads = {});

/// The file as text. Relative paths of meshes are written as seen from the folder of `path`.
[[nodiscard]] std::string plan_json(const PlanFile& file, const std::string& path);
/// Reads what plan_json() writes. Strict: unknown keys, poses that are not rigid and numbers out of
/// range are refused with their place.
[[nodiscard]] Result<PlanFile> parse_plan(std::string_view text, const std::string& path);
[[nodiscard]] Result<PlanFile> read_plan(const std::string& path);

/// Reads the meshes of a plan file again, as load_scene() does, and refuses those that have changed
/// since. The body is relieved by the depth that the file states; more than its scene allows is
/// refused.
[[nodiscard]] Result<PlanScene> load_scene_of(const PlanFile& file,
                                              const SceneLoadOptions& options = {});

/// Rows of a CSV file.
struct PlanRows {
  std::string csv;  ///< "time,x,y,z,qx,qy,qz,qw" and a row a pose, world_from_body [m]
  std::size_t count = 0;
  /// Between rows, a straight way of the frame's origin with slerp differs from the path by less
  /// than this [m].
  double deviation = 0.0;
};
/// The path as rows, `time` in [0, 1] by arc length. Programs that read such files move the origin
/// of the frame straight, where the path moves its pivot straight: rows are dense enough that no
/// point of the body is off by more than `deviation` [m].
[[nodiscard]] PlanRows plan_csv(const PlanPath& path, double radius, double deviation);

/// A GLB file of the obstacles and the moving body, `seconds` long. The body is a node whose origin
/// is the pivot, so that a viewer's linear translation and spherical rotation between keyframes are
/// the path itself.
[[nodiscard]] Status write_plan_glb(const std::string& path, const PlanScene& scene,
                                    const PlanPath& plan, double radius, double seconds = 10.0);

}  // namespace clearance
