// A request of a peer, as the handler of its number gets it.
#pragma once

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace polder::core {

// Every request begins with this, as the first member of what its module sends.
struct RequestHead {
  std::uint64_t token = 0;  // set by call(); comes back with the reply
};

// A rank that waits for a reply.
struct Caller {
  Rank rank = 0;
  std::uint64_t token = 0;
};

struct Request {
  Caller caller;
  std::span<const std::byte> message;  // all of it, RequestHead included; valid during the handler only
};

// Runs in whatever thread makes progress; must not wait. May reply at once, or keep the caller and reply later.
using RequestHandler = std::function<void(const Request&)>;

}  // namespace polder::core
