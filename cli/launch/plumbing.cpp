#include "launch/plumbing.hpp"

#include "util/shared_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace polder::cli {

Plumbing::Plumbing(EventLoop& loop, const Output& output)
    : input_(loop), by_lines_(output.by_lines), output_(loop, output.tag, output.before) {}

Result<util::Fd> Plumbing::open_input(Rank rank) {
  if (rank == 0) return isatty(STDIN_FILENO) != 0 ? input_.open() : Result<util::Fd>(util::Fd());
  util::Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) return util::system_error("open of /dev/null");
  return nothing;
}

Result<Plumbing::Ends> Plumbing::open(Rank rank) {
  auto in = open_input(rank);
  if (!in) return in.status();
  Ends ends{*std::move(in), {}, {}};
  if (!by_lines_) return ends;
  auto pipes = output_.open(rank);
  if (!pipes) return pipes.status();
  ends.out = std::move(pipes->out);
  ends.error = std::move(pipes->error);
  return ends;
}

}  // namespace polder::cli
