// What this device uses of UCX: one context with one worker, and endpoints to peers.
#pragma once

#include "device/wire/network/connection_guard.hpp"
#include "device/wire/network/transport.hpp"

#include <polder/status.hpp>

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace polder::device::ucx {

using wire::Addressee;
using wire::Packet;
using wire::TransportEvents;

class UcxTransport;

class UcxEndpoint final : public wire::Endpoint {
  friend class UcxTransport;

  UcxTransport* transport_ = nullptr;
  Addressee* owner_ = nullptr;  // null: closed by its owner
  ucp_ep_h handle_ = nullptr;
  bool failed_ = false;  // both sides will not agree how to talk any more
  bool asked_ = false;   // UCX has not told yet how that ended
  bool closed_ = false;
};

class UcxTransport final : public wire::Transport {
 public:
  // `events` must outlive the transport. `secret` is what ranks of the job know and strangers do not; `rma`: memory of
  // peers may be reached. system: UCX found no usable network, or the devices of the options do not exist.
  static Result<std::unique_ptr<wire::Transport>> create(TransportEvents& events, std::uint64_t secret, bool rma);
  ~UcxTransport() override;
  UcxTransport(const UcxTransport&) = delete;
  UcxTransport& operator=(const UcxTransport&) = delete;

  const std::vector<std::byte>& address() const override { return address_; }

  Result<wire::Endpoint*> open(std::span<const std::byte> address, Addressee& owner) override;
  // An endpoint that is half made lives on without its owner until it is made or has failed, because UCX 1.13 ends the
  // process otherwise (an assertion about wire-up messages that still wait).
  void close(wire::Endpoint& endpoint) override;
  // UCX 1.13 ends the process as well if a worker is destroyed while a connection is half made.
  void abandon_if_needed(bool unheard) override;
  int closing() const override { return closing_ + int(half_made_.size()); }
  bool tells_closing(const wire::Endpoint& endpoint) const override;

  Sent send(wire::Endpoint& endpoint, Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee& buffer) override;

  // In ucx_transport_access.cpp, as far as memory of peers is concerned.
  bool reaches_memory(const wire::Endpoint& endpoint) const override;
  Result<std::unique_ptr<wire::Registration>> register_memory(void* memory, std::size_t size) const override;
  Result<std::unique_ptr<wire::RemoteKey>> unpack(const wire::Endpoint& endpoint,
                                                  std::span<const std::byte> key) override;
  Sent put(wire::Endpoint& endpoint, std::span<const std::byte> data, std::uint64_t address, const wire::RemoteKey& key,
           Addressee& access) override;
  Sent get(wire::Endpoint& endpoint, std::span<std::byte> data, std::uint64_t address, const wire::RemoteKey& key,
           Addressee& access) override;
  Sent flush(wire::Endpoint& endpoint, Addressee& flush) override;
  bool fence() override;

  bool progress(int looks) override;
  bool arm() override { return ucp_worker_arm(worker_) == UCS_OK; }
  int event_fd() const override { return event_fd_; }
  bool is_host_memory(const void* memory, std::size_t size) const override;

 private:
  UcxTransport(TransportEvents& events, std::uint64_t secret, bool rma);
  Status open_context();
  Status open_worker();
  Status set_handler(unsigned id, ucp_am_recv_callback_t handler);

  static ucs_status_t take_greeting(void* self, const void* header, std::size_t header_bytes, void* data,
                                    std::size_t bytes, const ucp_am_recv_param_t* how);
  static ucs_status_t take_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* how);
  void close_now(UcxEndpoint& endpoint);
  void close_ripe();
  void note_closed(UcxEndpoint& endpoint);
  void decide(UcxEndpoint& endpoint, bool made);
  void forget(const UcxEndpoint& endpoint);

  // As UCX prints it.
  std::string describe(const wire::Endpoint& endpoint) const;
  static ucp_ep_h handle_of(const wire::Endpoint& endpoint);
  static Sent outcome(ucs_status_ptr_t request);
  static void finish_access(void* request, ucs_status_t status, void* access);
  static void finish_flush(void* request, ucs_status_t status, void* flush);

  static void finish_send(void* request, ucs_status_t status, void* buffer);
  static void finish_making(void* request, ucs_status_t status, void* endpoint);
  static void finish_close(void* request, ucs_status_t status, void* endpoint);

  TransportEvents& events_;
  const bool rma_;
  wire::ConnectionGuard guard_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;
  int closing_ = 0;
  std::vector<std::unique_ptr<UcxEndpoint>> endpoints_;
  std::vector<UcxEndpoint*> half_made_;  // without an owner
  bool any_ripe_ = false;                // some of those are made or have failed
  bool knows_devices_ = false;           // memory of other kinds than the host's may turn up
  std::vector<std::byte> address_;
};

}  // namespace polder::device::ucx
