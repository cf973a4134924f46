#include "api/gaspi/messages/replies.hpp"

#include "api/gaspi/base/error.hpp"

#include <polder/shown_wait.hpp>

#include <cassert>
#include <chrono>
#include <string>

namespace polder::gaspi {
namespace {

// How often a sleeper looks whether its peer is still alive.
constexpr auto kReplyNap = std::chrono::milliseconds(20);

}  // namespace

Token Replies::open() {
  const std::lock_guard lock(mutex_);
  open_.emplace(next_, std::nullopt);
  return next_++;
}

void Replies::close(Token token) {
  const std::lock_guard lock(mutex_);
  open_.erase(token);
}

void Replies::answer(const ReplyMessage& reply) {
  const std::lock_guard lock(mutex_);
  const auto question = open_.find(reply.token);
  if (question == open_.end()) return;
  question->second = gaspi_return_t(reply.code);
  arrived_.notify_all();
}

gaspi_return_t Replies::wait(std::string_view what, Token token, Runtime& runtime, Rank peer,
                             const Deadline& deadline) {
  ShownWait shown(runtime);
  while (true) {
    // Before the look, so that an answer which was sent before the peer's end is not missed.
    const bool gone = runtime.health(peer) != Health::healthy;
    runtime.progress();
    std::unique_lock lock(mutex_);
    if (const auto code = answer_to(lock, token)) return *code;
    if (gone) return failed({Code::peer_failed, "waiting for an answer: rank " + std::to_string(peer) + " is gone"});
    if (deadline.left().is_test() || deadline.over()) return GASPI_TIMEOUT;
    shown.look(what, peer);
    arrived_.wait_until(lock, deadline.nap(kReplyNap));
    if (const auto code = answer_to(lock, token)) return *code;
  }
}

std::optional<gaspi_return_t> Replies::answer_to(const std::unique_lock<std::mutex>& held, Token token) {
  assert(held.owns_lock());
  const auto question = open_.find(token);
  return question == open_.end() ? std::nullopt : question->second;
}

}  // namespace polder::gaspi
