// Accumulate into memory that this process can load and store, block by block under the segment's element locks.
#pragma once

#include "core/peer.hpp"

#include <polder/accumulate.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace polder::core {

class Engine;

// Of an element in memory, in bytes.
constexpr std::size_t alignment_of(DataType type) {
  return type == DataType::complex64 ? 4 : std::min<std::size_t>(size_of(type), 8);
}

// REQUIRES: segment.data and segment.control are not null, the range lies inside, offset and bytes fit the element.
// Waits only where another rank or thread is combining into the same 16 kB. timeout: a lock was held for too long;
// blocks before it are done, the others are not.
Status accumulate_direct(Engine& engine, const PeerSegment& segment, const Accumulation& how, const std::byte* source,
                         std::uint64_t offset, std::size_t bytes, Timeout timeout);

}  // namespace polder::core
