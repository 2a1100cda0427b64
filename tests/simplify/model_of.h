// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <clearance/query/model.h>

namespace clearance::test {

inline Model model_of(const Mesh& mesh) { return Model::build(mesh).value(); }

}  // namespace clearance::test
