#include "device/tcp/options.hpp"

#include "device/wire/network/pacing.hpp"

#include <algorithm>
#include <charconv>

namespace polder::device::tcp {
namespace {

constexpr util::Option kDevices{kDevicesName, "",
                                "networks that TCP may use, e.g. eth0,eth1 (default: all that lead out of this host)"};
constexpr util::Option kPortRange{kPortsName, "",
                                  "ports on which ranks listen, one each, e.g. 20000-20999 (default: any free one)"};
constexpr util::Option kPeerTimeout{"POLDER_TCP_PEER_TIMEOUT_MS", "7500",
                                    "milliseconds after which a peer that does not answer over TCP is lost; 0: never"};
constexpr util::Option kTable[] = {kDevices, kPortRange, kPeerTimeout, wire::kCongestion};

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

std::string devices_option() {
  return util::option_text(kDevices);
}

Result<Ports> ports_option() {
  const std::string text = util::option_text(kPortRange);
  Ports ports;
  if (text.empty()) return ports;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, ports.first);
  ports.last = ports.first;
  if (error == std::errc() && at != end && *at == '-') {
    const auto last = std::from_chars(at + 1, end, ports.last);
    at = last.ptr;
    error = last.ec;
  }
  if (error != std::errc() || at != end || ports.first == 0 || ports.last < ports.first)
    return Status(Code::invalid_argument,
                  std::string(kPortsName) + "=" + text + " is no range of ports like 20000-20999");
  return ports;
}

std::string congestion_option() {
  return util::option_text(wire::kCongestion);
}

wire::Settings settings() {
  wire::Settings chosen{.name = "tcp", .devices_option = kDevicesName, .part_bytes = wire::kMostPartBytes};
  chosen.peer_timeout_ms = std::uint32_t(std::clamp<std::int64_t>(util::option_number(kPeerTimeout), 0, 1'000'000'000));
  return chosen;
}

}  // namespace polder::device::tcp
