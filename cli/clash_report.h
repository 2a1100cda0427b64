// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `clearance clash` found out, and the ways of telling it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <clearance/mesh/assembly.h>
#include <clearance/picture/picture.h>
#include <clearance/query/scene.h>
#include <clearance/query/solid.h>

namespace clearance::cli {

/// What is thought of a pair of parts, worst first.
enum class Verdict : std::uint8_t {
  Clash,    ///< they touch, and may not
  Near,     ///< free, but below the clearance asked for
  Allowed,  ///< they touch or are too near, and may
  Clear,
};

struct ClashPair {
  ScenePair pair;  ///< its bodies are indices of parts
  Verdict verdict = Verdict::Clear;
  std::optional<Penetration> penetration;  ///< of a pair that touches, when looked for
};

struct ClashPart {
  std::string name;
  std::size_t triangles = 0;
  bool is_solid = false;
};

struct ClashReport {
  std::vector<std::string> files;
  std::vector<ClashPart> parts;
  double clearance = 0.0;          ///< asked for [m]
  std::optional<double> touching;  ///< contact no deeper than this is by design [m]
  std::vector<ClashPair> pairs;    ///< all pairs, worst first
  std::vector<std::string> warnings;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
  /// No clash, and nothing below the clearance.
  [[nodiscard]] bool is_good() const;
};

/// Puts the worst pair first: clashes by depth, then the near, the allowed and the clear by
/// distance.
void sort_pairs(std::vector<ClashPair>& pairs);

/// The result that follows schema/clash.schema.json.
[[nodiscard]] nlohmann::ordered_json clash_json(const ClashReport& report);
/// One line a pair, with a line of headings; metres.
[[nodiscard]] std::string clash_csv(const ClashReport& report);
/// For people: at most `rows` pairs (0: all), the matrix when it fits on a page, and a summary.
[[nodiscard]] std::string clash_text(const ClashReport& report, std::size_t rows);

/// The assembly with the parts coloured by the worst they are in, and lines across the gaps that
/// are too small.
struct ClashPicture {
  std::vector<PictureItem> items;
  std::vector<PictureLine> lines;
};
[[nodiscard]] ClashPicture clash_picture(const Assembly& assembly, const ClashReport& report);

}  // namespace clearance::cli
