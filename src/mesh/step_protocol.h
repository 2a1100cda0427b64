// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library and the program clearance-step say to each other over a socket. OpenCASCADE
// lives in that program (src/mesh/step), and not in the library: it takes about 70 ms to load,
// keeps its settings in globals, prints, and crashes on some damaged files. A process of its own
// keeps all of that away from the caller (docs/decisions/0003-own-readers.md).
//
// The library sends one StepRequest and closes its side. The program answers with any number of
// progress messages and one StepReply. Both are built together: numbers travel as they lie in
// memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/geometry/vector.h>

namespace clearance::detail {

/// Raised with every change of what travels: a program of another build is refused.
inline constexpr std::uint32_t kStepInterface = 1;

struct StepRequest {
  double deflection = 0.0;                ///< [m]
  double angle = 0.0;                     ///< [rad]
  std::optional<double> metres_per_unit;  ///< instead of what the file declares
};

/// One tessellated shape, in metres. Triangles of neighbouring faces repeat their vertices.
struct StepShape {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;
  bool is_closed = false;  ///< the file's shape has no border, so the triangles should have none
};

/// One use of a shape: p -> linear * p + translation [m].
struct StepInstance {
  std::string name;
  std::uint32_t shape = 0;
  Mat3 linear;
  Vec3 translation;
};

struct StepReply {
  std::optional<Error> error;  ///< when set, the rest means nothing; its `file` is empty
  std::vector<StepShape> shapes;
  std::vector<StepInstance> instances;
  std::optional<double> declared_metres_per_unit;  ///< without one, millimetres are assumed
  std::vector<std::string> warnings;
};

struct StepProgress {
  std::string stage;
  double fraction = 0.0;
};

/// Messages as bytes. A message begins with its kind and its length, so that a reader knows when it
/// has all of it.
enum class StepMessage : std::uint8_t { Progress = 1, Reply = 2 };
inline constexpr std::size_t kStepMessageHeader = 9;
std::string encode(const StepProgress& progress);
std::string encode(const StepReply& reply);
/// The part of the request in front of the file's bytes.
std::string encode(const StepRequest& request);

/// The kind and the length of what follows a header.
struct StepHeader {
  StepMessage kind;
  std::uint64_t size;
};
StepHeader decode_header(std::string_view header);
/// Nothing when the bytes are not what encode() makes.
std::optional<StepProgress> decode_progress(std::string_view bytes);
std::optional<StepReply> decode_reply(std::string_view bytes);
/// Takes the request off the front; what is left are the file's bytes.
std::optional<StepRequest> decode_request(std::string_view& bytes);

}  // namespace clearance::detail
