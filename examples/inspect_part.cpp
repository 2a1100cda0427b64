// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Look at a part before working with it: read it with its unit, examine it, take points on its
// surface, ask what is inside, and make coarser versions. docs/mesh.md walks through this program.
//
// Usage: example_inspect_part [FILE [UNIT]]. Without a file it makes a connecting rod, writes it in
// millimetres and reads it back.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <clearance/mesh/generate.h>
#include <clearance/mesh/health.h>
#include <clearance/mesh/inside.h>
#include <clearance/mesh/level_of_detail.h>
#include <clearance/mesh/read.h>
#include <clearance/mesh/sample.h>
#include <clearance/mesh/write.h>

using namespace clearance;

namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 2;
}

// A connecting rod in an STL file in millimetres, as a CAD system would write it.
Status write_conrod(const std::string& path) {
  const Result<Assembly> conrod = generate("conrod", {.triangles = 5000});
  if (!conrod.ok()) return conrod.error();
  return write_assembly(path, *conrod, {.metres_per_unit = 0.001});
}

void print_health(const Mesh& mesh, const FileInfo& info) {
  HealthOptions options;
  options.metres_per_unit = info.metres_per_unit;
  options.unit_is_known = info.unit_source != UnitSource::Assumed;
  const MeshHealth health = examine(mesh, options);

  const Vec3 size = health.bounds.size();
  std::printf("%zu triangles, %zu vertices, %.4g x %.4g x %.4g m\n", health.triangles,
              health.distinct_positions, size.x, size.y, size.z);
  std::printf("area %.4g m2, largest triangle %.4g times the median\n", health.surface_area,
              health.area_max_over_median);
  if (health.volume_is_meaningful) std::printf("closed; volume %.4g m3\n", health.volume);
  for (const Finding& finding : health.findings) {
    std::printf("%s: %s\n", finding.severity == Severity::Warning ? "warning" : "note",
                finding.sentence.c_str());
  }
}

// The share of the bounding box that the part fills, by asking at points in it.
double filled_share(const Mesh& mesh) {
  constexpr int kSteps = 24;
  const InsideTest inside(mesh);
  const Box box = mesh.bounds();
  const Vec3 step = box.size() / kSteps;
  std::vector<Vec3> points;
  for (int i = 0; i < kSteps; ++i) {
    for (int j = 0; j < kSteps; ++j) {
      for (int k = 0; k < kSteps; ++k) {
        points.push_back(box.low +
                         Vec3{(i + 0.5) * step.x, (j + 0.5) * step.y, (k + 0.5) * step.z});
      }
    }
  }
  std::size_t inside_count = 0;
  for (const Side side : inside.sides(points)) inside_count += side == Side::Inside ? 1 : 0;
  return static_cast<double>(inside_count) / static_cast<double>(points.size());
}

int run(const std::vector<std::string>& arguments) {
  const bool make_part = arguments.empty();
  std::string path = make_part ? "" : arguments[0];
  const std::string unit = arguments.size() > 1 ? arguments[1] : (make_part ? "mm" : "");
  if (make_part) {
    path = (std::filesystem::temp_directory_path() / "clearance_example_conrod.stl").string();
    if (const Status written = write_conrod(path); !written.ok()) return fail(written.error());
  }

  // Reading: the unit is what the file declares or what we say, never a guess.
  ReadOptions options;
  options.metres_per_unit = unit_from_name(unit);
  const Result<LoadedMesh> part = read_mesh(path, options);
  if (make_part) std::filesystem::remove(path);
  if (!part.ok()) return fail(part.error());
  const Mesh& mesh = part->mesh;
  for (const std::string& warning : part->info.warnings) std::printf("%s\n", warning.c_str());

  print_health(mesh, part->info);

  // Sampling: points with normals, the same for the same seed.
  constexpr std::uint64_t kSeed = 7;
  for (const SurfaceSample& sample : sample_surface_evenly(mesh, 3, kSeed)) {
    std::printf("surface point (%.4f, %.4f, %.4f), normal (%.2f, %.2f, %.2f)\n", sample.point.x,
                sample.point.y, sample.point.z, sample.normal.x, sample.normal.y, sample.normal.z);
  }

  std::printf("fills %.0f %% of its bounding box\n", 100.0 * filled_share(mesh));

  // Coarser versions, each with its estimated distance from the original.
  const Result<std::vector<LevelOfDetail>> levels = levels_of_detail(mesh, 4, 0.5);
  if (!levels.ok()) return fail(levels.error());
  for (const LevelOfDetail& level : *levels) {
    std::printf("level: %zu triangles, about %.2g mm off\n", level.mesh.triangle_count(),
                1000.0 * level.error_estimate);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // out of memory, no temporary folder
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
