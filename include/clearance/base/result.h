// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors and results. Bad data from outside (a file, an option) comes back as a Result that holds
// either the value or an Error saying where and why; nothing is thrown and nothing is printed.
// A broken precondition inside the program is a CLEARANCE_ASSERT (assert.h), not an Error.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <clearance/base/assert.h>

namespace clearance {

enum class ErrorCode {
  NotFound,     ///< a file, part or name that does not exist
  Unreadable,   ///< the system refused to read or write
  Malformed,    ///< the data breaks the rules of its format
  Unsupported,  ///< legal, but beyond what Clearance reads (the reason says what to do)
  Invalid,      ///< an argument or option outside its range
  Cancelled,    ///< the caller's Monitor asked to stop
};

/// Where and why something from outside could not be used.
struct Error {
  ErrorCode code = ErrorCode::Malformed;
  std::string file;    ///< path as the caller gave it; empty when no file is involved
  std::string place;   ///< "line 12", "byte 84", "triangle 7", "node 'arm'"; may be empty
  std::string reason;  ///< what is wrong, as a phrase without a final stop
  std::string advice;  ///< what the user can do about it; may be empty

  /// "part.stl: byte 80: promises 4000000000 triangles, but ... (check that ...)"
  [[nodiscard]] std::string message() const;
};

/// A value or an Error. Test it with ok() (or as a bool) before value().
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: a function returns its value or an Error{...} as it stands.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& {
    CLEARANCE_ASSERT(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] T& value() & {
    CLEARANCE_ASSERT(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] T&& value() && {
    CLEARANCE_ASSERT(ok());
    return std::move(std::get<0>(state_));
  }
  [[nodiscard]] const Error& error() const {
    CLEARANCE_ASSERT(!ok());
    return std::get<1>(state_);
  }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Error> state_;
};

/// Success or an Error, for work that has no value to give back.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    CLEARANCE_ASSERT(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace clearance
