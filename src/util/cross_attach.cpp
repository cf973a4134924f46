#include "util/cross_attach.hpp"

#include "util/assert.hpp"
#include "util/shared_memory.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <cstddef>
#include <string>

namespace polder::util {
namespace {

Status attach_error(pid_t pid) {
  if (errno == ESRCH) return {Code::peer_failed, "process " + std::to_string(pid) + " is gone", Died::peer};
  if (errno == EPERM)
    return {Code::unsupported, "the kernel refuses cross-memory attach to process " + std::to_string(pid),
            Died::operation};
  return system_error("cross-memory attach");
}

// Drops what is done from the front.
std::span<iovec> without_front(std::span<iovec> list, std::size_t done) {
  while (!list.empty() && done >= list.front().iov_len) {
    done -= list.front().iov_len;
    list = list.subspan(1);
  }
  if (!list.empty()) {
    list.front().iov_base = static_cast<char*>(list.front().iov_base) + done;
    list.front().iov_len -= done;
  }
  return list;
}

}  // namespace

// The kernel may stop at any byte.
Status cross_copy(CrossDirection direction, pid_t pid, std::span<iovec> local, std::span<iovec> remote) {
  POLDER_ASSERT(local.size() <= kCrossPieces && remote.size() <= kCrossPieces);
  const auto call = direction == CrossDirection::write ? process_vm_writev : process_vm_readv;
  while (!local.empty()) {
    const ssize_t done = call(pid, local.data(), local.size(), remote.data(), remote.size(), 0);
    if (done < 0) return attach_error(pid);
    if (done == 0) return {Code::system, "cross-memory attach made no progress", Died::operation};
    local = without_front(local, std::size_t(done));
    remote = without_front(remote, std::size_t(done));
  }
  return {};
}

bool cross_attach_allowed(pid_t pid, std::uint64_t address) {
  char byte;
  const iovec local{&byte, 1};
  const iovec remote{reinterpret_cast<void*>(address), 1};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0) == 1;
}

void permit_cross_attach() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

}  // namespace polder::util
