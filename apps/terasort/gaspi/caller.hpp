// GASPI calls that may wait, made so that no rank ever hangs: in short slices, between which the peers' health is
// looked at.
#pragma once

#include "../file.hpp"

#include <GASPI.h>

#include <chrono>
#include <string>
#include <vector>

namespace terasort {

// An error that names the call and what GASPI says of it. REQUIRES: code != GASPI_SUCCESS.
Status gaspi_error(const char* call, gaspi_return_t code);

class Caller {
 public:
  // How long one call waits before the peers are looked at.
  static constexpr gaspi_timeout_t kSlice = 100;  // ms

  // `patience`: seconds without news after which the job is given up, dead peer or not.
  Caller(unsigned rank, unsigned ranks, double patience);

  unsigned rank() const { return rank_; }
  unsigned ranks() const { return ranks_; }

  // A peer has died or was silent for too long. From then on every call fails at once: waiting again would help nobody.
  bool lost_peers() const { return lost_peers_; }

  // Repeats `call(timeout)` until it no longer times out. `name` is for the error.
  template <class Call>
  Status call(const char* name, Call&& call) {
    if (lost_peers_) return Code::peer_failed;
    heard();
    while (true) {
      const gaspi_return_t code = call(kSlice);
      if (code == GASPI_SUCCESS) return {};
      if (code != GASPI_TIMEOUT) return failed(name, code);
      Status status = check(name);
      if (!status.ok()) return status;
    }
  }

  // The same for a call that posts to `queue`: when the queue is full, waits for what is in it.
  template <class Post>
  Status post(const char* name, gaspi_queue_id_t queue, Post&& post) {
    if (lost_peers_) return Code::peer_failed;
    while (true) {
      const gaspi_return_t code = post(kSlice);
      if (code == GASPI_SUCCESS) return {};
      Status status;
      if (code == GASPI_QUEUE_FULL)
        status = wait(queue);
      else if (code == GASPI_TIMEOUT)
        status = check(name);
      else
        status = failed(name, code);
      if (!status.ok()) return status;
    }
  }

  // Waits until the local buffers of all that was posted to `queue` may be used again.
  Status wait(gaspi_queue_id_t queue);

  // Something came from a peer: the clock of patience starts anew.
  void heard() { last_news_ = Clock::now(); }

  // Called when a wait gave nothing: an error if a peer is dead, or if there was no news for too long.
  Status check(const char* waiting_for);

  // The error of a call that returned neither success nor timeout: a dead peer, or what GASPI says.
  Status failed(const char* name, gaspi_return_t code);

 private:
  using Clock = std::chrono::steady_clock;

  Status lost(std::string message);
  // The ranks that are known to be dead, as "rank 3" or "rank 3 and rank 5"; empty if none is.
  std::string dead_peers();

  unsigned rank_;
  unsigned ranks_;
  bool lost_peers_ = false;
  Clock::duration patience_;
  Clock::time_point last_news_ = Clock::now();
  std::vector<gaspi_state_t> states_;
};

}  // namespace terasort
