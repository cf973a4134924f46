// Signals to the launcher as something to wait for, and signals in words.
#pragma once

#include "util/fd.hpp"

#include <polder/status.hpp>

#include <optional>
#include <string>

#include <signal.h>

namespace polder::cli {

// Takes SIGCHLD, the signals that are passed on to ranks, and those of a terminal's job control. What the launcher was
// told to ignore (nohup) stays ignored, by it and by the ranks.
class SignalSource {
 public:
  // Blocks these signals in this process.
  static Result<SignalSource> open();

  int file() const { return file_.get(); }

  // The next signal that has come, without waiting.
  std::optional<int> next() const;

  // From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT end this process as they would any other; those not taken yet are
  // dropped.
  void let_go() const;

  // Gives a child the mask that the launcher was started with. Async-signal-safe.
  void restore_mask() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  SignalSource(util::Fd file, sigset_t before) : file_(std::move(file)), before_(before) {}

  util::Fd file_;
  sigset_t before_;
};

// Stops this process as the terminal asked, until it is continued.
void stop_like_a_job();

// "SIGSEGV (segmentation fault)".
std::string describe_signal(int signal);

}  // namespace polder::cli
