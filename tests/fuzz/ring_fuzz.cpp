// Any bytes as the ring of messages that a peer writes into shared memory: what is taken lies in it, or it is damaged.
//
//   input: | head, 4 bytes | tail, 4 bytes | the beginning of the ring |
#include "device/shm/ring.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using polder::device::shm::Ring;
  if (size < 8) return 0;
  static const auto ring =
      std::make_unique<Ring>();  // too large to be made each time; what earlier inputs left lies behind
  std::uint32_t ends[2];
  std::memcpy(ends, bytes, sizeof ends);
  ring->head.store(ends[0]);
  ring->tail.store(ends[1]);
  // Where reading begins, and around the end.
  const std::size_t begin = ends[0] % Ring::kBytes;
  for (std::size_t i = 8; i < size; ++i) ring->bytes[(begin + i - 8) % Ring::kBytes] = std::byte(bytes[i]);
  constexpr int kMost = 1000;
  int taken = 0;
  const int count = ring->pop(kMost, [&](std::uint16_t, std::span<const std::byte> message) {
    if (message.size() > Ring::kLargest) std::abort();
    if (message.data() < ring->bytes || message.data() + message.size() > ring->bytes + Ring::kBytes) std::abort();
    ++taken;
  });
  if (count > kMost || (count >= 0 && count != taken)) std::abort();
  return 0;
}
