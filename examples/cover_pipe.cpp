// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Is a pipe inside its spheres? docs/cover.md shows what this prints.
#include <cmath>
#include <cstdio>
#include <vector>

#include <clearance/mesh/generate.h>
#include <clearance/query/model.h>
#include <clearance/simplify/cover.h>
#include <clearance/simplify/kept_volume.h>

using namespace clearance;

int main() {
  const Result<Mesh> mesh = make_pipe();
  if (!mesh) return 2;
  const Result<Model> pipe = Model::build(*mesh);
  if (!pipe) return 2;

  // Twelve spheres around the wall, twenty-five times along the pipe.
  std::vector<Sphere> wall;
  for (int k = 0; k < 25; ++k) {
    for (int i = 0; i < 12; ++i) {
      const double angle = i * 3.14159265358979323846 / 6.0;
      const Vec3 center{0.023 * std::cos(angle), 0.023 * std::sin(angle), -0.1 + 0.008 * (k + 0.5)};
      wall.push_back({center, 0.0084});
    }
  }
  const Cover whole = verify_cover(*pipe, wall);
  std::printf("a pipe in %zu spheres: %s\n", wall.size(), name_of(whole.status));
  std::printf("they stick out by %.2f mm at most\n", 1e3 * outward_excess(*pipe, wall, 1e-5).upper);

  std::vector<Sphere> smaller = wall;
  smaller[150].radius -= 1e-6;
  std::printf("one sphere 1 um smaller: %s\n", name_of(verify_cover(*pipe, smaller).status));

  std::vector<Sphere> fewer = wall;
  fewer.erase(fewer.begin() + 150);
  CoverOptions deepest;
  deepest.deepest = true;
  const Cover gap = verify_cover(*pipe, fewer, deepest);
  std::printf("one sphere gone: %s, %.2f mm from the nearest sphere\n", name_of(gap.status),
              1e3 * gap.depth);

  KeptVolumeOptions options;
  options.external_diameter = 0.1;
  const Result<KeptVolume> filled = KeptVolume::make(*pipe, options);
  if (!filled) return 2;
  std::printf("filled by balls of 100 mm, in the same spheres: %s\n",
              name_of(verify_cover(*filled, wall).status));
  std::vector<Sphere> axis;
  axis.reserve(20);
  for (int i = 0; i < 20; ++i)
    axis.push_back({{0, 0, -0.1 + 0.01 * (i + 0.5)}, std::hypot(0.0262, 0.0052)});
  const Cover along = verify_cover(*filled, axis);
  std::printf("%zu spheres along the axis instead: %s\n", axis.size(), name_of(along.status));
  return whole.status == CoverStatus::Covered && along.status == CoverStatus::Covered ? 0 : 1;
}
