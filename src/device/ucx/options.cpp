#include "device/ucx/options.hpp"

#include "device/ucx/wire.hpp"

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
constexpr util::Option kRma{"POLDER_UCX_RMA", "auto",
                            "on, off or auto: large puts and gets reach straight into the memory of peers; auto: of "
                            "those that UCX reaches by a network which does so itself"};
constexpr util::Option kRmaBytes{"POLDER_UCX_RMA_BYTES", "32k",
                                 "pieces of so many bytes or more do that, smaller ones travel in messages"};
constexpr util::Option kTable[] = {kDevices, kPeerTimeout, kUnguarded, kRma, kRmaBytes};

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

Rma rma_option() {
  const auto wanted = util::option_flag_or_auto(kRma);
  if (!wanted) return Rma::automatic;
  return *wanted ? Rma::on : Rma::off;
}

// What is copied into frames is not worth the wait for an answer.
std::uint64_t rma_bytes_option() {
  return std::max(std::uint64_t(std::max<std::int64_t>(util::option_number(kRmaBytes), 0)),
                  std::uint64_t{kPackLimit + 1});
}

}  // namespace polder::device::ucx
