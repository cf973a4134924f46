#include "device/ucx/options.hpp"

#include <algorithm>

namespace polder::device::ucx {
namespace {

constexpr util::Option kDevices{"POLDER_UCX_DEVICES", "",
                                "network devices that UCX may use, e.g. eth0 or mlx5_0:1 (default: all); its listeners "
                                "are bound to them only"};
constexpr util::Option kPeerTimeout{"POLDER_UCX_PEER_TIMEOUT_MS", "7500",
                                    "milliseconds after which a peer that does not answer over UCX is lost; 0: never"};
constexpr util::Option kUnguarded{"POLDER_UCX_UNGUARDED", "no",
                                  "yes: UCX may listen also where strangers cannot be kept away from its TCP ports"};
constexpr util::Option kTable[] = {kDevices, kPeerTimeout, kUnguarded};

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

std::string devices_option() {
  return util::option_text(kDevices);
}

std::uint32_t peer_timeout_option() {
  return std::uint32_t(std::clamp<std::int64_t>(util::option_number(kPeerTimeout), 0, 1'000'000'000));
}

bool unguarded_option() {
  return util::option_flag(kUnguarded);
}

}  // namespace polder::device::ucx
