#include "device/shm/cross_attach.hpp"

#include "util/shared_memory.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace polder::device::shm {
namespace {

constexpr std::size_t kBatch = 256;

Status attach_error(pid_t pid) {
  if (errno == ESRCH) return {Code::peer_failed, "process " + std::to_string(pid) + " is gone", Died::peer};
  if (errno == EPERM)
    return {Code::unsupported, "the kernel refuses cross-memory attach to process " + std::to_string(pid),
            Died::operation};
  return util::system_error("cross-memory attach");
}

// The kernel may stop at any byte: drops what is done from the front of both lists.
std::size_t advance(iovec* list, std::size_t begin, std::size_t end, std::size_t done) {
  while (begin < end && done >= list[begin].iov_len) done -= list[begin++].iov_len;
  if (begin < end) {
    list[begin].iov_base = static_cast<char*>(list[begin].iov_base) + done;
    list[begin].iov_len -= done;
  }
  return begin;
}

Status copy_batch(Direction direction, pid_t pid, std::uint64_t base, std::span<const Piece> pieces) {
  iovec local[kBatch], remote[kBatch];
  std::size_t count = 0;
  for (const Piece& piece : pieces) {
    if (piece.bytes == 0) continue;  // or a call that moves nothing would look like one that is stuck
    local[count] = {piece.local, piece.bytes};
    remote[count++] = {reinterpret_cast<void*>(base + piece.remote), piece.bytes};
  }
  for (std::size_t begin = 0; begin < count;) {
    const auto call = direction == Direction::write ? process_vm_writev : process_vm_readv;
    const ssize_t done = call(pid, local + begin, count - begin, remote + begin, count - begin, 0);
    if (done < 0) return attach_error(pid);
    if (done == 0) return {Code::system, "cross-memory attach made no progress", Died::operation};
    advance(remote, begin, count, std::size_t(done));
    begin = advance(local, begin, count, std::size_t(done));
  }
  return {};
}

}  // namespace

Status cross_copy(Direction direction, pid_t pid, std::uint64_t base, std::span<const Piece> pieces) {
  while (!pieces.empty()) {
    const auto batch = pieces.first(std::min(pieces.size(), kBatch));
    if (Status status = copy_batch(direction, pid, base, batch); !status.ok()) return status;
    pieces = pieces.subspan(batch.size());
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

}  // namespace polder::device::shm
