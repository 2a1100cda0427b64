// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How near is an arm to itself? Reads examples/arm.urdf, leaves out the pairs of examples/arm.srdf,
// and measures all others while the elbow closes. Run in the folder of the sources.
#include <cstdio>
#include <limits>

#include <clearance/query/model.h>
#include <clearance/query/solid.h>
#include <clearance/robot/robot_file.h>
#include <clearance/robot/srdf.h>

using namespace clearance;

namespace {

/// Each link as a solid body of all its shapes.
std::vector<Model> models_of(const Robot& robot) {
  std::vector<Model> models;
  for (const RobotLink& link : robot.links()) {
    std::vector<Mesh> meshes;
    std::vector<std::string> names;
    for (const RobotShape& shape : link.collision) {
      meshes.push_back(surface_of(shape));
      names.push_back(link.name + std::to_string(names.size()));
    }
    models.push_back(Model::build(merged(meshes, names).value()).value());
  }
  return models;
}

}  // namespace

int main() {
  const Result<RobotFile> file = read_robot("examples/arm.urdf");
  const Result<Srdf> srdf = read_srdf("examples/arm.srdf");
  if (!file || !srdf) {
    std::printf("%s\n", (file ? srdf.error() : file.error()).message().c_str());
    return 2;
  }
  const Robot& robot = file->robot;
  const DisabledLinks disabled = disabled_links(robot, *srdf);
  std::printf("%s: %zu links; to set:", robot.name().c_str(), robot.links().size());
  for (const std::uint32_t joint : robot.free_joints())
    std::printf(" %s", robot.joints()[joint].name.c_str());
  std::printf("\n");

  const std::vector<Model> models = models_of(robot);
  for (const double elbow : {0.0, 1.5, 2.5, 3.0}) {
    const std::vector<double> values{0.4, 0.3, elbow, 0.0};
    const std::vector<Pose> poses = robot.link_poses(values);
    double least = std::numeric_limits<double>::infinity();
    std::string pair;
    for (std::uint32_t a = 0; a < models.size(); ++a) {
      for (std::uint32_t b = a + 1; b < models.size(); ++b) {
        if (disabled.holds(a, b)) continue;
        const double gap = distance(models[a], models[b], inverse(poses[a]) * poses[b]).distance;
        if (gap >= least) continue;
        least = gap;
        pair = robot.links()[a].name + " and " + robot.links()[b].name;
      }
    }
    const Vec3 grip = poses[*robot.link("left")].translation;
    std::printf("elbow at %.1f: left finger at (%.3f, %.3f, %.3f), nearest %s, %.1f mm\n", elbow,
                grip.x, grip.y, grip.z, pair.c_str(), 1000.0 * least);
  }
  // Bent too far, one value names its joint.
  std::printf("%s\n", robot.check(std::vector{0.4, 0.3, 3.2, 0.0}).error().message().c_str());
  return 0;
}
