// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts: of files, changed in one place, and of messages.
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace clearance::test {

/// The text with the first `from` replaced; the test fails when there is none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace clearance::test

/// A message holds these words.
#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "said: " << (message)
