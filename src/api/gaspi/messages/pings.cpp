#include "api/gaspi/messages/pings.hpp"

#include "api/gaspi/base/error.hpp"

#include <algorithm>

namespace polder::gaspi {
namespace {

// How often a ping is repeated: an answer may have found no room on its way.
constexpr gaspi_timeout_t kPingPatience = 50;  // milliseconds

}  // namespace

gaspi_return_t Pings::ping(Runtime& runtime, Rank rank, const Deadline& deadline) {
  const Token token = take(rank);
  const gaspi_return_t code = ask(runtime, rank, token, deadline);
  if (code == GASPI_TIMEOUT)
    keep(rank, token);
  else
    replies_.close(token);
  return code;
}

// No room for the question is no reason not to look for the answer to one before.
gaspi_return_t Pings::ask(Runtime& runtime, Rank rank, Token token, const Deadline& deadline) {
  while (true) {
    const Status sent = runtime.send(rank, kPing, as_message(PingMessage{token}), deadline.left());
    if (!sent.ok() && !lacks_room(sent)) return failed(sent);
    const Deadline patience(std::min(deadline.milliseconds(), kPingPatience));
    const gaspi_return_t code = replies_.wait("in a ping", token, runtime, rank, patience);
    if (code != GASPI_TIMEOUT || deadline.over()) return code;
  }
}

Token Pings::take(Rank rank) {
  const std::lock_guard lock(mutex_);
  const auto node = unanswered_.extract(rank);
  return node.empty() ? replies_.open() : node.mapped();
}

void Pings::keep(Rank rank, Token token) {
  const std::lock_guard lock(mutex_);
  const bool is_first = unanswered_.emplace(rank, token).second;
  if (!is_first) replies_.close(token);  // another thread's ping of the rank is unanswered, too
}

}  // namespace polder::gaspi
