// Questions to other ranks that wait for an answer: was my data taken, are you there?
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"
#include "api/gaspi/messages/messages.hpp"

#include <polder/runtime.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace polder::gaspi {

// Thread safe.
class Replies {
 public:
  Token open();
  void close(Token token);

  // From a message handler. Answers to closed questions are dropped.
  void answer(const ReplyMessage& reply);

  // Sleeps until the answer of `peer` is there; `what` it waits in is seen from outside. GASPI_TIMEOUT: not yet;
  // GASPI_ERROR: the peer is gone and will not answer.
  gaspi_return_t wait(std::string_view what, Token token, Runtime& runtime, Rank peer, const Deadline& deadline);

 private:
  std::optional<gaspi_return_t> answer_to(const std::unique_lock<std::mutex>& held, Token token);

  std::mutex mutex_;
  std::condition_variable arrived_;
  Token next_ = 1;
  std::unordered_map<Token, std::optional<gaspi_return_t>> open_;
};

}  // namespace polder::gaspi
