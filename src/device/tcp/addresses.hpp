// Under which addresses a rank can be called, and in which order its peers try them.
#pragma once

#include <polder/status.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace polder::device::tcp {

// As it travels: of IPv4 or IPv6, and the length of the prefix that its network shares.
struct NetworkAddress {
  std::uint8_t family = 0;  // 4 or 6
  std::uint8_t prefix = 0;  // bits
  std::uint16_t port = 0;
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const NetworkAddress&) const = default;
  bool shares_network(const NetworkAddress& other) const;
  // The same interface, whatever the port.
  bool is_same_host(const NetworkAddress& other) const { return family == other.family && bytes == other.bytes; }
  // Returns its length.
  socklen_t name(sockaddr_storage& name) const;
};

// All of them; those that are not used are empty, so that equal ranks have equal bytes.
struct RankAddresses {
  static constexpr std::size_t kMost = 8;

  std::uint32_t count = 0;
  std::array<NetworkAddress, kMost> all{};

  bool operator==(const RankAddresses&) const = default;
  std::span<const NetworkAddress> used() const { return {all.data(), count}; }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(this, 1)); }
};
static_assert(sizeof(NetworkAddress) == 20 && sizeof(RankAddresses) == 4 + 20 * RankAddresses::kMost);

// Of the networks of this host that are up, without ports: those of `devices` ("eth0,eth1"), or else all that lead out of it, or else the
// loopback. system: there is none.
Result<RankAddresses> own_addresses(const std::string& devices);

// Nothing: they are not addresses of a rank.
std::optional<RankAddresses> read_addresses(std::span<const std::byte> bytes);

// Those first that share a network with this rank.
std::vector<NetworkAddress> in_order_of_calls(const RankAddresses& peer, const RankAddresses& own);

}  // namespace polder::device::tcp
