// Operations whose caller waits for the answer: a look at a peer's root, an atomic on memory that cannot be loaded and
// stored.
#pragma once

#include "core/peer.hpp"
#include "device/device.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::core {

class Engine;

// Copies what lies at `offset` of the peer's root, by get or by message. At most 1 kB.
Status read_root(Engine& engine, Peer& peer, std::uint64_t offset, std::span<std::byte> into, Timeout timeout);

// Checks everything, changes the word, and returns its old value.
Result<std::uint64_t> atomic(Engine& engine, GlobalAddress target, const device::AtomicRequest& request,
                             Timeout timeout);

}  // namespace polder::core
