#include "device/ucx/options.hpp"

#include "device/ucx/host_networks.hpp"
#include "device/wire/format/protocol.hpp"
#include "device/wire/network/pacing.hpp"

#include <algorithm>

namespace polder::device::ucx {
namespace {

constexpr util::Option kDevices{kDevicesName, "",
                                "network devices that UCX may use, e.g. eth0 or mlx5_0:1 (default: all); its listeners "
                                "are bound to them only"};
constexpr util::Option kPeerTimeout{"POLDER_UCX_PEER_TIMEOUT_MS", "7500",
                                    "milliseconds after which a peer that does not answer over UCX is lost; 0: never"};
constexpr util::Option kUnguarded{kUnguardedName, "no",
                                  "yes: UCX may listen also where strangers cannot be kept away from its TCP ports"};
constexpr util::Option kRma{"POLDER_UCX_RMA", "auto",
                            "on, off or auto: large puts and gets reach straight into the memory of peers; auto: of "
                            "those that UCX reaches by a network which does so itself"};
constexpr util::Option kRmaBytes{"POLDER_UCX_RMA_BYTES", "32k",
                                 "pieces of so many bytes or more do that, smaller ones travel in messages"};
constexpr util::Option kTable[] = {kDevices, kPeerTimeout, kUnguarded, kRma, kRmaBytes, wire::kCongestion};

// Where no network device of this host reaches memory by itself, nobody need be asked for keys.
wire::Rma rma() {
  const auto wanted = util::option_flag_or_auto(kRma);
  if (wanted) return *wanted ? wire::Rma::on : wire::Rma::off;
  return may_reach_memory(devices_option()) ? wire::Rma::automatic : wire::Rma::off;
}

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

std::string devices_option() {
  return util::option_text(kDevices);
}

bool unguarded_option() {
  return util::option_flag(kUnguarded);
}

wire::Settings settings() {
  wire::Settings chosen{.name = "ucx", .devices_option = kDevicesName};
  chosen.peer_timeout_ms = std::uint32_t(std::clamp<std::int64_t>(util::option_number(kPeerTimeout), 0, 1'000'000'000));
  chosen.rma = rma();
  // What is copied into frames is not worth the wait for an answer.
  chosen.rma_bytes = std::max(std::uint64_t(std::max<std::int64_t>(util::option_number(kRmaBytes), 0)),
                              std::uint64_t{wire::kPackLimit + 1});
  return chosen;
}

}  // namespace polder::device::ucx
