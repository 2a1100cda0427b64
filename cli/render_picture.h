// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A view document as a picture, drawn in software: what the page shows at first.
#pragma once

#include <optional>

#include <clearance/picture/picture.h>

#include "view_document.h"

namespace clearance::cli {

struct RenderOptions {
  PictureOptions picture;
  std::optional<double> time;          ///< of the timeline; where it starts when absent
  std::optional<std::size_t> finding;  ///< look at this focus instead of the whole
  std::optional<std::size_t> level;    ///< of a hierarchy; 0: none; the first one when absent
};

/// Draws what is visible, with the first legend beside it.
[[nodiscard]] Image render_document(const ViewDocument& document, const RenderOptions& options);

}  // namespace clearance::cli
