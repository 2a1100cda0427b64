// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
#include "view_server.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <httplib.h>

#include "view_page.h"

namespace clearance::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLoopback = "127.0.0.1";
/// Requests carry no bodies; longer ones are refused.
constexpr std::size_t kLongestBody = 4096;
/// Events kept for a page that is slow.
constexpr std::size_t kMostEvents = 64;
constexpr auto kHeartbeat = 1s;
/// How long the end waits for pages to hear of it.
constexpr auto kFarewell = 500ms;

}  // namespace

struct ViewServer::State {
  httplib::Server server;
  std::thread thread;
  int port = 0;
  std::string page;
  std::string list;
  std::vector<ViewFiles> documents;

  std::mutex mutex;  // guards the four below
  std::condition_variable wake;
  std::deque<std::string> events;
  std::size_t first_event = 0;  // the number of the first one that is kept
  bool closing = false;
  int readers = 0;

  ~State() {
    {
      // The last events are still sent: a page wants to know that it is over.
      std::unique_lock lock(mutex);
      closing = true;
      wake.notify_all();
      wake.wait_for(lock, kFarewell, [this] { return readers == 0; });
    }
    server.stop();
    if (thread.joinable()) thread.join();
  }

  /// Sends what is new from `next` on, after waiting for it; false when the reader has gone.
  bool send_events(std::size_t& next, httplib::DataSink& sink) {
    std::string text;
    bool over = false;
    {
      std::unique_lock lock(mutex);
      wake.wait_for(lock, kHeartbeat,
                    [&] { return closing || next < first_event + events.size(); });
      next = std::max(next, first_event);
      for (; next < first_event + events.size(); ++next) text += events[next - first_event];
      over = closing;
    }
    // A comment now and then shows whether anybody listens.
    if (text.empty()) text = ":\n\n";
    if (!sink.write(text.data(), text.size())) return false;
    if (over) sink.done();
    return true;
  }
};

Result<ViewServer> ViewServer::start(std::vector<ViewDocument> documents, int port) {
  auto state = std::make_unique<State>();
  State* const s = state.get();
  s->page = served_page();
  s->list = document_list(documents);
  const bool live = std::ranges::any_of(documents, &ViewDocument::live);
  for (ViewDocument& document : documents) {
    s->documents.push_back(view_files(document));
    document = {};
  }

  httplib::Server& server = s->server;
  server.set_payload_max_length(kLongestBody);
  // Not SO_REUSEPORT, httplib's own choice: two servers would share a port and answer in turns.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  // Open connections hold up the end by as much.
  server.set_keep_alive_timeout(1);
  server.set_default_headers({{"Content-Security-Policy", std::string(served_policy())},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cache-Control", "no-store"}});
  using httplib::Request;
  using httplib::Response;
  server.set_pre_routing_handler([s](const Request& request, Response& response) {
    const std::string host = request.get_header_value("Host");
    const std::string own = ":" + std::to_string(s->port);
    if (host == kLoopback + own || host == "localhost" + own)
      return httplib::Server::HandlerResponse::Unhandled;
    response.status = 403;
    response.set_content("This server answers only to 127.0.0.1.\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  const auto serve = [&server](const char* path, const char* type, std::string_view content) {
    server.Get(path, [type, content](const Request&, Response& response) {
      response.set_content(content.data(), content.size(), type);
    });
  };
  const ViewBundle bundle = view_bundle();
  serve("/", "text/html; charset=utf-8", s->page);
  serve("/viewer.js", "text/javascript; charset=utf-8", bundle.script);
  serve("/viewer.css", "text/css; charset=utf-8", bundle.style);
  serve("/documents.json", "application/json", s->list);
  const auto document_of = [s](const Request& request) -> const ViewFiles* {
    const std::string digits = request.matches[1];
    std::size_t i = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), i);
    return parsed.ec == std::errc() && i < s->documents.size() ? &s->documents[i] : nullptr;
  };
  server.Get(R"(/document/(\d+)\.json)", [=](const Request& request, Response& response) {
    const ViewFiles* document = document_of(request);
    response.status = document == nullptr ? 404 : 200;
    if (document != nullptr) response.set_content(document->json, "application/json");
  });
  server.Get(R"(/document/(\d+)\.bin)", [=](const Request& request, Response& response) {
    const ViewFiles* document = document_of(request);
    response.status = document == nullptr ? 404 : 200;
    if (document == nullptr) return;
    // Handed out in pieces, from where it lies: set_content() would copy it.
    const std::string& bytes = document->buffer;
    if (bytes.empty()) {
      response.set_content("", "application/octet-stream");
      return;
    }
    response.set_content_provider(
        bytes.size(), "application/octet-stream",
        [&bytes](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          constexpr std::size_t kPiece = 1 << 20;
          return sink.write(bytes.data() + offset, std::min(length, kPiece));
        });
  });

  if (live) {
    server.Get("/live", [s](const Request&, Response& response) {
      {
        const std::lock_guard lock(s->mutex);
        ++s->readers;
      }
      response.set_chunked_content_provider(
          "text/event-stream",
          [s, next = std::size_t{0}](std::size_t, httplib::DataSink& sink) mutable {
            return s->send_events(next, sink);
          },
          [s](bool) {
            const std::lock_guard lock(s->mutex);
            --s->readers;
            s->wake.notify_all();
          });
    });
  }

  if (port == 0) {
    s->port = server.bind_to_any_port(kLoopback);
  } else {
    s->port = server.bind_to_port(kLoopback, port) ? port : -1;
  }
  if (s->port <= 0) {
    return Error{ErrorCode::Unreadable, "", port == 0 ? "" : "port " + std::to_string(port),
                 "cannot be listened on: is another program using it?",
                 "leave out --port to take a free one"};
  }
  s->thread = std::thread([s] { s->server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  return ViewServer(std::move(state));
}

ViewServer::ViewServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
ViewServer::ViewServer(ViewServer&&) noexcept = default;
ViewServer& ViewServer::operator=(ViewServer&&) noexcept = default;
ViewServer::~ViewServer() = default;

std::string ViewServer::address() const {
  return std::string("http://") + kLoopback + ":" + std::to_string(state_->port) + "/";
}

void ViewServer::publish(std::string_view name, std::string_view line) {
  std::string event = "event: ";
  event.append(name).append("\ndata: ").append(line).append("\n\n");
  {
    const std::lock_guard lock(state_->mutex);
    state_->events.push_back(std::move(event));
    if (state_->events.size() > kMostEvents) {
      state_->events.pop_front();
      ++state_->first_event;
    }
  }
  state_->wake.notify_all();
}

}  // namespace clearance::cli
