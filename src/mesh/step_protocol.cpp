// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_protocol.h"

#include <cstring>
#include <type_traits>

namespace clearance::detail {
namespace {

class Encoder {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes += text;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_array(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  [[nodiscard]] std::string message(StepMessage kind) const {
    Encoder header;
    header.put(kind);
    header.put(std::uint64_t{bytes.size()});
    return header.bytes + bytes;
  }

  std::string bytes;
};

/// Reads back what Encoder wrote. After a read beyond the end everything is empty and ok is false.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value{};
    if (take(sizeof value)) std::memcpy(&value, taken_, sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint64_t>();
    return take(size) ? std::string(taken_, size) : std::string();
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_array() {
    const auto count = get<std::uint64_t>();
    if (count > left.size() / sizeof(T) || !take(count * sizeof(T))) {
      ok = false;
      return {};
    }
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), taken_, count * sizeof(T));
    return values;
  }

  std::string_view left;
  bool ok = true;

 private:
  bool take(std::uint64_t size) {
    ok = ok && size <= left.size();
    if (ok) {
      taken_ = left.data();
      left.remove_prefix(size);
    }
    return ok;
  }
  const char* taken_ = nullptr;
};

}  // namespace

std::string encode(const StepProgress& progress) {
  Encoder out;
  out.put(progress.stage);
  out.put(progress.fraction);
  return out.message(StepMessage::Progress);
}

std::string encode(const StepRequest& request) {
  Encoder out;
  out.put(kStepInterface);
  out.put(request.deflection);
  out.put(request.angle);
  out.put(request.metres_per_unit.has_value());
  out.put(request.metres_per_unit.value_or(0.0));
  return out.bytes;
}

std::string encode(const StepReply& reply) {
  Encoder out;
  out.put(kStepInterface);
  out.put(reply.error.has_value());
  if (reply.error) {
    out.put(reply.error->code);
    out.put(reply.error->place);
    out.put(reply.error->reason);
    out.put(reply.error->advice);
    return out.message(StepMessage::Reply);
  }
  out.put(std::uint64_t{reply.shapes.size()});
  for (const StepShape& shape : reply.shapes) {
    out.put_array(shape.vertices);
    out.put_array(shape.faces);
    out.put(shape.is_closed);
  }
  out.put(std::uint64_t{reply.instances.size()});
  for (const StepInstance& instance : reply.instances) {
    out.put(instance.name);
    out.put(instance.shape);
    out.put(instance.linear);
    out.put(instance.translation);
  }
  out.put(reply.declared_metres_per_unit.has_value());
  out.put(reply.declared_metres_per_unit.value_or(0.0));
  out.put(std::uint64_t{reply.warnings.size()});
  for (const std::string& warning : reply.warnings) out.put(warning);
  return out.message(StepMessage::Reply);
}

StepHeader decode_header(std::string_view header) {
  Decoder in(header);
  const auto kind = in.get<StepMessage>();
  return {kind, in.get<std::uint64_t>()};
}

std::optional<StepProgress> decode_progress(std::string_view bytes) {
  Decoder in(bytes);
  StepProgress progress;
  progress.stage = in.get_text();
  progress.fraction = in.get<double>();
  if (!in.ok) return std::nullopt;
  return progress;
}

std::optional<StepRequest> decode_request(std::string_view& bytes) {
  Decoder in(bytes);
  if (in.get<std::uint32_t>() != kStepInterface) return std::nullopt;
  StepRequest request;
  request.deflection = in.get<double>();
  request.angle = in.get<double>();
  const bool has_unit = in.get<bool>();
  const auto unit = in.get<double>();
  if (has_unit) request.metres_per_unit = unit;
  if (!in.ok) return std::nullopt;
  bytes = in.left;
  return request;
}

std::optional<StepReply> decode_reply(std::string_view bytes) {
  Decoder in(bytes);
  if (in.get<std::uint32_t>() != kStepInterface) return std::nullopt;
  StepReply reply;
  if (in.get<bool>()) {
    Error error;
    error.code = in.get<ErrorCode>();
    error.place = in.get_text();
    error.reason = in.get_text();
    error.advice = in.get_text();
    reply.error = error;
    if (!in.ok) return std::nullopt;
    return reply;
  }
  const auto shape_count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < shape_count && in.ok; ++i) {
    StepShape& shape = reply.shapes.emplace_back();
    shape.vertices = in.get_array<Vec3>();
    shape.faces = in.get_array<std::array<std::uint32_t, 3>>();
    shape.is_closed = in.get<bool>();
  }
  const auto instance_count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < instance_count && in.ok; ++i) {
    StepInstance& instance = reply.instances.emplace_back();
    instance.name = in.get_text();
    instance.shape = in.get<std::uint32_t>();
    instance.linear = in.get<Mat3>();
    instance.translation = in.get<Vec3>();
    in.ok = in.ok && instance.shape < reply.shapes.size();
  }
  const bool has_unit = in.get<bool>();
  const auto unit = in.get<double>();
  if (has_unit) reply.declared_metres_per_unit = unit;
  const auto warning_count = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < warning_count && in.ok; ++i)
    reply.warnings.push_back(in.get_text());
  if (!in.ok) return std::nullopt;
  return reply;
}

}  // namespace clearance::detail
