// Any bytes as a request of DART for an atomic of 1 to 16 bytes, and as the answer: refused, or carried out inside of the segment.
#include "api/dart/atomic/atomic_message.hpp"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace polder;
  using namespace polder::dart;
  const std::span letter(reinterpret_cast<const std::byte*>(bytes), size);
  AtomicAnswer answer;
  if (decode_answer(letter, answer) && answer.size > sizeof answer.old) std::abort();
  DecodedAtomic request;
  if (decode_atomic(letter, request) != Code::ok) return 0;
  constexpr std::size_t kSegment = 256, kBeside = 64;
  alignas(16) std::byte memory[kSegment + 2 * kBeside];
  std::memset(memory, 0x5a, sizeof memory);
  alignas(16) std::byte old[sizeof(long double) + kBeside];
  std::memset(old, 0x5a, sizeof old);
  const Code code = carry_out(request, {memory + kBeside, kSegment}, old);
  std::size_t changed = 0;
  for (std::size_t at = 0; at < sizeof memory; ++at) {
    const bool beside = at < kBeside || at >= kBeside + kSegment;
    if (memory[at] == std::byte{0x5a}) continue;
    if (beside || code != Code::ok) std::abort();
    ++changed;
  }
  if (changed > request.head.count * request.element) std::abort();
  for (std::size_t at = sizeof(long double); at < sizeof old; ++at)
    if (old[at] != std::byte{0x5a}) std::abort();
  return 0;
}
