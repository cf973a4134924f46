#include "device/wire/network/transport.hpp"

namespace polder::device::wire {
namespace {

Status unreached() {
  return {Code::unsupported, "this network does not reach into memory"};
}

}  // namespace

Result<std::unique_ptr<Registration>> Transport::register_memory(void*, std::size_t) const {
  return unreached();
}

Result<std::unique_ptr<RemoteKey>> Transport::unpack(const Endpoint&, std::span<const std::byte>) {
  return unreached();
}

}  // namespace polder::device::wire
