// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of the page inside the program. cmake/viewer.cmake builds them and names them here.
#include "view_page.h"

#ifdef CLEARANCE_VIEWER_SCRIPT
// The assembler takes the bytes as they are: an array in C++ would take the compiler minutes.
// NOLINTBEGIN(hicpp-no-assembler)
asm(".section .rodata\n"
    ".global clearance_viewer_script\n"
    "clearance_viewer_script:\n"
    ".incbin \"" CLEARANCE_VIEWER_SCRIPT
    "\"\n"
    ".global clearance_viewer_script_end\n"
    "clearance_viewer_script_end:\n"
    ".global clearance_viewer_style\n"
    "clearance_viewer_style:\n"
    ".incbin \"" CLEARANCE_VIEWER_STYLE
    "\"\n"
    ".global clearance_viewer_style_end\n"
    "clearance_viewer_style_end:\n"
    ".text\n");
// NOLINTEND(hicpp-no-assembler)

extern "C" {
extern const char clearance_viewer_script[];
extern const char clearance_viewer_script_end[];
extern const char clearance_viewer_style[];
extern const char clearance_viewer_style_end[];
}
#endif

namespace clearance::cli {

ViewBundle view_bundle() {
#ifdef CLEARANCE_VIEWER_SCRIPT
  return {{clearance_viewer_script, clearance_viewer_script_end},
          {clearance_viewer_style, clearance_viewer_style_end}};
#else
  return {};
#endif
}

}  // namespace clearance::cli
