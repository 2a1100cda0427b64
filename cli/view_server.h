// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The server of `clearance view`: hands the page and the documents to a browser on this machine,
// and nothing to anybody else. It listens on 127.0.0.1 only, answers a fixed list of paths from
// memory (no path reaches the file system), and refuses requests whose Host is not itself, so that
// no page of another site can read through a name that resolves to this machine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <clearance/base/result.h>

#include "view_document.h"

namespace clearance::cli {

class ViewServer {
 public:
  /// `port` 0 takes a free one. Error: the port is taken.
  static Result<ViewServer> start(std::vector<ViewDocument> documents, int port);
  ViewServer(ViewServer&&) noexcept;
  ViewServer& operator=(ViewServer&&) noexcept;
  ~ViewServer();

  /// "http://127.0.0.1:40123/"
  [[nodiscard]] std::string address() const;

  /// Sends an event to every page of a live document (server-sent events): one line of text under a
  /// name. A page that comes late or is slow gets the last few. From any thread.
  void publish(std::string_view name, std::string_view line);

 private:
  struct State;
  explicit ViewServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace clearance::cli
