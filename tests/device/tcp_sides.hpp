// Ranks of one process that call each other over TCP, and what their transports say.
#pragma once

#include "device/tcp/addresses.hpp"
#include "device/tcp/tcp_transport.hpp"
#include "network_fixture.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace polder::device::tcp {

using network::kSecret;
using network::WithOption;

// Notes what a transport says.
class Notes final : public wire::TransportEvents, public wire::Addressee {
 public:
  Notes() { events = this; }
  void on_greeting(std::span<const std::byte> bytes, wire::Addressee* by) override {
    heard.assign(bytes.begin(), bytes.end());
    over = by;
  }
  void on_frame(std::span<const std::byte>, std::span<const std::byte> data) override { frames += !data.empty(); }
  void on_sent(wire::Addressee&) override { ++sent; }
  void on_accessed(wire::Addressee&, const char*) override {}
  void on_flushed(wire::Addressee&, const char*) override {}
  void on_made(wire::Addressee&, wire::Endpoint&) override {}
  void on_broken(wire::Addressee&, wire::Endpoint&, const char* why) override { broken = why; }

  std::vector<std::byte> heard;
  wire::Addressee* over = nullptr;  // what was heard
  int frames = 0, sent = 0;
  std::string broken;
};

// A transport and what it says.
struct Side {
  explicit Side(std::uint64_t secret = kSecret) {
    auto made = TcpTransport::create(notes, secret);
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    if (made.ok()) transport = *std::move(made);
  }
  RankAddresses addresses() const { return *read_addresses(transport->address()); }
  wire::Endpoint* open(std::span<const std::byte> address) {
    auto endpoint = transport->open(address, notes);
    EXPECT_TRUE(endpoint.ok()) << endpoint.status().to_string();
    return endpoint.value_or(nullptr);
  }
  wire::Transport::Sent say(wire::Endpoint& to, std::string_view text) {
    said = text;
    return transport->send(to, Packet::greeting, {}, std::as_bytes(std::span(said)), notes);
  }

  Notes notes;
  std::string said;
  std::unique_ptr<wire::Transport> transport;
};

template <class... Sides>
bool poll_until(const std::function<bool()>& done, Sides&... sides) {
  return eventually([&] {
    (sides.transport->progress(4), ...);
    return done();
  });
}

inline bool heard(const Side& side, std::string_view text) {
  return side.notes.heard.size() == text.size() && std::memcmp(side.notes.heard.data(), text.data(), text.size()) == 0;
}

}  // namespace polder::device::tcp
