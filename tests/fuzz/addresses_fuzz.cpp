// The addresses of a rank, as a greeting or a call brings them: those that are taken can be called.
#include "device/tcp/addresses.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace polder::device::tcp;
  const auto addresses = read_addresses(std::as_bytes(std::span(data, size)));
  if (!addresses) return 0;
  const auto calls = in_order_of_calls(*addresses, *addresses);
  if (calls.empty() || calls.size() > RankAddresses::kMost) std::abort();
  for (const NetworkAddress& address : calls) {
    sockaddr_storage name;
    if (address.name(name) == 0 || (name.ss_family != AF_INET && name.ss_family != AF_INET6)) std::abort();
  }
  return 0;
}
