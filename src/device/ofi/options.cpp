#include "device/ofi/options.hpp"

#include "device/wire/network/pacing.hpp"

#include <algorithm>

namespace polder::device::ofi {
namespace {

constexpr util::Option kProvider{kProviderName, "tcp;ofi_rxm",
                                 "provider of libfabric, as `fi_info -l` lists them; with reliable datagrams (RDM)"};
constexpr util::Option kDevices{kDevicesName, "",
                                "networks that libfabric may use, e.g. eth0 (default: the first that leads out of this "
                                "host)"};
constexpr util::Option kPeerTimeout{"POLDER_OFI_PEER_TIMEOUT_MS", "7500",
                                    "milliseconds after which a peer that does not answer over OFI is lost; 0: never"};
constexpr util::Option kUnguarded{kUnguardedName, "no",
                                  "yes: OFI may listen also where strangers cannot be kept away from its ports"};
constexpr util::Option kTable[] = {kProvider, kDevices, kPeerTimeout, kUnguarded, wire::kCongestion};

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

std::string provider_option() {
  return util::option_text(kProvider);
}

std::string devices_option() {
  return util::option_text(kDevices);
}

bool unguarded_option() {
  return util::option_flag(kUnguarded);
}

wire::Settings settings() {
  wire::Settings chosen{.name = "ofi", .devices_option = kDevicesName};
  chosen.peer_timeout_ms = std::uint32_t(std::clamp<std::int64_t>(util::option_number(kPeerTimeout), 0, 1'000'000'000));
  return chosen;
}

}  // namespace polder::device::ofi
