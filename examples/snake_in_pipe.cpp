// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A snake robot in a pipe: reads the snake from a file, lays it into a pipe of 40 mm bore, and lets
// it writhe: a step turns one joint and is taken back when the snake touches the pipe or itself.
// docs/snake.md walks through it.
//   snake_in_pipe [SNAKE.json [PICTURE.png]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <clearance/base/random.h>
#include <clearance/chain/chain_file.h>
#include <clearance/chain/chain_obstacles.h>
#include <clearance/chain/chain_tree.h>
#include <clearance/mesh/generate.h>
#include <clearance/picture/picture.h>

namespace {

using namespace clearance;

/// Steps of the walk, and how far one may move the head [m].
constexpr int kSteps = 5000;
constexpr double kReach = 0.01;
/// The pipe is this long, and the snake begins so far inside [m].
constexpr double kPipeLength = 2.2;
constexpr double kInside = 0.1;

struct Walk {
  int accepted = 0;
  int pipe = 0;               ///< refused: touches the pipe
  int itself = 0;             ///< refused: touches itself
  double microseconds = 0.0;  ///< a step
};

/// Random turns, each accepted only when everything stays free.
Walk writhe(ChainTree& tree, std::vector<MovableJoint>& joints, const Pose& world_from_tail,
            const ChainObstacles& pipe) {
  Walk walk;
  Random random(7);
  ChainMemory memory;
  ObstacleMemory pipe_memory;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) {
    const std::size_t j = random.below(joints.size());
    MovableJoint& joint = joints[j];
    // Modules are a centimetre long: the farther the head, the smaller the turn.
    const double turn = kReach / (0.01 * static_cast<double>(joints.size() - j));
    const double value =
        std::clamp(joint.value + random.uniform(-turn, turn), joint.lower, joint.upper);
    tree.change({{joint.joint, pose_at(joint, value)}});
    // The state before was free, so only what moved can touch.
    if (collide(tree, world_from_tail, pipe, ObstacleLinks::Moved, &pipe_memory).hit) {
      ++walk.pipe;
      tree.reject();
    } else if (tree.collide_changed(&memory).hit) {
      ++walk.itself;
      tree.reject();
    } else {
      ++walk.accepted;
      joint.value = value;
      tree.accept();
    }
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  walk.microseconds = time.count() / kSteps;
  return walk;
}

/// The snake as balls along its modules, the pipe cut open.
Status draw(const std::string& path, const ChainTree& tree, const Pose& world_from_tail,
            const Mesh& pipe) {
  std::vector<PictureItem> items;
  std::vector<Face> back;
  for (const Face& face : pipe.faces()) {
    const Vec3 middle =
        pipe.vertices()[face[0]] + pipe.vertices()[face[1]] + pipe.vertices()[face[2]];
    if (middle.x < 0.0) back.push_back(face);
  }
  const std::vector<Vec3> vertices(pipe.vertices().begin(), pipe.vertices().end());
  items.push_back({*Mesh::make(vertices, back), Pose::identity(), {0.72, 0.74, 0.78}});
  const std::vector<Pose> poses = tree.poses();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto& capsule = std::get<Capsule>(tree.link(i));
    PipeOptions ring;
    ring.outer_diameter = 2.0 * capsule.radius;
    ring.bore = 1.9 * capsule.radius;
    ring.length = 0.8 * norm(capsule.axis.b - capsule.axis.a);
    ring.triangles = 96;
    // The ring is along z, the module along x.
    const Pose along{rotation_about({0, 1, 0}, 1.5707963267948966),
                     0.5 * (capsule.axis.a + capsule.axis.b)};
    const Colour colour = i % 2 == 0 ? Colour{0.85, 0.45, 0.2} : Colour{0.25, 0.5, 0.75};
    items.push_back({*make_pipe(ring), world_from_tail * poses[i] * along, colour});
  }
  PictureOptions options;
  options.towards_eye = {1.0, 0.15, 0.1};
  options.up = {0.0, 1.0, 0.0};
  // The last quarter, with the head.
  options.region = Box{{-0.03, -0.03, 0.5}, {0.03, 0.03, 1.1}};
  options.width = 1000;
  options.height = 130;
  return write_png(path, render(items, {}, options), {64});
}

int run(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "examples/snake.json";
  Result<ChainFile> snake = read_chain(path);
  if (!snake) {
    std::fprintf(stderr, "%s\n", snake.error().message().c_str());
    return 2;
  }
  PipeOptions pipe_options;
  pipe_options.length = kPipeLength;
  const Mesh pipe_mesh = *make_pipe(pipe_options);
  const ChainObstacles pipe =
      *ChainObstacles::build({{*Model::build(pipe_mesh), Pose::identity()}});
  // The snake is straight along its x, the pipe along z, with its middle at the origin.
  const Pose world_from_tail{rotation_about({0, 1, 0}, -1.5707963267948966),
                             {0.0, 0.0, kInside - 0.5 * kPipeLength}};
  Result<ChainTree> tree = ChainTree::build(snake->chain);
  const ObstacleDistance room = distance(*tree, world_from_tail, pipe);
  std::printf("%zu modules, %zu joints; %.2f mm of room in the pipe\n", tree->link_count(),
              snake->joints.size(), 1e3 * room.distance);
  bool as_expected = room.distance > 0.0115 && room.distance < 0.0121;

  const Walk walk = writhe(*tree, snake->joints, world_from_tail, pipe);
  std::printf("%d steps: %d accepted, %d touched the pipe, %d the snake itself\n", kSteps,
              walk.accepted, walk.pipe, walk.itself);
  std::fprintf(stderr, "%.1f microseconds a step\n", walk.microseconds);
  const ObstacleDistance after = distance(*tree, world_from_tail, pipe);
  std::printf("in the end: %.3f mm of room in the pipe, at module %s\n", 1e3 * after.distance,
              snake->body_names[snake->body_of_link[after.pair.link]].c_str());
  as_expected = as_expected && walk.accepted > 1000 && walk.pipe > 1000 && after.distance > 0.0 &&
                !tree->collide_self().hit && !collide(*tree, world_from_tail, pipe).hit;

  if (argc > 2) {
    if (const Status drawn = draw(argv[2], *tree, world_from_tail, pipe_mesh); !drawn) {
      std::fprintf(stderr, "%s\n", drawn.error().message().c_str());
      return 2;
    }
  }
  return as_expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return 2;
  }
}
