// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The bounding volumes of the meshes of a view document, level by level: for its level slider.
#pragma once

#include <clearance/bvh/bvh.h>

#include "verbs.h"
#include "view_document.h"

namespace clearance::cli {

struct ViewTreeOptions {
  bool wanted = false;
  BvhOptions bvh;
};

/// --tree, --volume and --fitter of a command.
void add_tree_options(Program& program, CLI::App& command, ViewTreeOptions& options);

/// Adds the trees of all meshes that are seen at first, as lines that go where their mesh goes, and
/// what they are made of to the facts. A document that has levels of its own keeps these. Levels
/// with more lines than a page can show are left out.
Status append_trees(const ViewTreeOptions& options, ViewDocument& document);

}  // namespace clearance::cli
