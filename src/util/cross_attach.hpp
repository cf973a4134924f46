// Cross-memory attach: copying from and to another process's memory by system call, for memory that is no shared file.
#pragma once

#include <polder/status.hpp>

#include <cstdint>
#include <span>

#include <sys/types.h>
#include <sys/uio.h>

namespace polder::util {

enum class CrossDirection : std::uint8_t { write, read };

// What one system call takes of either list.
inline constexpr std::size_t kCrossPieces = 1024;

// Copies from what `local` names to what `remote` names in process `pid`, or the other way, as one stream of bytes; both lists are used
// up. peer_failed: the process is gone; unsupported: the kernel refuses access; system: anything else, e.g. the peer has
// unmapped the memory. Then any part may have been copied.
// REQUIRES: both name as many bytes, in up to kCrossPieces pieces each, none of which is empty.
Status cross_copy(CrossDirection direction, pid_t pid, std::span<iovec> local, std::span<iovec> remote);

// Whether process `pid` lets this one read its byte at `address`.
bool cross_attach_allowed(pid_t pid, std::uint64_t address);

// Lets other processes of the user attach to this one, where a security module asks for that (Yama, ptrace_scope 1).
void permit_cross_attach();

}  // namespace polder::util
