// Cross-memory attach: copying from and to another process's memory by system call, for memory that is no shared file.
#pragma once

#include "device/region.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <span>

#include <sys/types.h>

namespace polder::device::shm {

enum class Direction { write, read };

// Copies `pieces` between this process and address `base` + piece.remote of process `pid`. One system call for up to
// 256 pieces. peer_failed: the process is gone; unsupported: the kernel refuses access; system: anything else, e.g. the
// peer unmapped the memory.
Status cross_copy(Direction direction, pid_t pid, std::uint64_t base, std::span<const Piece> pieces);

// Whether process `pid` lets this one read its byte at `address`.
bool cross_attach_allowed(pid_t pid, std::uint64_t address);

// Lets other processes of the user attach to this one, where a security module asks for that (Yama, ptrace_scope 1).
void permit_cross_attach();

}  // namespace polder::device::shm
