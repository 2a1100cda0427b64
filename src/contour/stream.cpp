// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <clearance/contour/stream.h>

namespace clearance {
namespace {

void append(std::string& line, double value) {
  if (!std::isfinite(value)) {
    line += "null";
    return;
  }
  std::array<char, 32> text{};
  const auto [end, problem] = std::to_chars(text.data(), text.data() + text.size(), value);
  line.append(text.data(), end);
}

void append(std::string& line, std::int64_t value) {
  std::array<char, 24> text{};
  const auto [end, problem] = std::to_chars(text.data(), text.data() + text.size(), value);
  line.append(text.data(), end);
}

void append(std::string& line, const Vec3& v) {
  line += '[';
  append(line, v.x);
  line += ',';
  append(line, v.y);
  line += ',';
  append(line, v.z);
  line += ']';
}

/// In quotes. Bytes that are not ASCII become U+FFFD: a refused line may hold anything.
void append_quoted(std::string& line, const std::string& text) {
  constexpr const char* kHex = "0123456789abcdef";
  line += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (byte < 0x20) {
      line += "\\u00";
      line += kHex[byte >> 4U];
      line += kHex[byte & 15U];
    } else if (byte < 0x7f) {
      line += c;
    } else {
      line += "\\ufffd";
    }
  }
  line += '"';
}

}  // namespace

FixtureForce fixture_force(const ProbeHit& hit, const FixtureOptions& options, const Vec3& before) {
  FixtureForce result;
  if (!hit.found()) return result;
  const Vec3 gap = hit.on_contour - hit.on_mesh;
  const double length = norm(gap);
  // Points that are apart by rounding alone have no direction either: the distance says so.
  result.direction = hit.distance > 0.0 && length > 0.0 ? gap / length : before;
  result.magnitude = options.stiffness * std::max(options.margin - hit.distance, 0.0);
  result.force = result.magnitude * result.direction;
  return result;
}

void write_answer(const ProbeAnswer& answer, std::string& line) {
  const ProbeHit& hit = answer.hit;
  line.clear();
  line += "{\"sequence\":";
  append(line, static_cast<std::int64_t>(answer.sequence));
  if (answer.id) {
    line += ",\"id\":";
    append(line, *answer.id);
  }
  line += ",\"distance\":";
  append(line, hit.found() ? hit.distance : std::numeric_limits<double>::infinity());
  line += ",\"direction\":";
  if (answer.fixture.direction == Vec3{}) {
    line += "null";
  } else {
    append(line, answer.fixture.direction);
  }
  line += ",\"force\":";
  append(line, answer.fixture.force);
  if (hit.found()) {
    line += ",\"on_contour\":";
    append(line, hit.on_contour);
    line += ",\"on_mesh\":";
    append(line, hit.on_mesh);
    line += ",\"segment\":";
    append(line, static_cast<std::int64_t>(hit.segment));
    line += ",\"triangle\":";
    append(line, static_cast<std::int64_t>(hit.triangle));
  } else {
    line += ",\"on_contour\":null,\"on_mesh\":null,\"segment\":null,\"triangle\":null";
  }
  line += ",\"latency_us\":";
  // Tenths of a microsecond: finer digits would be noise.
  append(line, std::round(answer.latency * 1e7) / 10.0);
  line += answer.missed ? ",\"missed\":true}\n" : ",\"missed\":false}\n";
}

void write_refusal(const Error& error, std::uint64_t number, std::string& line) {
  line.clear();
  line += "{\"error\":";
  append_quoted(line, error.message());
  line += ",\"line\":";
  append(line, static_cast<std::int64_t>(number));
  line += "}\n";
}

}  // namespace clearance
