// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A figure of a study as a picture.
#pragma once

#include <string>

namespace clearance::study {

struct PlotFile {
  std::string name;  ///< "figure7-update.svg"
  std::string svg;
};

}  // namespace clearance::study
