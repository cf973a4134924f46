// Standard input, output and error of the ranks.
//
// Rank 0 has the launcher's input, the others /dev/null. Without --tag-output all write straight to what the launcher
// writes to.
#pragma once

#include "launch/event_loop.hpp"
#include "launch/spawn.hpp"
#include "launch/tagged_output.hpp"
#include "launch/terminal_input.hpp"
#include "util/fd.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <optional>

namespace polder::cli {

class Plumbing {
 public:
  Plumbing(EventLoop& loop, bool tag_output);

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

  // Shows what is left once all ranks have ended.
  void finish();

 private:
  Result<util::Fd> open_input(Rank rank);

  TerminalInput input_;
  std::optional<TaggedOutput> output_;
};

}  // namespace polder::cli
