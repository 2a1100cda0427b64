// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The page that shows view documents. Its script and style sheet are built from viewer/ and are
// part of the program, so that it needs nothing beside it. The page may ask nobody but the server
// it came from, and an exported one nobody at all: its content security policy forbids the rest.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>

#include "view_document.h"

namespace clearance::cli {

/// The script and the style sheet, or nothing when the program was built without them.
struct ViewBundle {
  std::string_view script;
  std::string_view style;
  [[nodiscard]] bool empty() const { return script.empty(); }
};
[[nodiscard]] ViewBundle view_bundle();
/// What to tell the user when there is no bundle.
[[nodiscard]] Error no_bundle_error();

[[nodiscard]] std::string base64(std::string_view bytes);

/// The page that fetches its documents from the server it came from.
[[nodiscard]] std::string served_page();
/// The policy of that page, as a header.
[[nodiscard]] std::string_view served_policy();
/// One page that holds everything.
[[nodiscard]] std::string exported_page(std::span<const ViewFiles> documents);

/// The list the served page asks for first: the titles of the documents.
[[nodiscard]] std::string document_list(std::span<const ViewDocument> documents);

}  // namespace clearance::cli
