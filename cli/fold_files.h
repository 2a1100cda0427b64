// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What clearance fold does about files for proteins and robots alike: the names that --out gives
// them, and what a run must agree in to go on from a checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <clearance/base/result.h>
#include <clearance/chain/fold.h>

namespace clearance::cli {

/// How a checkpoint calls the interval between rows.
inline constexpr const char* kIntervalName = "interval (--every)";

/// Makes the folder, and names what has no name yet after the files in it. Nothing for an empty
/// folder.
Status name_files_in(const std::string& folder,
                     const std::vector<std::pair<std::string*, const char*>>& files);

/// The checkpoint to go on from; none where none is named.
Result<std::optional<FoldCheckpoint>> checkpoint_of(const std::string& path);

/// The steps between rows: as asked for; else that of the checkpoint; else a hundredth of all.
[[nodiscard]] std::uint64_t interval_of(std::uint64_t asked_for, std::uint64_t steps,
                                        const FoldCheckpoint* from);

/// An error that names what a run and its checkpoint do not agree in, or that it is beyond the end.
Status check_resume(const FoldCheckpoint& from, const std::string& path,
                    std::span<const std::pair<std::string, std::string>> identity,
                    std::uint64_t steps);

/// "stopped at step 12 of 100", and how to go on.
void say_stopped(std::uint64_t step, std::uint64_t steps, const std::string& checkpoint);

}  // namespace clearance::cli
