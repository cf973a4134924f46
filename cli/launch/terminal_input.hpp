// Passes what is typed on the launcher's terminal on to rank 0.
//
// Ranks are process groups of their own, so the terminal would stop one that reads from it itself.
#pragma once

#include "launch/event_loop.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>

#include <string>

namespace polder::cli {

class TerminalInput {
 public:
  // `loop` must outlive this object.
  explicit TerminalInput(EventLoop& loop) : loop_(loop) {}
  TerminalInput(const TerminalInput&) = delete;
  TerminalInput& operator=(const TerminalInput&) = delete;

  // Begins, and gives the end that rank 0 reads from.
  Result<util::Fd> open();

  // Looks whether the launcher is in the foreground again. Call when it was continued.
  void resume();

 private:
  void watch_terminal();
  void on_typed();
  void look_again_later();
  void on_room();
  void close();

  EventLoop& loop_;
  util::Fd pipe_;
  util::Fd timer_;       // of look_again_later()
  std::string pending_;  // typed, not yet taken by rank 0
};

}  // namespace polder::cli
