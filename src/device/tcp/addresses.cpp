#include "device/tcp/addresses.hpp"

#include "device/tcp/options.hpp"
#include "device/wire/network/named_networks.hpp"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace polder::device::tcp {
namespace {

template <class Name>
Name as(const sockaddr* address) {
  Name name;
  std::memcpy(&name, address, sizeof name);
  return name;
}

std::span<const std::uint8_t> bytes_of(const sockaddr* address, NetworkAddress& into, bool is_mask) {
  std::size_t size = 0;
  if (address->sa_family == AF_INET) {
    const auto name = as<sockaddr_in>(address);
    std::memcpy(into.bytes.data(), &name.sin_addr, size = sizeof name.sin_addr);
  } else {
    const auto name = as<sockaddr_in6>(address);
    std::memcpy(into.bytes.data(), &name.sin6_addr, size = sizeof name.sin6_addr);
  }
  if (!is_mask) into.family = address->sa_family == AF_INET ? 4 : 6;
  return {into.bytes.data(), size};
}

// Of one that is valid on its own link only a peer would have to name the link.
bool is_of_one_link(const NetworkAddress& address) {
  return address.family == 6 && address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

std::optional<NetworkAddress> address_of(const ifaddrs& device) {
  constexpr unsigned kUsable = IFF_UP | IFF_RUNNING;
  if (device.ifa_addr == nullptr || (device.ifa_flags & kUsable) != kUsable) return {};
  if (device.ifa_addr->sa_family != AF_INET && device.ifa_addr->sa_family != AF_INET6) return {};
  NetworkAddress address, mask;
  bytes_of(device.ifa_addr, address, false);
  if (is_of_one_link(address)) return {};
  if (device.ifa_netmask != nullptr)
    for (const std::uint8_t byte : bytes_of(device.ifa_netmask, mask, true))
      address.prefix = std::uint8_t(address.prefix + std::popcount(byte));
  return address;
}

struct FreeDevices {
  void operator()(ifaddrs* first) const { ::freeifaddrs(first); }
};

}  // namespace

bool NetworkAddress::shares_network(const NetworkAddress& other) const {
  if (family != other.family || prefix != other.prefix || prefix == 0) return false;
  const std::size_t whole = prefix / 8;
  if (!std::equal(bytes.begin(), bytes.begin() + std::ptrdiff_t(whole), other.bytes.begin())) return false;
  return prefix % 8 == 0 || (bytes[whole] ^ other.bytes[whole]) >> (8 - prefix % 8) == 0;
}

socklen_t NetworkAddress::name(sockaddr_storage& name) const {
  name = {};
  if (family == 4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    std::memcpy(&v4.sin_addr, bytes.data(), sizeof v4.sin_addr);
    std::memcpy(&name, &v4, sizeof v4);
    return sizeof v4;
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = port;
  std::memcpy(&v6.sin6_addr, bytes.data(), sizeof v6.sin6_addr);
  std::memcpy(&name, &v6, sizeof v6);
  return sizeof v6;
}

Result<RankAddresses> own_addresses(const std::string& devices) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0)
    return Status(Code::system, std::string("tcp: looking for networks: ") + std::strerror(errno));
  const std::unique_ptr<ifaddrs, FreeDevices> held(first);
  RankAddresses own;
  const auto add_all = [&](auto&& is_wanted, int family) {
    for (const ifaddrs* device = first; device != nullptr; device = device->ifa_next) {
      const auto address = address_of(*device);
      if (!address || address->family != family || !is_wanted(*device) || own.count == RankAddresses::kMost) continue;
      own.all[own.count++] = *address;
    }
  };
  const auto is_wanted = [&](const ifaddrs& device) {
    return devices.empty() ? (device.ifa_flags & IFF_LOOPBACK) == 0 : wire::is_named(devices, device.ifa_name);
  };
  for (const int family : {4, 6}) add_all(is_wanted, family);
  if (own.count == 0 && devices.empty()) add_all([](const ifaddrs&) { return true; }, 4);
  if (own.count == 0)
    return Status(Code::system, "tcp: this host has no network '" + devices + "' that is up (" + kDevicesName + ")");
  return own;
}

std::optional<RankAddresses> read_addresses(std::span<const std::byte> bytes) {
  RankAddresses addresses;
  if (bytes.size() != sizeof addresses) return {};
  std::memcpy(&addresses, bytes.data(), sizeof addresses);
  if (addresses.count == 0 || addresses.count > RankAddresses::kMost) return {};
  const auto is_right = [](const NetworkAddress& one) {
    return one.port != 0 && ((one.family == 4 && one.prefix <= 32) || (one.family == 6 && one.prefix <= 128));
  };
  if (!std::ranges::all_of(addresses.used(), is_right)) return {};
  return addresses;
}

// Each host has a network of its own for containers, and all of them look alike: under this host's own address there it is no peer on
// another one, unless that is how all its addresses are.
std::vector<NetworkAddress> in_order_of_calls(const RankAddresses& peer, const RankAddresses& own) {
  const auto is_own = [&](const NetworkAddress& address) {
    return std::ranges::any_of(own.used(), [&](const NetworkAddress& one) { return one.is_same_host(address); });
  };
  const auto is_near = [&](const NetworkAddress& address) {
    return std::ranges::any_of(own.used(), [&](const NetworkAddress& one) { return one.shares_network(address); });
  };
  std::vector<NetworkAddress> calls(peer.used().begin(), peer.used().end());
  if (!std::ranges::all_of(calls, is_own)) std::erase_if(calls, is_own);
  std::stable_partition(calls.begin(), calls.end(), is_near);
  return calls;
}

}  // namespace polder::device::tcp
