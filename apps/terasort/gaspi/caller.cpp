#include "caller.hpp"

#include <cassert>
#include <utility>

namespace terasort {

Status gaspi_error(const char* call, gaspi_return_t code) {
  assert(code != GASPI_SUCCESS);
  gaspi_string_t text = nullptr;
  std::string message = std::string(call) + " failed";
  if (gaspi_print_error(code, &text) == GASPI_SUCCESS && text != nullptr) message += std::string(": ") + text;
  return {Code::system, message + " (GASPI code " + std::to_string(int(code)) + ")"};
}

Caller::Caller(unsigned rank, unsigned ranks, double patience)
    : rank_(rank),
      ranks_(ranks),
      patience_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience))),
      states_(ranks, GASPI_STATE_HEALTHY) {}

Status Caller::wait(gaspi_queue_id_t queue) {
  return call("gaspi_wait", [&](gaspi_timeout_t timeout) { return gaspi_wait(queue, timeout); });
}

Status Caller::check(const char* waiting_for) {
  const std::string dead = dead_peers();
  if (!dead.empty()) return lost(dead + " died while this rank waited in " + waiting_for);
  if (Clock::now() - last_news_ < patience_) return {};
  const double seconds = std::chrono::duration<double>(patience_).count();
  return lost("no news from the other ranks for " + std::to_string(int(seconds)) + " s in " + waiting_for +
              "; give a larger --patience if they are only slow");
}

Status Caller::failed(const char* name, gaspi_return_t code) {
  const std::string dead = dead_peers();
  if (!dead.empty()) return lost(std::string(name) + " failed because " + dead + " died");
  return gaspi_error(name, code);
}

Status Caller::lost(std::string message) {
  lost_peers_ = true;
  return {Code::peer_failed, std::move(message)};
}

std::string Caller::dead_peers() {
  if (gaspi_state_vec_get(states_.data()) != GASPI_SUCCESS) return {};
  std::string dead;
  for (unsigned peer = 0; peer < ranks_; ++peer) {
    if (states_[peer] != GASPI_STATE_CORRUPT) continue;
    dead += (dead.empty() ? "rank " : " and rank ") + std::to_string(peer);
  }
  return dead;
}

}  // namespace terasort
