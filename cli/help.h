// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of --help: what it does, usage, arguments, options, examples.
#pragma once

#include <string>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>

namespace clearance::cli {

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace clearance::cli
