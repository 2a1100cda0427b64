// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The list of planning scenes, and those that are read from files.
#include "planning.h"

#include <fstream>
#include <functional>
#include <numbers>
#include <sstream>

#include <clearance/mesh/read.h>

#include "simple_solids.h"

namespace clearance::scenes {
namespace {

namespace fs = std::filesystem;

Result<Mesh> read(const fs::path& file, double metres_per_unit = 1.0) {
  ReadOptions options;
  options.metres_per_unit = metres_per_unit;
  Result<LoadedMesh> loaded = read_mesh(file.string(), options);
  if (!loaded) return loaded.error();
  return loaded->mesh;
}

Result<PlanningScene> from_meshes(const Mesh& body, const Mesh& obstacles, const Pose& start,
                                  std::optional<Pose> goal) {
  Result<Model> body_model = Model::build(body);
  if (!body_model) return body_model.error();
  Result<Model> obstacle_model = Model::build(obstacles);
  if (!obstacle_model) return obstacle_model.error();
  return PlanningScene{{}, PlanProblem{*body_model, *obstacle_model, start, goal}, {}};
}

/// Body and obstacles from one file each.
Result<PlanningScene> from_files(const fs::path& body_file, const fs::path& obstacle_file,
                                 const Pose& start, std::optional<Pose> goal,
                                 double metres_per_unit = 1.0) {
  const Result<Mesh> body = read(body_file, metres_per_unit);
  if (!body) return body.error();
  const Result<Mesh> obstacles = read(obstacle_file, metres_per_unit);
  if (!obstacles) return obstacles.error();
  return from_meshes(*body, *obstacles, start, goal);
}

/// All of "<stem>1.stl" to "<stem><count>.stl", in one.
Result<Mesh> read_numbered(const fs::path& folder, const std::string& stem, int count) {
  std::vector<Mesh> meshes;
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) {
    names.push_back(stem + std::to_string(i));
    const Result<Mesh> mesh = read(folder / (names.back() + ".stl"));
    if (!mesh) return mesh.error();
    meshes.push_back(*mesh);
  }
  return merged(meshes, names);
}

/// The front seat from beside the car through the door frame to its place. The seat is as large as
/// in its own demonstration: 0.9 of the file.
Result<PlanningScene> car_seat(const fs::path& data) {
  constexpr double kScale = 0.9;
  const fs::path folder = data / "planning" / "car_seat";
  const Result<Mesh> seat = read_numbered(folder, "seat_", 10);
  if (!seat) return seat.error();
  const Result<Mesh> car = read_numbered(folder, "car_", 24);
  if (!car) return car.error();
  return from_meshes(scaled(*seat, {kScale, kScale, kScale}), *car,
                     Pose::translate({-1.0, 1.5, 0.4}), Pose::translate({-1.1, 0.383, 0.33}));
}

/// An L of steel (3 m and 2 m long) from one floor of the boiler house to the other side.
Result<PlanningScene> power_plant(const fs::path& data) {
  const Result<LoadedMesh> plant =
      read_mesh((data / "planning" / "powerplant" / "powerplant.dae").string());
  if (!plant) return plant.error();
  SolidBuilder beam;
  beam.box({0.0, 0.0, 0.0}, {3.0, 0.4, 0.4}).box({0.0, 0.0, 0.0}, {0.4, 2.0, 0.4});
  return from_meshes(beam.mesh(), plant->mesh, Pose::translate({-26.67, 21.45, 14.13}),
                     Pose::translate({-34.80, 21.27, 16.53}));
}

/// A part that leaves another: goal "out".
Result<PlanningScene> assembly(const fs::path& data, const char* folder, const char* moving,
                               const char* fixed, const Vec3& place) {
  const fs::path parts = data / "assemblies" / folder;
  return from_files(parts / moving, parts / fixed, Pose::translate(place), {});
}

/// One line of an alpha path: x y z qx qy qz qw.
std::optional<Pose> pose_from(const std::string& line) {
  std::istringstream numbers(line);
  Vec3 t;
  Quaternion q;
  if (!(numbers >> t.x >> t.y >> t.z >> q.x >> q.y >> q.z >> q.w)) return std::nullopt;
  return Pose{rotation_from(q), t};
}

/// The alpha puzzle: start and goal are the ends of its known solution, whose poses apply to the
/// robot moved so that the mean of its vertices is the origin. The files have it stretched by 1.2
/// along z, which widens the passage; `stretch`: by what it is to be instead.
Result<PlanningScene> alpha_puzzle(const fs::path& data, double stretch) {
  constexpr double kStretched = 1.2;
  const fs::path folder = data / "planning" / "alpha_puzzle";
  const fs::path path_file = folder / "alpha-1.2.org.path";
  std::ifstream lines(path_file);
  std::vector<Pose> poses;
  for (std::string line; std::getline(lines, line);) {
    if (const std::optional<Pose> pose = pose_from(line)) poses.push_back(*pose);
  }
  if (poses.size() < 2) {
    return Error{ErrorCode::NotFound, path_file.string(), {}, "holds no path", {}};
  }
  Result<PlanningScene> scene =
      from_files(folder / "alpha-1.2.org.obj", folder / "alpha_env-1.2.org.obj", {}, {});
  if (!scene) return scene;
  const Vec3 factors{1.0, 1.0, stretch / kStretched};
  const auto changed = [&](const Mesh& mesh) {
    return stretch == kStretched ? mesh : scaled(mesh, factors);
  };
  const Mesh robot = changed(scene->problem.body.mesh());
  Vec3 mean;
  for (const Vec3& vertex : robot.vertices()) mean += vertex;
  mean = mean / static_cast<double>(robot.vertex_count());
  for (Pose* pose : {&poses.front(), &poses.back()}) pose->translation.z *= factors.z;
  return from_meshes(transformed(robot, Pose::translate(-mean)),
                     changed(scene->problem.obstacles.mesh()), poses.front(), poses.back());
}

struct Entry {
  PlanningSceneInfo info;
  std::function<Result<PlanningScene>(const fs::path& data)> make;
};

template <class Function>
Entry made(const char* name, const char* description, Function function) {
  return {{name, description, false},
          [function](const fs::path&) -> Result<PlanningScene> { return function(); }};
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> list{
        made("wall_with_windows", "a small L through a large window",
             [] { return wall_with_windows(); }),
        made("stick_in_ring", "a stick into a ring", [] { return stick_in_ring(0.1); }),
        made("stick_in_ring_hard", "3 mm of room", [] { return stick_in_ring(0.003); }),
        made("bug_trap", "out of a box by a tube that reaches inward",
             [] { return bug_trap(0.1); }),
        made("bug_trap_hard", "15 mm of room in the tube", [] { return bug_trap(0.015); }),
        made("l_through_window", "an L turns in a window", [] { return l_through_window(2.0); }),
        made("l_through_window_hard", "with little room", [] { return l_through_window(1.7); }),
        made("maze_of_plates", "a stick through four windows",
             [] { return maze_of_plates(4, 0.1); }),
        made("maze_of_plates_hard", "ten windows, 25 mm of room",
             [] { return maze_of_plates(10, 0.025); }),
        made("cubicles", "an L from floor to floor of an office", [] { return cubicles(1.2); }),
        made("cubicles_hard", "a hole of 45 cm", [] { return cubicles(0.45); }),
        made("table_through_home", "a table through the rooms of a house",
             [] { return table_through_home(0.95); }),
        made("table_through_home_hard", "its legs threaded through narrow doors",
             [] { return table_through_home(0.7); }),
        made("crank_through_wall", "a crank through a bent window",
             [] { return crank_through_wall(4.0); }),
        made("crank_through_wall_hard", "narrow", [] { return crank_through_wall(3.0); }),
        made("bow_through_pipes", "a bow of bars through pipes",
             [] { return bow_through_pipes(60, 0.05); }),
        made("bow_through_pipes_hard", "and more pipes",
             [] { return bow_through_pipes(150, 0.06); }),
        made("jack_through_grids", "six arms through two grids",
             [] { return jack_through_grids(2, 0.7); }),
        made("jack_through_grids_hard", "four grids, narrow",
             [] { return jack_through_grids(4, 0.55); }),
        made("grand_piano_through_flat", "a grand piano through the rooms of a flat",
             [] { return grand_piano_through_flat(1.2); }),
        made("grand_piano_through_flat_hard", "and through narrow doors",
             [] { return grand_piano_through_flat(1.0); }),
        made("star_through_clutter", "a star through boxes and bars that hang about",
             [] { return star_through_clutter(90); }),
        made("star_through_clutter_hard", "twice as many",
             [] { return star_through_clutter(180); }),
        made("hook_among_elbows", "a hook through pipes with bends",
             [] { return hook_among_elbows(25, 0.05); }),
        made("hook_among_elbows_hard", "and more pipes",
             [] { return hook_among_elbows(50, 0.06); }),
        made("ball_out_of_cage", "a ball with a handle out of a cage",
             [] { return ball_out_of_cage(0.5); }),
        made("ball_out_of_cage_hard", "4 cm of room", [] { return ball_out_of_cage(0.34); }),
        made("stick_through_winding_slot", "a stick through a slot that winds",
             [] { return stick_through_winding_slot(0.4); }),
        made("stick_through_winding_slot_hard", "7 cm of room",
             [] { return stick_through_winding_slot(0.27); }),
        made("hook_through_sheets", "a hook through holes in sheets without thickness",
             [] { return hook_through_sheets(0.5); }),
        made("hook_through_sheets_hard", "smaller holes", [] { return hook_through_sheets(0.38); }),
        made("twisty_tunnel", "a stick through a tunnel of 12 cells",
             [] { return twisty_tunnel(12, 0.05); }),
        made("twisty_tunnel_hard", "30 cells, narrow", [] { return twisty_tunnel(30, 0.17); }),
        made("piano_in_apartment", "a piano through two doors",
             [] { return piano_in_apartment(0.9); }),
        made("piano_in_apartment_hard", "doors 3 cm wider than the piano",
             [] { return piano_in_apartment(0.68); }),
        made("ring_on_pipe", "a ring off a bent pipe", [] { return ring_on_pipe(0.05); }),
        made("ring_on_pipe_hard", "12 mm of room", [] { return ring_on_pipe(0.012); }),
        made("peg_in_hole", "a peg with 1 mm of play", [] { return peg_in_hole(1e-3); }),
        made("peg_in_hole_hard", "20 um of play", [] { return peg_in_hole(2e-5); }),
        made("ring_on_coil", "a ring along the wire of a coil", [] { return ring_on_coil(0.06); }),
        made("ring_on_coil_hard", "15 mm of room", [] { return ring_on_coil(0.015); }),
        made("twin_coils", "two coils wound into each other", [] { return twin_coils(0.05); }),
        made("twin_coils_hard", "5 mm of room", [] { return twin_coils(0.01); }),
    };
    const auto read = [&](const char* name, const char* description,
                          std::function<Result<PlanningScene>(const fs::path&)> make) {
      list.push_back({{name, description, true}, std::move(make)});
    };
    read("torus_stick", "a long stick into a torus", [](const fs::path& data) {
      const fs::path folder = data / "planning" / "simple";
      const Mat3 upright = rotation_about({0.0, 1.0, 0.0}, 0.5 * std::numbers::pi);
      return from_files(folder / "LongStick.obj", folder / "FullTorus.obj",
                        Pose::translate({10.0, 0.0, 0.0}), Pose{upright, {}});
    });
    read("box_with_hole", "a stick out of a hollow box", [](const fs::path& data) {
      const fs::path folder = data / "planning" / "simple";
      return from_files(folder / "mediumstick.obj", folder / "boxwithhole2.obj", {},
                        Pose::translate({0.0, 0.0, 18.0}));
    });
    const auto alpha = [&](const char* name, const char* description, double stretch) {
      read(name, description,
           [stretch](const fs::path& data) { return alpha_puzzle(data, stretch); });
    };
    alpha("alpha_15", "the alpha puzzle, widened by 50 %", 1.5);
    alpha("alpha_12", "by 20 %", 1.2);
    alpha("alpha_11", "by 10 %", 1.1);
    alpha("alpha_10", "as it is", 1.0);
    read("fcl_rooms", "a robot's base through rooms", [](const fs::path& data) {
      const fs::path folder = data / "planning" / "fcl_env_rob";
      return from_files(folder / "rob.obj", folder / "env.obj",
                        Pose::translate({1.55, -2.15, 0.74}), Pose::translate({-2.46, -0.23, 0.97}),
                        1e-3);
    });
    read("car_seat", "a seat into a car", car_seat);
    read("power_plant", "a bent beam through the steel of a power plant", power_plant);
    read("round_peg", "a round peg, 52 um", [](const fs::path& data) {
      return assembly(data, "factory_round_8mm", "factory_round_peg_8mm_tight.obj",
                      "factory_round_hole_8mm_subdiv_3x.obj", {0.0, 0.0, 0.001});
    });
    read("rectangular_peg", "a keyed peg, 67 um", [](const fs::path& data) {
      return assembly(data, "factory_rect_8mm", "factory_rectangular_peg_8mm_tight_subdiv_3x.obj",
                      "factory_rectangular_hole_8mm_subdiv_3x.obj", {0.0, 0.0, 0.001});
    });
    read("gear", "a gear off its pin, 13 um", [](const fs::path& data) {
      return assembly(data, "factory_gear", "factory_gear_small_space_5e-4.obj",
                      "factory_gear_base_loose_space_5e-4_subdiv_4x.obj", {0.0, 0.0, 0.001});
    });
    read("nut", "an M16 nut, 0.1 mm: only by turning", [](const fs::path& data) {
      return assembly(data, "factory_nut_bolt_m16", "factory_nut_m16_loose_subdiv_3x.obj",
                      "factory_bolt_m16_loose.obj", {0.0, 0.0, 0.002});
    });
    read("drawer", "a drawer, 0.2 mm", [](const fs::path& data) {
      return assembly(data, "furniture_drawer", "drawer_container_top.obj", "drawer_box.obj",
                      {0.0, -0.0345, 0.008});
    });
    read("lamp", "a lamp hood, 0.13 mm", [](const fs::path& data) {
      return assembly(data, "furniture_lamp", "lamp_hood.obj", "lamp_base.obj",
                      {0.0, -0.088324, 0.0});
    });
    return list;
  }();
  return all;
}

}  // namespace

const std::vector<PlanningSceneInfo>& planning_scenes() {
  static const std::vector<PlanningSceneInfo> infos = [] {
    std::vector<PlanningSceneInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

Result<PlanningScene> planning_scene(const std::string& name, const fs::path& data) {
  for (const Entry& entry : entries()) {
    if (entry.info.name != name) continue;
    Result<PlanningScene> scene = entry.make(data);
    if (scene) scene->name = name;
    return scene;
  }
  return Error{ErrorCode::NotFound, {}, {}, "there is no planning scene '" + name + "'", {}};
}

}  // namespace clearance::scenes
