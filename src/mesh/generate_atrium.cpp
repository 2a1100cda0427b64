// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Heart chamber: an implicit surface (chamber, four veins, appendage, valve bulge, blended and made
// uneven), polygonised by surface nets on a coarse grid, then subdivided and pulled back onto the
// surface. The grid stays coarse so that a million triangles do not need a billion samples.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include <clearance/base/random.h>

#include "mesh/generate_parts.h"

namespace clearance::parts {
namespace {

constexpr double kLength = 0.136;  // of the grid along x [m]

// A tapered limb from a to b.
struct Limb {
  Vec3 a, b;
  double radius_a, radius_b;
};

struct Wave {
  Vec3 direction;  // times the angular frequency [1/m]
  double phase, height;
};

class Surface {
 public:
  explicit Surface(std::uint64_t seed) {
    Random random(seed);
    const auto jitter = [&](double size) { return random.uniform(-size, size); };
    // Two veins on each side, leaving at the back (+y), upper and lower.
    for (const double side : {-1.0, 1.0}) {
      for (const double height : {-1.0, 1.0}) {
        const Vec3 root{side * 0.014, 0.006, height * 0.008};
        const Vec3 tip{side * (0.050 + jitter(0.003)), 0.018 + jitter(0.004),
                       height * (0.020 + jitter(0.003))};
        const double radius = 0.0072 + jitter(0.0008);
        limbs_.push_back({root, tip, 1.15 * radius, radius});
      }
    }
    // Appendage: two limbs, the second bent forward.
    const Vec3 elbow{-0.030 + jitter(0.002), -0.016, 0.012 + jitter(0.002)};
    limbs_.push_back({{-0.016, -0.008, 0.006}, elbow, 0.008, 0.0065});
    limbs_.push_back({elbow, elbow + Vec3{-0.004, -0.013, 0.004}, 0.0065, 0.0045});
    // The bulge of the mitral opening.
    limbs_.push_back({{0.002, -0.010, -0.012}, {0.006, -0.020, -0.024}, 0.0165, 0.0150});
    for (int k = 0; k < 8; ++k) {
      const Vec3 direction = normalized({random.normal(), random.normal(), random.normal()});
      waves_.push_back({random.uniform(150.0, 420.0) * direction, random.uniform(0.0, 2.0 * kPi),
                        random.uniform(0.00015, 0.00045)});
    }
  }

  /// Negative inside; about a distance near the surface [m].
  [[nodiscard]] double operator()(const Vec3& p) const {
    constexpr Vec3 kRadii{0.027, 0.022, 0.025};
    constexpr double kBlend = 0.005;
    const Vec3 q{p.x / kRadii.x, p.y / kRadii.y, p.z / kRadii.z};
    double value = (norm(q) - 1.0) * 0.022;
    for (const Limb& limb : limbs_) {
      const Vec3 along = limb.b - limb.a;
      const double t = std::clamp(dot(p - limb.a, along) / squared_norm(along), 0.0, 1.0);
      const double d =
          distance(p, limb.a + t * along) - (limb.radius_a + t * (limb.radius_b - limb.radius_a));
      const double h = std::max(kBlend - std::abs(value - d), 0.0) / kBlend;
      value = std::min(value, d) - 0.25 * kBlend * h * h;
    }
    for (const Wave& wave : waves_)
      value += wave.height * std::sin(dot(wave.direction, p) + wave.phase);
    return value;
  }

  /// Pulls a point near the surface onto it: Newton along the gradient.
  [[nodiscard]] Vec3 project(Vec3 p) const {
    constexpr double kStep = 1e-6;  // [m], for the gradient
    for (int round = 0; round < 3; ++round) {
      const double value = (*this)(p);
      const Vec3 gradient{((*this)({p.x + kStep, p.y, p.z}) - value) / kStep,
                          ((*this)({p.x, p.y + kStep, p.z}) - value) / kStep,
                          ((*this)({p.x, p.y, p.z + kStep}) - value) / kStep};
      const double length = std::max(squared_norm(gradient), 0.1);
      p -= (value / length) * gradient;
    }
    return p;
  }

 private:
  std::vector<Limb> limbs_;
  std::vector<Wave> waves_;
};

struct Soup {
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
};

// Surface nets: one vertex in each cell that the surface crosses, one quadrangle for each grid edge
// that it crosses.
Soup surface_nets(const Surface& surface, double cell, const Vec3& shift) {
  const Vec3 low = Vec3{-0.068, -0.046, -0.050} + shift;
  const std::array<int, 3> n{static_cast<int>(kLength / cell) + 2,
                             static_cast<int>(0.092 / cell) + 2,
                             static_cast<int>(0.100 / cell) + 2};
  const auto index = [&](int i, int j, int k) {
    return (std::size_t(k) * std::size_t(n[1]) + std::size_t(j)) * std::size_t(n[0]) +
           std::size_t(i);
  };
  const auto point = [&](int i, int j, int k) {
    return low + cell * Vec3{double(i), double(j), double(k)};
  };
  std::vector<double> values(index(0, 0, n[2]));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) values[index(i, j, k)] = surface(point(i, j, k));

  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> cells(values.size(), kNone);
  Soup soup;
  for (int k = 0; k + 1 < n[2]; ++k) {
    for (int j = 0; j + 1 < n[1]; ++j) {
      for (int i = 0; i + 1 < n[0]; ++i) {
        // The mean of the crossings of the cell's twelve edges.
        Vec3 sum;
        int crossings = 0;
        for (int a = 0; a < 8; ++a) {
          const std::array<int, 3> pa{i + (a & 1), j + (a >> 1 & 1), k + (a >> 2 & 1)};
          for (int axis = 0; axis < 3; ++axis) {
            if ((a >> axis & 1) != 0) continue;
            std::array<int, 3> pb = pa;
            ++pb[axis];
            const double va = values[index(pa[0], pa[1], pa[2])];
            const double vb = values[index(pb[0], pb[1], pb[2])];
            if ((va < 0.0) == (vb < 0.0)) continue;
            const double t = va / (va - vb);
            sum += (1.0 - t) * point(pa[0], pa[1], pa[2]) + t * point(pb[0], pb[1], pb[2]);
            ++crossings;
          }
        }
        if (crossings == 0) continue;
        cells[index(i, j, k)] = static_cast<std::uint32_t>(soup.vertices.size());
        soup.vertices.push_back(sum / crossings);
      }
    }
  }
  for (int k = 1; k + 1 < n[2]; ++k) {
    for (int j = 1; j + 1 < n[1]; ++j) {
      for (int i = 1; i + 1 < n[0]; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          std::array<int, 3> b{i, j, k};
          ++b[axis];
          const bool inside_a = values[index(i, j, k)] < 0.0;
          const bool inside_b = values[index(b[0], b[1], b[2])] < 0.0;
          if (inside_a == inside_b) continue;
          // The four cells round the edge, counter-clockwise about +axis.
          const auto cell_at = [&](int du, int dv) {
            std::array<int, 3> c{i, j, k};
            c[(axis + 1) % 3] += du;
            c[(axis + 2) % 3] += dv;
            return cells[index(c[0], c[1], c[2])];
          };
          std::array<std::uint32_t, 4> quad{cell_at(-1, -1), cell_at(0, -1), cell_at(0, 0),
                                            cell_at(-1, 0)};
          if (!inside_a) std::swap(quad[1], quad[3]);
          const auto length = [&](int p, int q) {
            return squared_norm(soup.vertices[quad[p]] - soup.vertices[quad[q]]);
          };
          if (length(0, 2) <= length(1, 3)) {
            soup.faces.push_back({quad[0], quad[1], quad[2]});
            soup.faces.push_back({quad[0], quad[2], quad[3]});
          } else {
            soup.faces.push_back({quad[0], quad[1], quad[3]});
            soup.faces.push_back({quad[1], quad[2], quad[3]});
          }
        }
      }
    }
  }
  return soup;
}

// Evens out the triangles: each vertex to the mean of its neighbours, then back onto the surface.
void relax(Soup& soup, const Surface& surface) {
  std::vector<Vec3> sums(soup.vertices.size());
  std::vector<double> counts(soup.vertices.size(), 0.0);
  for (const Face& f : soup.faces) {
    for (int k = 0; k < 3; ++k) {
      sums[f[k]] += soup.vertices[f[(k + 1) % 3]];
      counts[f[k]] += 1.0;
    }
  }
  for (std::size_t v = 0; v < soup.vertices.size(); ++v)
    soup.vertices[v] = surface.project(sums[v] / counts[v]);
}

// Whether each directed edge occurs once and its opposite too.
bool is_closed(const Soup& soup) {
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * soup.faces.size());
  for (const Face& face : soup.faces)
    for (int k = 0; k < 3; ++k) edges.push_back(std::uint64_t{face[k]} << 32 | face[(k + 1) % 3]);
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](std::uint64_t e) {
    return std::binary_search(edges.begin(), edges.end(), e << 32 | e >> 32);
  });
}

// Each triangle into four, the new vertices on the surface.
Soup subdivided(const Soup& soup, const Surface& surface) {
  Soup result;
  result.vertices = soup.vertices;
  std::unordered_map<std::uint64_t, std::uint32_t> middles;
  middles.reserve(2 * soup.faces.size());
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    const auto [entry, fresh] =
        middles.try_emplace(key, static_cast<std::uint32_t>(result.vertices.size()));
    if (fresh)
      result.vertices.push_back(surface.project(0.5 * (soup.vertices[a] + soup.vertices[b])));
    return entry->second;
  };
  for (const Face& f : soup.faces) {
    const std::uint32_t ab = middle(f[0], f[1]);
    const std::uint32_t bc = middle(f[1], f[2]);
    const std::uint32_t ca = middle(f[2], f[0]);
    result.faces.push_back({f[0], ab, ca});
    result.faces.push_back({ab, f[1], bc});
    result.faces.push_back({ca, bc, f[2]});
    result.faces.push_back({ab, bc, ca});
  }
  return result;
}

// The coarse mesh for a number of cells along the length. A grid that the surface crosses in an
// ambiguous way gives a mesh that is not a manifold: it is shifted a little and tried again.
Soup coarse_mesh(const Surface& surface, int cells) {
  const double cell = kLength / cells;
  for (int attempt = 0;; ++attempt) {
    Soup soup = surface_nets(surface, cell, 0.37 * cell / 16.0 * attempt * Vec3{1.0, 0.7, 0.4});
    if (is_closed(soup) || attempt == 15) return soup;
  }
}

}  // namespace

Plan atrium_plan(std::uint64_t seed) {
  const auto build = [surface = Surface(seed),
                      counts = std::make_shared<std::map<int, std::size_t>>()](SolidBuilder& solid,
                                                                               Detail detail) {
    constexpr int kFewestCells = 24;
    constexpr int kMostCells = 48;
    int cells = detail.segments(kFewestCells);
    int levels = 0;
    for (; cells > kMostCells; ++levels) cells = (cells + 1) / 2;
    if (solid.count_only()) {
      // The search for the right detail asks again and again for the same few grids.
      std::size_t& count = (*counts)[cells];
      if (count == 0) count = coarse_mesh(surface, cells).faces.size();
      solid.add_count(count << (2 * levels));
      return;
    }
    Soup soup = coarse_mesh(surface, cells);
    for (int round = 0; round < 3; ++round) relax(soup, surface);
    for (int level = 0; level < levels; ++level) soup = subdivided(soup, surface);
    for (const Vec3& v : soup.vertices) solid.vertex(v);
    for (const Face& f : soup.faces) solid.triangle(f[0], f[1], f[2]);
  };
  return {{shape("atrium", build)}, {}};
}

}  // namespace clearance::parts
