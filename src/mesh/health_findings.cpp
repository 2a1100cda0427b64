// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/health_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace clearance {
namespace {

// Sizes of parts, machines and work cells that raise no question [m]. Below: a crumb; above: a
// building. A part drawn in millimetres and read as metres is nearly always above, one scaled twice
// below. Wider limits would miss small parts in millimetres; narrower ones would nag.
constexpr double kSmallestUsualSize = 0.0005;
constexpr double kLargestUsualSize = 20.0;

bool is_usual(double size) { return size >= kSmallestUsualSize && size <= kLargestUsualSize; }

/// "0.2 m", "35 mm", "12 km": three digits.
std::string length_in_words(double metres) {
  const char* unit = "m";
  double number = metres;
  if (metres >= 1000.0) {
    unit = "km";
    number = metres / 1000.0;
  } else if (metres < 1e-4) {
    unit = "um";
    number = metres * 1e6;
  } else if (metres < 0.1) {
    unit = "mm";
    number = metres * 1000.0;
  }
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", number, unit);
  return text;
}

/// "1 triangle has", "7 triangles have"
std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

UnitAssessment assess_unit(double largest_side, double metres_per_unit) {
  struct Candidate {
    LikelyUnit unit;
    double metres;
    const char* name;
    const char* option;
  };
  static constexpr Candidate kMetres{LikelyUnit::Metres, 1.0, "metres", "m"};
  static constexpr Candidate kMillimetres{LikelyUnit::Millimetres, 0.001, "millimetres", "mm"};
  static constexpr Candidate kInches{LikelyUnit::Inches, 0.0254, "inches", "in"};
  // Too large: most often millimetres taken for metres. Too small: the other way round.
  const std::array<Candidate, 3> candidates = largest_side > kLargestUsualSize
                                                  ? std::array{kMillimetres, kInches, kMetres}
                                                  : std::array{kMetres, kInches, kMillimetres};
  UnitAssessment assessment;
  assessment.sentence = length_in_words(largest_side) + " across: ";
  if (is_usual(largest_side)) {
    assessment.sentence += "a usual size";
    return assessment;
  }
  assessment.unit = LikelyUnit::Unclear;
  for (const Candidate& candidate : candidates) {
    const double size = largest_side / metres_per_unit * candidate.metres;
    if (!is_usual(size)) continue;
    if (assessment.unit == LikelyUnit::Unclear) {
      assessment.unit = candidate.unit;
      assessment.sentence += std::string("probably ") + candidate.name + " (" +
                             length_in_words(size) + "); pass --unit " + candidate.option;
    } else {
      assessment.sentence +=
          std::string(", or --unit ") + candidate.option + " if it is " + length_in_words(size);
    }
  }
  if (assessment.unit == LikelyUnit::Unclear) {
    assessment.sentence += "no usual unit makes this a usual size";
  }
  return assessment;
}

std::vector<Finding> detail::findings_of(const MeshHealth& h, const HealthOptions& options) {
  std::vector<Finding> findings;
  const auto say = [&](Severity severity, std::string sentence) {
    findings.push_back({severity, std::move(sentence)});
  };
  if (h.triangles == 0) {
    say(Severity::Warning, "The mesh has no triangles.");
    return findings;
  }

  if (h.unit.unit != LikelyUnit::AsRead) {
    say(options.unit_is_known ? Severity::Note : Severity::Warning, h.unit.sentence + ".");
  }
  if (h.open_edges > 0) {
    say(Severity::Warning,
        "The surface is open: " + counted(h.open_edges, "edge belongs", "edges belong") +
            " to one triangle only, so inside and volume are not defined.");
  } else if (!h.closed) {
    say(Severity::Warning,
        "The surface is not the border of a solid: some edges join an odd number of triangles.");
  }
  if (h.inconsistent_edges > 0) {
    say(Severity::Warning, "Neighbouring triangles disagree on which side is outside, along " +
                               counted(h.inconsistent_edges, "edge.", "edges."));
  }
  if (h.closed && h.consistently_oriented && !h.volume_is_meaningful) {
    say(Severity::Warning,
        "The surface encloses no volume: it runs over the same places from both sides.");
  }
  if (h.inside_out) {
    say(Severity::Warning, "The triangles face inward: the volume is negative.");
  }

  if (h.non_manifold_edges > 0) {
    say(Severity::Note, counted(h.non_manifold_edges, "edge joins", "edges join") +
                            " more than two triangles (bodies that touch, or inner walls).");
  }
  if (h.components > 1) {
    say(Severity::Note,
        "The mesh is " + std::to_string(h.components) + " separate pieces that share no vertex.");
  }
  if (h.degenerate_triangles > 0) {
    say(Severity::Note, counted(h.degenerate_triangles, "triangle has", "triangles have") +
                            " no area; kept, and harmless in queries.");
  }
  if (h.needles > 0) {
    say(Severity::Note, counted(h.needles, "triangle is a needle", "triangles are needles") +
                            ": nearly without area, one side very short.");
  }
  if (h.caps > 0) {
    say(Severity::Note, counted(h.caps, "triangle is a cap", "triangles are caps") +
                            ": nearly without area, one angle near 180 degrees.");
  }
  if (h.duplicate_triangles > 0) {
    say(Severity::Note,
        counted(h.duplicate_triangles, "triangle repeats", "triangles repeat") + " another one.");
  }
  if (h.opposite_triangles > 0) {
    say(Severity::Note,
        counted(h.opposite_triangles, "pair of triangles lies", "pairs of triangles lie") +
            " back to back: a wall without thickness.");
  }
  if (h.unused_vertices > 0) {
    say(Severity::Note,
        counted(h.unused_vertices, "vertex is", "vertices are") + " used by no triangle.");
  }
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& f) { return f.severity == Severity::Warning; });
  return findings;
}

}  // namespace clearance
