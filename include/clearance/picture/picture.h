// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of meshes, drawn in software: no display, no graphics driver. A parallel view of shaded
// surfaces with dark outlines, so that the edges of CAD parts read well, optionally with the
// triangles themselves. The same input gives the same pixels for any number of threads.
// Cost: about a second for a million triangles at 800 x 600.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <clearance/base/parallel.h>
#include <clearance/base/result.h>
#include <clearance/geometry/pose.h>
#include <clearance/geometry/shapes.h>
#include <clearance/mesh/assembly.h>
#include <clearance/mesh/mesh.h>

namespace clearance {

/// Red, green and blue in [0, 1], as a screen takes them (sRGB).
struct Colour {
  double r = 0.0;
  double g = 0.0;
  double b = 0.0;
};

/// A mesh in the picture.
struct PictureItem {
  Mesh mesh;
  Pose world_from_mesh;
  Colour colour{0.62, 0.68, 0.75};
  bool triangles = false;  ///< draw the edges of the triangles as thin lines
  /// One for each vertex, blended over the triangles, instead of `colour`; or empty. Another number
  /// counts as empty.
  std::vector<Colour> vertex_colours{};
};

/// A straight line in the picture, hidden where surfaces are before it.
struct PictureLine {
  Segment segment;  ///< world
  Colour colour{0.8, 0.2, 0.15};
  double width = 1.5;  ///< [pixels]
};

struct PictureOptions {
  int width = 800;   ///< [pixels], 1 to 16384
  int height = 600;  ///< [pixels], 1 to 16384
  /// From the scene towards the eye; need not be of unit length.
  Vec3 towards_eye{1.0, -1.4, 0.9};
  /// The direction that points up in the picture; must not be parallel to towards_eye.
  Vec3 up{0.0, 0.0, 1.0};
  /// What the picture shows, in world coordinates; all items and lines when absent.
  std::optional<Box> region;
  double margin = 0.04;  ///< empty border, as a fraction of the picture's size
  Colour background_top{0.97, 0.98, 0.99};
  Colour background_bottom{0.97, 0.98, 0.99};
  bool outlines = true;  ///< darken silhouettes and sharp edges
  int samples = 3;       ///< samples per pixel in each direction, 1 to 4
  Threads threads;
};

/// A picture: rows from the top, three bytes (red, green, blue) a pixel.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

/// Draws the items. An empty scene gives the background. Sizes outside their range are clamped.
[[nodiscard]] Image render(std::span<const PictureItem> items,
                           std::span<const PictureLine> lines = {},
                           const PictureOptions& options = {});

/// The parts of an assembly in place, coloured apart. Parts named "body/..." share one strong
/// colour, so that the movable body stands out; "obstacle/..." parts are muted.
[[nodiscard]] std::vector<PictureItem> picture_items(const Assembly& assembly);

struct PngOptions {
  /// Most colours the file may use; 0 keeps all. 256 and below writes a palette, which is about a
  /// third of the size.
  int colours = 0;
};

/// Writes a PNG file, whole or not at all.
Status write_png(const std::string& path, const Image& image, const PngOptions& options = {});

}  // namespace clearance
