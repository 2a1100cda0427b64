// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/screw.h"

#include <algorithm>
#include <cmath>

#include <clearance/geometry/mass.h>
#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/mesh/sample.h>
#include <clearance/plan/directions.h>
#include <clearance/plan/path.h>
#include <clearance/query/shapes.h>

#include "plan/way_out.h"

namespace clearance::detail {
namespace {

constexpr double kTurn = 6.283185307179586;
// Facets of the body that are looked at, and how many of them must be near the obstacles.
constexpr std::size_t kSamples = 4000;
constexpr std::size_t kLeastSamples = 60;
constexpr std::uint64_t kSampleSeed = 8;
// Surfaces count as near up to so many times the distance of the bodies, and at least this part of
// the smaller box's diagonal: the flanks of a thread on either side of its play.
constexpr double kNearDistances = 4.0;
constexpr double kNear = 0.01;
// Points are on a flat face when this part of all has their normal, to this length of the
// difference. Ends and heads are nearly square to any screw of small pitch, and would draw it to
// none; the facets of a thread all face another way.
constexpr double kFlat = 0.03;
constexpr double kSameNormal = 2e-3;
// Points whose normal is farther from square to the velocity than this sine, from round to round,
// are no part of the thread: ends, heads, chamfers.
constexpr double kOff[] = {1.0, 0.5, 0.3, 0.2, 0.15, 0.15, 0.15, 0.15};
// This part of the near points must be left: else there is no screw, but a best fit.
constexpr double kLeastPart = 0.5;
// From then on those are left out that are farther off than so many times the median, in so many
// rounds: a chamfer is square to a screw of small pitch but for a few degrees.
constexpr double kOffMedian = 2.5;
constexpr int kFineRounds = 8;
// A pitch below this part of the body's size is no thread but a bearing; normals that span
// space less than this (the smallest part of their spread) say nothing about an advance.
constexpr double kLeastPitch = 1e-3;
constexpr double kLeastSpread = 1e-3;
// The play along the axis is bounded within this part of the pitch, on either side: in a thread it
// ends at the next flank.
constexpr double kMostPlay = 0.5;
// The play is found to this part of the first step.
constexpr double kFinest = 1.0 / 16.0;
// Steps of the way: quarters of a turn, each again in the middle of the play.
constexpr double kStep = 0.25 * kTurn;
constexpr int kMostSteps = 4 * 200;
// Steps of the first of them, before its rise is known.
constexpr int kFelt = 6;
// Where this part of the play is free on either side, the middle need not be felt for; but now and
// then it is, after twice as many steps each time, so that the rise is known ever better.
constexpr double kSureRoom = 0.85;
// A straight way out is taken when it leaves as much of the room at the start; else it is turned
// on for so many quarters to see whether there is a wider one.
constexpr double kWide = 0.5;
constexpr int kQuartersMore = 4;
// A body whose pivot is beside the axis goes along chords, off the arc by at most this part of the
// play.
constexpr double kOffArc = 0.1;
constexpr int kMostChords = 64;

struct Sample {
  Vec3 point, normal;
  double weight = 1.0;
};

double weight_of(const std::vector<Sample>& points) {
  double sum = 0.0;
  for (const Sample& point : points) sum += point.weight;
  return sum;
}

/// The middles of the body's facets, where their normals are those of the surface that they stand
/// for: of all, by their area, or of those that hold points all over the body.
std::vector<Sample> facet_middles(const Model& body) {
  std::vector<Sample> middles;
  const auto add = [&](const Triangle& t, double weight) {
    middles.push_back({triangle_centroid(t), triangle_normal(t), weight});
  };
  const Bvh& bvh = body.bvh();
  if (bvh.triangle_count() <= kSamples) {
    for (std::size_t i = 0; i < bvh.triangle_count(); ++i)
      add(bvh.triangle(i), triangle_area(bvh.triangle(i)));
  } else {
    for (const SurfaceSample& sample : sample_surface(body.mesh(), kSamples, kSampleSeed))
      add(bvh.triangle(sample.triangle), 1.0);
  }
  return middles;
}

/// The points of the body near the obstacles, in the world.
std::vector<Sample> near_points(const PlanProblem& problem, Work& work) {
  const Bvh& obstacles = problem.obstacles.bvh();
  const Distance gap = distance(obstacles, problem.body.bvh(), problem.start);
  work += gap.work;
  const double size =
      std::min(problem.body.bvh().bounds().diagonal(), obstacles.bounds().diagonal());
  const double near = std::max(kNearDistances * gap.distance, kNear * size);
  std::vector<Sample> points;
  for (const Sample& sample : facet_middles(problem.body)) {
    const Vec3 point = problem.start * sample.point;
    const ShapeDistance d = distance(obstacles, Shape(point), Pose::identity(), near);
    work += d.work;
    if (!d.beyond) points.push_back({point, problem.start.rotation * sample.normal, sample.weight});
  }
  return points;
}

/// Those that are not on a flat face.
std::vector<Sample> curved(std::vector<Sample> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const Sample& a, const Sample& b) { return a.normal.x < b.normal.x; });
  std::vector<double> same(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = i + 1;
         k < points.size() && points[k].normal.x - points[i].normal.x <= kSameNormal; ++k) {
      if (norm(points[k].normal - points[i].normal) > kSameNormal) continue;
      same[i] += points[k].weight;
      same[k] += points[i].weight;
    }
  }
  const double most = kFlat * weight_of(points);
  std::vector<Sample> left;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (same[i] <= most) left.push_back(points[i]);
  }
  return left;
}

/// The inverse of a symmetric matrix by its eigenvectors; none when it is nearly singular.
std::optional<Mat3> inverse_of(const Mat3& m) {
  const SymmetricEigen eigen = eigen_of_symmetric(m);
  if (!(eigen.values.z > kLeastSpread * eigen.values.x)) return std::nullopt;
  Mat3 sum = Mat3::zero();
  for (std::size_t k = 0; k < 3; ++k)
    sum = sum + (1.0 / eigen.values[k]) * outer(eigen.vectors.column(k), eigen.vectors.column(k));
  return sum;
}

/// The field of velocities of a body that turns by a radian: at `middle`, and the turn.
struct Field {
  Vec3 velocity, turn;
  [[nodiscard]] Vec3 at(const Vec3& arm) const { return velocity + cross(turn, arm); }
};

/// The field that is squarest to the normals.
std::optional<Field> field_of(const std::vector<Sample>& points, const Vec3& middle) {
  // The sum of (v . n + w . (arm x n))^2, least for v = -inverse(nn) nm w, and for w the vector of
  // the least eigenvalue of what is left then.
  Mat3 nn = Mat3::zero();
  Mat3 nm = Mat3::zero();
  Mat3 mm = Mat3::zero();
  for (const Sample& sample : points) {
    const Vec3 moment = cross(sample.point - middle, sample.normal);
    nn = nn + sample.weight * outer(sample.normal, sample.normal);
    nm = nm + sample.weight * outer(sample.normal, moment);
    mm = mm + sample.weight * outer(moment, moment);
  }
  const std::optional<Mat3> inverse = inverse_of(nn);
  if (!inverse) return std::nullopt;
  const Mat3 by_turn = *inverse * nm;
  const Vec3 turn = eigen_of_symmetric(mm - transpose(nm) * by_turn).vectors.column(2);
  return Field{-(by_turn * turn), turn};
}

/// The body along a screw.
class Line {
 public:
  Line(const PlanProblem& problem, const Screw& screw, const ScrewOptions& options, Work& work)
      : problem_(problem), screw_(screw), options_(options), work_(work) {}

  /// Out of operations, or nobody wants to know any more: what is_free() says is worth nothing.
  [[nodiscard]] bool stopped() const {
    return work_.volume_tests + work_.triangle_tests > options_.operations ||
           is_cancelled(options_.monitor);
  }

  [[nodiscard]] Pose pose(double angle, double advance) const {
    const Mat3 turn = rotation_about(screw_.axis, angle);
    const Pose& start = problem_.start;
    const Vec3 arm = start.translation - screw_.point;
    return {turn * start.rotation, screw_.point + turn * arm + advance * screw_.axis};
  }
  bool is_free(double angle, double advance) {
    if (stopped()) return false;
    const Within found = within(problem_.obstacles.bvh(), problem_.body.bvh(), pose(angle, advance),
                                problem_.clearance, &coherence_);
    work_ += found.work;
    return !found.within;
  }

  struct Play {
    bool free = false;     ///< there is some
    bool bounded = false;  ///< on both sides
    double low = 0.0, high = 0.0;
    [[nodiscard]] double middle() const { return 0.5 * (low + high); }
  };
  /// The play along the axis about an advance, which is free, or else one of the steps beside it.
  Play play(double angle, double guess, double step) {
    Play play;
    double at = guess;
    for (const double beside : {0.0, step, -step, 2.0 * step, -2.0 * step}) {
      at = guess + beside;
      play.free = is_free(angle, at);
      if (play.free) break;
    }
    if (!play.free) return play;
    const auto low = edge(angle, at, -step);
    const auto high = edge(angle, at, step);
    play.bounded = low && high;
    play.low = low.value_or(at);
    play.high = high.value_or(at);
    return play;
  }

 private:
  /// How far the play goes to one side; nothing when it does not end.
  std::optional<double> edge(double angle, double from, double step) {
    const double most = kMostPlay * std::abs(screw_.pitch);
    double free = 0.0;
    double blocked = step;
    while (is_free(angle, from + blocked)) {
      free = blocked;
      if (std::abs(free) > most) return std::nullopt;
      blocked *= 2.0;
    }
    while (std::abs(blocked - free) > kFinest * std::abs(step)) {
      const double middle = 0.5 * (free + blocked);
      (is_free(angle, from + middle) ? free : blocked) = middle;
    }
    return from + free;
  }

  const PlanProblem& problem_;
  Screw screw_;
  const ScrewOptions& options_;
  Work& work_;
  Coherence coherence_;
};

/// Along the screw, in the direction of its axis or against it.
ScrewWay follow(const PlanProblem& problem, const Screw& screw, bool up, double step,
                const ScrewOptions& options) {
  ScrewWay way;
  way.point = screw.point;
  Line line(problem, screw, options, way.work);
  const Line::Play first = line.play(0.0, 0.0, step);
  if (!first.bounded) return way;
  way.axis = up ? screw.axis : -screw.axis;
  const double turn = (up ? kStep : -kStep) * (screw.pitch > 0.0 ? 1.0 : -1.0);
  // Chords of the arc that the pivot goes along.
  const Vec3 pivot = problem.start * pivot_of(problem.body) - screw.point;
  const double beside = norm(pivot - dot(pivot, screw.axis) * screw.axis);
  const double off = std::max(kOffArc * (first.high - first.low), 1e-12 * beside);
  const double chord = off < beside ? 2.0 * std::acos(1.0 - off / beside) : kStep;
  const int chords = static_cast<int>(std::ceil(std::min<double>(kMostChords, kStep / chord)));

  way.poses = {problem.start, line.pose(0.0, first.middle())};
  double at = first.middle();
  double rise = screw.pitch * turn / kTurn;  // for a step
  // The first quarter is felt for: coarse facets show a pitch that is off.
  double felt = at;
  for (int i = 1; i <= kFelt; ++i) {
    const Line::Play play = line.play(turn * i / kFelt, felt + rise / kFelt, step);
    if (!play.bounded) break;
    felt = play.middle();
    rise = (felt - at) * kFelt / i;
  }
  const double room = kSureRoom * 0.5 * (first.high - first.low);
  int feel = 1;
  std::optional<ScrewWay> found;
  int last = kMostSteps;
  for (int count = 1; count <= last && !line.stopped(); ++count) {
    const double angle = turn * count;
    double next = at + rise;
    // In the middle of the play where it was expected, or found anew.
    if (count == feel || !line.is_free(angle, next - room) || !line.is_free(angle, next + room)) {
      feel = 2 * count;
      const Line::Play play = line.play(angle, next, step);
      if (!play.free) break;
      if (play.bounded) {
        next = play.middle();
        rise = (next - first.middle()) / count;
      }
    }
    for (int i = 1; i <= chords; ++i) {
      const double part = static_cast<double>(i) / chords;
      way.poses.push_back(line.pose(angle - (1.0 - part) * turn, at + part * (next - at)));
    }
    at = next;
    // Still held: a step along the axis runs into the next flank.
    if (!line.is_free(angle, at + (up ? 0.5 : -0.5) * std::abs(screw.pitch))) continue;
    PlanProblem from_here = problem;
    from_here.start = way.poses.back();
    DirectionOptions alone;
    alone.threads = {1};
    const Way out = try_direction(from_here, way.axis, alone);
    way.work += out.work;
    if (out.status != WayStatus::Free) continue;
    // Out by a hair is kept in case that there is no better: another quarter leaves more room.
    const bool wide = out.clearance_lower - problem.clearance > kWide * step;
    if (wide || !found) {
      found = way;
      found->poses.push_back(moved(from_here.start, out.length * out.direction));
      found->turns = 0.25 * count;
      // Seen along the way out: the hand stays what it is.
      found->pitch = rise / turn * kTurn;
      last = count + kQuartersMore;
    }
    if (wide || count == last) break;
  }
  if (!found) way.poses.clear();
  const Work work = way.work;
  if (found) way = *std::move(found);
  way.work = work;
  return way;
}

}  // namespace

std::optional<Screw> screw_of(const PlanProblem& problem, Work& work) {
  if (problem.body.bvh().volume() != Volume::Wide ||
      problem.obstacles.bvh().volume() != Volume::Wide)
    return std::nullopt;
  const std::vector<Sample> near = curved(near_points(problem, work));
  if (near.size() < kLeastSamples) return std::nullopt;
  Vec3 middle;
  const double weight = weight_of(near);
  for (const Sample& sample : near) middle += (sample.weight / weight) * sample.point;
  std::vector<Sample> used = near;
  std::vector<double> offs(near.size());
  std::optional<Field> field;
  // The best field, and those of all points that are not farther off it than the limit.
  const auto refit = [&](const auto& limit) {
    field = field_of(used, middle);
    if (!field) return;
    for (std::size_t i = 0; i < near.size(); ++i) {
      const Vec3 velocity = field->at(near[i].point - middle);
      offs[i] = std::abs(dot(velocity, near[i].normal)) / norm(velocity);
    }
    const double most = limit();
    used.clear();
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (offs[i] <= most) used.push_back(near[i]);
    }
  };
  for (const double off : kOff) {
    refit([&] { return off; });
    if (!field || weight_of(used) < kLeastPart * weight) return std::nullopt;
  }
  for (int i = 0; i < kFineRounds && field; ++i) {
    refit([&] {
      std::vector<double> sorted = offs;
      const auto half = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
      std::nth_element(sorted.begin(), half, sorted.end());
      return kOffMedian * *half;
    });
  }
  if (!field) return std::nullopt;
  // The line: where the velocity is along the turn.
  Screw screw;
  screw.axis = field->turn;
  screw.point = middle + cross(field->turn, field->velocity);
  screw.pitch = kTurn * dot(field->turn, field->velocity);
  if (!(std::abs(screw.pitch) > kLeastPitch * problem.body.bvh().bounds().diagonal()))
    return std::nullopt;
  return screw;
}

ScrewWay way_by_screw(const PlanProblem& problem, const ScrewOptions& options) {
  ScrewWay way;
  Work work;
  const std::optional<Screw> screw = screw_of(problem, work);
  if (screw) {
    const Distance gap = distance(problem.obstacles.bvh(), problem.body.bvh(), problem.start);
    work += gap.work;
    const double step = 0.5 * (gap.lower - problem.clearance);
    // The shorter way out along the axis first.
    const Box box = body_box(problem);
    const bool up_first = way_out(problem, box, screw->axis) <= way_out(problem, box, -screw->axis);
    for (const bool up : {up_first, !up_first}) {
      if (!(step > 0.0) || !way.poses.empty()) break;
      const std::uint64_t done = work.volume_tests + work.triangle_tests;
      way = follow(problem, *screw, up, step,
                   {options.operations - std::min(options.operations, done), options.monitor});
      work += way.work;
    }
  }
  way.work = work;
  return way;
}

}  // namespace clearance::detail
