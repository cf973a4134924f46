// What this device uses of UCX: one context with one worker, and endpoints to peers. Everything else of the device is
// about ranks, operations and their rules; only this file and transport.cpp know how UCX is asked.
//
// All calls but address() and event_fd() must take turns: the worker is used under the device's lock.
#pragma once

#include "device/ucx/gate.hpp"
#include "device/ucx/registration.hpp"

#include <polder/status.hpp>

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace polder::device::ucx {

class TransportEvents;
class Transport;

// What UCX hands back with an event: a buffer that was sent, or the owner of an endpoint.
struct Addressee {
  TransportEvents* events = nullptr;
};

// The way to one peer. Belongs to the Transport, and ends with close().
struct Endpoint {
  bool made() const { return made_; }

 private:
  friend class Transport;

  Transport* transport_ = nullptr;
  Addressee* owner_ = nullptr;  // null: closed by its owner
  ucp_ep_h handle_ = nullptr;
  bool made_ = false;    // both sides have agreed how to talk
  bool failed_ = false;  // and will not any more
  bool asked_ = false;   // UCX has not told yet how that ended
  bool closed_ = false;
};

// What arrives, and what has been sent. Called from inside calls of the Transport.
class TransportEvents {
 public:
  // `header` and `data` are valid during the call.
  virtual void on_greeting(std::span<const std::byte> bytes) = 0;
  virtual void on_frame(std::span<const std::byte> header, std::span<const std::byte> data) = 0;
  // The buffers of a send() that returned `later` are the sender's again.
  virtual void on_sent(Addressee& buffer) = 0;
  // A put() or get() that returned `later` has ended, well or not: the local memory is the caller's again.
  virtual void on_accessed(Addressee& access, ucs_status_t how) = 0;
  // A flush() that returned `later` has ended.
  virtual void on_flushed(Addressee& flush, ucs_status_t how) = 0;
  // The endpoint that was opened with `owner` is made: what is sent from now on leaves at once.
  virtual void on_made(Addressee& owner, Endpoint& endpoint) = 0;
  // It does not work any more and must be closed, but not from inside this call.
  virtual void on_broken(Addressee& owner, Endpoint& endpoint, ucs_status_t why) = 0;

 protected:
  ~TransportEvents() = default;
};

class Transport {
 public:
  // `events` must outlive the transport. system: UCX found no usable network, or the devices of the options do not
  // exist.
  // `secret` is what ranks of the job know and strangers do not; `rma`: memory of peers may be reached.
  static Result<std::unique_ptr<Transport>> create(TransportEvents& events, std::uint64_t secret, bool rma);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // By which others open endpoints to this worker.
  const std::vector<std::byte>& address() const { return address_; }

  // `owner` is handed to on_made and on_broken, and must live until close(). UCX does not check `address` in full: it
  // must come from a Transport.
  Result<Endpoint*> open(std::span<const std::byte> address, Addressee& owner);
  // What has not been sent is dropped, and on_sent is called for it, now or during progress(). An endpoint that is
  // half made lives on without its owner until it is made or has failed, because UCX 1.13 ends the process otherwise
  // (an assertion about wire-up messages that still wait): nothing that matters should be sent before on_made.
  void close(Endpoint& endpoint);
  // Leaves the worker as it is until the process ends: UCX 1.13 ends the process as well if a worker is destroyed while
  // a connection is half made.
  void abandon() { worker_ = nullptr, context_ = nullptr, gate_.keep(); }
  // Endpoints whose closing has not ended yet.
  int closing() const { return closing_ + int(half_made_.size()); }
  // Of those, the ones that wait for their peer.
  bool any_half_made() const { return !half_made_.empty(); }
  // True if an error of the endpoint while the peer was heard of lately can only mean that the peer has closed it: TCP.
  bool tells_closing(const Endpoint& endpoint) const;

  enum class Sent { at_once, later, refused };
  // An active message of `header` (may be empty) and `data`. at_once: the buffers are free again; later: on_sent tells;
  // refused: the endpoint is broken.
  Sent send(Endpoint& endpoint, unsigned id, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee& buffer);

  // ---- memory of peers, if the transport was made for that; in transport_access.cpp ----

  // Whether the network reads and writes memory of that peer by itself. The endpoint must be made.
  bool reaches_memory(const Endpoint& endpoint) const;
  // In any thread, and at the same time as other calls.
  Result<Registration> register_memory(void* memory, std::size_t size) const;
  Result<RemoteKey> unpack(const Endpoint& endpoint, std::span<const std::byte> key);
  // at_once: the local memory is the caller's again; later: on_accessed tells. A put has arrived when a flush() that
  // was begun after it has ended.
  Sent put(Endpoint& endpoint, std::span<const std::byte> data, std::uint64_t address, const RemoteKey& key,
           Addressee& access);
  Sent get(Endpoint& endpoint, std::span<std::byte> data, std::uint64_t address, const RemoteKey& key,
           Addressee& access);
  Sent flush(Endpoint& endpoint, Addressee& flush);
  // What comes after it to the same bytes takes effect after what came before. False: UCX cannot.
  bool fence();

  // Carries on with what is under way; looks that often before it returns false because there was nothing to do.
  bool progress(int looks = 1) {
    const Gate::Passage passage(gate_);
    bool some = false;
    for (; looks > 0 && !some; --looks) some = ucp_worker_progress(worker_) != 0;
    gate_.hunch().tell(some);
    if (any_ripe_) close_ripe();
    return some;
  }

  // Makes event_fd() readable at the next event. False: there are events already.
  bool arm() { return ucp_worker_arm(worker_) == UCS_OK; }
  int event_fd() const { return event_fd_; }

  // Whether `memory` is memory of the host, as far as the transports of this build can tell.
  bool is_host_memory(const void* memory, std::size_t size) const;

 private:
  Transport(TransportEvents& events, std::uint64_t secret, bool rma) : events_(events), rma_(rma), gate_(secret) {}
  Status open_context();
  Status open_worker();
  Status set_handler(unsigned id, ucp_am_recv_callback_t handler);

  static ucs_status_t take_greeting(void* self, const void* header, std::size_t header_bytes, void* data,
                                    std::size_t bytes, const ucp_am_recv_param_t* how);
  static ucs_status_t take_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* how);
  void close_now(Endpoint& endpoint);
  void close_ripe();
  void note_closed(Endpoint& endpoint);
  void decide(Endpoint& endpoint, bool made);
  void forget(const Endpoint& endpoint);

  // As UCX prints it.
  std::string describe(const Endpoint& endpoint) const;
  static Sent outcome(ucs_status_ptr_t request);
  static void finish_access(void* request, ucs_status_t status, void* access);
  static void finish_flush(void* request, ucs_status_t status, void* flush);

  static void finish_send(void* request, ucs_status_t status, void* buffer);
  static void finish_making(void* request, ucs_status_t status, void* endpoint);
  static void finish_close(void* request, ucs_status_t status, void* endpoint);

  TransportEvents& events_;
  const bool rma_;
  Gate gate_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;
  int closing_ = 0;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<Endpoint*> half_made_;  // without an owner
  bool any_ripe_ = false;             // some of those are made or have failed
  bool knows_devices_ = false;        // memory of other kinds than the host's may turn up
  std::vector<std::byte> address_;
};

}  // namespace polder::device::ucx
