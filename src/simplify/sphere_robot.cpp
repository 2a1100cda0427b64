// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Robots as spheres: what of a link is covered together, and how a number of spheres is shared out.
//
// The closed shapes of a link are covered as one body, so that what lies inside of several of them
// is covered once. They are turned to face outward before they are put together; then the surface
// wraps at least once around every point inside of one of them, unless a single mesh has pieces
// that face both ways. So where shapes may overlap, each is proven on its own in the end. Open
// shapes are a second body, since one of them would leave the first without an inside. Spheres stay
// themselves.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include <clearance/mesh/health.h>
#include <clearance/query/self_contacts.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/sphere_robot.h>

namespace clearance {
namespace {

/// How near the largest error comes to the least that a number of spheres allows, as a ratio. Each
/// halving of what is above 1 costs another simplification of all links.
constexpr double kErrorRatio = 1.03;

/// Shapes that are covered together.
struct Body {
  std::uint32_t link = 0;
  bool solid = false;
  std::vector<Mesh> shapes;
  std::optional<Model> model;  // of all shapes
};

/// What of a robot has to be covered.
struct Bodies {
  std::vector<Body> list;                  // by link, ascending
  std::vector<std::vector<Sphere>> given;  // spheres of the robot, by link
  std::vector<LinkSimplification> links;   // with shapes, ascending
  std::vector<std::string> notes;
};

/// The mesh with every triangle turned round.
Mesh turned(const Mesh& mesh) {
  std::vector<Face> faces(mesh.faces().begin(), mesh.faces().end());
  for (Face& face : faces) std::swap(face[1], face[2]);
  Result<Mesh> out = Mesh::make({mesh.vertices().begin(), mesh.vertices().end()}, std::move(faces));
  CLEARANCE_ASSERT(out.ok());
  return std::move(*out);
}

Result<Mesh> put_together(const std::vector<Mesh>& meshes) {
  if (meshes.size() == 1) return meshes.front();
  const std::vector<std::string> names(meshes.size());
  return merged(meshes, names);
}

std::string place_of(const RobotLink& link) { return "link '" + link.name + "'"; }

Error at_link(Error error, const RobotLink& link) {
  error.place = place_of(link) + (error.place.empty() ? "" : ", " + error.place);
  return error;
}

/// Pairs of triangles of a mesh that run through each other.
std::size_t crossings_of(const Mesh& mesh) {
  const Result<Bvh> tree = Bvh::build(mesh.vertices(), mesh.faces());
  return tree ? self_contacts(*tree).pairs.size() : 0;
}

/// The shapes of a link, sorted into bodies.
void sort_shapes(const RobotLink& link, std::uint32_t number, const SphereRobotOptions& asked,
                 Bodies& out) {
  const std::vector<RobotShape>& shapes = asked.visual ? link.visual : link.collision;
  if (shapes.empty()) return;
  LinkSimplification& summary = out.links.emplace_back();
  summary.link = number;
  summary.shapes = shapes.size();
  summary.solid = true;
  Body closed{number, true, {}, std::nullopt};
  Body open{number, false, {}, std::nullopt};
  std::size_t crossings = 0;
  for (const RobotShape& shape : shapes) {
    if (const auto* sphere = std::get_if<SphereShape>(&shape.geometry)) {
      out.given[number].push_back({shape.link_from_shape.translation, sphere->radius});
      continue;
    }
    Mesh surface = surface_of(shape);
    summary.triangles += surface.triangle_count();
    HealthOptions options;
    options.threads = asked.link.threads;
    const MeshHealth health = examine(surface, options);
    if (std::holds_alternative<MeshShape>(shape.geometry)) crossings += crossings_of(surface);
    if (health.closed && health.consistently_oriented) {
      closed.shapes.push_back(health.inside_out ? turned(surface) : std::move(surface));
    } else {
      open.shapes.push_back(std::move(surface));
    }
  }
  if (crossings > 0) {
    out.notes.push_back("A mesh of link '" + link.name + "' runs through itself (" +
                        std::to_string(crossings) + (crossings == 1 ? " pair" : " pairs") +
                        " of triangles): its solid is not defined there; the whole surface is "
                        "covered, and all that it wraps around.");
  }
  if (!open.shapes.empty()) {
    summary.solid = false;
    const std::string count =
        open.shapes.size() == 1 ? "A shape" : std::to_string(open.shapes.size()) + " shapes";
    out.notes.push_back(
        count + " of link '" + link.name + "' " + (open.shapes.size() == 1 ? "is" : "are") +
        (asked.link.external_diameter > 0.0
             ? " not closed: covered are the surface, and what an external ball does not get to."
             : " not closed: the surface is covered, and what is behind it has no inside."));
  }
  if (!closed.shapes.empty()) out.list.push_back(std::move(closed));
  if (!open.shapes.empty()) out.list.push_back(std::move(open));
}

Result<Bodies> bodies_of(const Robot& robot, const SphereRobotOptions& options) {
  Bodies out;
  out.given.resize(robot.links().size());
  for (std::uint32_t i = 0; i < robot.links().size(); ++i)
    sort_shapes(robot.links()[i], i, options, out);
  if (out.links.empty()) {
    const char* kind = options.visual ? "visual" : "collision";
    return Error{ErrorCode::Invalid, "", "robot '" + robot.name() + "'",
                 std::string("has no ") + kind + " shapes",
                 options.visual ? "take the collision shapes" : "take the visual shapes"};
  }
  for (Body& body : out.list) {
    const RobotLink& link = robot.links()[body.link];
    const Result<Mesh> mesh = put_together(body.shapes);
    if (!mesh) return at_link(mesh.error(), link);
    BvhOptions build;
    build.threads = options.link.threads;
    Result<Model> model = Model::build(*mesh, build);
    if (!model) return at_link(model.error(), link);
    body.model = std::move(*model);
  }
  return out;
}

/// Counts triangles of finished bodies; what a single body says of itself would jump to and fro.
class BodyMonitor final : public Monitor {
 public:
  BodyMonitor(Monitor* outer, std::size_t triangles) : outer_(outer), triangles_(triangles) {}
  void progress(std::string_view /*stage*/, double /*fraction*/) override {}
  [[nodiscard]] bool cancelled() const override { return is_cancelled(outer_); }
  void start(std::string stage) {
    stage_ = std::move(stage);
    done_ = 0;
    report_progress(outer_, stage_, 0.0);
  }
  void finish(std::size_t triangles) {
    const std::size_t done = done_.fetch_add(triangles) + triangles;
    report_progress(outer_, stage_, static_cast<double>(done) / static_cast<double>(triangles_));
  }

 private:
  Monitor* outer_;
  std::size_t triangles_;
  std::string stage_;
  std::atomic<std::size_t> done_ = 0;
};

void append(const PrimitiveSet& more, PrimitiveSet& out) {
  out.spheres.insert(out.spheres.end(), more.spheres.begin(), more.spheres.end());
  out.capsules.insert(out.capsules.end(), more.capsules.begin(), more.capsules.end());
  out.boxes.insert(out.boxes.end(), more.boxes.begin(), more.boxes.end());
}

/// The models of all bodies at one error.
using Models = std::vector<Simplification>;

std::size_t count_of(const Models& models) {
  std::size_t count = 0;
  for (const Simplification& model : models) count += model.spheres.size();
  return count;
}

class RobotSimplifier {
 public:
  RobotSimplifier(const Robot& robot, const SphereRobotOptions& options, Bodies& bodies)
      : robot_(robot),
        options_(options),
        bodies_(bodies),
        kinds_(options.link.primitives),
        monitor_(options.link.monitor, triangle_count()) {}

  /// Models of all bodies as the options want them.
  Result<Models> models() {
    const std::size_t most = options_.link.most_spheres;
    if (bodies_.list.empty()) return Models{};
    if (most == 0) return at(options_.link.error, 0, "simplifying");
    std::size_t given = 0;
    for (const std::vector<Sphere>& spheres : bodies_.given) given += spheres.size();
    if (most < given + bodies_.list.size()) {
      return Error{ErrorCode::Invalid, "", "robot '" + robot_.name() + "'",
                   "cannot be covered with " + std::to_string(most) + " spheres: its links need " +
                       std::to_string(given + bodies_.list.size()),
                   ""};
    }
    if (bodies_.list.size() == 1) return at(options_.link.error, most - given, "simplifying");
    // Primitives for the error that is found, not for all that are tried.
    kinds_ = {};
    Result<Models> found = shared_out(most - given);
    kinds_ = options_.link.primitives;
    if (!found || !kinds_.any()) return found;
    return at(found->front().error, 0, "simplifying");
  }

  /// Makes sure of every single shape of bodies where shapes overlap: adds spheres, nearly always
  /// none, to what the links are made of. A link for which they do not suffice is not covered.
  Status complete(std::vector<PrimitiveSet>& made, const Models& models,
                  std::vector<LinkSimplification>& links) {
    std::vector<PrimitiveSet> missing(made.size());
    for (std::size_t i = 0; i < bodies_.list.size(); ++i) {
      const Body& body = bodies_.list[i];
      if (!body.solid || !models[i].covered) continue;
      for (std::size_t k = 0; k < body.shapes.size(); ++k) {
        if (!may_overlap(body, k)) continue;
        BvhOptions build;
        build.threads = options_.link.threads;
        const Result<Model> model = Model::build(body.shapes[k], build);
        if (!model) return at_link(model.error(), robot_.links()[body.link]);
        CoverOptions cover;
        cover.threads = options_.link.threads;
        cover.monitor = &monitor_;
        if (is_covered(*model, made[body.link], cover)) continue;
        if (monitor_.cancelled()) return Error{ErrorCode::Cancelled, "", "", "", ""};
        SimplifyOptions spheres = options_at(body, models[i].error, 0);
        spheres.primitives = {};
        const Result<Simplification> more = simplify(*model, spheres);
        if (!more) return at_link(more.error(), robot_.links()[body.link]);
        append({more->spheres, {}, {}}, missing[body.link]);
        if (!more->covered)
          std::ranges::find(links, body.link, &LinkSimplification::link)->covered = false;
      }
    }
    for (std::size_t i = 0; i < made.size(); ++i) append(missing[i], made[i]);
    return {};
  }

 private:
  // Spheres alone have the sharper proof.
  static bool is_covered(const Model& shape, const PrimitiveSet& made, const CoverOptions& cover) {
    const bool balls = made.size() == made.spheres.size();
    const Cover found =
        balls ? verify_cover(shape, made.spheres, cover) : verify_cover(shape, made, cover);
    return found.status == CoverStatus::Covered;
  }

  [[nodiscard]] std::size_t triangle_count() const {
    std::size_t count = 0;
    for (const Body& body : bodies_.list) count += body.model->mesh().triangle_count();
    return count;
  }

  /// Does the box of a shape touch that of another?
  static bool may_overlap(const Body& body, std::size_t shape) {
    const Box box = body.shapes[shape].bounds();
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      if (i == shape) continue;
      const Box other = body.shapes[i].bounds();
      const Vec3 low = max(box.low, other.low);
      const Vec3 high = min(box.high, other.high);
      if (low.x <= high.x && low.y <= high.y && low.z <= high.z) return true;
    }
    return false;
  }

  [[nodiscard]] SimplifyOptions options_at(const Body& body, double error, std::size_t most) {
    SimplifyOptions out = options_.link;
    out.error = error;
    out.most_spheres = most;
    out.primitives = kinds_;
    out.monitor = &monitor_;
    // A ball of ten times the size of a link is as good as a plane to it, and larger ones are
    // refused.
    out.external_diameter =
        std::min(out.external_diameter, 10.0 * body.model->mesh().bounds().diagonal());
    return out;
  }

  Result<Models> at(double error, std::size_t most, const std::string& stage) {
    monitor_.start(stage);
    std::vector<std::optional<Result<Simplification>>> done(bodies_.list.size());
    parallel_for(options_.link.threads, done.size(), [&](std::size_t i) {
      const Body& body = bodies_.list[i];
      done[i] = simplify(*body.model, options_at(body, error, most));
      monitor_.finish(body.model->mesh().triangle_count());
    });
    Models models;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!*done[i]) return at_link(done[i]->error(), robot_.links()[bodies_.list[i].link]);
      models.push_back(std::move(**done[i]));
    }
    return models;
  }

  /// The least error, the same for all links, that needs `most` spheres at most.
  Result<Models> shared_out(std::size_t most) {
    // At an error of its size a body is inside the one sphere about its box.
    double enough = 0.0;
    for (const Body& body : bodies_.list)
      enough = std::max(enough, body.model->mesh().bounds().diagonal());
    double too_small = options_.link.error;
    if (too_small > 0.0) {
      Result<Models> wanted = at(too_small, 0, "simplifying");
      if (!wanted || count_of(*wanted) <= most) return wanted;
    }
    Result<Models> best = at(enough, 0, "sharing out spheres");
    if (!best) return best;
    // Down by halves until it is too small, then between the two.
    while (enough / std::max(too_small, std::numeric_limits<double>::min()) > kErrorRatio) {
      const bool bracketed = too_small > 0.0 && enough / too_small <= 2.0;
      const double error = bracketed ? std::sqrt(enough * too_small) : 0.5 * enough;
      Result<Models> tried = at(error, 0, "sharing out spheres");
      if (!tried) return tried;
      if (count_of(*tried) <= most) {
        enough = error;
        best = std::move(tried);
      } else {
        too_small = error;
      }
    }
    return best;
  }

  const Robot& robot_;
  const SphereRobotOptions& options_;
  const Bodies& bodies_;
  PrimitiveKinds kinds_;
  BodyMonitor monitor_;
};

}  // namespace

std::size_t SphereRobot::sphere_count() const {
  std::size_t count = 0;
  for (const std::vector<Sphere>& link : spheres) count += link.size();
  return count;
}

Result<SphereRobotResult> simplify(const Robot& robot, const SphereRobotOptions& options) {
  if (!options.link.external_tool.empty()) {
    return Error{ErrorCode::Invalid, "", "robot '" + robot.name() + "'",
                 "has links that turn, and an external tool has fixed orientations", ""};
  }
  Result<Bodies> bodies = bodies_of(robot, options);
  if (!bodies) return bodies.error();
  RobotSimplifier simplifier(robot, options, *bodies);
  const Result<Models> models = simplifier.models();
  if (!models) return models.error();

  SphereRobotResult out{{robot, bodies->given}, {}, bodies->links, bodies->notes};
  std::vector<PrimitiveSet> spheres(robot.links().size());
  std::vector<PrimitiveSet> primitives(robot.links().size());
  for (std::size_t i = 0; i < bodies->given.size(); ++i)
    spheres[i].spheres = primitives[i].spheres = bodies->given[i];
  for (LinkSimplification& link : out.links) link.covered = true;
  for (std::size_t i = 0; i < models->size(); ++i) {
    const Simplification& model = (*models)[i];
    const std::uint32_t number = bodies->list[i].link;
    if (model.kept.has_filled_cavities()) {
      out.notes.push_back("Link '" + robot.links()[number].name +
                          "' has a cavity that an external ball fits into but does not get to "
                          "from outside: it is filled.");
    }
    append({model.spheres, {}, {}}, spheres[number]);
    append(model.primitives, primitives[number]);
    const auto link = std::ranges::find(out.links, number, &LinkSimplification::link);
    link->error = std::max(link->error, model.error);
    link->covered = link->covered && model.covered;
  }
  if (Status status = simplifier.complete(spheres, *models, out.links); !status)
    return status.error();
  for (LinkSimplification& link : out.links) {
    out.model.spheres[link.link] = std::move(spheres[link.link].spheres);
    link.spheres = out.model.spheres[link.link].size();
  }
  if (!options.link.primitives.any()) return out;
  // Where spheres do not cover there are no primitives either.
  for (const LinkSimplification& link : out.links)
    if (!link.covered) primitives[link.link] = {out.model.spheres[link.link], {}, {}};
  if (Status status = simplifier.complete(primitives, *models, out.links); !status)
    return status.error();
  out.primitives = std::move(primitives);
  return out;
}

}  // namespace clearance
