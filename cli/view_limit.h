// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meshes that are too large for a browser, drawn with fewer triangles.
#pragma once

#include <cstddef>

#include <clearance/base/monitor.h>

#include "view_document.h"

namespace clearance::cli {

/// What a page takes without being asked: the buffer of an exported page has to fit the longest
/// text of a browser, half a gigabyte.
inline constexpr std::size_t kMostTriangles = 6'000'000;

/// Makes the meshes of a document coarser until they have `most` triangles or fewer together, each
/// in proportion, and says so in its messages. Vertices that stay are where they were, with their
/// values and colours. Nothing changes when there are not more. About a second for a million
/// triangles.
void limit_triangles(std::size_t most, Monitor& monitor, ViewDocument& document);

}  // namespace clearance::cli
