// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <limits>

#include <clearance/plan/yardstick.h>

#if defined(CLEARANCE_WITH_OMPL)
#include <ompl/base/goals/GoalSampleableRegion.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/est/BiEST.h>
#include <ompl/geometric/planners/est/EST.h>
#include <ompl/geometric/planners/kpiece/KPIECE1.h>
#include <ompl/geometric/planners/pdst/PDST.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <clearance/plan/ompl.h>
#endif

namespace clearance {

const std::vector<std::string>& ompl_planners() {
  static const std::vector<std::string> names{"rrtconnect", "kpiece", "biest",
                                              "pdst",       "est",    "prm"};
  return names;
}

#if defined(CLEARANCE_WITH_OMPL)

namespace {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;

/// Whatever the caller uses to tell free poses from others.
class FunctionChecker : public ob::StateValidityChecker {
 public:
  FunctionChecker(const ob::SpaceInformationPtr& si, std::function<bool(const Pose&)> is_free,
                  const Vec3& pivot)
      : ob::StateValidityChecker(si), is_free_(std::move(is_free)), pivot_(pivot) {}
  bool isValid(const ob::State* state) const override {
    return si_->satisfiesBounds(state) && is_free_(ompl::pose_from(state, pivot_));
  }

 private:
  std::function<bool(const Pose&)> is_free_;
  Vec3 pivot_;
};

/// All poses that are out, for planners that grow from the goal as well: samples are random states
/// that are out and free.
class OutGoal : public ob::GoalSampleableRegion {
 public:
  OutGoal(const ob::SpaceInformationPtr& si, const PlanProblem& problem, const Vec3& pivot)
      : ob::GoalSampleableRegion(si),
        problem_(problem),
        pivot_(pivot),
        sampler_(si->allocStateSampler()) {}

  bool isSatisfied(const ob::State* state) const override {
    return is_out(problem_, ompl::pose_from(state, pivot_));
  }

  /// What is left until the boxes are clear of each other [m].
  double distanceGoal(const ob::State* state) const override {
    const Pose pose = ompl::pose_from(state, pivot_);
    if (is_out(problem_, pose)) return 0.0;
    const Box& others = problem_.obstacles.bvh().bounds();
    const Vec3 middle = pose * problem_.body.bvh().bounds().center();
    const double half = 0.5 * problem_.body.bvh().bounds().diagonal();
    double left = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 3; ++k)
      left = std::min({left, others.high[k] - middle[k] + half, middle[k] + half - others.low[k]});
    return std::max(left, std::numeric_limits<double>::min());
  }

  void sampleGoal(ob::State* state) const override {
    constexpr int kTries = 10000;
    for (int i = 0; i < kTries; ++i) {
      sampler_->sampleUniform(state);
      if (isSatisfied(state) && si_->isValid(state)) return;
    }
  }
  unsigned int maxSampleCount() const override { return std::numeric_limits<unsigned>::max(); }

 private:
  const PlanProblem& problem_;
  Vec3 pivot_;
  ob::StateSamplerPtr sampler_;
};

ob::PlannerPtr planner_named(const std::string& name, const ob::SpaceInformationPtr& si) {
  if (name == "rrtconnect") return std::make_shared<og::RRTConnect>(si);
  if (name == "kpiece") return std::make_shared<og::KPIECE1>(si);
  if (name == "biest") return std::make_shared<og::BiEST>(si);
  if (name == "pdst") return std::make_shared<og::PDST>(si);
  if (name == "est") return std::make_shared<og::EST>(si);
  if (name == "prm") return std::make_shared<og::PRM>(si);
  return nullptr;
}

/// OMPL writes to the console; we do not.
class Silence {
 public:
  Silence() : before_(::ompl::msg::getOutputHandler()) { ::ompl::msg::noOutputHandler(); }
  ~Silence() { ::ompl::msg::useOutputHandler(before_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  ::ompl::msg::OutputHandler* before_;
};

/// Seconds since it was made: of the wall clock, or of the processor on this thread.
class Stopwatch {
 public:
  explicit Stopwatch(bool processor) : processor_(processor) {}

  double seconds() const { return processor_ ? thread_seconds() - thread_ : wall(); }
  /// Asks the processor only once the wall clock is there: a thread gets no more than that.
  bool reached(double seconds) const {
    return wall() >= seconds && (!processor_ || this->seconds() >= seconds);
  }

 private:
  double wall() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  static double thread_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  bool processor_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double thread_ = thread_seconds();
};

Result<Yardstick> plan(const PlanProblem& problem, const YardstickOptions& options) {
  const Silence silence;
  const Vec3 pivot = pivot_of(problem.body);
  ::ompl::RNG::setSeed(std::max<std::uint32_t>(options.seed, 1));
  const auto space = std::make_shared<ob::SE3StateSpace>();
  const Box box = problem.bounds ? *problem.bounds : plan_bounds(problem);
  ob::RealVectorBounds bounds(3);
  for (unsigned k = 0; k < 3; ++k) {
    bounds.setLow(k, box.low[k]);
    bounds.setHigh(k, box.high[k]);
  }
  space->setBounds(bounds);
  og::SimpleSetup setup(space);
  const ob::SpaceInformationPtr& si = setup.getSpaceInformation();
  if (options.is_free) {
    si->setStateValidityChecker(std::make_shared<FunctionChecker>(si, options.is_free, pivot));
  } else {
    si->setStateValidityChecker(std::make_shared<ompl::StateValidityChecker>(si, problem, pivot));
  }
  si->setStateValidityCheckingResolution(options.resolution);
  if (options.prove_motions)
    si->setMotionValidator(std::make_shared<ompl::MotionValidator>(si, problem, pivot));
  const ob::PlannerPtr planner = planner_named(options.planner, si);
  if (!planner) {
    return Error{ErrorCode::Invalid,
                 {},
                 {},
                 "OMPL planner '" + options.planner + "' is not known",
                 "one of rrtconnect, kpiece, biest, pdst, est, prm"};
  }
  setup.setPlanner(planner);

  const Stopwatch watch(options.processor_time);
  ob::ScopedState<ob::SE3StateSpace> start(space);
  ompl::to_state(problem.start, start.get(), pivot);
  setup.addStartState(start);
  if (problem.goal) {
    ob::ScopedState<ob::SE3StateSpace> goal(space);
    ompl::to_state(*problem.goal, goal.get(), pivot);
    setup.setGoalState(goal);
  } else {
    setup.setGoal(std::make_shared<OutGoal>(si, problem, pivot));
  }
  setup.setup();
  const ob::PlannerTerminationCondition stop(
      [&] { return watch.reached(options.seconds) || is_cancelled(options.monitor); });
  const ob::PlannerStatus status = setup.solve(stop);

  Yardstick result;
  result.seconds = watch.seconds();
  // Not one that merely comes near the goal.
  result.solved = status == ob::PlannerStatus::EXACT_SOLUTION;
  Plan& plan = result.plan;
  plan.method = "ompl:" + options.planner;
  plan.status = is_cancelled(options.monitor) ? PlanStatus::Cancelled : PlanStatus::OutOfTime;
  ob::PlannerData data(si);
  planner->getPlannerData(data);
  plan.nodes = data.numVertices();
  plan.path.pivot = pivot;
  plan.path.poses = {problem.start};
  plan.closest_pose = problem.start;
  if (!result.solved) return result;
  og::PathGeometric& path = setup.getSolutionPath();
  for (std::size_t i = 1; i < path.getStateCount(); ++i)
    plan.path.poses.push_back(ompl::pose_from(path.getState(static_cast<unsigned>(i)), pivot));
  if (problem.goal) plan.path.poses.back() = *problem.goal;
  plan.raw_length = length_of(plan.path);
  ProofOptions proof;
  proof.threads = options.threads;
  proof.monitor = options.monitor;
  plan.proof = prove_path(problem, plan.path, proof);
  if (plan.proof.status == ProofStatus::Free) plan.status = PlanStatus::Found;
  plan.closest_pose = plan.path.poses.back();
  return result;
}

}  // namespace

bool has_ompl() { return true; }

Result<Yardstick> plan_with_ompl(const PlanProblem& problem, const YardstickOptions& options) {
  try {
    return plan(problem, options);
  } catch (const std::exception& error) {
    return Error{ErrorCode::Invalid, {}, {}, std::string("OMPL: ") + error.what(), {}};
  }
}

#else

bool has_ompl() { return false; }

Result<Yardstick> plan_with_ompl(const PlanProblem&, const YardstickOptions&) {
  return Error{ErrorCode::Unsupported,
               {},
               {},
               "OMPL is not built in",
               "install libompl-dev and build again with CLEARANCE_WITH_OMPL"};
}

#endif

}  // namespace clearance
