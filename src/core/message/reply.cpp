#include "core/message/reply.hpp"

namespace polder::core {

bool decode_reply(std::span<const std::byte> message, ReplyHead& head, Code& code, std::span<const std::byte>& data) {
  Decoder decoder(message);
  if (!decoder.take(head) || head.code > std::uint32_t(Code::owner_died)) return false;
  if (!decode_enum(std::uint8_t(head.code), Code::owner_died, code)) return false;
  data = decoder.rest();
  return code == Code::ok || data.empty();
}

}  // namespace polder::core
