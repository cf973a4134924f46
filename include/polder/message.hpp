// Small messages to numbered handlers, for services that need their owner's attention.
#pragma once

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace polder {

using MessageId = std::uint16_t;  // 0 .. kMessageIdLimit-1 are the user's

inline constexpr MessageId kMessageIdLimit = 1024;

// `bytes` is valid during the call only. Runs in the runtime's helper thread, or in a thread of this rank that waits
// for something, be it room, or calls Runtime::progress(); one message of a runtime is handled at a time, and those that one
// thread sent arrive in the order in which it sent them. It must not wait itself. May post operations and send messages with Timeout::test(); queue_full of a put or
// get that takes several messages or batches may mean that the first of them are on their way: post it again as a whole.
// An accumulate must fit a message here (invalid_size). Must not throw: there is nobody who could catch it, and the
// process ends with a line that names the message.
using MessageHandler = std::function<void(Rank source, std::span<const std::byte> bytes)>;

}  // namespace polder
