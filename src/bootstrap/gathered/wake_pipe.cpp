#include "bootstrap/gathered/wake_pipe.hpp"

#include "util/shared_memory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>

namespace polder::bootstrap::gathered {
namespace {

std::uint64_t identity_of(const char* path) {
  struct stat info {};
  return stat(path, &info) == 0 && S_ISFIFO(info.st_mode) ? std::uint64_t(info.st_ino) : 0;
}

std::string path_of(pid_t pid, int file) {
  return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(file);
}

}  // namespace

Result<WakePipe> WakePipe::create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return util::system_error("pipe for the watcher");
  WakePipe pipe;
  pipe.read_end_ = util::Fd(ends[0]);
  pipe.write_end_ = util::Fd(ends[1]);
  return pipe;
}

void WakePipe::drain() const {
  char bytes[64];
  while (read(file(), bytes, sizeof bytes) > 0) {
  }
}

void WakePipe::wake_owner() const {
  [[maybe_unused]] const ssize_t written = write(write_end_.get(), "", 1);  // a full pipe wakes as well
}

void WakePipe::announce(local::RankSlot& slot) const {
  slot.wake_identity.store(identity_of(path_of(getpid(), write_end_.get()).c_str()));
  slot.wake_file.store(write_end_.get() + 1);
}

// By now the descriptor's number, or even the process's, may be somebody else's: the pipe is told by its identity.
void wake(const local::RankSlot& slot) {
  const std::int32_t number = slot.wake_file.load() - 1;
  if (number < 0) return;
  const std::string path = path_of(slot.pid.load(), number);
  if (identity_of(path.c_str()) != slot.wake_identity.load()) return;
  // For reading too: a pipe without readers, should that process be ending, would end this one (SIGPIPE).
  const util::Fd pipe(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  // A full pipe wakes as well.
  [[maybe_unused]] const ssize_t written = pipe ? write(pipe.get(), "", 1) : 0;
}

}  // namespace polder::bootstrap::gathered
