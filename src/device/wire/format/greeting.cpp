#include "device/wire/format/greeting.hpp"

#include "device/wire/format/siphash.hpp"
#include "util/random.hpp"

#include <cstring>

namespace polder::device::wire {
namespace {

constexpr std::uint64_t kMagic = 0x706f6c6465720201;  // the last byte counts versions of what travels

struct Layout {
  std::uint64_t magic;
  std::uint64_t proof;  // over all that follows
  Greeting greeting;
  std::uint64_t address_bytes;
};

constexpr std::size_t kProven = offsetof(Layout, greeting);

std::uint64_t prove(std::span<const std::byte> bytes, std::uint64_t secret) {
  return siphash({util::mix(secret), util::mix(~secret)}, bytes.subspan(kProven));
}

}  // namespace

std::vector<std::byte> encode(const Greeting& greeting, std::span<const std::byte> address, std::uint64_t secret) {
  Layout layout{};
  layout.magic = kMagic;
  layout.greeting = greeting;
  layout.address_bytes = address.size();
  std::vector<std::byte> bytes(sizeof layout + address.size());
  std::memcpy(bytes.data(), &layout, sizeof layout);
  if (!address.empty()) std::memcpy(bytes.data() + sizeof layout, address.data(), address.size());
  layout.proof = prove(bytes, secret);
  std::memcpy(bytes.data() + offsetof(Layout, proof), &layout.proof, sizeof layout.proof);
  return bytes;
}

Result<Heard> decode(std::span<const std::byte> bytes, std::uint64_t secret) {
  Layout layout;
  if (bytes.size() < sizeof layout) return Status(Code::invalid_argument, "too short for a greeting");
  std::memcpy(&layout, bytes.data(), sizeof layout);
  if (layout.magic != kMagic) return Status(Code::invalid_argument, "not a greeting of this version of Polder");
  if (layout.address_bytes != bytes.size() - sizeof layout)
    return Status(Code::invalid_argument, "a greeting of the wrong length");
  if (layout.proof != prove(bytes, secret))
    return Status(Code::invalid_argument, "a greeting without proof of the job's secret");
  return Heard{layout.greeting, bytes.subspan(sizeof layout)};
}

}  // namespace polder::device::wire
