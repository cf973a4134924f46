// Any bytes as a reply: refused, or a code that exists, with data only where it is ok.
#include "core/message/reply.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace polder;
  core::ReplyHead head;
  Code code = Code::ok;
  std::span<const std::byte> data;
  if (!core::decode_reply({reinterpret_cast<const std::byte*>(bytes), size}, head, code, data)) return 0;
  if (code > Code::owner_died || std::uint32_t(code) != head.code) std::abort();
  if (code != Code::ok && !data.empty()) std::abort();
  if (data.size() + sizeof head != size) std::abort();
  return 0;
}
