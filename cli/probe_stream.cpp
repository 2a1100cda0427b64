// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "probe_stream.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <clearance/contour/stream_clock.h>
#include <clearance/query/query.h>

#include "browser.h"
#include "probe_live.h"
#include "probe_source.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

using Json = nlohmann::ordered_json;

/// How long to wait for a line before looking at the clock and for Ctrl-C [ms].
constexpr int kPatience = 100;
/// Lines looked at in one tick, at most: a flood may not eat the time of the answer.
constexpr int kMostLinesPerTick = 64;
/// --spin: what waking up takes at most on a machine that is not busy [ns].
constexpr std::int64_t kSpin = 80'000;
/// Priority among real-time threads (1 to 99): above what has no opinion, below the kernel's own.
constexpr int kRealtimePriority = 50;
/// Seconds of a turn of "orbit", a swing of "sway" and a breath of "breathing".
constexpr double kOrbitSeconds = 2.0;
constexpr double kBreathSeconds = 4.0;
/// Frames a second where no rate says so.
constexpr double kUsualRate = 1000.0;
constexpr double kUsualMeshRate = 100.0;
/// Radius of "orbit" as a fraction of the mesh's size; swing of "sway" [rad], [m].
constexpr double kOrbitFraction = 0.01;
constexpr double kSway = 0.05;
/// Bars of the histogram [characters].
constexpr int kBarWidth = 40;

/// What happened.
struct StreamSummary {
  std::uint64_t lines = 0;
  std::uint64_t refused = 0;
  std::uint64_t superseded = 0;  ///< came before a newer one of the same tick
  std::uint64_t repeated = 0;    ///< ticks without a new line
  std::uint64_t answers = 0;
  std::uint64_t missed = 0;
  std::uint64_t contacts = 0;
  std::uint64_t too_close = 0;
  double least_distance = std::numeric_limits<double>::infinity();
  double seconds = 0.0;
  LatencyHistogram latency{};
  LatencyHistogram processor{};  ///< time the answers took of the processor
  std::optional<MissAccount> misses{};
};

/// "orbit", "orbit:2mm": the word, and the length behind it.
struct Motion {
  std::string word;
  std::optional<double> size{};
};

Result<Motion> motion_of(const std::string& option, const std::string& text) {
  const std::size_t colon = text.find(':');
  Motion motion{text.substr(0, colon)};
  if (colon == std::string::npos) return motion;
  motion.size = length_of(text.substr(colon + 1));
  if (!motion.size) {
    return Error{ErrorCode::Invalid,
                 {},
                 option,
                 "'" + text.substr(colon + 1) + "' is no length such as 2mm or 0.002",
                 {}};
  }
  return motion;
}

/// The lines of --synthetic: an orbit of the root, all joints swaying, or a file to and fro.
Result<std::vector<std::string>> synthetic_lines(const ProbeStreamOptions& options,
                                                 const ProbeRobot& robot, const Mesh& mesh) {
  const std::string& what = options.synthetic;
  std::vector<std::string> lines;
  const bool orbit = what.substr(0, what.find(':')) == "orbit";
  const bool sway = what.substr(0, what.find(':')) == "sway";
  if (!orbit && !sway) {
    const Result<std::vector<ProbeConfiguration>> path = read_path(what, robot);
    if (!path) return path.error();
    for (const ProbeConfiguration& configuration : *path)
      lines.push_back(frame_line(configuration));
    for (std::size_t i = path->size(); i-- > 1;) lines.push_back(lines[i]);
    return lines;
  }
  const Result<Motion> motion = motion_of("--synthetic", what);
  if (!motion) return motion.error();
  if (sway && robot.joints.empty())
    return Error{ErrorCode::Invalid, {}, "--synthetic", "a rigid body has no joints to sway", {}};
  const double rate = options.rate > 0.0 ? options.rate : kUsualRate;
  const auto count = static_cast<std::size_t>(std::clamp(rate * kOrbitSeconds, 16.0, 20'000.0));
  const double radius = motion->size.value_or(kOrbitFraction * norm(mesh.bounds().size()));
  for (std::size_t i = 0; i < count; ++i) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    ProbeConfiguration configuration = start_of(robot);
    if (orbit) {
      configuration.world_from_root.translation +=
          radius * Vec3{std::cos(angle) - 1.0, std::sin(angle), 0.0};
    } else {
      for (std::size_t j = 0; j < configuration.joints.size(); ++j) {
        const RobotJoint& joint =
            robot.contours.robot()->joints()[robot.contours.robot()->free_joints()[j]];
        configuration.joints[j] =
            std::clamp(configuration.joints[j] +
                           motion->size.value_or(kSway) * std::sin(angle + static_cast<double>(j)),
                       joint.lower, joint.upper);
      }
    }
    lines.push_back(frame_line(configuration));
  }
  return lines;
}

/// The mesh growing and shrinking about its middle.
class BreathingMesh {
 public:
  BreathingMesh(const Mesh& mesh, double amplitude)
      : mesh_(mesh),
        center_(mesh.bounds().center()),
        amplitude_(amplitude / std::max(0.5 * norm(mesh.bounds().size()), 1e-300)),
        moved_(mesh.vertices().begin(), mesh.vertices().end()) {}

  std::span<const Vec3> at(double seconds) {
    const double growth = amplitude_ * std::sin(2.0 * std::numbers::pi * seconds / kBreathSeconds);
    const auto vertices = mesh_.vertices();
    for (std::size_t i = 0; i < vertices.size(); ++i)
      moved_[i] = vertices[i] + growth * (vertices[i] - center_);
    return moved_;
  }

 private:
  const Mesh& mesh_;
  Vec3 center_;
  double amplitude_;  // of the farthest vertex, as a fraction of its distance
  std::vector<Vec3> moved_;
};

Result<std::optional<BreathingMesh>> moving_mesh(const ProbeStreamOptions& options,
                                                 const Mesh& mesh) {
  if (options.move_mesh.empty()) return std::optional<BreathingMesh>();
  const Result<Motion> motion = motion_of("--move-mesh", options.move_mesh);
  if (!motion) return motion.error();
  if (motion->word != "breathing" || !motion->size) {
    return Error{ErrorCode::Invalid,
                 {},
                 "--move-mesh",
                 "'" + options.move_mesh + "' is not breathing:AMPLITUDE",
                 "such as breathing:2mm"};
  }
  return std::optional<BreathingMesh>(std::in_place, mesh, *motion->size);
}

/// Locked memory and a real-time priority; what the system refuses is said, and we go on without.
void go_realtime() {
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    say(std::string("--realtime: memory is not locked: ") + std::strerror(errno));
  sched_param parameters{};
  parameters.sched_priority = kRealtimePriority;
  if (::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
    say(std::string("--realtime: no real-time priority: ") + std::strerror(errno));
}

class ProbeStream {
 public:
  ProbeStream(const ProbeStreamOptions& options, const ProbeRobot& robot, const Mesh& mesh,
              Prober& prober, TerminalMonitor& monitor, LineSource& source,
              std::optional<BreathingMesh> breathing, ProbeLive* live)
      : options_(options),
        robot_(robot),
        prober_(prober),
        monitor_(monitor),
        source_(source),
        breathing_(std::move(breathing)),
        live_(live),
        period_(options.rate > 0.0 ? static_cast<std::int64_t>(std::llround(1e9 / options.rate))
                                   : 0),
        deadline_(options.deadline > 0.0
                      ? static_cast<std::int64_t>(std::llround(1e9 * options.deadline))
                      : period_),
        // What rounding may have added to a distance (segment_distance.h).
        slack_(kSegmentDistanceError *
               (norm(mesh.bounds().size()) +
                largest_component(max(abs(mesh.bounds().low), abs(mesh.bounds().high))))),
        configuration_(start_of(robot)) {
    line_.reserve(1024);
    if (deadline_ > 0) summary_.misses.emplace(deadline_);
  }

  /// Until the lines or the time end. Errors: a device that failed.
  Status run() {
    // The first query of its kind allocates and touches memory: not in the loop.
    if (Status status = place(robot_, configuration_, segments_, scratch_); !status) return status;
    if (const Result<ProbeHit> hit = prober_.closest(segments_, options_.range); !hit)
      return hit.error();
    const std::int64_t begin = monotonic_nanoseconds();
    const std::int64_t end =
        options_.seconds > 0.0 ? begin + static_cast<std::int64_t>(1e9 * options_.seconds) : 0;
    Status status;
    if (period_ > 0) {
      status = run_ticks(end);
    } else {
      status = run_as_they_come(end);
    }
    summary_.seconds = 1e-9 * static_cast<double>(monotonic_nanoseconds() - begin);
    return status;
  }

  [[nodiscard]] const StreamSummary& summary() const { return summary_; }
  /// Nobody reads the answers any more.
  [[nodiscard]] bool reader_gone() const { return reader_gone_; }

 private:
  [[nodiscard]] bool over(std::int64_t end) const {
    return monitor_.cancelled() || reader_gone_ || (end > 0 && monotonic_nanoseconds() >= end);
  }

  /// Time of the processor, as far as it can be told: what other threads do for an answer counts
  /// in full, and so does waiting for a device.
  [[nodiscard]] std::int64_t used() const {
    switch (prober_.method()) {
      case ProbeMethod::OpenCl:
      case ProbeMethod::OpenClCulled:
        return monotonic_nanoseconds();
      default:
        return options_.one_thread ? thread_nanoseconds() : process_nanoseconds();
    }
  }
  void count_missed(std::uint64_t count) {
    if (count == 0) return;
    summary_.missed += count;
    summary_.misses->missed(count, used());
  }

  Status run_ticks(std::int64_t end) {
    Ticker ticker(period_, options_.spin ? kSpin : 0);
    while (!over(end)) {
      const Ticker::Tick tick = ticker.wait();
      if (monitor_.cancelled()) break;
      if (known_) count_missed(tick.skipped);
      begin_used_ = used();
      if (tick.waited) summary_.misses->idle(begin_used_);
      source_.begin_round();
      // All lines that have come; the last good one counts.
      LineSource::State state = LineSource::State::Line;
      bool fresh = false;
      for (int i = 0; i < kMostLinesPerTick; ++i) {
        std::string_view line;
        state = source_.next(line, 0);
        if (state != LineSource::State::Line) break;
        if (!take(line)) continue;
        if (fresh) ++summary_.superseded;
        fresh = known_ = true;
      }
      if (!fresh && state == LineSource::State::End) break;
      if (!known_) continue;
      if (!fresh) ++summary_.repeated;
      const double seconds = 1e-9 * static_cast<double>(period_) * static_cast<double>(tick.index);
      if (Status status = answer(tick.time, seconds); !status) return status;
    }
    return {};
  }

  Status run_as_they_come(std::int64_t end) {
    while (!over(end)) {
      source_.begin_round();
      std::string_view line;
      const LineSource::State state = source_.next(line, kPatience);
      if (state == LineSource::State::End) break;
      if (state == LineSource::State::Nothing) continue;
      const std::int64_t start = monotonic_nanoseconds();
      begin_used_ = used();
      if (summary_.misses) summary_.misses->idle(begin_used_);
      if (!take(line)) continue;
      const double seconds = static_cast<double>(summary_.answers) / kUsualMeshRate;
      if (Status status = answer(start, seconds); !status) return status;
    }
    return {};
  }

  void refuse(const Error& error) {
    ++summary_.refused;
    if (live_ != nullptr) live_->tell_refused();
    write_refusal(error, summary_.lines, line_);
    if (!source_.reply(line_)) reader_gone_ = true;
  }

  /// Reads a line into the segments; false when it was refused. Empty lines are none.
  bool take(std::string_view line) {
    if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) return false;
    ++summary_.lines;
    Status status = parse_frame(line, robot_.shape, frame_);
    if (status) status = apply(frame_, robot_, configuration_);
    if (status) status = place(robot_, configuration_, taken_, scratch_);
    if (!status) {
      refuse(status.error());
      return false;
    }
    std::swap(segments_, taken_);
    id_ = frame_.id;
    source_.accept();
    return true;
  }

  /// The distance now, sent. Errors: a device that failed; what else goes wrong is refused.
  Status answer(std::int64_t start, double mesh_seconds) {
    if (breathing_) {
      if (Status status = prober_.move_vertices(breathing_->at(mesh_seconds)); !status)
        return status;
    }
    const Result<ProbeHit> hit = prober_.closest(segments_, options_.range);
    if (!hit) {
      if (hit.error().code != ErrorCode::Invalid) return hit.error();
      refuse(hit.error());
      return {};
    }
    answer_.sequence = summary_.answers++;
    answer_.id = id_;
    answer_.hit = *hit;
    answer_.fixture = fixture_force(*hit, options_.fixture, direction_);
    if (answer_.fixture.direction != Vec3{}) direction_ = answer_.fixture.direction;
    const std::int64_t latency = monotonic_nanoseconds() - start;
    answer_.latency = 1e-9 * static_cast<double>(latency);
    answer_.missed = deadline_ > 0 && latency > deadline_;
    summary_.latency.add(latency);
    summary_.processor.add(used() - begin_used_);
    count_missed(answer_.missed ? 1 : 0);
    write_answer(answer_, line_);
    const std::int64_t blocked = source_.blocked();
    if (!source_.answer(line_)) reader_gone_ = true;
    if (summary_.misses) summary_.misses->output_blocked(source_.blocked() - blocked);

    summary_.contacts += hit->distance == 0.0 ? 1 : 0;
    const double limit = options_.clearance.value_or(0.0);
    const bool too_close = hit->distance <= limit + (options_.clearance ? slack_ : 0.0);
    summary_.too_close += too_close ? 1 : 0;
    if (live_ != nullptr) live_->tell(answer_, too_close, segments_, mesh_seconds);
    summary_.least_distance = std::min(summary_.least_distance, hit->distance);
    return {};
  }

  const ProbeStreamOptions& options_;
  const ProbeRobot& robot_;
  Prober& prober_;
  TerminalMonitor& monitor_;
  LineSource& source_;  // while run() runs
  std::optional<BreathingMesh> breathing_;
  ProbeLive* live_;        // may be null
  std::int64_t period_;    // [ns]; 0: as lines come
  std::int64_t deadline_;  // [ns]; 0: none
  double slack_;           // [m]

  std::int64_t begin_used_ = 0;  // used() when the answer at hand was begun
  bool known_ = false;           // a pose has come
  bool reader_gone_ = false;
  ProbeFrame frame_;
  ProbeConfiguration configuration_;
  std::vector<ContourSegment> segments_;
  std::vector<ContourSegment> taken_;  // of a line that may yet be refused
  std::vector<Pose> scratch_;
  std::optional<std::int64_t> id_;
  Vec3 direction_;  // of the last answer that had one
  ProbeAnswer answer_;
  std::string line_;
  StreamSummary summary_;
};

Json to_json(const StreamSummary& summary, const ProbeStreamOptions& options,
             const ProbeRobot& robot, const Mesh& mesh, const Prober& prober) {
  constexpr double kMicroseconds = 1e6;
  const auto number_or_null = [](double value) {
    return std::isfinite(value) ? Json(value) : Json();
  };
  Json histogram = Json::array();
  for (const LatencyHistogram::Row& row : summary.latency.rows()) {
    histogram.push_back({{"low_us", kMicroseconds * row.low},
                         {"high_us", kMicroseconds * row.high},
                         {"count", row.count}});
  }
  const auto in_microseconds = [](const LatencyHistogram& times) -> Json {
    return {{"median", kMicroseconds * times.quantile(0.5)},
            {"p99", kMicroseconds * times.quantile(0.99)},
            {"worst", kMicroseconds * times.worst()}};
  };
  const std::optional<MissAccount>& misses = summary.misses;
  const double deadline = options.deadline > 0.0 ? options.deadline
                          : options.rate > 0.0   ? 1.0 / options.rate
                                                 : 0.0;
  return {{"schema", "clearance.probe-stream"},
          {"version", 1},
          {"robot", {{"path", robot.file}, {"segments", robot.contours.segment_count()}}},
          {"mesh", {{"path", options.mesh_file}, {"triangles", mesh.triangle_count()}}},
          {"method", name_of(prober.method())},
          {"rate", options.rate > 0.0 ? Json(options.rate) : Json()},
          {"deadline_us", deadline > 0.0 ? Json(kMicroseconds * deadline) : Json()},
          {"seconds", summary.seconds},
          {"lines", summary.lines},
          {"refused", summary.refused},
          {"superseded", summary.superseded},
          {"repeated", summary.repeated},
          {"answers", summary.answers},
          {"missed", summary.missed},
          {"missed_because",
           {{"computing", misses ? misses->by_computing() : 0},
            {"output", misses ? misses->by_output() : 0},
            {"machine", misses ? misses->by_machine() : 0}}},
          {"contacts", summary.contacts},
          {"too_close", summary.too_close},
          {"least_distance", number_or_null(summary.least_distance)},
          {"latency_us", in_microseconds(summary.latency)},
          {"processor_us", in_microseconds(summary.processor)},
          {"histogram", std::move(histogram)}};
}

std::string format_time(double seconds) {
  if (seconds >= 1.0) return format_number("%.3g s", seconds);
  if (seconds >= 1e-3) return format_number("%.3g ms", 1e3 * seconds);
  return format_number("%.3g us", 1e6 * seconds);
}

/// " (2 by computing, 1 while the machine did something else)", or nothing.
std::string reasons_of(const StreamSummary& summary) {
  if (summary.missed == 0 || !summary.misses) return {};
  std::string text;
  const auto add = [&](std::uint64_t count, const char* why) {
    if (count > 0) text += (text.empty() ? " (" : ", ") + group_digits(count) + why;
  };
  add(summary.misses->by_computing(), " by computing");
  add(summary.misses->by_output(), " as nobody took the answers");
  add(summary.misses->by_machine(), " while the machine did something else");
  return text + ")";
}

std::string to_text(const StreamSummary& summary) {
  std::string text = count_of(summary.answers, "answer", "answers") + " in " +
                     format_number("%.1f s", summary.seconds) + "; " +
                     count_of(summary.missed, "deadline", "deadlines") + " missed" +
                     reasons_of(summary) + ", " + count_of(summary.refused, "line", "lines") +
                     " refused";
  if (summary.superseded > 0)
    text += ", " + group_digits(summary.superseded) + " overtaken by a newer one";
  if (summary.repeated > 0)
    text += ", " + count_of(summary.repeated, "tick", "ticks") + " without a new one";
  text += '\n';
  if (summary.answers == 0) return text;
  const auto add_times = [&](const char* name, const LatencyHistogram& times) {
    text += name + std::string(": median ") + format_time(times.quantile(0.5)) + ", 99 % " +
            format_time(times.quantile(0.99)) + ", worst " + format_time(times.worst()) + '\n';
  };
  add_times("processor time", summary.processor);
  add_times("latency", summary.latency);
  const std::vector<LatencyHistogram::Row> rows = summary.latency.rows();
  std::uint64_t most = 1;
  for (const LatencyHistogram::Row& row : rows) most = std::max(most, row.count);
  std::vector<std::vector<std::string>> lines;
  for (const LatencyHistogram::Row& row : rows) {
    // The root shows the few late ones beside the many that are in time.
    const double share = std::sqrt(static_cast<double>(row.count) / static_cast<double>(most));
    const auto width = static_cast<std::size_t>(std::ceil(share * kBarWidth));
    lines.push_back(
        {"  up to", format_time(row.high), group_digits(row.count), std::string(width, '#')});
  }
  const std::size_t right[] = {1, 2};
  text += align_columns(lines, right);
  text += "least distance: " +
          (std::isfinite(summary.least_distance) ? format_length(summary.least_distance)
                                                 : std::string("nothing within the range")) +
          '\n';
  return text;
}

/// The page that follows the stream.
Result<std::unique_ptr<ProbeLive>> start_live(const ProbeStreamOptions& options,
                                              const ProbeRobot& robot, const Mesh& mesh,
                                              const Prober& prober,
                                              const std::optional<BreathingMesh>& breathing) {
  std::vector<ContourSegment> segments;
  std::vector<Pose> scratch;
  if (Status status = place(robot, start_of(robot), segments, scratch); !status)
    return status.error();
  ProbeLiveOptions live{.port = options.view_port,
                        .mesh_file = options.mesh_file,
                        .method = name_of(prober.method()),
                        .range = options.range,
                        .clearance = options.clearance,
                        .fixture = options.fixture};
  if (breathing) {
    live.vertices_at = [own = std::make_shared<BreathingMesh>(*breathing)](double seconds) {
      return own->at(seconds);
    };
  }
  return ProbeLive::start(robot, mesh, segments, live);
}

}  // namespace

int probe_stream(const ProbeStreamOptions& options, const ProbeRobot& robot, const Mesh& mesh,
                 Prober& prober, TerminalMonitor& monitor) {
  Result<std::optional<BreathingMesh>> breathing = moving_mesh(options, mesh);
  if (!breathing) return fail(breathing.error());
  const Writer writer = options.realtime ? Writer::OwnThread : Writer::Loop;
  std::unique_ptr<LineSource> source;
  if (!options.synthetic.empty()) {
    Result<std::vector<std::string>> lines = synthetic_lines(options, robot, mesh);
    if (!lines) return fail(lines.error());
    source = repeated_lines(std::move(*lines), writer);
  } else if (options.udp_port) {
    std::string address;
    Result<std::unique_ptr<LineSource>> udp = udp_source(options.bind, *options.udp_port, address);
    if (!udp) return fail(udp.error());
    source = std::move(*udp);
    say("listening on UDP " + address);
  } else {
    source = standard_input(writer);
  }

  // Before --realtime: what follows the stream has no such priority.
  std::unique_ptr<ProbeLive> live;
  if (options.view) {
    Result<std::unique_ptr<ProbeLive>> started =
        start_live(options, robot, mesh, prober, *breathing);
    if (!started) return fail(started.error());
    live = std::move(*started);
    say("showing at " + live->address());
    open_browser(live->address());
  }

  // A reader that goes away ends the stream, not the program: the summary is still wanted.
  std::signal(SIGPIPE, SIG_IGN);
  // Sleep to the microsecond: by default the kernel may wake us 50 us late to save power.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  if (options.realtime) go_realtime();
  ProbeStream stream(options, robot, mesh, prober, monitor, *source, std::move(*breathing),
                     live.get());
  const Status status = stream.run();
  source.reset();  // all answers are written before the summary
  if (live) live->end("The stream has ended.");
  const StreamSummary& summary = stream.summary();
  std::cerr << to_text(summary);
  if (!status) return fail(status.error());
  if (stream.reader_gone()) {
    say("nobody reads the answers any more");
    return kWrongInput;
  }
  if (options.json) {
    const Json result =
        with_unit(to_json(summary, options, robot, mesh, prober), options.metres_per_unit);
    std::cout << result.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  if (summary.answers == 0 && summary.refused > 0) return kWrongInput;
  return summary.too_close > 0 || summary.missed > 0 ? kBad : kGood;
}

}  // namespace clearance::cli
