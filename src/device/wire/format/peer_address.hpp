// The address of a rank, as its peers get it: that of its transport, with a head by which a device knows that it is one
// of its own network, of that rank, and whole. A transport may believe everything it is given.
#pragma once

#include <polder/types.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace polder::device::wire {

constexpr std::size_t kAddressLimit = 1024;

// `device`: its name.
std::vector<std::byte> pack_address(std::string_view device, Rank rank, std::span<const std::byte> transport_address);
// The address of the transport, inside of `address`. Nothing: it is no address of that rank.
std::optional<std::span<const std::byte>> read_address(std::string_view device, Rank rank,
                                                       std::span<const std::byte> address);

}  // namespace polder::device::wire
