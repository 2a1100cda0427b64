// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fold_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <optional>

#include <clearance/base/file.h>

#include "growing_file.h"
#include "text.h"

namespace clearance::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Steps between two looks at the clock and at Ctrl-C.
constexpr std::uint64_t kStepsAtOnce = 32;
constexpr auto kBetweenProgress = 100ms;

constexpr const char* kTableHead =
    "step,energy,radius_of_gyration,rmsd,native_contacts,acceptance,clash_rate\n";

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string line_of(const FoldRow& row) {
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "%" PRIu64 ",%.6f,%.4f,%.4f,%" PRId64 ",%.4f,%.4f\n",
                row.step, row.measure.energy, row.measure.radius, row.measure.rmsd,
                row.measure.contacts, row.acceptance, row.clash_rate);
  return text.data();
}

class Run {
 public:
  Run(Fold& fold, const FoldInput& input, const FoldPlan& plan, TerminalMonitor& monitor)
      : fold_(fold), input_(input), plan_(plan), monitor_(monitor), begin_(Clock::now()) {}

  Result<FoldReport> go(const FoldCheckpoint* from) {
    report_.start = measure(nullptr);
    if (Status status = open(from); !status) return status.error();
    first_step_ = fold_.counts().steps;
    if (Status status = walk(); !status) return status.error();
    // The end is audited whatever the interval, unless it just was. The checkpoint is of before: a
    // run that is resumed from it must not differ from one that never stopped here.
    const FoldCheckpoint last = snapshot();
    if (report_.ended == FoldEnd::Done && audited_at_ != fold_.counts().steps) {
      if (Status status = audit(); !status) return status.error();
    }
    if (Status status = close(last); !status) return status.error();
    finish_report();
    return report_;
  }

 private:
  [[nodiscard]] std::uint64_t step() const { return fold_.counts().steps; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  /// The conformation in numbers; its atoms in the frame of the file go to `positions`.
  FoldMeasure measure(std::vector<Vec3>* positions) const {
    std::vector<Vec3> points = fold_.positions();
    const Superposition fit = superpose(points, input_.start, input_.model.markers);
    const FoldMeasure result{fold_.energy(), radius_of_gyration(points, input_.model.atoms),
                             fit.rmsd, fold_.formed_contacts()};
    if (positions != nullptr) {
      const Pose& pose = plan_.superposed ? fit.onto_from_points : input_.protein.file_from_chain;
      for (Vec3& p : points) p = pose * p;
      *positions = std::move(points);
    }
    return result;
  }

  /// Opens the files, at their beginning or where the checkpoint left them.
  Status open(const FoldCheckpoint* from) {
    if (from != nullptr) {
      if (Status status = fold_.restore(from->state); !status) return status;
      reported_ = from->reported;
      report_.audits = from->audits;
      report_.worst_energy_drift = from->worst_energy_drift;
      report_.worst_pose_drift = from->worst_pose_drift;
    }
    const auto open_one = [&](const std::string& path, const char* what,
                              std::optional<GrowingFile>& file) -> Status {
      if (path.empty()) return {};
      const FoldFileMark* mark = nullptr;
      if (from != nullptr) {
        for (const auto& [name, known] : from->files) {
          if (name == what) mark = &known;
        }
      }
      Result<GrowingFile> opened =
          mark != nullptr ? GrowingFile::resume(path, *mark) : GrowingFile::create(path);
      if (!opened) return opened.error();
      file.emplace(std::move(*opened));
      return {};
    };
    if (Status status = open_one(plan_.trajectory, "trajectory", trajectory_); !status)
      return status;
    if (Status status = open_one(plan_.csv, "csv", csv_); !status) return status;
    if (from != nullptr) return {};
    if (csv_) csv_->write(kTableHead);
    return record();
  }

  Status walk() {
    auto last_progress = begin_;
    auto last_checkpoint = begin_;
    while (step() < plan_.steps) {
      fold_.step();
      if (step() % plan_.every == 0) {
        if (Status status = record(); !status) return status;
      }
      if (plan_.audit > 0 && step() % plan_.audit == 0) {
        if (Status status = audit(); !status) return status;
      }
      if (step() % kStepsAtOnce != 0) continue;
      if (monitor_.cancelled()) {
        report_.ended = FoldEnd::Interrupted;
        return {};
      }
      const auto now = Clock::now();
      if (plan_.time_limit > 0.0 && seconds() >= plan_.time_limit) {
        report_.ended = FoldEnd::TimeLimit;
        return {};
      }
      if (now - last_progress >= kBetweenProgress) {
        last_progress = now;
        show_progress();
      }
      if (now - last_checkpoint >= std::chrono::duration<double>(plan_.checkpoint_interval)) {
        last_checkpoint = now;
        if (Status status = save(snapshot()); !status) return status;
      }
    }
    return {};
  }

  void show_progress() {
    const double rate = static_cast<double>(step() - first_step_) / seconds();
    monitor_.progress(
        group_digits(static_cast<std::uint64_t>(rate)) + " steps/s, " +
            format_number("%.0f %% accepted", 100.0 * ratio(fold_.counts().accepted, step())),
        ratio(step(), plan_.steps));
  }

  /// A row of the table and a model of the trajectory.
  Status record() {
    std::vector<Vec3> positions;
    const FoldCounts since = fold_.counts() - reported_;
    const FoldRow row{step(), measure(&positions), ratio(since.accepted, since.steps),
                      ratio(since.clashed, since.steps)};
    reported_ = fold_.counts();
    if (csv_) csv_->write(line_of(row));
    if (trajectory_) {
      const Result<std::string> model =
          pdb_model(input_.protein, positions, static_cast<int>(step() / plan_.every + 1));
      if (!model) {
        Error error = model.error();
        error.file = plan_.trajectory;
        return error;
      }
      trajectory_->write(*model);
    }
    return {};
  }

  Status audit() {
    const FoldAudit found = fold_.audit();
    audited_at_ = step();
    ++report_.audits;
    report_.worst_energy_drift = std::max(report_.worst_energy_drift, found.energy_drift);
    report_.worst_pose_drift = std::max(report_.worst_pose_drift, found.pose_drift);
    if (found.good()) return {};
    std::string reason = "computed from scratch, ";
    if (!found.clashes.empty()) {
      const FoldClash& clash = found.clashes.front();
      reason += sphere_name(input_, clash.link_a, clash.sphere_a) + " and " +
                sphere_name(input_, clash.link_b, clash.sphere_b) + " overlap";
    } else if (!found.free) {
      reason += "links touch";
    } else {
      reason += format_number("the energy is off by %.3g", found.energy_drift) +
                format_number(" (bound %.3g)", kFoldEnergyDrift) +
                format_number(" and the positions by %.3g", found.pose_drift) +
                format_number(" (bound %.3g)", kFoldPoseDrift * found.extent);
    }
    return Error{ErrorCode::Malformed, input_.name, "audit at step " + std::to_string(step()),
                 reason, "this is a fault of the program; please report it with the command"};
  }

  [[nodiscard]] FoldCheckpoint snapshot() const {
    FoldCheckpoint checkpoint;
    checkpoint.identity = plan_.identity;
    checkpoint.state = fold_.state();
    checkpoint.reported = reported_;
    checkpoint.audits = report_.audits;
    checkpoint.worst_energy_drift = report_.worst_energy_drift;
    checkpoint.worst_pose_drift = report_.worst_pose_drift;
    if (trajectory_) checkpoint.files.emplace_back("trajectory", trajectory_->mark());
    if (csv_) checkpoint.files.emplace_back("csv", csv_->mark());
    return checkpoint;
  }

  /// Writes the checkpoint, once the files hold what it counts on.
  Status save(const FoldCheckpoint& checkpoint) {
    if (plan_.checkpoint.empty()) return {};
    for (std::optional<GrowingFile>* file : {&trajectory_, &csv_}) {
      if (!*file) continue;
      if (Status status = (*file)->flush(); !status) return status;
    }
    return write_checkpoint(plan_.checkpoint, checkpoint);
  }

  Status close(const FoldCheckpoint& last) {
    if (Status status = save(last); !status) return status;
    if (trajectory_) {
      if (Status status = trajectory_->finish("END\n"); !status) return status;
      report_.written.push_back(plan_.trajectory);
    }
    if (csv_) {
      if (Status status = csv_->finish(); !status) return status;
      report_.written.push_back(plan_.csv);
    }
    if (!plan_.checkpoint.empty()) report_.written.push_back(plan_.checkpoint);
    return {};
  }

  void finish_report() {
    report_.end = measure(nullptr);
    report_.counts = fold_.counts();
    report_.steps_here = step() - first_step_;
    report_.seconds = seconds();
    report_.work = fold_.work();
    report_.remembered = fold_.remembered_clashes();
    report_.models = step() / plan_.every + 1;
  }

  Fold& fold_;
  const FoldInput& input_;
  const FoldPlan& plan_;
  TerminalMonitor& monitor_;
  const Clock::time_point begin_;
  std::optional<GrowingFile> trajectory_;
  std::optional<GrowingFile> csv_;
  FoldCounts reported_;  // at the last row
  std::uint64_t first_step_ = 0;
  std::uint64_t audited_at_ = std::numeric_limits<std::uint64_t>::max();
  FoldReport report_;
};

}  // namespace

Result<FoldReport> run_fold(Fold& fold, const FoldInput& input, const FoldPlan& plan,
                            const FoldCheckpoint* from, TerminalMonitor& monitor) {
  return Run(fold, input, plan, monitor).go(from);
}

Result<std::vector<FoldRow>> read_rows(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  std::vector<FoldRow> rows;
  const std::string text(file->text());
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
    FoldRow row;
    FoldMeasure& m = row.measure;
    const int count =
        std::sscanf(text.c_str() + at + 1, "%" SCNu64 ",%lf,%lf,%lf,%" SCNd64 ",%lf,%lf", &row.step,
                    &m.energy, &m.radius, &m.rmsd, &m.contacts, &row.acceptance, &row.clash_rate);
    if (count != 7) return Error{ErrorCode::Malformed, path, "", "is not a table of a run", ""};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace clearance::cli
