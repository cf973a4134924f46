#include "device/wire/format/peer_address.hpp"

#include "device/wire/format/siphash.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace polder::device::wire {
namespace {

struct AddressHead {
  std::uint64_t magic;
  std::uint64_t checksum;
  Rank rank;
  std::uint32_t bytes;
};
constexpr std::uint64_t kAddressMagic = 0x706f6c6465720a01;

// Of another network's device it would be another one.
std::uint64_t checksum(std::string_view device, Rank rank, std::span<const std::byte> bytes) {
  return siphash({siphash({kAddressMagic, rank}, std::as_bytes(std::span(device))), rank}, bytes);
}

}  // namespace

std::vector<std::byte> pack_address(std::string_view device, Rank rank, std::span<const std::byte> transport_address) {
  const AddressHead head{kAddressMagic, checksum(device, rank, transport_address), rank,
                         std::uint32_t(transport_address.size())};
  std::vector<std::byte> bytes(sizeof head + transport_address.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, transport_address.data(), transport_address.size());
  return bytes;
}

std::optional<std::span<const std::byte>> read_address(std::string_view device, Rank rank,
                                                       std::span<const std::byte> address) {
  AddressHead head{};
  if (address.size() > sizeof head) std::memcpy(&head, address.data(), sizeof head);
  const auto inside = address.subspan(std::min(address.size(), sizeof head));
  const bool is_whole = head.magic == kAddressMagic && head.rank == rank && head.bytes == inside.size() &&
                        head.checksum == checksum(device, rank, inside);
  return is_whole ? std::optional(inside) : std::nullopt;
}

}  // namespace polder::device::wire
