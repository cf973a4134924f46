#include "bootstrap/local/lifeline.hpp"

#include "util/fd.hpp"
#include "util/shared_memory.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace polder::bootstrap::local {
namespace {

bool is_cut(int pipe) {
  pollfd end{.fd = pipe, .events = POLLIN, .revents = 0};
  return poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0;
}

}  // namespace

Status arm_lifeline(const std::string& path) {
  util::Fd pipe(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe && (errno == ENOENT || errno == ESRCH))
    return {Code::peer_failed, "lifeline " + path + ": the launcher is gone", Died::runtime};
  if (!pipe) return util::system_error(("open of the lifeline " + path).c_str());
  if (fcntl(pipe.get(), F_SETSIG, SIGKILL) != 0 || fcntl(pipe.get(), F_SETOWN, getpid()) != 0 ||
      fcntl(pipe.get(), F_SETFL, O_ASYNC | O_NONBLOCK) != 0)
    return util::system_error("fcntl of the lifeline");
  // It may have been cut before the kernel knew whom to signal.
  if (is_cut(pipe.get())) ::kill(getpid(), SIGKILL);
  // Never closed: it must hold until the process ends. Kernels before 5.6 also signal when another reader of the
  // same pipe closes, which is why ranks do not share one.
  pipe.release();
  return {};
}

}  // namespace polder::bootstrap::local
