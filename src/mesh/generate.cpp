// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <clearance/mesh/generate.h>

#include "mesh/generate_parts.h"

namespace clearance {
namespace parts {

Error invalid(std::string reason, std::string advice) {
  return {ErrorCode::Invalid, "", "", std::move(reason), std::move(advice)};
}

Result<Mesh> single_mesh(const Plan& plan, std::size_t triangles, const std::string& what) {
  Result<std::vector<AssemblyPart>> built = build_exactly(plan.shapes, triangles, what);
  if (!built) return built.error();
  return built->front().mesh;
}

namespace {

struct Generator {
  std::string_view name;
  std::string_view description;
  std::string_view stands_for;
  std::size_t triangles;           // of the part, or of the body
  std::size_t obstacle_triangles;  // 0: no division into body and obstacles
  Plan (*plan)(std::uint64_t seed);
};

constexpr Generator kGenerators[] = {
    {"pipe", "hollow pipe, 52 mm outside, 40 mm bore, 200 mm long",
     "sphere-simplification: hollow pipe of 40 mm", 1942, 0,
     [](std::uint64_t) { return pipe_plan({}); }},
    {"pipe-joint", "three hollow pipes meeting at 120 degrees",
     "sphere-simplification: three-pipe section, 1,942 triangles", 1942, 0,
     [](std::uint64_t) { return pipe_joint_plan({}); }},
    {"conrod", "connecting rod: two bored ends, I-beam shank, fillets", "bin-picking: con-rod",
     26000, 0, [](std::uint64_t) { return conrod_plan(); }},
    {"tubular-frame", "welded frame of bent round tubes with plates and screws", "", 100000, 0,
     [](std::uint64_t) { return tubular_frame_plan(); }},
    {"tunnel-console", "car tunnel console over gear selector and hand brake, in the cabin",
     "inertia-fit: TC Tunnel Console, 73,469 + 300,567 triangles", 73469, 300567,
     [](std::uint64_t) { return tunnel_console_plan(); }},
    {"cylinder-head", "cylinder head lifted off its block, inside a tubular frame",
     "inertia-fit: TC Cylinder Head, 246,584 + 413,742 triangles", 246584, 413742,
     [](std::uint64_t) { return cylinder_head_plan(); }},
    {"air-cleaner", "air cleaner with pleated filter and hoses, inside a tubular frame",
     "inertia-fit: TC Air Cleaner Subassembly, 1,253,476 + 415,378 triangles", 1253476, 415378,
     [](std::uint64_t) { return air_cleaner_plan(); }},
    {"atrium", "heart chamber with four veins and an appendage, smooth and uneven",
     "contour-gpu: left atrium, 10,658 triangles", 10658, 0, atrium_plan},
    {"wall", "wall with a hand-cut hole", "contour-gpu: wall with hole, 4,308 triangles", 4308, 0,
     [](std::uint64_t seed) {
       WallOptions options;
       options.seed = seed;
       return wall_plan(options);
     }},
    {"bin", "open-top bin with flanged rim and leaning walls", "", 2000, 0,
     [](std::uint64_t) { return bin_plan({}); }},
    {"gripper", "parallel-jaw gripper: palm, two fingers with ribbed pads",
     "bin-picking: two-fingered industrial gripper", 12000, 0,
     [](std::uint64_t) { return gripper_plan({}); }},
    {"torch", "welding torch: body with flange, bent neck, gas nozzle, wire",
     "sphere-simplification: torch, 4,318 triangles", 4318, 0,
     [](std::uint64_t) { return torch_plan({}); }},
};

GeneratorInfo describe(const Generator& generator) {
  const Plan plan = generator.plan(1);
  GeneratorInfo info;
  info.name = generator.name;
  info.description = generator.description;
  info.stands_for = generator.stands_for;
  info.default_triangles = generator.triangles + generator.obstacle_triangles;
  info.minimum_triangles = minimum_triangles(plan.shapes);
  info.even_only = plan.shapes.size() == 1 && plan.obstacles.empty();
  if (generator.obstacle_triangles > 0) {
    info.body_triangles = generator.triangles;
    info.obstacle_triangles = generator.obstacle_triangles;
    info.minimum_body_triangles = info.minimum_triangles;
    info.minimum_obstacle_triangles = minimum_triangles(plan.obstacles);
    info.minimum_triangles = info.minimum_body_triangles + info.minimum_obstacle_triangles;
  }
  return info;
}

}  // namespace
}  // namespace parts

std::span<const GeneratorInfo> generators() {
  static const std::vector<GeneratorInfo> all = [] {
    std::vector<GeneratorInfo> infos;
    for (const parts::Generator& generator : parts::kGenerators)
      infos.push_back(parts::describe(generator));
    return infos;
  }();
  return all;
}

Result<Assembly> generate(std::string_view name, const GenerateOptions& options) {
  const auto* const found =
      std::find_if(std::begin(parts::kGenerators), std::end(parts::kGenerators),
                   [&](const parts::Generator& g) { return g.name == name; });
  if (found == std::end(parts::kGenerators)) {
    std::string names;
    for (const parts::Generator& g : parts::kGenerators)
      names += (names.empty() ? "" : ", ") + std::string(g.name);
    return Error{ErrorCode::NotFound, "", "", "there is no generator '" + std::string(name) + "'",
                 "take one of " + names};
  }
  const std::string what(name);
  const GeneratorInfo info = parts::describe(*found);
  const parts::Plan plan = found->plan(options.seed);
  Assembly assembly;
  if (plan.obstacles.empty()) {
    if (options.body_triangles != 0 || options.obstacle_triangles != 0)
      return parts::invalid(what + " has no body and obstacles to set triangle counts for");
    const std::size_t triangles =
        options.triangles == 0 ? info.default_triangles : options.triangles;
    Result<std::vector<AssemblyPart>> built =
        parts::build_exactly(plan.shapes, triangles, what, options.monitor);
    if (!built) return built.error();
    assembly.parts = std::move(built).value();
    return assembly;
  }

  std::size_t body = info.body_triangles;
  std::size_t obstacles = info.obstacle_triangles;
  if (options.triangles != 0) {
    if (options.body_triangles != 0 || options.obstacle_triangles != 0)
      return parts::invalid("give the total of triangles or those of body and obstacles, not both");
    if (options.triangles < info.minimum_triangles) {
      return parts::invalid(what + " needs at least " + std::to_string(info.minimum_triangles) +
                                " triangles, not " + std::to_string(options.triangles),
                            "ask for more triangles");
    }
    const double share = double(body) / double(info.default_triangles);
    body = std::clamp(static_cast<std::size_t>(std::llround(share * double(options.triangles))),
                      info.minimum_body_triangles,
                      options.triangles - info.minimum_obstacle_triangles);
    obstacles = options.triangles - body;
  } else {
    if (options.body_triangles != 0) body = options.body_triangles;
    if (options.obstacle_triangles != 0) obstacles = options.obstacle_triangles;
  }
  Result<std::vector<AssemblyPart>> built =
      parts::build_exactly(plan.shapes, body, "the body of " + what, options.monitor);
  if (!built) return built.error();
  assembly.parts = std::move(built).value();
  Result<std::vector<AssemblyPart>> rest =
      parts::build_exactly(plan.obstacles, obstacles, "the obstacles of " + what, options.monitor);
  if (!rest) return rest.error();
  for (AssemblyPart& part : *rest) assembly.parts.push_back(std::move(part));
  return assembly;
}

}  // namespace clearance
