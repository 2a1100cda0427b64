// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include <clearance/base/monitor.h>
#include <clearance/base/result.h>

#include "mesh/step_protocol.h"

namespace clearance::detail {

/// Runs the program clearance-step on the bytes of a STEP file and returns what it says. A program
/// that is not there, crashes or runs out of its limits is an error; a cancelled monitor kills it.
/// Any number of threads may call this at once. Nothing is printed.
Result<StepReply> run_step_program(std::string_view bytes, const std::string& name,
                                   const StepRequest& request, Monitor* monitor);

}  // namespace clearance::detail
