// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sphere_simplification/sphere_simplification.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <clearance/base/random.h>
#include <clearance/mesh/generate.h>
#include <clearance/robot/robot_file.h>
#include <clearance/simplify/kept_volume.h>

#include "sphere_simplification/volume_samples.h"
#include "words.h"

namespace clearance::study {
namespace {

/// What the study asks for: the paper's settings, or such as are done in seconds.
struct Settings {
  double external_diameter = 0.100;  // [m]
  double pipe_error = 0.001;         // [m]
  double robot_error = 0.020;        // [m]
  double torch_error = 0.003;        // [m], ours: the paper does not tell
  std::size_t external_samples = 20'000;
  double external_step = 0.005;                           // [m], of Figure 3
  std::vector<double> coarser{10.0, 5.0, 3.0, 2.0, 1.4};  // times the error: more of our models
  std::size_t samples = kVolumeSamples;
  std::size_t rivals = 4;  // how many of the numbers of spheres
};

Settings settings_of(const SphereStudyOptions& study) {
  if (!study.quick) return {};
  return {.pipe_error = 0.006,
          .robot_error = 0.080,
          .torch_error = 0.012,
          .external_samples = 4'000,
          .external_step = 0.025,
          .coarser = {2.0},
          .samples = kVolumeSamples / 8,
          .rivals = 0};
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The share of random points in the box of the body that no external sphere reaches.
double kept_share(const KeptVolume& kept, std::size_t count, const SphereStudyOptions& study) {
  constexpr std::size_t kBlock = 100;
  const Box box = kept.body().mesh().bounds();
  std::vector<std::size_t> inside((count + kBlock - 1) / kBlock, 0);
  parallel_for(study.threads, inside.size(), [&](std::size_t block) {
    Random random = Random(study.seed).split(block);
    for (std::size_t i = 0; i < kBlock; ++i) {
      Vec3 p;
      for (std::size_t k = 0; k < 3; ++k) p[k] = random.uniform(box.low[k], box.high[k]);
      // Without external spheres it is the body that is kept.
      const bool is_kept = kept.external_diameter() > 0.0 ? kept.free_ball(p).radius == 0.0
                                                          : kept.body().side(p) == Side::Inside;
      inside[block] += is_kept ? 1 : 0;
    }
  });
  const std::size_t all = std::accumulate(inside.begin(), inside.end(), std::size_t{0});
  return static_cast<double>(all) / static_cast<double>(kBlock * inside.size());
}

/// The numbers of spheres that the curves are drawn through: 1, 2, 3, ... and, further on, twenty
/// to a decade; the paper's 222; and the last.
std::vector<std::size_t> numbers_up_to(std::size_t last) {
  constexpr std::size_t kOfThePaper = 222;
  std::vector<std::size_t> numbers{last};
  if (last > kOfThePaper) numbers.push_back(kOfThePaper);
  for (int k = 0;; ++k) {
    const auto n = static_cast<std::size_t>(std::lround(std::pow(10.0, k / 20.0)));
    if (n >= last) break;
    numbers.push_back(n);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// Says what the work that reports its stages is about.
class AboutMonitor final : public Monitor {
 public:
  AboutMonitor(Monitor* to, std::string about) : to_(to), about_(std::move(about)) {}
  void progress(std::string_view stage, double fraction) override {
    report_progress(to_, about_ + ": " + std::string(stage), fraction);
  }
  [[nodiscard]] bool cancelled() const override { return is_cancelled(to_); }

 private:
  Monitor* to_;
  std::string about_;
};

/// Measures one thing after the other into one result; the first error ends it.
class Measurement {
 public:
  explicit Measurement(const SphereStudyOptions& study)
      : study_(study), settings_(settings_of(study)) {}

  Result<SphereStudy> run() {
    const SphereStudyParts& parts = study_.parts;
    using Step = Status (Measurement::*)();
    for (const auto& [wanted, step] :
         {std::pair<bool, Step>{parts.pipe, &Measurement::measure_pipe},
          {parts.unfilled, &Measurement::measure_unfilled},
          {parts.robot || parts.program, &Measurement::measure_robot},
          {parts.program, &Measurement::measure_program},
          {parts.visual, &Measurement::measure_visual}}) {
      if (!wanted) continue;
      if (Status status = (this->*step)(); !status) return status.error();
      if (is_cancelled(study_.monitor)) return Error{ErrorCode::Cancelled, {}, {}, "cancelled", {}};
    }
    return std::move(result_);
  }

 private:
  SimplifyOptions options_of(SimplifyMethod method, double error, bool filled) const {
    SimplifyOptions options;
    options.method = method;
    options.error = error;
    options.external_diameter = filled ? settings_.external_diameter : 0.0;
    options.seed = study_.seed;
    options.threads = study_.threads;
    options.monitor = study_.monitor;
    return options;
  }

  Result<Simplification> simplified(const std::string& subject, const Model& body,
                                    SimplifyOptions options, double& seconds) const {
    AboutMonitor about(study_.monitor,
                       subject + " at " + words_of(options) + ", " + name_of(options.method));
    options.monitor = &about;
    const Clock::time_point start = Clock::now();
    Result<Simplification> model = simplify(body, options);
    seconds = seconds_since(start);
    return model;
  }
  static std::string words_of(const SimplifyOptions& options) {
    return options.most_spheres > 0 ? grouped(options.most_spheres) + " spheres"
                                    : number(1e3 * options.error) + " mm";
  }

  /// A model of a mesh, timed; its row is added. `paper`: what the paper needed at its error.
  Result<Simplification> add_model(const std::string& subject, const Model& body,
                                   const SimplifyOptions& options, std::size_t paper) {
    SphereModelRow row;
    Result<Simplification> model = simplified(subject, body, options, row.seconds);
    if (!model) return model.error();
    row.subject = subject;
    row.method = options.method;
    row.filled = options.external_diameter > 0.0;
    row.triangles = body.mesh().triangle_count();
    row.spheres = model->spheres.size();
    row.error = model->error;
    row.wanted = options.most_spheres > 0 ? 0.0 : options.error;
    row.covered = model->covered;
    row.paper = study_.quick ? 0 : paper;
    result_.models.push_back(row);
    return model;
  }

  /// Figures 3, 4 and 6 to 8.
  Status measure_pipe() {
    const Result<Mesh> mesh = study_pipe();
    if (!mesh) return mesh.error();
    const Result<Model> pipe = Model::build(*mesh);
    if (!pipe) return pipe.error();
    if (Status status = measure_external(*pipe); !status) return status;

    constexpr std::size_t kPaperPipe = 419;
    constexpr std::size_t kPaperPacking = 4546;
    const double error = settings_.pipe_error;
    const double coarsest = settings_.coarser.front();
    const VolumeSamples samples(*pipe, coarsest * error, settings_.samples, study_.seed,
                                study_.threads);
    const Result<Simplification> packed =
        add_model("pipe", *pipe, options_of(SimplifyMethod::Packing, error, false), kPaperPacking);
    if (!packed) return packed.error();
    result_.pipe_packed = add_curve(SimplifyMethod::Packing, *packed, samples);
    const Result<Simplification> paper =
        add_model("pipe", *pipe, options_of(SimplifyMethod::Paper, error, true), kPaperPipe);
    if (!paper) return paper.error();
    result_.pipe_paper = add_curve(SimplifyMethod::Paper, *paper, samples);

    for (const double factor : settings_.coarser) {
      double seconds = 0.0;
      const Result<Simplification> model = simplified(
          "pipe", *pipe, options_of(SimplifyMethod::Cover, factor * error, true), seconds);
      if (!model) return model.error();
      add_count(*model, samples);
    }
    Result<Simplification> ours =
        add_model("pipe", *pipe, options_of(SimplifyMethod::Cover, error, true), kPaperPipe);
    if (!ours) return ours.error();
    add_count(*ours, samples);
    result_.pipe = std::move(ours->spheres);
    return {};
  }

  Status measure_external(const Model& pipe) {
    std::vector<double> diameters{0.036, 0.038, 0.039, 0.0398, 0.041};  // the step is at the bore
    for (double d = 0.0; d < 1.001 * settings_.external_diameter; d += settings_.external_step)
      diameters.push_back(d);
    std::ranges::sort(diameters);
    for (const double diameter : diameters) {
      report_progress(
          study_.monitor, "Figure 3",
          static_cast<double>(result_.external.size()) / static_cast<double>(diameters.size()));
      KeptVolumeOptions options;
      options.external_diameter = diameter;
      options.threads = study_.threads;
      options.monitor = study_.monitor;
      const Result<KeptVolume> kept = KeptVolume::make(pipe, options);
      if (!kept) return kept.error();
      result_.external.push_back({diameter, kept_share(*kept, settings_.external_samples, study_)});
    }
    return {};
  }

  /// How a model came about, sphere by sphere; its spheres before they were grown come back.
  std::vector<Sphere> add_curve(SimplifyMethod method, const Simplification& model,
                                const VolumeSamples& samples) {
    std::vector<Sphere> spheres = ungrown(model);
    const std::vector<VolumeShares> shares = samples.shares(spheres);
    for (const std::size_t n : numbers_up_to(spheres.size())) {
      if (n > model.history.size()) continue;
      result_.counts.push_back(
          {method, n, model.history[n - 1].error, shares[n].covered, shares[n].outside});
    }
    return spheres;
  }
  /// A model that was made as a whole.
  void add_count(const Simplification& model, const VolumeSamples& samples) {
    const VolumeShares shares = samples.shares(model.spheres).back();
    result_.counts.push_back(
        {SimplifyMethod::Cover, model.spheres.size(), model.error, shares.covered, shares.outside});
  }

  Status measure_unfilled() {
    PipeOptions shape;
    shape.outer_diameter = 0.060;
    shape.bore = 0.040;
    shape.length = 0.200;
    const Result<Mesh> mesh = make_pipe(shape);
    if (!mesh) return mesh.error();
    const Result<Model> pipe = Model::build(*mesh);
    if (!pipe) return pipe.error();
    for (std::size_t i = 0; i < settings_.rivals; ++i) {
      SimplifyOptions options = options_of(SimplifyMethod::Cover, 0.0, false);
      options.most_spheres = rival_rows()[i].spheres;
      const Result<Simplification> model = add_model("pipe of 60 mm", *pipe, options, 0);
      if (!model) return model.error();
    }
    return {};
  }

  /// Figure 5: the robot of Table I.
  Status measure_robot() {
    WeldProgramOptions options;
    options.data = study_.data;
    options.quick = study_.quick;
    options.threads = study_.threads;
    options.monitor = study_.monitor;
    AboutMonitor about(study_.monitor, "configurations of Table I");
    options.monitor = &about;
    report_progress(study_.monitor, "configurations of Table I", -1.0);
    Result<WeldScene> scene = weld_scene(options);
    if (!scene) return scene.error();
    result_.scene = std::move(*scene);
    Result<SphereRobotResult> robot = add_robot(result_.scene->robot_name + ", collision shapes",
                                                result_.scene->robot, false, true);
    if (!robot) return robot.error();
    result_.robot = std::move(*robot);
    return {};
  }

  /// The same on its visual meshes, where its files are.
  Status measure_visual() {
    const std::string file = industrial_robot_file(study_.data);
    if (file.empty() || study_.quick) return {};
    const Result<RobotFile> whole =
        read_robot(file, {.collision = false, .threads = study_.threads});
    if (!whole) return whole.error();
    for (const bool filled : {true, false}) {
      const Result<SphereRobotResult> robot =
          add_robot(std::string(kIndustrialRobot) + ", visual meshes", whole->robot, true, filled);
      if (!robot) return robot.error();
    }
    return {};
  }

  Result<SphereRobotResult> add_robot(const std::string& subject, const Robot& robot, bool visual,
                                      bool filled) {
    constexpr std::size_t kPaperRobot = 180;
    SphereRobotOptions options;
    options.link = options_of(SimplifyMethod::Cover, settings_.robot_error, filled);
    AboutMonitor about(study_.monitor, subject + (filled ? ", filled" : ", not filled"));
    options.link.monitor = &about;
    options.visual = visual;
    const Clock::time_point start = Clock::now();
    Result<SphereRobotResult> model = simplify(robot, options);
    if (!model) return model.error();
    SphereModelRow row;
    row.seconds = seconds_since(start);
    row.subject = subject;
    row.filled = filled;
    row.wanted = settings_.robot_error;
    row.covered = true;
    for (const LinkSimplification& link : model->links) {
      row.triangles += link.triangles;
      row.spheres += link.spheres;
      row.error = std::max(row.error, link.error);
      row.covered = row.covered && link.covered;
    }
    row.paper = study_.quick ? 0 : kPaperRobot;
    result_.models.push_back(row);
    return model;
  }

  /// The section of three pipes, the torch, and Table I on them.
  Status measure_program() {
    constexpr std::size_t kPaperSection = 283;
    constexpr std::size_t kPaperPacking = 4752;
    constexpr std::size_t kPaperTorch = 63;
    const double error = settings_.pipe_error;
    const auto paper_options = options_of(SimplifyMethod::Paper, error, true);
    const auto our_options = options_of(SimplifyMethod::Cover, error, true);

    const char* const name = "three pipes, 52 mm";
    const Result<Model> section = Model::build(result_.scene->section);
    if (!section) return section.error();
    const Result<Simplification> packed =
        add_model(name, *section, options_of(SimplifyMethod::Packing, error, false), kPaperPacking);
    if (!packed) return packed.error();
    const Result<Simplification> paper = add_model(name, *section, paper_options, kPaperSection);
    if (!paper) return paper.error();
    const Result<Simplification> ours = add_model(name, *section, our_options, kPaperSection);
    if (!ours) return ours.error();
    if (!study_.quick) {
      // The paper does not tell the size of its section: the next smaller usual pipe as well.
      PipeJointOptions shape;
      shape.outer_diameter = 0.0337;
      shape.bore = 0.026;
      shape.length = 0.1;
      const Result<Mesh> mesh = make_pipe_joint(shape);
      if (!mesh) return mesh.error();
      const Result<Model> small = Model::build(*mesh);
      if (!small) return small.error();
      for (const SimplifyOptions& options : {paper_options, our_options}) {
        const Result<Simplification> model =
            add_model("three pipes, 33.7 mm", *small, options, kPaperSection);
        if (!model) return model.error();
      }
    }
    const Result<Model> torch_body = Model::build(result_.scene->torch);
    if (!torch_body) return torch_body.error();
    const Result<Simplification> torch =
        add_model("torch", *torch_body,
                  options_of(SimplifyMethod::Cover, settings_.torch_error, false), kPaperTorch);
    if (!torch) return torch.error();

    Result<WeldProgramResult> program = measure_weld_program(
        *result_.scene, {*section, *packed, *paper, *ours, *torch, *result_.robot}, study_.monitor);
    if (!program) return program.error();
    result_.program = std::move(*program);
    result_.section = ours->spheres;
    result_.section_paper = ungrown(*paper);
    result_.torch = torch->spheres;
    return {};
  }

  const SphereStudyOptions& study_;
  const Settings settings_;
  SphereStudy result_;
};

}  // namespace

const std::array<RivalRow, 4>& rival_rows() {
  static const std::array<RivalRow, 4> rows{{{64, 0.0194, 0.0200, 0.0127},
                                             {128, 0.0130, 0.0092, 0.0092},
                                             {256, 0.0098, 0.0069, 0.0063},
                                             {512, 0.0099, 0.0061, 0.0059}}};
  return rows;
}

Result<Mesh> study_pipe() { return make_pipe(); }

Result<SphereStudy> measure_spheres(const SphereStudyOptions& study) {
  return Measurement(study).run();
}

}  // namespace clearance::study
