// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "chaintree/grid_methods.h"

#include <algorithm>

namespace clearance::study {
namespace {

/// The n-th ball of a piece counted from the changed joint outward: links near the joint are the
/// likeliest to have something near them on its other side.
std::uint32_t from_joint(const RigidPiece& piece, std::uint32_t n) {
  return piece.begin == 0 ? piece.end - 1 - n : piece.begin + n;
}

/// Links LazyGrid looks at before it moves any.
constexpr std::uint32_t kLooks = 32;

std::uint32_t size_of(const RigidPiece& piece) { return piece.end - piece.begin; }

}  // namespace

Grid::Grid(const Chain& chain)
    : PlacedMethod(chain, Fixed::First), grid_(chain_.ball_count(), chain_.largest_radius()) {}

void Grid::update(std::span<const JointChange> changes) {
  chain_.propose(changes);
  chain_.move_balls();
}

bool Grid::test() {
  // Each ball meets those that went in before it, so each pair is seen once.
  grid_.clear();
  const std::span<const Ball> balls = chain_.balls();
  std::uint64_t tests = 0;
  bool hit = false;
  for (std::uint32_t ball = 0; ball < balls.size() && !hit; ++ball) {
    const Ball& here = balls[ball];
    hit = grid_.any_near(here, [&](std::uint32_t other) {
      ++tests;
      return balls_touch(here, balls[other]) && !chain_.exempt(ball, other);
    });
    grid_.insert(ball, grid_.slot_of(here));
  }
  work_.sphere_tests += tests;
  return hit;
}

void Grid::keep() { chain_.keep(); }

void Grid::undo() { chain_.undo(); }

StrongGrid::StrongGrid(const Chain& chain)
    : PlacedMethod(chain, Fixed::Largest), grid_(chain_.ball_count(), chain_.largest_radius()) {
  insert_all();
}

void StrongGrid::insert_all() {
  grid_.clear();
  const std::span<const Ball> balls = chain_.balls();
  for (std::uint32_t ball = 0; ball < balls.size(); ++ball) {
    grid_.insert(ball, grid_.slot_of(balls[ball]));
  }
}

void StrongGrid::update(std::span<const JointChange> changes) {
  chain_.propose(changes);
  take_out();
}

void StrongGrid::take_out() {
  for (const RigidPiece& piece : chain_.pieces()) {
    if (!piece.moved) continue;
    for (std::uint32_t ball = piece.begin; ball < piece.end; ++ball) grid_.remove(ball);
  }
  chain_.move_balls();
  pieces_inserted_ = 0;
}

bool StrongGrid::touches_grid(const Ball& ball, std::uint32_t index, std::uint32_t skip_begin,
                              std::uint32_t skip_end) {
  const std::span<const Ball> balls = chain_.balls();
  std::uint64_t tests = 0;
  const bool hit = grid_.any_near(ball, [&](std::uint32_t other) {
    if (other >= skip_begin && other < skip_end) return false;
    ++tests;
    return balls_touch(ball, balls[other]) && !chain_.exempt(index, other);
  });
  work_.sphere_tests += tests;
  return hit;
}

bool StrongGrid::test() { return test_taken_out(0); }

bool StrongGrid::test_taken_out(std::uint32_t tested) {
  // A piece is rigid: it meets what is in the grid, then goes in to be met by the next one.
  for (const RigidPiece& piece : chain_.pieces()) {
    if (piece.moved) {
      for (std::uint32_t n = tested; n < size_of(piece); ++n) {
        const std::uint32_t ball = from_joint(piece, n);
        if (touches_grid(chain_.balls()[ball], ball, 0, 0)) return true;
      }
      for (std::uint32_t ball = piece.begin; ball < piece.end; ++ball) {
        grid_.insert(ball, grid_.slot_of(chain_.balls()[ball]));
      }
    }
    ++pieces_inserted_;
  }
  return false;
}

void StrongGrid::keep() {
  if (chain_.keep()) insert_all();
}

void StrongGrid::undo() {
  chain_.undo();
  for (std::size_t i = 0; i < chain_.pieces().size(); ++i) {
    const RigidPiece& piece = chain_.pieces()[i];
    if (!piece.moved) continue;
    const bool inserted = i < pieces_inserted_;
    for (std::uint32_t ball = piece.begin; ball < piece.end; ++ball) {
      if (inserted) grid_.remove(ball);
      grid_.insert(ball, inserted ? grid_.slot_of(chain_.balls()[ball]) : grid_.last_slot(ball));
    }
  }
}

void LazyGrid::update(std::span<const JointChange> changes) {
  chain_.propose(changes);
  taken_out_ = false;
}

bool LazyGrid::test() {
  // A few links as they would be, against the others where they are. Beyond these it is cheaper to
  // have the old places of the moved links out of the way. With several joints changed, links
  // taken for moved meet others that moved too: nothing to be seen before all are out.
  std::uint32_t tested = 0;
  if (chain_.pieces().size() == 2) {
    tested = kLooks;
    const std::size_t moved = chain_.pieces()[0].moved ? 0 : 1;
    const RigidPiece& piece = chain_.pieces()[moved];
    const BallMotion motion = chain_.motion(moved);
    for (std::uint32_t n = 0; n < std::min(kLooks, size_of(piece)); ++n) {
      const std::uint32_t ball = from_joint(piece, n);
      if (touches_grid(motion * chain_.balls()[ball], ball, piece.begin, piece.end)) return true;
    }
  }
  take_out();
  taken_out_ = true;
  return test_taken_out(tested);
}

void LazyGrid::undo() {
  if (taken_out_) StrongGrid::undo();
}

}  // namespace clearance::study
