// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace clearance::cli {

/// Opens an address in the user's browser, where there is a screen. Whether it worked is of no
/// importance: the address is printed as well.
void open_browser(const std::string& address);

}  // namespace clearance::cli
