// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files a command is to write, looked at before it does any work: a slip in a name shows at
// once, not after minutes, and no input is overwritten.
#pragma once

#include <CLI/App.hpp>

#include <clearance/base/result.h>

namespace clearance::cli {

/// An option writes a file when its text in --help begins with OUT ("OUT.png"). Errors (Invalid,
/// naming the option): two options write one file; a file is read by the same command; a picture or
/// chart is named as another kind of picture; the folder is not there.
[[nodiscard]] Status check_outputs(const CLI::App& command);

}  // namespace clearance::cli
