// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simplify/ball_spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include <clearance/query/shapes.h>

namespace clearance::detail {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;
constexpr double kFar = std::numeric_limits<double>::infinity();

// Lengths below are parts of the error.
// Points deeper in the kept volume than this are not on its boundary; those farther out than the
// other are not of it.
constexpr double kBoundary = 0.05;
constexpr double kOutside = 0.02;
// Faces are not bent by more between a point and a corner near it; and by less than this they are
// as good as flat.
constexpr double kBeyondFace = 1.0;
constexpr double kOnFace = 0.005;
// Points nearer to an edge are on it.
constexpr double kOnEdge = 0.02;
// Over which the way inward is seen.
constexpr double kWayStep = 0.05;
// Balls meet near a point when what they lack there differs by no more than this.
constexpr double kMeeting = 1.5;
// What a corner lacks may be more by this than a point near it does.
constexpr double kAbovePoint = 0.6;
// Another ball lacks so much less: it holds the place better.
constexpr double kHeld = 0.01;
// Corners of the same balls are the same one when nearer than this, as a part of how far the balls
// reach sideways.
constexpr double kSameCorner = 0.2;
// Gaps so much shallower than the deepest say nothing about what to do.
constexpr double kShallow = 0.4;
// Points between gaps stand for themselves when they are nearly as deep as the deepest.
constexpr double kDeepPoint = 0.06;
constexpr double kPointSoftness = 0.02;
// How softly the deepest is the deepest, from the first step of all balls to the last.
constexpr double kFirstSoftness = 0.02;
constexpr double kLastSoftness = 0.002;
// And harder after a step that did no good, down to so much: where thousands of gaps are as deep,
// all but the deepest of them outweigh it.
constexpr double kHarder = 0.25;
constexpr double kLeastSoftness = 0.0002;
// What full looks may see that others did not.
constexpr double kUnseen = 0.005;
// How far a ball moves in a step, as a part of how far it reaches sideways on a face: longer after
// one that did good, shorter after one that did not.
constexpr double kFirstWay = 0.3;
constexpr double kLongest = 0.6;
constexpr double kShortest = 0.01;
constexpr double kAgain = 0.05;
constexpr double kLonger = 1.3;
constexpr double kShorter = 0.5;
// Where so many balls, as a part of all, are to blame, only they go less far, by so much at a time.
constexpr double kFew = 0.2;
constexpr double kOwnShorter = 0.3;
// What moving a ball so far costs.
constexpr double kWayCost = 0.003;
// Cuts of a radius are rounded where they meet by about this; by less in steps below the first way.
constexpr double kCutSoftness = 0.002;
// Of a step: slopes looked at, and those remembered to see how they bend.
constexpr int kLooks = 60;
constexpr std::size_t kRemembered = 10;
// A place where balls meet is looked for near a point: as a part of how far the balls reach
// sideways.
constexpr double kNearby = 0.6;
constexpr std::size_t kBallPiece = 16;
constexpr std::size_t kCornerPiece = 32;
// Images farther from the home of the symmetry hold nothing of it that matters.
constexpr double kBesideHome = 2.0;
// All points are looked at every so many steps, between them those that were near gaps.
constexpr int kFullLook = 2;

double sideways(const Sphere& ball, double error) {
  return std::sqrt(std::max(ball.radius, error) * error);
}

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The least of a smooth function, nearly: the limited memory method of Broyden, Fletcher, Goldfarb
// and Shanno. value(x, slope) returns the value and sets the slope.
template <class Value>
void minimise(std::vector<double>& x, int looks, const Value& value) {
  constexpr double kEnough = 1e-4;  // of what the slope promises
  constexpr double kNearer = 0.4;
  constexpr int kMostTries = 8;
  const std::size_t n = x.size();
  std::vector<double> slope(n), there(n), slope_there(n), way(n);
  std::vector<std::vector<double>> steps, turns;
  std::vector<double> scale;
  double here = value(x, slope);
  for (int look = 0; look < looks; ++look) {
    way = slope;
    std::vector<double> part(steps.size());
    for (std::size_t i = steps.size(); i-- > 0;) {
      part[i] = scale[i] * product(steps[i], way);
      for (std::size_t j = 0; j < n; ++j) way[j] -= part[i] * turns[i][j];
    }
    const double length = std::sqrt(product(slope, slope));
    if (!(length > 0.0)) return;
    constexpr double kFirst = 0.05;
    const double unit = steps.empty() ? kFirst / length
                                      : 1.0 / (scale.back() * product(turns.back(), turns.back()));
    for (double& w : way) w *= unit;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double back = part[i] - scale[i] * product(turns[i], way);
      for (std::size_t j = 0; j < n; ++j) way[j] += back * steps[i][j];
    }
    const double promise = product(way, slope);
    double t = 1.0;
    double value_there = here;
    bool is_less = false;
    for (int i = 0; i < kMostTries && promise > 0.0 && !is_less; ++i) {
      for (std::size_t j = 0; j < n; ++j) there[j] = x[j] - t * way[j];
      value_there = value(there, slope_there);
      is_less = value_there <= here - kEnough * t * promise;
      if (!is_less) t *= kNearer;
    }
    if (!is_less) {
      if (steps.empty()) return;
      steps.clear(), turns.clear(), scale.clear();
      continue;
    }
    std::vector<double> step(n), turn(n);
    for (std::size_t j = 0; j < n; ++j) {
      step[j] = there[j] - x[j];
      turn[j] = slope_there[j] - slope[j];
    }
    const double bend = product(step, turn);
    if (bend > 1e-12 * product(turn, turn)) {
      if (steps.size() == kRemembered) {
        steps.erase(steps.begin()), turns.erase(turns.begin()), scale.erase(scale.begin());
      }
      steps.push_back(std::move(step)), turns.push_back(std::move(turn));
      scale.push_back(1.0 / bend);
    }
    x.swap(there);
    slope.swap(slope_there);
    here = value_there;
  }
}

// Balls that may be among those that lack least at some point in a sphere, or `more` than that.
void append_near(const std::vector<Sphere>& balls, const Sphere& around, double more,
                 const std::vector<std::uint32_t>* among, std::vector<std::uint32_t>& near) {
  const std::size_t count = among != nullptr ? among->size() : balls.size();
  double least = kFar;
  for (std::size_t i = 0; i < count; ++i) {
    const Sphere& ball = balls[among != nullptr ? (*among)[i] : i];
    least = std::min(least, distance(ball.center, around.center) - ball.radius);
  }
  const double beyond = least + 2.0 * around.radius + more;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t k = among != nullptr ? (*among)[i] : static_cast<std::uint32_t>(i);
    const double reach = balls[k].radius + beyond;
    if (reach >= 0.0 && squared_norm(balls[k].center - around.center) <= reach * reach)
      near.push_back(k);
  }
}

bool is_active(const std::vector<std::uint8_t>& active, const PointBlocks& points,
               std::size_t group) {
  const auto begin =
      active.begin() + static_cast<std::ptrdiff_t>(points.first_place(points.first_block(group)));
  const auto end =
      active.begin() + static_cast<std::ptrdiff_t>(points.end_place(points.end_block(group) - 1));
  return std::find(begin, end, 1) != end;
}

std::optional<Bvh> tree_of(const std::vector<SharpEdge>& edges) {
  struct Owned {
    std::vector<Vec3> vertices;
    std::vector<std::array<std::uint32_t, 3>> faces;
  };
  const auto owned = std::make_shared<Owned>();
  for (const SharpEdge& edge : edges) {
    const auto i = static_cast<std::uint32_t>(owned->vertices.size());
    owned->vertices.push_back(edge.a);
    owned->vertices.push_back(edge.b);
    owned->faces.push_back({i, i + 1, i + 1});
  }
  if (edges.empty()) return std::nullopt;
  Result<Bvh> tree = Bvh::build(owned->vertices, owned->faces, {}, owned);
  return tree ? std::optional<Bvh>(*tree) : std::nullopt;
}

}  // namespace

BallSpread::BallSpread(const BallField& field, const std::vector<SharpEdge>& edges,
                       const Symmetry& symmetry)
    : field_(field), symmetry_(symmetry), edges_(tree_of(edges)) {}

BallSpread::Place BallSpread::place_of(const Vec3& p) const {
  const double error = field_.error();
  if (field_.depth(p) > kBoundary * error) return {Place::Kind::Inside, {}};
  if (edges_) {
    const ShapeDistance near = distance(*edges_, p, Pose::identity(), kOnEdge * error);
    if (!near.beyond) {
      const Triangle edge = edges_->triangle(near.triangle);
      const Vec3 way = normalized(edge.b - edge.a);
      if (way != Vec3{}) return {Place::Kind::Edge, way};
    }
  }
  const Vec3 inward = field_.inward(p, kWayStep * error);
  if (inward == Vec3{}) return {Place::Kind::Inside, {}};
  return {Place::Kind::Face, inward};
}

// Where the powers of the balls are equal, a linear question; then back to the boundary, and again.
std::optional<BallSpread::Peak> BallSpread::peak_near(const Vec3& p, const Place& place,
                                                      const std::vector<Sphere>& balls,
                                                      const std::array<std::uint32_t, 3>& three,
                                                      double lack_near, bool is_rough) const {
  constexpr double kLeastAngle = 1e-6;
  constexpr double kLeastWeight = -0.4;
  const bool is_edge = place.kind == Place::Kind::Edge;
  const std::size_t count = is_edge ? 2 : 3;
  std::array<Vec3, 3> u;
  double reach = kFar;
  for (std::size_t i = 0; i < count; ++i) {
    const Sphere& ball = balls[three[i]];
    u[i] = ball.center - p;
    reach = std::min(reach, sideways(ball, field_.error()));
  }
  // Balls larger by what they lack meet there.
  const auto apart = [&](std::size_t i) {
    const double r = balls[three[i]].radius + lack_near;
    const double r0 = balls[three[0]].radius + lack_near;
    return squared_norm(u[i]) - r * r - (squared_norm(u[0]) - r0 * r0);
  };
  const Vec3 a = 2.0 * (u[1] - u[0]);
  const Vec3 b = is_edge ? Vec3{} : 2.0 * (u[2] - u[0]);
  const double det = is_edge ? dot(place.way, a) : dot(place.way, cross(a, b));
  if (!(std::abs(det) > kLeastAngle * (is_edge ? reach : reach * reach))) return std::nullopt;
  const Vec3 from_a = is_edge ? place.way : cross(b, place.way);
  const Vec3 from_b = is_edge ? Vec3{} : cross(place.way, a);
  const Vec3 from_face = is_edge ? Vec3{} : cross(a, b);
  Vec3 x;
  double height = 0.0;
  bool is_near_boundary = is_edge || is_rough;
  for (int round = 0; round < (is_rough ? 1 : 3); ++round) {
    x = (1.0 / det) *
        (apart(1) * from_a + (is_edge ? 0.0 : apart(2)) * from_b + height * from_face);
    if (!(norm(x) <= kNearby * reach)) return std::nullopt;
    if (is_rough) break;
    lack_near = 0.0;
    for (std::size_t i = 0; i < count; ++i)
      lack_near += (norm(x - u[i]) - balls[three[i]].radius) / double(count);
    if (is_near_boundary) continue;
    const double depth = field_.depth(p + x);
    if (depth < -kBeyondFace * field_.error()) return std::nullopt;
    is_near_boundary = std::abs(depth) <= kOnFace * field_.error();
    height -= depth;
  }
  Peak peak;
  peak.at = p + x;
  if ((is_edge || !is_near_boundary) && !is_rough &&
      field_.depth(peak.at) < -kOutside * field_.error())
    return std::nullopt;
  // The weights: those for which no way along the boundary leads to less of all.
  std::array<Vec3, 3> way;
  std::array<double, 3> lack{};
  for (std::size_t i = 0; i < count; ++i) {
    const double far = norm(x - u[i]);
    if (!(far > 0.0)) return std::nullopt;
    way[i] = (x - u[i]) / far;
    lack[i] = far - balls[three[i]].radius;
  }
  std::array<double, 3> weight{};
  if (is_edge) {
    weight = {dot(place.way, way[1]), -dot(place.way, way[0]), 0.0};
  } else {
    for (std::size_t i = 0; i < 3; ++i)
      weight[i] = dot(place.way, cross(way[(i + 1) % 3], way[(i + 2) % 3]));
  }
  const double sum = weight[0] + weight[1] + weight[2];
  if (!(std::abs(sum) > kLeastAngle)) return std::nullopt;
  double total = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    weight[i] /= sum;
    if (weight[i] < kLeastWeight) return std::nullopt;
    total += weight[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    peak.weight[i] = weight[i] / total;
    peak.ball[i] = i < count ? three[i] : three[0];
    peak.depth += peak.weight[i] * lack[i];
  }
  return peak;
}

std::vector<BallSpread::Peak> BallSpread::find_peaks(const PointBlocks& points,
                                                     const std::vector<Sphere>& balls, bool is_full,
                                                     const std::optional<Sphere>& around,
                                                     Threads threads) {
  const double error = field_.error();
  places_.resize(points.size());
  if (active_.size() != points.size()) is_full = true;
  if (is_full) active_.assign(points.size(), 0);
  // The three balls that lack least at a point, by how much.
  struct Near {
    std::uint32_t place = 0;
    std::array<std::uint32_t, 3> ball{kNone, kNone, kNone};
    std::array<double, 3> lack{kFar, kFar, kFar};
  };
  struct Found {
    std::vector<Near> near;
    std::vector<std::uint32_t> balls;
  };
  const std::size_t groups = points.group_count();
  std::vector<Found> found(groups);
  std::vector<double> deepest(groups, -kFar);
  parallel_for(threads, groups, [&](std::size_t g) {
    Found& mine = found[g];
    const auto is_near = [&](const Sphere& some) {
      return !around || distance(some.center, around->center) <= some.radius + around->radius;
    };
    if (!is_near(points.around_group(g))) return;
    if (!is_full && !is_active(active_, points, g)) return;
    append_near(balls, points.around_group(g), kMeeting * error, nullptr, mine.balls);
    std::vector<std::uint32_t> near_block;
    for (std::size_t b = points.first_block(g); b < points.end_block(g); ++b) {
      bool has_points = is_full;
      for (std::size_t p = points.first_place(b); p < points.end_place(b) && !has_points; ++p)
        has_points = active_[p] != 0;
      if (!has_points || !is_near(points.around_block(b))) continue;
      near_block.clear();
      append_near(balls, points.around_block(b), kMeeting * error, &mine.balls, near_block);
      for (std::size_t p = points.first_place(b); p < points.end_place(b); ++p) {
        if (!is_full && active_[p] == 0) continue;
        Near near{.place = static_cast<std::uint32_t>(p)};
        const Vec3 at = points.point(p);
        if (!is_near({at, 0.0})) continue;
        for (const std::uint32_t k : near_block) {
          // Without a root for most.
          const Sphere& ball = balls[k];
          const double limit =
              ball.radius + std::min(near.lack[2], near.lack[0] + kMeeting * error);
          const double sq = squared_norm(at - ball.center);
          if (limit < 0.0 || sq >= limit * limit) continue;
          const double lack = std::sqrt(sq) - ball.radius;
          std::size_t i = 2;
          for (; i > 0 && lack < near.lack[i - 1]; --i)
            near.lack[i] = near.lack[i - 1], near.ball[i] = near.ball[i - 1];
          near.lack[i] = lack, near.ball[i] = k;
        }
        if (near.ball[0] == kNone) continue;
        deepest[g] = std::max(deepest[g], near.lack[0]);
        mine.near.push_back(near);
      }
    }
  });
  const double top = *std::max_element(deepest.begin(), deepest.end());
  const double level = top - (kShallow + kAbovePoint) * error;
  struct Corner {
    Peak peak;
    Place on;
    std::uint32_t place = 0;  // of the point that it was found from
    double off_sq = 0.0;      // how far from it
    bool is_line = false;     // across a line on a face
  };
  std::vector<std::vector<Peak>> peaks(groups);
  std::vector<std::vector<Corner>> corners(groups);
  parallel_for(threads, groups, [&](std::size_t g) {
    for (const Near& near : found[g].near) {
      // What is lacking falls by no more than the way.
      if (near.lack[0] < level) continue;
      active_[near.place] = 1;
      Place& place = places_[points.given(near.place)];
      const Vec3 at = points.point(near.place);
      if (place.kind == Place::Kind::Unknown) place = place_of(at);
      const auto meets = [&](std::size_t i) {
        return near.ball[i] != kNone && near.lack[i] - near.lack[0] <= kMeeting * error;
      };
      // Two balls alone meet along a line, which is nowhere deeper than elsewhere.
      Place across = place;
      if (place.kind == Place::Kind::Face && meets(1) && !meets(2)) {
        const Vec3 apart = balls[near.ball[1]].center - balls[near.ball[0]].center;
        across = {Place::Kind::Edge, normalized(apart - dot(apart, place.way) * place.way)};
      }
      const std::size_t meet = across.kind == Place::Kind::Edge ? 2 : 3;
      if (across.kind != Place::Kind::Inside && across.way != Vec3{} && meets(meet - 1)) {
        std::array<std::uint32_t, 3> three = near.ball;
        std::sort(three.begin(), three.begin() + static_cast<std::ptrdiff_t>(meet));
        if (meet == 2) three[2] = three[0];
        const std::optional<Peak> peak = peak_near(at, across, balls, three, near.lack[0], true);
        if (peak) {
          corners[g].push_back(
              {*peak, across, near.place, squared_norm(peak->at - at), across.kind != place.kind});
        }
      }
      // The point for itself.
      Peak own;
      own.at = at;
      own.depth = near.lack[0];
      double sum = 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        own.ball[i] = near.ball[i] == kNone ? near.ball[0] : near.ball[i];
        own.weight[i] = near.ball[i] == kNone
                            ? 0.0
                            : std::exp((near.lack[0] - near.lack[i]) / (kPointSoftness * error));
        sum += own.weight[i];
      }
      for (double& w : own.weight) w /= sum;
      if (own.depth >= top - kDeepPoint * error) peaks[g].push_back(own);
    }
  });
  // Each corner once: points around it name it again and again. The nearest of them knows best; but
  // on an edge its own points do, and not those of a line on a face that ends there.
  std::vector<Corner> all;
  for (const std::vector<Corner>& some : corners) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end(), [](const Corner& a, const Corner& b) {
    if (a.peak.ball != b.peak.ball) return a.peak.ball < b.peak.ball;
    if (a.is_line != b.is_line) return b.is_line;
    return a.off_sq != b.off_sq ? a.off_sq < b.off_sq : a.place < b.place;
  });
  std::vector<Corner> once;
  for (const Corner& corner : all) {
    double reach = kFar;
    for (const std::uint32_t k : corner.peak.ball)
      reach = std::min(reach, sideways(balls[k], error));
    bool is_known = false;
    for (std::size_t j = once.size();
         j-- > 0 && once[j].peak.ball == corner.peak.ball && !is_known;)
      is_known = distance(once[j].peak.at, corner.peak.at) <= kSameCorner * reach;
    if (!is_known) once.push_back(corner);
  }
  std::vector<Peak> kept;
  for (const std::vector<Peak>& some : peaks) kept.insert(kept.end(), some.begin(), some.end());
  std::vector<std::vector<Peak>> exact((once.size() + kCornerPiece - 1) / kCornerPiece);
  parallel_for(threads, exact.size(), [&](std::size_t piece) {
    const std::size_t end = std::min(once.size(), (piece + 1) * kCornerPiece);
    for (std::size_t i = piece * kCornerPiece; i < end; ++i) {
      const std::uint32_t at = once[i].place;
      const std::optional<Peak> peak = peak_near(points.point(at), once[i].on, balls,
                                                 once[i].peak.ball, once[i].peak.depth, false);
      if (!peak) continue;
      // Held better by another ball: no corner.
      const auto holds = [&](const Sphere& ball) {
        const double reach = ball.radius + peak->depth - kHeld * error;
        return reach > 0.0 && squared_norm(peak->at - ball.center) < reach * reach;
      };
      const bool is_held = std::any_of(balls.begin(), balls.end(), holds);
      if (!is_held) exact[piece].push_back(*peak);
    }
  });
  for (const std::vector<Peak>& some : exact) kept.insert(kept.end(), some.begin(), some.end());
  double most = -kFar;
  for (const Peak& peak : kept) most = std::max(most, peak.depth);
  std::erase_if(kept, [&](const Peak& peak) { return peak.depth < most - kShallow * error; });
  return kept;
}

// One step of all balls: the least of the softly deepest gap, as its slopes have it, and of what
// the ways cost. Ways in parts of how far the balls reach sideways, depths in parts of the error.
// Ball k goes a `part[k]` of that.
void BallSpread::descend(const std::vector<Peak>& peaks, const Symmetry::Images& images,
                         double softness, double farthest, std::span<const double> part,
                         const std::optional<Sphere>& around, std::vector<Sphere>& balls,
                         Threads threads) const {
  constexpr std::size_t kCuts = 7;
  const double cut_softness = kCutSoftness * std::min(1.0, farthest / kFirstWay);
  const double error = field_.error();
  std::vector<std::array<Cut, kCuts>> cuts(balls.size());
  std::vector<double> unit(balls.size());
  std::vector<std::uint8_t> moves(balls.size(), 0);
  for (const Peak& peak : peaks)
    for (std::size_t i = 0; i < 3; ++i)
      if (peak.weight[i] != 0.0) moves[images.of[peak.ball[i]]] = 1;
  if (around) {
    for (std::size_t k = 0; k < balls.size(); ++k)
      if (distance(balls[k].center, around->center) > around->radius) moves[k] = 0;
  }
  std::vector<Mat3> freedom(balls.size());
  if (symmetry_.order() > 1)
    for (std::size_t k = 0; k < balls.size(); ++k) freedom[k] = symmetry_.freedom(balls[k].center);
  parallel_for(threads, (balls.size() + kBallPiece - 1) / kBallPiece, [&](std::size_t piece) {
    const std::size_t end = std::min(balls.size(), (piece + 1) * kBallPiece);
    for (std::size_t k = piece * kBallPiece; k < end; ++k) {
      if (moves[k] == 0) continue;
      unit[k] = part[k] * sideways(balls[k], error);
      const double probe = 0.5 * farthest * unit[k];
      for (std::size_t i = 0; i < kCuts; ++i) {
        Vec3 off;
        if (i > 0) off[(i - 1) / 2] = i % 2 == 0 ? probe : -probe;
        if (symmetry_.order() > 1) off = freedom[k] * off;
        const BallField::Ball ball = field_.ball(balls[k].center + off);
        Vec3 slope = normalized(balls[k].center + off - ball.limit);
        if (symmetry_.order() > 1) slope = freedom[k] * slope;
        cuts[k][i] = {(ball.radius - balls[k].radius - dot(slope, off)) / error,
                      (unit[k] / error) * slope};
      }
    }
  });
  struct Pull {
    std::uint32_t ball;
    double weight;
    Vec3 slope;
  };
  std::vector<std::array<Pull, 3>> pulls(peaks.size());
  for (std::size_t j = 0; j < peaks.size(); ++j) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t image = peaks[j].ball[i];
      const std::uint32_t k = images.of[image];
      Vec3 way = normalized(images.balls[image].center - peaks[j].at);
      if (symmetry_.order() > 1) way = freedom[k] * symmetry_.turned_back(way, images.turn[image]);
      pulls[j][i] = {k, peaks[j].weight[i], (unit[k] / error) * way};
    }
  }
  std::vector<double> radius(balls.size());
  std::vector<Vec3> radius_slope(balls.size());
  std::vector<double> depth(peaks.size());
  const auto at = [](std::span<const double> x, std::size_t k) {
    return Vec3{x[3 * k], x[3 * k + 1], x[3 * k + 2]};
  };
  const auto value = [&](const std::vector<double>& x, std::vector<double>& slope) {
    std::fill(slope.begin(), slope.end(), 0.0);
    double cost = 0.0;
    for (std::size_t k = 0; k < balls.size(); ++k) {
      if (moves[k] == 0) continue;
      const Vec3 way = at(x, k);
      std::array<double, kCuts> cut;
      double least = kFar;
      for (std::size_t i = 0; i < kCuts; ++i) {
        cut[i] = cuts[k][i].value + dot(cuts[k][i].slope, way);
        least = std::min(least, cut[i]);
      }
      double sum = 0.0;
      Vec3 mean;
      for (std::size_t i = 0; i < kCuts; ++i) {
        if (cut[i] > least + 12.0 * cut_softness) continue;
        const double w = std::exp((least - cut[i]) / cut_softness);
        sum += w;
        mean += w * cuts[k][i].slope;
      }
      radius[k] = least - cut_softness * std::log(sum);
      radius_slope[k] = mean / sum;
      const double far_sq = squared_norm(way) / (farthest * farthest);
      cost += kWayCost * far_sq * far_sq;
      const double rise = 4.0 * kWayCost * far_sq / (farthest * farthest);
      for (std::size_t i = 0; i < 3; ++i) slope[3 * k + i] += rise * way[i];
    }
    double most = -kFar;
    for (std::size_t j = 0; j < peaks.size(); ++j) {
      depth[j] = peaks[j].depth / error;
      for (const Pull& pull : pulls[j])
        depth[j] += pull.weight * (dot(pull.slope, at(x, pull.ball)) - radius[pull.ball]);
      most = std::max(most, depth[j]);
    }
    double sum = 0.0;
    for (std::size_t j = 0; j < peaks.size(); ++j) {
      const double below = (most - depth[j]) / softness;
      depth[j] = below > 20.0 ? 0.0 : std::exp(-below);
      sum += depth[j];
    }
    for (std::size_t j = 0; j < peaks.size(); ++j) {
      if (depth[j] == 0.0) continue;
      for (const Pull& pull : pulls[j]) {
        const double w = depth[j] / sum * pull.weight;
        const Vec3 rise = w * (pull.slope - radius_slope[pull.ball]);
        for (std::size_t i = 0; i < 3; ++i) slope[3 * pull.ball + i] += rise[i];
      }
    }
    return most + softness * std::log(sum) + cost;
  };
  std::vector<double> x(3 * balls.size(), 0.0);
  minimise(x, kLooks, value);
  parallel_for(threads, (balls.size() + kBallPiece - 1) / kBallPiece, [&](std::size_t piece) {
    const std::size_t end = std::min(balls.size(), (piece + 1) * kBallPiece);
    for (std::size_t k = piece * kBallPiece; k < end; ++k) {
      if (moves[k] == 0) continue;
      balls[k].center += unit[k] * at(x, k);
      balls[k].radius = field_.radius(balls[k].center);
    }
  });
}

SpreadGap BallSpread::run(const PointBlocks& points, std::vector<Sphere>& balls,
                          const SpreadOptions& options) {
  SpreadGap best_gap{kFar, {}};
  if (balls.empty() || points.size() == 0) return best_gap;
  const double error = field_.error();
  std::vector<Sphere> best;
  Symmetry::Images best_images;
  std::vector<Peak> peaks;
  double way = kFirstWay;
  double soft = kFirstSoftness;
  // Where radii are not what their slopes say, as in a crotch, a few balls would hold up all
  // others: they alone go less far.
  std::vector<double> part(balls.size(), 1.0);
  int end = options.steps;
  // Once it ends all points are looked at, and when that shows more, a few steps are added.
  bool is_ending = false;
  for (int step = 0;; ++step) {
    const bool is_check = is_ending && best.empty();
    Symmetry::Images images = symmetry_.images(balls, kBesideHome * error);
    std::vector<Peak> now = find_peaks(points, images.balls, is_ending || step % kFullLook == 0,
                                       options.around, options.threads);
    SpreadGap gap{-kFar, {}};
    for (const Peak& peak : now)
      if (peak.depth > gap.depth) gap = {peak.depth, peak.at};
    const double promised = best_gap.depth;
    if (gap.depth < best_gap.depth || is_check) {
      if (step > 0 && !is_check) way = std::min(kLonger * way, kLongest);
      best_gap = gap;
      best = balls;
      best_images = std::move(images);
      peaks = std::move(now);
    } else {
      // Few are to blame, or all.
      std::vector<std::uint8_t> held_up(balls.size(), 0);
      for (const Peak& peak : now) {
        if (peak.depth < best_gap.depth) continue;
        for (std::size_t i = 0; i < 3; ++i)
          if (peak.weight[i] != 0.0) held_up[images.of[peak.ball[i]]] = 1;
      }
      const auto count = std::count(held_up.begin(), held_up.end(), 1);
      if (double(count) < kFew * double(balls.size())) {
        for (std::size_t k = 0; k < balls.size(); ++k)
          if (held_up[k] != 0) part[k] *= kOwnShorter;
      } else {
        way *= kShorter;
        soft *= kHarder;
      }
      balls = best;
    }
    if (is_check && gap.depth <= promised + kUnseen * error) break;
    if (is_cancelled(options.monitor)) break;
    bool ends = step >= end || peaks.empty() || way < kShortest;
    if (options.enough) {
      // Enough, or more is lacking than the steps that are left are going to bring.
      const double left = 1.0 - double(step) / end;
      const double lacks = (best_gap.depth - *options.enough) / error;
      ends = ends || lacks <= 0.0 || (2 * step > end && lacks > 0.02 + 0.25 * left * left);
    }
    if (ends && is_ending) break;
    if (ends) {
      is_ending = true;
      balls = std::exchange(best, {});
      way = std::max(way, kAgain);
      end = step + 1 + options.steps / 3;
      continue;
    }
    const double t = std::min(1.0, double(step) / std::max(options.steps - 1, 1));
    soft = std::min(soft, kFirstSoftness * std::pow(kLastSoftness / kFirstSoftness, t));
    descend(peaks, best_images, std::max(soft, kLeastSoftness), way, part, options.around, balls,
            options.threads);
  }
  balls = std::move(best);
  return best_gap;
}

}  // namespace clearance::detail
