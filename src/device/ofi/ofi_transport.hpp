// An endpoint of libfabric for reliable datagrams (FI_EP_RDM) as a transport. What is sent is copied into buffers of
// the transport's own: a provider keeps a buffer for as long as a peer that died does not let it go, and nobody can
// take it back.
#pragma once

#include "device/ofi/buffers.hpp"
#include "device/ofi/network.hpp"
#include "device/wire/network/connection_guard.hpp"
#include "device/wire/network/transport.hpp"
#include "util/fifo.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace polder::device::ofi {

using wire::Addressee;
using wire::Packet;
using wire::TransportEvents;

struct OfiEndpoint final : wire::Endpoint {
  OfiEndpoint() { made_ = true; }  // connections are made as needed, behind the first message

  fi_addr_t peer = FI_ADDR_UNSPEC;
  Addressee* owner = nullptr;   // null: closed
  util::Fifo<Buffer*> waiting;  // that the provider did not take yet
  std::uint32_t under_way = 0;  // buffers that it has taken
  bool listed = false;          // among those that wait
};

class OfiTransport final : public wire::Transport {
 public:
  // `events` must outlive the transport. `secret` is what ranks of the job know and strangers do not. system: libfabric
  // found no usable network, or its TCP ports cannot be guarded.
  static Result<std::unique_ptr<wire::Transport>> create(TransportEvents& events, std::uint64_t secret);
  ~OfiTransport() override;

  const std::vector<std::byte>& address() const override { return address_; }

  Result<wire::Endpoint*> open(std::span<const std::byte> address, Addressee& owner) override;
  void close(wire::Endpoint& endpoint) override;
  int closing() const override { return 0; }
  void abandon_if_needed(bool) override {}
  // A connection is made anew where it breaks.
  bool tells_closing(const wire::Endpoint&) const override { return false; }

  Sent send(wire::Endpoint& endpoint, Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee& buffer) override;
  bool progress(int looks) override;
  bool arm() override;
  int event_fd() const override { return network_->event_fd; }

 private:
  OfiTransport(TransportEvents& events, std::uint64_t secret);
  Status start();

  bool look();
  void finish(const fi_cq_msg_entry& event);
  void finish_failed();
  void take(std::span<const std::byte> packet);
  void receive_into(Buffer& buffer);
  bool transmit(OfiEndpoint& endpoint, Buffer& buffer);
  bool transmit_waiting();
  void sent(Buffer& buffer, long error);
  void forget_if_unused(const OfiEndpoint& endpoint);
  void note_broken(OfiEndpoint& endpoint, long code);

  TransportEvents& events_;
  const wire::ConnectionGuard guard_;
  // Before the network in order to outlive it: it may hold them until it ends.
  std::optional<BufferPool> buffers_;
  std::vector<std::unique_ptr<OfiEndpoint>> endpoints_;
  std::optional<Network> network_;
  std::vector<OfiEndpoint*> held_up_;  // those with something that waits
  std::vector<Buffer*> unposted_;      // for receiving, that the provider did not take
  std::vector<std::byte> address_;
};

}  // namespace polder::device::ofi
