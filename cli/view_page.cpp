// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_page.h"

#include <cstdint>

#include <nlohmann/json.hpp>

namespace clearance::cli {
namespace {

constexpr std::string_view kHead =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Clearance</title>\n<link rel=\"icon\" href=\"data:,\">\n";

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return text;
}

Error no_bundle_error() {
  return {ErrorCode::Unsupported, "", "", "this program was built without the viewer",
          "install nodejs and npm, run 'npm ci' in viewer/ and build again; `clearance render` "
          "draws pictures without it"};
}

std::string served_page() {
  return std::string(kHead) +
         "<link rel=\"stylesheet\" href=\"viewer.css\">\n</head>\n<body>\n"
         "<script src=\"viewer.js\"></script>\n</body>\n</html>\n";
}

std::string_view served_policy() {
  return "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src "
         "'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'";
}

std::string exported_page(std::span<const ViewFiles> documents) {
  const ViewBundle bundle = view_bundle();
  std::string page(kHead);
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'\">\n<style>\n";
  page += bundle.style;
  page += "</style>\n</head>\n<body>\n";
  for (const ViewFiles& document : documents) {
    page += "<script type=\"application/json\" class=\"view-document\">";
    page += document.json;
    page += "</script>\n<script type=\"text/plain\" class=\"view-buffer\">";
    page += base64(document.buffer);
    page += "</script>\n";
  }
  page += "<script>\n";
  page += bundle.script;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

std::string document_list(std::span<const ViewDocument> documents) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ViewDocument& document : documents)
    list.push_back({{"title", document.title}, {"kind", document.kind}});
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace clearance::cli
