// The kernel's TCP as a transport: one connection between two ranks, which the one that speaks first makes by calling the other; when
// both do at the same time they agree on one without a word. A rank listens on each of its networks.
//
// A thread that polls asks the kernel which sockets have something, or, where there are but a few, reads from them straight away: one system
// call less for each packet, and none of the kernel's for telling the set.
//
// tcp_transport.cpp    endpoints, sending, what has come     calls.cpp    listening, calling, being called
#pragma once

#include "device/tcp/connection.hpp"
#include "device/tcp/options.hpp"
#include "device/wire/network/transport.hpp"
#include "util/fd.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace polder::device::tcp {

using wire::Addressee;
using wire::Packet;
using wire::TransportEvents;

struct TcpEndpoint final : wire::Endpoint {
  TcpEndpoint(const RankAddresses& address, Addressee& for_whom) : peer(address), owner(&for_whom) { made_ = true; }

  const RankAddresses peer;
  Addressee* const owner;
  std::vector<NetworkAddress> untried;
  std::int64_t called_ns = 0;  // when the last of its addresses was called
  // By which it sends: that of its calls which is answered first, and one of them until then. Null: there is none, any more.
  Connection* way = nullptr;
  bool is_called = false;  // the peer called by `way`
};

class TcpTransport final : public wire::Transport, private PacketSink {
 public:
  // `events` must outlive the transport. `secret` is what ranks of the job know and strangers do not. system: no network, or no port.
  static Result<std::unique_ptr<wire::Transport>> create(TransportEvents& events, std::uint64_t secret);
  ~TcpTransport() override;

  const std::vector<std::byte>& address() const override { return address_; }

  Result<wire::Endpoint*> open(std::span<const std::byte> address, Addressee& owner) override;
  void close(wire::Endpoint& endpoint) override;
  bool is_idle(const wire::Endpoint& endpoint) const override;
  int closing() const override { return 0; }
  void abandon_if_needed(bool) override {}
  // Its kernel says so, whatever has become of the process.
  bool tells_closing(const wire::Endpoint&) const override { return true; }

  Sent send(wire::Endpoint& endpoint, Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee& buffer) override;
  bool progress(int looks) override;
  bool arm() override;
  void disarm() override { sleepers_.fetch_sub(1, std::memory_order_relaxed); }
  int event_fd() const override { return set_.get(); }

 private:
  TcpTransport(TransportEvents& events, std::uint64_t secret);

  // ---- calls.cpp ----
  Status listen();
  Status listen_at(NetworkAddress& address, const Ports& ports);
  void answer_calls();
  void answer_calls_at(int listener);
  void rest_listeners(bool rest);
  Connection* find_arrival(const RankAddresses& peer);
  Connection* find_call(const TcpEndpoint& endpoint);
  bool call_next(TcpEndpoint& endpoint);
  void shake_hands(Connection& connection);
  void note_stranger();
  void meet(Connection& connection);
  void use(Connection& connection, TcpEndpoint& endpoint);
  void look_after_calls();
  void drop_silent();
  void call_on();

  std::byte* place_of(const PacketHead& head, std::span<const std::byte> header) override;
  void on_packet(const PacketHead& head, std::span<const std::byte> header, std::span<const std::byte> data) override;

  bool look();
  bool look_at_all();
  bool look_at_few();
  bool serve(Connection& connection, std::uint32_t events);
  bool read(Connection& connection);
  void watch(Connection& connection);
  void forget(Connection& connection);
  void watch_all();
  void note_ended(Connection& connection);
  void remove_ended();
  void hang_up(Connection& connection);
  Connection& add(util::Fd socket, Connection::Stage stage, const RankAddresses& peer);

  TransportEvents& events_;
  const std::uint64_t secret_;
  RankAddresses own_;
  std::vector<std::byte> address_;
  util::Fd set_;  // of epoll
  std::vector<util::Fd> listeners_;
  bool listeners_rest_ = false;
  std::int64_t rest_since_ns_ = 0;
  bool has_told_of_rest_ = false;
  std::uint64_t strangers_ = 0;
  std::vector<std::unique_ptr<TcpEndpoint>> endpoints_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Connection* read_ = nullptr;  // from which something is being read
  bool any_ended_ = false;
  bool any_forgotten_ = false;  // by the set, as long as there are few
  std::uint32_t looks_ = 0;
  std::atomic<int> sleepers_{0};  // by the set: their sockets must be in it
  std::unique_ptr<std::byte[]> spare_;
};

}  // namespace polder::device::tcp
