// How two ranks meet: each draws a session number and tells it to the other, with a proof that it knows the job's
// secret. The secret itself never travels.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::device::wire {

struct Greeting {
  enum class Kind : std::uint32_t { hello = 1, welcome = 2 };

  Kind kind = Kind::hello;
  Rank source = 0;
  Rank target = 0;
  std::uint64_t session = 0;    // to be written on frames for the one who greets
  std::uint64_t answer_to = 0;  // welcome: the session number of the hello
  std::uint32_t clock = 0;      // of the one who greets, in milliseconds
  std::uint32_t lease = 0;      // milliseconds after which it refuses a frame
};

// The bytes of a greeting; `address` is that of the one who greets.
std::vector<std::byte> encode(const Greeting& greeting, std::span<const std::byte> address, std::uint64_t secret);

struct Heard {
  Greeting greeting;
  std::span<const std::byte> address;  // inside the bytes that were decoded
};

// invalid_argument: not a greeting of this version, or its proof was made without this secret.
Result<Heard> decode(std::span<const std::byte> bytes, std::uint64_t secret);

}  // namespace polder::device::wire
