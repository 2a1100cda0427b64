// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A welding cell made by formula, for examples, tests and benchmarks: an arm of six axes with a
// bent torch, a joint of three pipes on a fixture, a table; and a program that welds along the
// joint. The cell of the paper's Figure 9, as far as it can be told from it.
//
// A thin post and a gas line are planted where the program passes between way-points: no way-point
// touches them, the motion does.
#pragma once

#include <string>

#include <clearance/base/result.h>

namespace clearance {

struct WeldingCellOptions {
  /// Plant what the program runs into. Without it the program is free.
  bool planted = true;
};

/// Writes welder.urdf, work_piece.stl, cell.json and program.json into a folder, which is made
/// where it is not there. Files are replaced. The same bytes on every machine.
[[nodiscard]] Status write_welding_cell(const std::string& folder,
                                        const WeldingCellOptions& options = {});

}  // namespace clearance
