// Standard input, output and error of the ranks.
//
// Rank 0 has the launcher's input, the others /dev/null. All write straight to what the launcher writes to, unless their
// lines are to be tagged, or to share a terminal with what --watch shows.
#pragma once

#include "launch/event_loop.hpp"
#include "launch/spawn.hpp"
#include "launch/tagged_output.hpp"
#include "launch/terminal_input.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <functional>
#include <string>

namespace polder::cli {

class Plumbing {
 public:
  struct Output {
    bool by_lines = false;  // through the launcher
    bool tag = false;
    std::function<void()> before = [] {};  // called before a line of a rank is shown
  };
  Plumbing(EventLoop& loop, const Output& output);

  // The child's ends; close them once the process is forked.
  struct Ends {
    Streams streams() const { return {in.get(), out.get(), error.get()}; }
    util::Fd in;
    util::Fd out;
    util::Fd error;
  };
  Result<Ends> open(Rank rank);

  // Call when the launcher was continued.
  void resume() { input_.resume(); }

  // A sentence of the launcher, and whether the reader has taken all of them.
  void say(const std::string& sentence) { output_.say(sentence); }
  bool is_behind() const { return output_.is_behind(); }

  // Shows what is left once all ranks have ended; drops it if nobody has taken anything for so long (-1: however long).
  void finish(int milliseconds) { output_.finish(milliseconds); }

 private:
  Result<util::Fd> open_input(Rank rank);

  TerminalInput input_;
  const bool by_lines_;
  TaggedOutput output_;
};

}  // namespace polder::cli
