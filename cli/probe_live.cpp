// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "probe_live.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <numbers>
#include <thread>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <clearance/contour/prober.h>

#include "text.h"
#include "view_page.h"
#include "view_server.h"
#include "view_shading.h"
#include "view_source.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Between two pictures.
constexpr auto kPicture = 40ms;
/// The colours of the mesh take a quarter of one core at most, and are made so often at most.
constexpr auto kLeastPause = 120ms;
constexpr int kPauseFactor = 3;
/// Of the thread: the stream goes first.
constexpr int kNice = 10;
/// Where no range says how far colours go: this part of the size of the mesh.
constexpr double kUsualRange = 0.25;
/// Points around a circle, circles along a segment.
constexpr std::uint32_t kSides = 24;
constexpr std::uint32_t kRings = 4;
constexpr std::uint8_t kBeyond = 255;

/// The segments as a mesh whose triangles are always the same: only the vertices move.
Mesh tube_mesh(std::span<const ContourSegment> segments) {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (const ContourSegment& segment : segments) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    // The circles turn right-handed about the way from the first to the second.
    const Vec3 normal = cross(segment.start.u, segment.start.v);
    const double turn = dot(normal, segment.end.center - segment.start.center) < 0.0 ? -1.0 : 1.0;
    const auto point = [&](double eta, std::uint32_t k) {
      const double theta = turn * 2.0 * std::numbers::pi * k / kSides;
      return segment.at(eta, std::cos(theta), std::sin(theta));
    };
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      for (std::uint32_t k = 0; k < kSides; ++k) {
        vertices.push_back(point(static_cast<double>(ring) / (kRings - 1), k));
        if (ring == 0) continue;
        const std::uint32_t next = (k + 1) % kSides;
        const std::uint32_t below = base + (ring - 1) * kSides;
        const std::uint32_t above = below + kSides;
        faces.push_back({below + k, below + next, above + next});
        faces.push_back({below + k, above + next, above + k});
      }
    }
    for (const double eta : {0.0, 1.0}) {
      const auto cap = static_cast<std::uint32_t>(vertices.size());
      for (std::uint32_t k = 0; k < kSides; ++k) vertices.push_back(point(eta, k));
      for (std::uint32_t k = 1; k + 1 < kSides; ++k) {
        if (eta > 0.5) {
          faces.push_back({cap, cap + k, cap + k + 1});
        } else {
          faces.push_back({cap, cap + k + 1, cap + k});
        }
      }
    }
  }
  return Mesh::make(std::move(vertices), std::move(faces)).value();
}

/// What happened since somebody looked.
struct Gathered {
  std::uint64_t answers = 0;
  std::uint64_t missed = 0;
  std::uint64_t contacts = 0;
  std::uint64_t too_close = 0;
  std::uint64_t refused = 0;
  double least = std::numeric_limits<double>::infinity();
  double worst_latency = 0.0;

  void add(const Gathered& other) {
    answers += other.answers;
    missed += other.missed;
    contacts += other.contacts;
    too_close += other.too_close;
    refused += other.refused;
    least = std::min(least, other.least);
    worst_latency = std::max(worst_latency, other.worst_latency);
  }
};

/// The newest answer and what has gathered with it.
struct Snapshot {
  Gathered gathered;
  ProbeAnswer answer;
  double mesh_seconds = 0.0;
  std::vector<ContourSegment> segments;
};

Json to_json(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// Coordinates of the vertices as the page has them, from the centre of the geometry.
std::string packed_positions(const ShadedMesh& shaded, std::span<const Vec3> vertices) {
  std::vector<std::array<float, 3>> values;
  values.reserve(shaded.origin.size());
  for (const std::uint32_t v : shaded.origin) {
    const Vec3 p = vertices[v] - shaded.center;
    values.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
  }
  std::string bytes(12 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return base64(bytes);
}

}  // namespace

struct ProbeLive::State {
  ProbeLiveOptions options;
  std::optional<ViewServer> server;
  std::unique_ptr<Prober> prober;  // for the colours; of the thread
  Mesh mesh;
  ShadedMesh mesh_shape;
  ShadedMesh robot_shape;
  std::size_t mesh_item = 0;
  std::size_t robot_item = 0;
  double range = 0.0;  // of the colours [m]
  Clock::time_point begin = Clock::now();

  Gathered pending;  // of the loop, until the lock is free

  std::mutex mutex;  // guards the four below
  Snapshot shared;
  bool fresh = false;
  bool ending = false;
  std::string last_words;

  std::condition_variable wake;
  std::thread thread;

  // Of the thread.
  Gathered all;
  Clock::time_point colours_due = Clock::now();
  Clock::time_point last_picture = Clock::now();

  /// Hands over what is pending; the lock is held.
  void hand_over() {
    shared.gathered.add(pending);
    pending = {};
    fresh = fresh || shared.gathered.answers > 0 || shared.gathered.refused > 0;
  }
  void run();
  void publish(const Snapshot& now);
  void append_colours(const Snapshot& now, Json& items);
  ViewDocument document(const ProbeRobot& robot, std::span<const ContourSegment> segments);
};

ViewDocument ProbeLive::State::document(const ProbeRobot& robot,
                                        std::span<const ContourSegment> segments) {
  ViewDocument document;
  document.kind = "probe";
  document.title = file_name(options.mesh_file);
  document.summary = "waiting for the first pose";
  document.live = true;
  document.facts = {{"robot", file_name(robot.file)},
                    {"segments", std::to_string(robot.contours.segment_count())},
                    {"triangles", group_digits(mesh.triangle_count())},
                    {"method", options.method}};
  if (options.clearance)
    document.facts.push_back({"clearance asked for", short_length(*options.clearance)});
  if (options.fixture.margin > 0.0)
    document.facts.push_back({"force begins at", short_length(options.fixture.margin)});
  document.legends.push_back({"distance [mm]", 0.0, range, 1e3, false});

  ViewItem surface;
  surface.name = file_name(options.mesh_file);
  surface.group = "Mesh";
  surface.mesh = mesh;
  surface.explodes = false;
  surface.outlined = false;
  // The robot is inside of anatomy: it must be seen through it.
  surface.opacity = 0.6;
  surface.legend = 0;
  surface.values.assign(mesh.vertex_count(), std::numeric_limits<float>::infinity());
  mesh_item = document.add(std::move(surface));
  ViewItem body;
  body.name = "robot";
  body.group = "Robot";
  body.mesh = tube_mesh(segments);
  body.colour = kProbeColour;
  body.outlined = false;
  body.explodes = false;
  robot_shape = shaded(body.mesh);
  robot_item = document.add(std::move(body));
  mesh_shape = shaded(mesh);

  ViewPlot distance{"least distance [mm]", {{"", {}, false}}, {}};
  if (options.clearance) {
    distance.limit = 1e3 * *options.clearance;
  } else if (options.fixture.margin > 0.0) {
    distance.limit = 1e3 * options.fixture.margin;
  }
  document.plots = {std::move(distance), {"worst latency [µs]", {{"", {}, false}}, {}}};
  return document;
}

void ProbeLive::State::append_colours(const Snapshot& now, Json& items) {
  const Clock::time_point begun = Clock::now();
  if (begun < colours_due) return;
  Json item{{"item", mesh_item}};
  if (options.vertices_at) {
    const std::span<const Vec3> vertices = options.vertices_at(now.mesh_seconds);
    if (!prober->move_vertices(vertices)) return;
    item["positions"] = packed_positions(mesh_shape, vertices);
  }
  if (const auto distances = prober->vertex_distances(now.segments, range)) {
    std::string shades;
    shades.reserve(mesh_shape.origin.size());
    for (const std::uint32_t v : mesh_shape.origin) {
      const double t = (*distances)[v] / range;
      shades += static_cast<char>(t <= 1.0 ? std::lround((kBeyond - 1) * t) : kBeyond);
    }
    item["shades"] = base64(shades);
  }
  items.push_back(std::move(item));
  const Clock::duration taken = Clock::now() - begun;
  colours_due = Clock::now() + std::max<Clock::duration>(kLeastPause, kPauseFactor * taken);
}

void ProbeLive::State::publish(const Snapshot& now) {
  all.add(now.gathered);
  const Clock::time_point moment = Clock::now();
  const std::chrono::duration<double> since = moment - last_picture;
  last_picture = moment;
  const std::chrono::duration<double> time = moment - begin;
  const ProbeHit& hit = now.answer.hit;
  Json json{{"time", time.count()},
            {"sequence", now.answer.sequence},
            {"distance", number_or_null(hit.distance)},
            {"leastNow", number_or_null(now.gathered.least)},
            {"least", number_or_null(all.least)},
            {"latency", now.gathered.worst_latency},
            {"rate", static_cast<double>(now.gathered.answers) / std::max(1e-3, since.count())},
            {"force", now.answer.fixture.magnitude},
            {"answers", all.answers},
            {"missed", all.missed},
            {"contacts", all.contacts},
            {"contactsNow", now.gathered.contacts},
            {"tooClose", all.too_close},
            {"tooCloseNow", now.gathered.too_close},
            {"refused", all.refused}};
  if (hit.found()) {
    json["line"] = Json::array({to_json(hit.on_mesh), to_json(hit.on_contour)});
    json["segment"] = hit.segment;
    json["triangle"] = hit.triangle;
  }
  Json items = Json::array();
  const Mesh tubes = tube_mesh(now.segments);
  items.push_back(
      {{"item", robot_item}, {"positions", packed_positions(robot_shape, tubes.vertices())}});
  append_colours(now, items);
  json["items"] = std::move(items);
  server->publish("state", json.dump());
}

void ProbeLive::State::run() {
  // What the kernel refuses does no harm.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice));
  Snapshot now;
  bool over = false;
  while (!over) {
    std::string words;
    bool news = false;
    {
      std::unique_lock lock(mutex);
      wake.wait_for(lock, kPicture, [&] { return ending; });
      over = ending;
      words = last_words;
      news = fresh;
      if (news) {
        now = shared;
        shared.gathered = {};
        fresh = false;
      }
    }
    if (news) publish(now);
    if (over) server->publish("end", Json{{"words", words}}.dump());
  }
}

ProbeLive::ProbeLive(std::unique_ptr<State> state) : state_(std::move(state)) {}

ProbeLive::~ProbeLive() {
  if (state_->thread.joinable()) end("");
}

Result<std::unique_ptr<ProbeLive>> ProbeLive::start(const ProbeRobot& robot, const Mesh& mesh,
                                                    std::span<const ContourSegment> segments,
                                                    const ProbeLiveOptions& options) {
  if (view_bundle().empty()) return no_bundle_error();
  auto state = std::make_unique<State>();
  State* const s = state.get();
  s->options = options;
  s->mesh = mesh;
  s->range = std::isfinite(options.range) && options.range > 0.0
                 ? options.range
                 : std::max(kUsualRange * mesh.bounds().diagonal(), 1e-9);
  Result<std::unique_ptr<Prober>> prober = make_prober(mesh, {.threads = Threads{1}});
  if (!prober) return prober.error();
  s->prober = std::move(*prober);
  // The loop copies into it: no memory is asked for there.
  s->shared.segments.assign(segments.begin(), segments.end());
  std::vector<ViewDocument> documents;
  documents.push_back(s->document(robot, segments));
  Result<ViewServer> server = ViewServer::start(std::move(documents), options.port);
  if (!server) return server.error();
  s->server.emplace(std::move(*server));
  s->thread = std::thread([s] { s->run(); });
  return std::unique_ptr<ProbeLive>(new ProbeLive(std::move(state)));
}

std::string ProbeLive::address() const { return state_->server->address(); }

void ProbeLive::tell(const ProbeAnswer& answer, bool too_close,
                     std::span<const ContourSegment> segments, double mesh_seconds) {
  State& s = *state_;
  ++s.pending.answers;
  s.pending.missed += answer.missed ? 1 : 0;
  s.pending.contacts += answer.hit.distance == 0.0 ? 1 : 0;
  s.pending.too_close += too_close ? 1 : 0;
  s.pending.least = std::min(s.pending.least, answer.hit.distance);
  s.pending.worst_latency = std::max(s.pending.worst_latency, answer.latency);
  // Never wait: what is pending goes with the next answer.
  const std::unique_lock lock(s.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  s.hand_over();
  s.shared.answer = answer;
  s.shared.mesh_seconds = mesh_seconds;
  std::copy_n(segments.begin(), std::min(segments.size(), s.shared.segments.size()),
              s.shared.segments.begin());
}

void ProbeLive::tell_refused() {
  State& s = *state_;
  ++s.pending.refused;
  const std::unique_lock lock(s.mutex, std::try_to_lock);
  if (lock.owns_lock()) s.hand_over();
}

void ProbeLive::end(const std::string& words) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.hand_over();
    s.ending = true;
    s.last_words = words;
  }
  s.wake.notify_one();
  s.thread.join();
}

}  // namespace clearance::cli
