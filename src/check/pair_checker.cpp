// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check/pair_checker.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <clearance/geometry/triangle_triangle.h>
#include <clearance/query/shapes.h>
#include <clearance/query/solid.h>

namespace clearance::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// What a distance may be off by itself (query.h).
constexpr double kDistanceError = 1e-9;
/// What distances of points may be off by, as a fraction of coordinates (shapes.h).
constexpr double kPointError = 1e-12;
/// Bodies that moved farther than this part of the size of the smaller one do not follow a path:
/// nothing is learnt from a distance that a yes or no does not tell cheaper.
constexpr double kJump = 0.25;
/// A proof for the whole bodies pays when it lasts for so many configurations...
constexpr double kWorthWhole = 16.0;
/// ...and when it did not, it is tried again after so many.
constexpr std::uint64_t kRest = 256;
/// A proof for so many is enough, of a patch and of the whole: a longer one costs more than it
/// saves.
constexpr double kEnough = 100.0;
constexpr double kEnoughWhole = 24.0;
/// A way this part of a step is proof for the configuration itself, though hardly for the next.
constexpr double kUseful = 0.1;
/// Pairs of triangles that touched and are tried again.
constexpr std::size_t kRecent = 4;
/// A clear way that proved to be there is asked for again, longer by this; one that was not is
/// shortened to this part of what was found in it.
constexpr double kLonger = 1.5;
constexpr double kShorter = 0.6;

/// How far a point of a ball can have moved from one pose to another [m].
double moved(const Sphere& ball, const Pose& from, const Pose& to) {
  const Mat3 turn = to.rotation - from.rotation;
  const double squared = squared_norm(turn[0]) + squared_norm(turn[1]) + squared_norm(turn[2]);
  return distance(from * ball.center, to * ball.center) + std::sqrt(0.5 * squared) * ball.radius;
}

/// How far one came since the configuration before [m]; more than rounding.
double step_of(const Sphere& ball, const PairChecker::Question& question) {
  return std::max(moved(ball, question.before, question.a_from_b), 4.0 * question.rounding);
}

unsigned all_of(const std::vector<std::uint8_t>& masks) {
  unsigned all = 0xffU;
  for (const std::uint8_t mask : masks) all &= mask;
  return all;
}

}  // namespace

PairChecker::PairChecker(const CheckBody& a, const Sphere& ball_a, const CheckBody& b,
                         const Sphere& ball_b, const CoverBox& cover_b,
                         std::span<const BodyPatch> patches_b, double margin)
    : a_(&a),
      b_(&b),
      patches_(patches_b),
      cover_(&cover_b),
      ball_b_(ball_b),
      bounds_a_(a.bounds),
      jump_(kJump * std::min(ball_a.radius, ball_b.radius)),
      margin_(margin),
      whole_(ball_b) {
  for (const BodyPatch& patch : patches_) clear_patches_.emplace_back(patch.ball);
  for (const Model& model : a.models) {
    for (const Vec3& point : model.component_points()) {
      points_.push_back(point);
      clear_points_.emplace_back(point);
    }
  }
  whole_guess_ = ball_b.radius;
  patch_guess_.resize(patches_.size(), ball_b.radius);
  patch_free_.resize(patches_.size());
  point_free_.resize(points_.size());
  memory_.resize(a.models.size() * b.models.size());
  patch_memory_.resize(patches_.size());
  for (PairMemory& memory : patch_memory_) memory.resize(a.models.size());
  cover_memory_.resize(a.models.size());
  patch_cover_memory_.resize(patches_.size());
  for (PairMemory& memory : patch_cover_memory_) memory.resize(a.models.size());
}

double PairChecker::clear_of(double lower, double rounding) const {
  return lower - 2.0 * rounding - margin_;
}

unsigned PairChecker::free_lanes(const PoseLanes& a_from_b, unsigned asked) {
  lanes_ = &a_from_b;
  looked_ = false;
  whole_free_ = whole_.holds(a_from_b);
  if ((asked & ~whole_free_) == 0) return asked;
  look_at_patches();
  return free_lanes_now(asked);
}

void PairChecker::look_at_patches() {
  for (std::size_t k = 0; k < clear_patches_.size(); ++k)
    patch_free_[k] = static_cast<std::uint8_t>(clear_patches_[k].holds(*lanes_));
  for (std::size_t k = 0; k < clear_points_.size(); ++k)
    point_free_[k] = static_cast<std::uint8_t>(clear_points_[k].holds(*lanes_));
  looked_ = true;
}

unsigned PairChecker::free_lanes_now(unsigned asked) {
  return asked & (whole_free_ | (looked_ ? all_of(patch_free_) & all_of(point_free_) : 0U));
}

bool PairChecker::touches(const Question& question, Work& work) {
  if (touches_again(question)) return true;
  if (!question.follows || !(moved(ball_b_, question.before, question.a_from_b) <= jump_))
    return whole_touches(question, work);
  // What touched last does so still, mostly, with other triangles.
  const std::optional<std::size_t> last = touching_ ? touching_->patch : std::nullopt;
  touching_.reset();
  if (last && patch_meets(*last, question, true, work)) return true;

  const auto bit = 1U << question.lane;
  const auto open = [bit](std::uint8_t mask) { return (mask & bit) == 0; };
  const auto failed = static_cast<std::size_t>(std::ranges::count_if(patch_free_, open));
  if (2 * failed > patches_.size() || question.moment >= whole_next_) {
    if (whole_clear(question, work)) return false;
  }
  for (std::size_t k = 0; k < patches_.size(); ++k)
    if (open(patch_free_[k]) && patch_touches(k, question, work)) return true;
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (open(point_free_[k]) && point_inside(k, question, work)) return true;
  return false;
}

/// One pair of triangles that still touches decides: the last, or one of those before it.
bool PairChecker::touches_again(const Question& question) {
  if (!touching_) return false;
  const Pose& pose = question.a_from_b;
  const auto found = std::ranges::find_if(recent_, [&](const Touching& one) {
    const Triangle t = one.b->triangle(one.triangles.triangle_b);
    return !proven_farther(one.a->triangle(one.triangles.triangle_a),
                           {pose * t.a, pose * t.b, pose * t.c}, 0.5 * question.rounding);
  });
  if (found == recent_.end()) return false;
  std::swap(recent_.front(), *found);
  touching_ = recent_.front();
  return true;
}

void PairChecker::remember(const Touching& touching) {
  touching_ = touching;
  if (touching.triangles.triangle_a == kNoTriangle) return;
  if (recent_.size() == kRecent) recent_.pop_back();
  recent_.insert(recent_.begin(), touching);
}

bool PairChecker::touches_anyhow(const Pose& a_from_b, double rounding, Work& work) {
  return whole_touches({.a_from_b = a_from_b, .rounding = rounding}, work);
}

bool PairChecker::whole_touches(const Question& question, Work& work) {
  touching_.reset();
  std::size_t k = 0;
  for (const Model& a : a_->models) {
    for (const Model& b : b_->models) {
      const SolidWithin found = within(a, b, question.a_from_b, question.rounding, &memory_[k++]);
      work += found.work;
      if (!found.within) continue;
      remember({&a.bvh(), &b.bvh(), found.pair, std::nullopt});
      return true;
    }
  }
  return false;
}

/// Is a piece of A's surface inside a box, or does it reach into it?
bool PairChecker::holds_points(const CoverBox& cover, const Question& question) const {
  const Pose box_from_a =
      inverse(cover.box.world_from_box) * relative(question.a_from_b, Pose::identity());
  return std::ranges::any_of(points_, [&](const Vec3& point) {
    const Vec3 p = abs(box_from_a * point) - cover.box.half_size;
    return !(p.x > 2.0 * question.rounding || p.y > 2.0 * question.rounding ||
             p.z > 2.0 * question.rounding);
  });
}

PairChecker::Near PairChecker::cover_within(const CoverBox& cover, PairMemory& memory,
                                            const Question& question, double limit, Work& work) {
  Near near{.within = false, .upper = kInfinity};
  for (std::size_t m = 0; m < a_->models.size() && !near.within; ++m) {
    const Within found =
        within(a_->models[m].bvh(), cover.surface, question.a_from_b, limit, &memory[m]);
    work += found.work;
    near = {found.within, found.upper};
  }
  return near;
}

/// The longest of some ways around a box that nothing of A's surface is found in; 0 where none is
/// as long as `least`. `guess` is where to begin, and is learnt from.
double PairChecker::clear_way(const CoverBox& cover, PairMemory& memory, double& guess,
                              double least, double most, const Question& question, Work& work) {
  double limit = std::clamp(guess, least, most);
  for (bool first = true; limit >= least; first = false) {
    const Near found = cover_within(cover, memory, question, limit, work);
    if (!found.within) {
      guess = first ? kLonger * limit : limit;
      return holds_points(cover, question) ? 0.0 : (1.0 - kDistanceError) * limit;
    }
    limit = kShorter * std::min(limit, found.upper);
  }
  guess = least;
  return 0.0;
}

/// How far a ball on B is from the box around A, at least [m]; 0 or less: it may touch that.
double PairChecker::beyond_bounds(const Sphere& ball, const Pose& a_from_b) const {
  const Vec3 center = a_from_b * ball.center;
  const Vec3 gap = max(max(bounds_a_.low - center, center - bounds_a_.high), Vec3{});
  return (1.0 - kDistanceError) * norm(gap) - ball.radius;
}

/// Are the bodies so far apart that one proof for all is worth it?
bool PairChecker::whole_clear(const Question& question, Work& work) {
  const double step = step_of(ball_b_, question);
  const double least = kWorthWhole * step;
  double lower = beyond_bounds(ball_b_, question.a_from_b);
  if (lower < least) {
    lower =
        clear_way(*cover_, cover_memory_, whole_guess_, least, kEnoughWhole * step, question, work);
    whole_next_ = question.moment + kRest;
    if (lower == 0.0) return false;
    // No surface of A in the box, nor near it: all of the box is on one side.
    const Vec3 middle = question.a_from_b * cover_->box.world_from_box.translation;
    if (std::ranges::any_of(a_->models, [&](const Model& a) {
          return a.is_solid() && a.side(middle) != Side::Outside;
        }))
      return false;
  }
  whole_next_ = 0;
  whole_.prove(question.a_from_b, clear_of(lower, question.rounding));
  const auto bit = 1U << question.lane;
  whole_free_ = whole_.holds(*lanes_) | bit;
  for (std::size_t i = 0; i < clear_patches_.size(); ++i)
    if ((patch_free_[i] & bit) == 0) prove_patch(i, question, lower);
  for (std::size_t i = 0; i < clear_points_.size(); ++i)
    if ((point_free_[i] & bit) == 0) prove_point(i, question, lower);
  return true;
}

void PairChecker::prove_patch(std::size_t patch, const Question& question, double lower) {
  clear_patches_[patch].prove(question.a_from_b, clear_of(lower, question.rounding));
  patch_free_[patch] =
      static_cast<std::uint8_t>(clear_patches_[patch].holds(*lanes_) | (1U << question.lane));
}

void PairChecker::prove_point(std::size_t point, const Question& question, double lower) {
  // Its coordinates in the frame of B are those of A and of the way between: twice the margin.
  clear_points_[point].prove(question.a_from_b, clear_of(lower, question.rounding) - margin_);
  point_free_[point] =
      static_cast<std::uint8_t>(clear_points_[point].holds(*lanes_) | (1U << question.lane));
}

/// Do its triangles? The answer, by their surfaces.
bool PairChecker::patch_meets(std::size_t patch, const Question& question, bool likely,
                              Work& work) {
  const BodyPatch& part = patches_[patch];
  for (std::size_t m = 0; m < a_->models.size(); ++m) {
    const Bvh& a = a_->models[m].bvh();
    Coherence& memory = patch_memory_[patch][m];
    if (likely) {
      // Found sooner than how close they are.
      const Collision found = collide(a, part.surface, question.a_from_b, &memory);
      work += found.work;
      if (found.hit) {
        remember({&a, &part.surface, found.contact, patch});
        return true;
      }
    }
    const Within found = within(a, part.surface, question.a_from_b, question.rounding, &memory);
    work += found.work;
    if (!found.within) continue;
    remember({&a, &part.surface, found.pair, patch});
    return true;
  }
  return false;
}

bool PairChecker::patch_touches(std::size_t patch, const Question& question, Work& work) {
  const BodyPatch& part = patches_[patch];
  const double step = step_of(part.ball, question);
  const double lower = clear_way(part.cover, patch_cover_memory_[patch], patch_guess_[patch],
                                 kUseful * step, kEnough * step, question, work);
  if (lower == 0.0 && patch_meets(patch, question, false, work)) return true;
  for (const Model& a : a_->models) {
    if (!a.is_solid()) continue;
    for (const Vec3& point : part.points)
      if (a.side(question.a_from_b * point) != Side::Outside) return true;
  }
  prove_patch(patch, question, lower);
  return false;
}

bool PairChecker::point_inside(std::size_t point, const Question& question, Work& work) {
  const Vec3 p = relative(question.a_from_b, Pose::identity()) * points_[point];
  double lower = kInfinity;
  for (const Model& b : b_->models) {
    if (!b.is_solid()) continue;
    if (b.side(p) != Side::Outside) return true;
    const ShapeDistance found = distance(b.bvh(), Shape(p));
    work += found.work;
    lower = std::min(lower, found.distance * (1.0 - kDistanceError) - kPointError * norm(p));
  }
  prove_point(point, question, lower);
  return false;
}

}  // namespace clearance::detail
