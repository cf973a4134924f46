// A reply as it travels.
#pragma once

#include "core/message/decoder.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::core {

struct ReplyHead {
  std::uint64_t token = 0;  // of the request
  std::uint32_t code = 0;   // a Code
  std::uint32_t unused = 0;
};

// False: it is malformed.
[[nodiscard]] bool decode_reply(std::span<const std::byte> message, ReplyHead& head, Code& code,
                                std::span<const std::byte>& data);

}  // namespace polder::core
