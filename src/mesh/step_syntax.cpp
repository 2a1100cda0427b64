// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/step_syntax.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace clearance::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f'; }

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Status run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (!skip_blank()) return error_;
    if (!take("ISO-10303-21") || !skip_blank() || !take(";")) {
      return refuse(at_, "is no STEP file: it does not begin with ISO-10303-21;");
    }
    // Sections until the closing word.
    bool has_data = false;
    while (true) {
      if (!skip_blank()) return error_;
      if (take("END-ISO-10303-21")) break;
      const std::size_t start = at_;
      const std::string_view section = word();
      if (section.empty()) {
        return at_ == text_.size()
                   ? refuse(at_, "ends before END-ISO-10303-21; the file is cut off")
                   : refuse(at_, "a section was expected here");
      }
      const bool is_data = section == "DATA";
      has_data |= is_data;
      // The rest of the section's own statement; newer files give DATA parameters.
      if (!statement(false)) return error_;
      if (!section_body(section, start, is_data)) return error_;
    }
    if (!has_data) return refuse(at_, "has no DATA section");
    return check_references();
  }

 private:
  struct Reference {
    std::uint64_t id;
    std::size_t at;
  };

  Error refuse(std::size_t at, std::string reason) const {
    const auto line = 1 + std::ranges::count(text_.substr(0, at), '\n');
    return {ErrorCode::Malformed, name_, "line " + std::to_string(line), std::move(reason), ""};
  }
  bool fail(std::size_t at, std::string reason) {
    error_ = refuse(at, std::move(reason));
    return false;
  }

  bool take(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  /// Past white space and comments.
  bool skip_blank() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return fail(at_, "a comment does not end");
        at_ = end + 2;
      } else {
        break;
      }
    }
    return true;
  }

  std::string_view word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool entity_number(std::uint64_t& id) {
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), id);
    if (error != std::errc()) return fail(at_, "'#' is not followed by the number of an entity");
    at_ += static_cast<std::size_t>(end - begin);
    return true;
  }

  bool section_body(std::string_view section, std::size_t start, bool is_data) {
    while (true) {
      if (!skip_blank()) return false;
      if (at_ == text_.size()) {
        return fail(at_,
                    "ends inside the section " + std::string(section) + "; the file is cut off");
      }
      if (text_[at_] == '#' && is_data) {
        const std::size_t entity = at_++;
        std::uint64_t id = 0;
        if (!entity_number(id) || !skip_blank()) return false;
        if (!take("=")) return fail(at_, "'=' was expected after #" + std::to_string(id));
        if (!defined_.insert(id).second) {
          return fail(entity, "#" + std::to_string(id) + " is defined twice");
        }
        if (!statement(true)) return false;
        continue;
      }
      const std::size_t before = at_;
      const std::string_view keyword = word();
      if (keyword == "ENDSEC") return statement(false);
      if (is_data || keyword.empty()) {
        return fail(before,
                    "an entity or ENDSEC; was expected in the section that begins on line " +
                        std::to_string(1 + std::ranges::count(text_.substr(0, start), '\n')));
      }
      if (!statement(false)) return false;
    }
  }

  /// Up to and with the next ';' outside of texts and parentheses.
  bool statement(bool collects_references) {
    const std::size_t start = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        // A quote inside a text is doubled, which reads as two texts: no special case.
        const std::size_t end = text_.find(c, at_ + 1);
        if (end == std::string_view::npos) return fail(at_, "a text does not end");
        at_ = end + 1;
        continue;
      }
      if (c == '/' && text_.substr(at_).starts_with("/*")) {
        if (!skip_blank()) return false;
        continue;
      }
      ++at_;
      if (c == ';') {
        if (depth > 0) return fail(at_ - 1, "a parenthesis is not closed");
        return true;
      }
      if (c == '(' && ++depth > kDeepestStepList) {
        return fail(at_ - 1, "parentheses nest too deeply");
      }
      if (c == ')' && --depth < 0) return fail(at_ - 1, "a parenthesis was not opened");
      if (c == '#' && collects_references && at_ < text_.size() && is_digit(text_[at_])) {
        Reference reference{0, at_ - 1};
        if (!entity_number(reference.id)) return false;
        references_.push_back(reference);
      }
    }
    return fail(start, "a statement does not end; the file is cut off");
  }

  [[nodiscard]] Status check_references() const {
    for (const Reference& reference : references_) {
      if (!defined_.contains(reference.id)) {
        return refuse(reference.at, "refers to #" + std::to_string(reference.id) +
                                        ", which the file does not define");
      }
    }
    return {};
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  Error error_;
  std::unordered_set<std::uint64_t> defined_;
  std::vector<Reference> references_;
};

}  // namespace

Status check_step_syntax(std::string_view text, const std::string& name) {
  return Scanner(text, name).run();
}

}  // namespace clearance::detail
