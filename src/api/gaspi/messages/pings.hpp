// Whether ranks answer. A ping that timed out is gone on with by the next one of the same rank: an answer that comes
// between two calls counts, so polling comes to an end.
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"
#include "api/gaspi/messages/messages.hpp"
#include "api/gaspi/messages/replies.hpp"

#include <polder/runtime.hpp>

#include <mutex>
#include <unordered_map>

namespace polder::gaspi {

// Thread safe.
class Pings {
 public:
  explicit Pings(Replies& replies) : replies_(replies) {}

  gaspi_return_t ping(Runtime& runtime, Rank rank, const Deadline& deadline);

 private:
  Token take(Rank rank);
  void keep(Rank rank, Token token);
  gaspi_return_t ask(Runtime& runtime, Rank rank, Token token, const Deadline& deadline);

  Replies& replies_;
  std::mutex mutex_;
  std::unordered_map<Rank, Token> unanswered_;  // of calls that timed out
};

}  // namespace polder::gaspi
