// Any bytes as a greeting: refused, or one that was made with the job's secret and names its address.
#include "device/wire/format/greeting.hpp"

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace polder::device::wire;
  constexpr std::uint64_t kSecret = 0x5ec4e7;
  const std::span<const std::byte> given(reinterpret_cast<const std::byte*>(bytes), size);
  if (const auto heard = decode(given, kSecret); heard.ok()) {
    // Nothing but encode() makes such bytes.
    const auto again = encode(heard->greeting, heard->address, kSecret);
    if (!std::equal(again.begin(), again.end(), given.begin(), given.end())) std::abort();
  }
  // And the other way round: what is encoded is heard, by those who know the secret only.
  if (size < sizeof(Greeting)) return 0;
  Greeting greeting;
  std::copy_n(reinterpret_cast<const std::byte*>(bytes), sizeof greeting, reinterpret_cast<std::byte*>(&greeting));
  const auto sent = encode(greeting, given.subspan(sizeof greeting), kSecret);
  const auto heard = decode(sent, kSecret);
  if (!heard.ok() || !std::ranges::equal(heard->address, given.subspan(sizeof greeting))) std::abort();
  if (decode(sent, kSecret + 1).ok()) std::abort();
  return 0;
}
