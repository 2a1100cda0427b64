// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Piles by simulation: convex pieces of the part fall into the bin (pile_world.h), and the meshes
// at rest are checked against each other.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include <clearance/base/random.h>
#include <clearance/geometry/mass.h>
#include <clearance/geometry/symmetric_eigen.h>
#include <clearance/grasp/pile.h>
#include <clearance/query/shapes.h>
#include <clearance/simplify/representations.h>

#include "grasp/pile_world.h"

namespace clearance {
namespace {

/// Defaults, as fractions of the part's diagonal.
constexpr double kPiecesError = 0.03;
constexpr double kOverlap = 0.002;
/// Convex pieces of a part at most: each costs time in every contact.
constexpr std::size_t kMostPieces = 32;
/// Pieces are simulated with a margin of half the overlap allowed around them. It holds the corners
/// that are left out, and what the solver leaves unresolved eats into it and not into the parts.
constexpr double kMarginOfOverlap = 0.5;
/// Corners are left out where the others come this close, as a fraction of the margin.
constexpr double kCornersOfMargin = 1.0;
/// Parts start this far above all that lies there, in diagonals.
constexpr double kDropGap = 0.05;
/// Loose parts fill about this share of the space they take (long ones less, round ones more)...
constexpr double kPacking = 0.4;
/// ...and the bin is twice that, half as wide again as it is deep, and takes parts at any turn.
constexpr double kBinOverBulk = 2.0;
constexpr double kLengthOverWidth = 1.5;
constexpr double kHeightOverWidth = 0.7;
constexpr double kLeastWidth = 1.3;  ///< in diagonals
constexpr double kWallOverWidth = 0.02;
/// In seconds of the scaled world, in which a part falls by its diagonal in 0.45 s: how long the
/// next part waits for the last to come to rest at most, and how long the whole pile may take at
/// the end.
constexpr double kLongestWait = 0.75;
constexpr double kLongestRest = 20.0;
/// Parts that end beside the bin or within another are dropped again, so many in all.
constexpr int kMostAgain = 20;
constexpr std::size_t kMostParts = 10'000;

Error invalid(std::string reason, std::string advice = "") {
  return {ErrorCode::Invalid, "", "", std::move(reason), std::move(advice)};
}

Error cancelled() { return {ErrorCode::Cancelled, "", "", "cancelled", ""}; }

Status check_options(const Model& part, const PileOptions& options) {
  if (!part.is_solid()) {
    return invalid("the part is no solid: its surface is open or not consistently wound",
                   "a simulation needs its mass");
  }
  if (options.count == 0) return invalid("a pile of no parts", "ask for one or more");
  if (options.count > kMostParts)
    return invalid("more than " + std::to_string(kMostParts) + " parts in a pile");
  const auto is_size = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (!is_size(options.friction)) return invalid("friction is negative or not finite");
  if (!is_size(options.pieces_error))
    return invalid("the error of the convex pieces is negative or not finite");
  if (!is_size(options.overlap)) return invalid("the overlap is negative or not finite");
  const Bin& bin = options.bin;
  if (!is_size(bin.length) || !is_size(bin.width) || !is_size(bin.height) ||
      !is_size(bin.wall_thickness))
    return invalid("a size of the bin is negative or not finite");
  if (bin.length > 0.0 && !(bin.width > 0.0)) return invalid("the bin has no width");
  if (bin.length > 0.0 && bin.height > 0.0 && !(bin.wall_thickness > 0.0))
    return invalid("the walls of the bin have no thickness");
  return {};
}

Bin default_bin(const Mesh& part, std::size_t count) {
  const double diagonal = part.bounds().diagonal();
  double volume = std::pow(diagonal, 3.0) / 10.0;
  if (const Result<Mesh> hull = hull_of(part))
    volume = solid_properties(hull->vertices(), hull->faces()).volume;
  const double space = kBinOverBulk * static_cast<double>(count) * volume / kPacking;
  Bin bin;
  bin.width =
      std::max(kLeastWidth * diagonal, std::cbrt(space / (kLengthOverWidth * kHeightOverWidth)));
  bin.length = kLengthOverWidth * bin.width;
  // A wide bin for few parts keeps walls that they do not roll over.
  bin.height = std::max(space / (bin.length * bin.width), 0.5 * diagonal);
  bin.wall_thickness = kWallOverWidth * bin.width;
  return bin;
}

/// Corners of a convex piece, as few as leave none of the others farther than `error` [m] from
/// their hull: the one farthest off goes in next.
std::vector<Vec3> few_corners(const Mesh& mesh, const MeshPart& piece, double error) {
  std::vector<Vec3> all;
  for (std::uint32_t i = 0; i < piece.triangle_count; ++i) {
    for (const std::uint32_t v : mesh.faces()[piece.first_triangle + i])
      all.push_back(mesh.vertices()[v]);
  }
  std::sort(all.begin(), all.end(), [](const Vec3& a, const Vec3& b) {
    return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<Vec3> taken{all.front()};
  while (true) {
    const Result<ConvexBody> hull = ConvexBody::around(taken);
    if (!hull) return all;
    double farthest = error;
    const Vec3* next = nullptr;
    for (const Vec3& corner : all) {
      // All are corners of the whole piece, so none is inside: the surface tells the distance.
      const double off = distance(hull->surface(), corner).distance;
      if (off <= farthest) continue;
      farthest = off;
      next = &corner;
    }
    if (next == nullptr) return taken;
    taken.push_back(*next);
  }
}

/// Evenly distributed over all turns (K. Shoemake, "Uniform random rotations", 1992).
Mat3 random_turn(Random& random) {
  const double u = random.uniform();
  const double a = random.uniform(0.0, 2.0 * std::numbers::pi);
  const double b = random.uniform(0.0, 2.0 * std::numbers::pi);
  const double s = std::sqrt(1.0 - u);
  const double t = std::sqrt(u);
  return rotation_from({s * std::sin(a), s * std::cos(a), t * std::sin(b), t * std::cos(b)});
}

}  // namespace

struct PileSimulator::Data {
  Model part;
  PileOptions options;  // bin, errors and overlap filled in
  detail::FallingPart falling;
  std::vector<Vec3> corners;  // of all pieces, in the frame of the body [m]
  Pose body_from_part;
};

Result<PileSimulator> PileSimulator::make(const Model& part, const PileOptions& options) {
  if (!detail::PileWorld::is_built_in()) {
    return Error{ErrorCode::Unsupported, "", "", "piles cannot be simulated in this build",
                 "build with Bullet (libbullet-dev), or give the pile as a file"};
  }
  if (Status status = check_options(part, options); !status) return status.error();
  auto data = std::make_shared<Data>(Data{part, options, {}, {}, {}});
  const Mesh& mesh = part.mesh();
  const double diagonal = mesh.bounds().diagonal();
  PileOptions& filled = data->options;
  if (filled.bin.length == 0.0) filled.bin = default_bin(mesh, options.count);
  if (filled.pieces_error == 0.0) filled.pieces_error = kPiecesError * diagonal;
  if (filled.overlap == 0.0) filled.overlap = kOverlap * diagonal;

  const SolidProperties solid = solid_properties(mesh.vertices(), mesh.faces());
  if (!(std::abs(solid.volume) > 0.0)) return invalid("the part has no volume");
  const SymmetricEigen axes = eigen_of_symmetric((1.0 / solid.volume) * solid.inertia);
  data->body_from_part = inverse(Pose{axes.vectors, solid.center_of_mass});

  report_progress(options.monitor, "cut into convex pieces", -1.0);
  const Result<ConvexPieces> pieces = convex_pieces(
      part, {.error = filled.pieces_error, .most_pieces = kMostPieces, .monitor = options.monitor});
  if (!pieces) return pieces.error();
  detail::FallingPart& falling = data->falling;
  falling.inertia = axes.values;
  falling.diagonal = diagonal;
  falling.margin = kMarginOfOverlap * filled.overlap;
  falling.friction = filled.friction;
  for (const MeshPart& piece : pieces->mesh.parts()) {
    std::vector<Vec3> corners = few_corners(pieces->mesh, piece, kCornersOfMargin * falling.margin);
    for (Vec3& corner : corners) corner = data->body_from_part * corner;
    data->corners.insert(data->corners.end(), corners.begin(), corners.end());
    falling.pieces.push_back(std::move(corners));
  }
  return PileSimulator(std::move(data));
}

const Bin& PileSimulator::bin() const { return data_->options.bin; }

namespace {

/// One pile in the making.
class Dropping {
 public:
  Dropping(const Bin& bin, const detail::FallingPart& part, std::span<const Vec3> corners,
           std::uint64_t seed)
      : bin_(bin), part_(part), corners_(corners), random_(seed), world_(part, walls_of(bin)) {}

  detail::PileWorld& world() { return world_; }

  /// A random turn, at a random place within the walls, above all that lies there.
  Pose start() {
    const Mat3 turn = random_turn(random_);
    Box box;
    for (const Vec3& corner : corners_) box.include(turn * corner);
    double top = 0.0;
    for (std::size_t i = 0; i < world_.size(); ++i) top = std::max(top, highest(i));
    const auto place = [&](double size, double low, double high) {
      const double from = -0.5 * size - low;
      const double to = 0.5 * size - high;
      const double share = random_.uniform();
      if (from <= to) return from + share * (to - from);
      // Too long to go in flat: over the middle, and above the walls.
      top = std::max(top, bin_.height);
      return -0.5 * (low + high);
    };
    const double x = place(bin_.length, box.low.x, box.high.x);
    const double y = place(bin_.width, box.low.y, box.high.y);
    return {turn, {x, y, top + kDropGap * part_.diagonal - box.low.z}};
  }

  /// The first part that lies beside the bin, by its centre of mass.
  [[nodiscard]] std::size_t beside() const {
    for (std::size_t i = 0; i < world_.size(); ++i) {
      const Vec3 center = world_.world_from_body(i).translation;
      if (bin_.height > 0.0 &&
          (std::abs(center.x) > 0.5 * bin_.length || std::abs(center.y) > 0.5 * bin_.width))
        return i;
    }
    return world_.size();
  }

 private:
  [[nodiscard]] double highest(std::size_t body) const {
    const Pose pose = world_.world_from_body(body);
    double top = 0.0;
    for (const Vec3& corner : corners_) top = std::max(top, (pose * corner).z);
    return top;
  }

  const Bin& bin_;
  const detail::FallingPart& part_;
  std::span<const Vec3> corners_;
  Random random_;
  detail::PileWorld world_;
};

}  // namespace

Result<SimulatedPile> PileSimulator::drop(std::uint64_t seed, Monitor* monitor) const {
  const PileOptions& options = data_->options;
  Dropping dropping(options.bin, data_->falling, data_->corners, seed);
  detail::PileWorld& world = dropping.world();
  SimulatedPile result;
  int again = 0;
  while (true) {
    while (world.size() < options.count) {
      report_progress(monitor, "drop parts",
                      static_cast<double>(world.size()) / static_cast<double>(options.count));
      world.add(dropping.start());
      world.settle(kLongestWait, monitor);
      if (is_cancelled(monitor)) return cancelled();
      for (std::size_t i = dropping.beside(); i < world.size(); i = dropping.beside()) {
        world.remove(i);
        if (++again <= kMostAgain) continue;
        return invalid("the bin does not hold " + std::to_string(options.count) +
                           " parts: they fall beside it",
                       "a larger bin or fewer parts");
      }
    }
    result.settled = world.settle(kLongestRest, monitor);
    if (is_cancelled(monitor)) return cancelled();
    result.pile = {options.bin, {}};
    for (std::size_t i = 0; i < world.size(); ++i)
      result.pile.parts.push_back(world.world_from_body(i) * data_->body_from_part);
    // The meshes, not the pieces, are what must not overlap. A part that was pressed into another
    // by the fall does not come out by itself: it falls again.
    const std::vector<PileOverlap> overlaps = overlaps_of(data_->part, result.pile, {1});
    result.overlap = overlaps.empty() ? 0.0 : overlaps.front().upper;
    if (result.overlap <= options.overlap) break;
    world.remove(overlaps.front().b);
    if (++again <= kMostAgain) continue;
    return invalid("parts of the simulated pile overlap by more than allowed",
                   "another seed, fewer parts or a larger overlap");
  }
  result.simulated = world.time();
  return result;
}

Result<SimulatedPile> simulate_pile(const Model& part, const PileOptions& options) {
  const Result<PileSimulator> simulator = PileSimulator::make(part, options);
  if (!simulator) return simulator.error();
  return simulator->drop(options.seed, options.monitor);
}

}  // namespace clearance
