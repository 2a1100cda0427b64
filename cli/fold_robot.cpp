// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_robot.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include <clearance/base/file.h>

#include "fold_files.h"
#include "fold_robot_report.h"
#include "fold_robot_scene.h"
#include "growing_file.h"
#include "session.h"
#include "text.h"
#include "verbs.h"

namespace clearance::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Steps between two looks at the clock and at Ctrl-C.
constexpr std::uint64_t kStepsAtOnce = 64;

std::string exact(double value) { return format_number("%.17g", value); }

/// What must be the same for a walk to go on, by the names of the options.
std::vector<std::pair<std::string, std::string>> identity_of(const FoldRobotOptions& options,
                                                             const RobotScene& scene) {
  Checksum obstacles;
  const auto add = [&](const auto& values) {
    for (const auto& value : values) obstacles.add(&value, sizeof value);
  };
  for (std::size_t i = 0; i < scene.obstacle_meshes.size(); ++i) {
    add(scene.obstacle_meshes[i].vertices());
    add(scene.obstacle_meshes[i].faces());
    obstacles.add(&scene.world_from_obstacle[i], sizeof(Pose));
  }
  Checksum pose;
  pose.add(&scene.world_from_link0, sizeof(Pose));
  const FoldOptions& fold = options.fold;
  return {{"robot", std::to_string(scene.model.chain.links.size()) + " links, checksum " +
                        std::to_string(checksum_of(scene.model))},
          {"pose of the robot", std::to_string(pose.value())},
          {"set of obstacles", std::to_string(scene.obstacle_meshes.size()) + ", checksum " +
                                   std::to_string(obstacles.value())},
          {"seed", std::to_string(fold.seed)},
          {"number of moves", std::to_string(fold.moves)},
          {"largest angle", exact(fold.largest_angle)},
          {"largest slide", exact(fold.largest_slide)},
          {kIntervalName, std::to_string(options.every)},
          {"set of files", options.csv.empty() ? "none" : "csv"}};
}

/// The walk: steps, the table that grows with them, audits, checkpoints, Ctrl-C.
class Walk {
 public:
  Walk(Fold& fold, const RobotScene& scene, const FoldRobotOptions& options,
       TerminalMonitor& monitor)
      : fold_(fold), scene_(scene), options_(options), monitor_(monitor), begin_(Clock::now()) {}

  Result<RobotReport> go(const FoldCheckpoint* from) {
    if (Status status = open(from); !status) return status.error();
    first_step_ = step();
    if (Status status = walk(); !status) return status.error();
    report_.seconds = seconds() - aside_;
    // A walk that is resumed from here must not differ from one that never stopped: the last row
    // and the last audit are not part of it.
    const FoldCheckpoint last = snapshot();
    if (audited_at_ != step()) {
      if (Status status = audit(); !status) return status.error();
    }
    if (Status status = close(last); !status) return status.error();
    report_.counts = fold_.counts();
    report_.steps_here = step() - first_step_;
    report_.every = options_.every;
    report_.last = row_of(scene_, fold_);
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::uint64_t step() const { return fold_.counts().steps; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  Status open(const FoldCheckpoint* from) {
    if (from != nullptr) {
      if (Status status = fold_.restore(from->state); !status) return status;
      report_.audits = from->audits;
    }
    if (options_.csv.empty()) return {};
    const FoldFileMark* mark = nullptr;
    if (from != nullptr) {
      for (const auto& [name, known] : from->files)
        if (name == "csv") mark = &known;
    }
    Result<GrowingFile> opened = mark != nullptr ? GrowingFile::resume(options_.csv, *mark)
                                                 : GrowingFile::create(options_.csv);
    if (!opened) return opened.error();
    csv_.emplace(std::move(*opened));
    if (mark == nullptr) csv_->write(table_head(scene_) + line_of(row_of(scene_, fold_)));
    return {};
  }

  Status walk() {
    auto last_checkpoint = begin_;
    while (step() < options_.steps) {
      fold_.step();
      if (Status status = record(); !status) return status;
      if (step() % kStepsAtOnce != 0) continue;
      monitor_.progress("steps", static_cast<double>(step()) / static_cast<double>(options_.steps));
      if (monitor_.cancelled()) {
        report_.interrupted = true;
        return {};
      }
      if (options_.time_limit > 0.0 && seconds() >= options_.time_limit) {
        report_.out_of_time = true;
        return {};
      }
      const auto now = Clock::now();
      if (now - last_checkpoint >= std::chrono::duration<double>(options_.checkpoint_interval)) {
        last_checkpoint = now;
        if (Status status = save(snapshot()); !status) return status;
      }
    }
    return {};
  }

  /// The row and the audit that are due.
  Status record() {
    const bool row_due = csv_ && step() % options_.every == 0;
    const bool audit_due = options_.audit > 0 && step() % options_.audit == 0;
    if (!row_due && !audit_due) return {};
    const double before = seconds();
    if (row_due) csv_->write(line_of(row_of(scene_, fold_)));
    Status status = audit_due ? audit() : Status();
    aside_ += seconds() - before;
    return status;
  }

  /// Never a state that touches: everything again, by a tree built afresh.
  Status audit() {
    audited_at_ = step();
    ++report_.audits;
    if (fold_.audit().good() &&
        !collide(fold_.tree(), scene_.world_from_link0, *scene_.obstacles).hit)
      return {};
    return Error{ErrorCode::Invalid, options_.file, "",
                 "the audit failed at step " + std::to_string(step()),
                 "this is a fault of the program; please report it with the command"};
  }

  [[nodiscard]] FoldCheckpoint snapshot() const {
    FoldCheckpoint checkpoint;
    checkpoint.identity = identity_of(options_, scene_);
    checkpoint.state = fold_.state();
    checkpoint.audits = report_.audits;
    if (csv_) checkpoint.files.emplace_back("csv", csv_->mark());
    return checkpoint;
  }

  /// Writes the checkpoint, once the table holds what it counts on.
  Status save(const FoldCheckpoint& checkpoint) {
    if (options_.checkpoint.empty()) return {};
    if (csv_) {
      if (Status status = csv_->flush(); !status) return status;
    }
    return write_checkpoint(options_.checkpoint, checkpoint);
  }

  Status close(const FoldCheckpoint& last) {
    if (Status status = save(last); !status) return status;
    if (csv_) {
      // The end has a row of its own, also between two that are due.
      const bool due = step() % options_.every == 0;
      if (Status status = csv_->finish(due ? "" : line_of(row_of(scene_, fold_))); !status)
        return status;
      report_.written.push_back(options_.csv);
    }
    if (!options_.checkpoint.empty()) report_.written.push_back(options_.checkpoint);
    return {};
  }

  Fold& fold_;
  const RobotScene& scene_;
  const FoldRobotOptions& options_;
  TerminalMonitor& monitor_;
  const Clock::time_point begin_;
  std::optional<GrowingFile> csv_;
  double aside_ = 0.0;  // seconds for rows and audits
  std::uint64_t first_step_ = 0;
  std::uint64_t audited_at_ = std::numeric_limits<std::uint64_t>::max();
  RobotReport report_;
};

/// --out names all files that are not named themselves.
Status name_files(FoldRobotOptions& options) {
  return name_files_in(options.folder, {{&options.csv, "fold.csv"},
                                        {&options.plot, "fold.svg"},
                                        {&options.picture, "fold.png"},
                                        {&options.checkpoint, "fold.checkpoint"}});
}

/// Chart and picture, which are made from what the walk left.
Status draw(const FoldRobotOptions& options, const RobotScene& scene, const Fold& fold,
            RobotReport& report) {
  if (!options.plot.empty()) {
    const Result<std::vector<RobotRow>> rows = read_robot_rows(options.csv, scene.robot);
    if (!rows) return rows.error();
    if (Status status = write_file(options.plot, robot_charts(*rows, scene)); !status)
      return status;
    report.written.push_back(options.plot);
  }
  if (!options.picture.empty()) {
    if (Status status = draw_robot(options.picture, scene, fold); !status) return status;
    report.written.push_back(options.picture);
  }
  return {};
}

int tell_touching(const FoldRobotOptions& options, const RobotScene& scene,
                  const RobotTouching& touching) {
  if (options.json) {
    std::cout << json_text(robot_json(scene, options, touching, nullptr));
  } else {
    std::cout << robot_heading(scene, options);
    for (const LinkPair& pair : touching.links)
      std::cout << scene.link_name(pair.a) << " touches " << scene.link_name(pair.b) << '\n';
    for (const ObstacleContact& pair : touching.obstacles) {
      std::cout << scene.link_name(pair.link) << " touches " << scene.obstacle_names[pair.obstacle]
                << '\n';
    }
  }
  say("the start is not free: nothing was moved");
  return kBad;
}

}  // namespace

bool is_robot_file(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".json" || extension == ".urdf";
}

int fold_robot(FoldRobotOptions options) {
  if (!options.obstacle_poses.empty() && options.obstacle_poses.size() != options.obstacles.size())
    return fail_usage("fold", "--obstacle-pose is given for each --obstacle or for none");
  if (options.folder.empty() && !options.plot.empty() && options.csv.empty())
    return fail_usage("fold", "--plot draws the table: name it with --csv, or use --out");
  TerminalMonitor monitor;
  const Result<RobotScene> read = read_robot_scene(options);
  if (!read) return fail(read.error());
  const RobotScene& scene = *read;
  const Result<RobotTouching> touching = touching_at_start(scene);
  if (!touching) return fail(touching.error());
  if (!touching->none()) return tell_touching(options, scene, *touching);

  FoldOptions fold_options = options.fold;
  fold_options.energy = FoldEnergy::None;
  // Asked in the proposed state, whose accepted one was free: only what moved can touch.
  fold_options.forbidden = [&scene, memory = ObstacleMemory{}](const ChainTree& tree) mutable {
    return collide(tree, scene.world_from_link0, *scene.obstacles, ObstacleLinks::Moved, &memory)
        .hit;
  };
  Result<Fold> fold = Fold::start(scene.model, fold_options);
  if (!fold) {
    Error error = fold.error();
    if (error.file.empty()) error.file = options.file;
    return fail(error);
  }
  const Result<std::optional<FoldCheckpoint>> checkpoint = checkpoint_of(options.resume);
  if (!checkpoint) return fail(checkpoint.error());
  const std::optional<FoldCheckpoint>& from = *checkpoint;

  // Nothing is written before this line: whatever is wrong above leaves the disk as it was.
  if (Status status = name_files(options); !status) return fail(status.error());
  options.every = interval_of(options.every, options.steps, from ? &*from : nullptr);
  if (from) {
    if (Status status =
            check_resume(*from, options.resume, identity_of(options, scene), options.steps);
        !status)
      return fail(status.error());
  }
  if (!options.json) std::cout << robot_heading(scene, options) << std::flush;
  monitor.set_subject(options.file);
  Result<RobotReport> report = Walk(*fold, scene, options, monitor).go(from ? &*from : nullptr);
  monitor.clear();
  if (!report) {
    Error error = report.error();
    if (error.file.empty()) error.file = from ? options.resume : options.file;
    return fail(error);
  }
  if (Status status = draw(options, scene, *fold, *report); !status) return fail(status.error());
  if (options.json) {
    std::cout << json_text(robot_json(scene, options, *touching, &*report));
  } else {
    std::cout << robot_text(*report);
  }
  if (!report->interrupted && !report->out_of_time) return kGood;
  say_stopped(report->counts.steps, options.steps, options.checkpoint);
  return report->interrupted ? kInterrupted : kGood;
}

}  // namespace clearance::cli
