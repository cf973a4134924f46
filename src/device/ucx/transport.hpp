// What this device uses of UCX: one context with one worker, and endpoints to peers. Everything else of the device is
// about ranks, operations and their rules; only this file and transport.cpp know how UCX is asked.
//
// All calls but address() and event_fd() must take turns: the worker is used under the device's lock.
#pragma once

#include <polder/status.hpp>

#include <ucp/api/ucp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace polder::device::ucx {

class TransportEvents;

// What UCX hands back with an event: a buffer that was sent, or the owner of an endpoint.
struct Addressee {
  TransportEvents* events = nullptr;
};

// What arrives, and what has been sent. Called from inside calls of the Transport.
class TransportEvents {
 public:
  // `header` and `data` are valid during the call.
  virtual void on_greeting(std::span<const std::byte> bytes) = 0;
  virtual void on_frame(std::span<const std::byte> header, std::span<const std::byte> data) = 0;
  // The buffers of a send() that returned `later` are the sender's again.
  virtual void on_sent(Addressee& buffer) = 0;
  // The endpoint that was opened with `owner` does not work any more and must be closed, but not from inside this call.
  virtual void on_broken(Addressee& owner, ucp_ep_h endpoint, ucs_status_t why) = 0;

 protected:
  ~TransportEvents() = default;
};

class Transport {
 public:
  // `events` must outlive the transport. system: UCX found no usable network, or the devices of the options do not
  // exist.
  static Result<std::unique_ptr<Transport>> create(TransportEvents& events);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // By which others open endpoints to this worker.
  const std::vector<std::byte>& address() const { return address_; }

  // `owner` is handed to on_broken, and must live as long as the transport. UCX does not check `address` in full: it
  // must come from a Transport.
  Result<ucp_ep_h> open(std::span<const std::byte> address, Addressee& owner);
  // At once: what has not been sent is dropped, and on_sent is called for it, now or during progress().
  void close(ucp_ep_h endpoint);
  // Leaves the worker as it is until the process ends: UCX 1.13 ends the process if a worker is destroyed while a
  // connection is half made.
  void abandon() { worker_ = nullptr, context_ = nullptr; }
  // Endpoints whose closing has not ended yet.
  int closing() const { return closing_; }
  // True if an error of the endpoint while the peer was heard of lately can only mean that the peer has closed it: TCP.
  bool tells_closing(ucp_ep_h endpoint) const;

  enum class Sent { at_once, later, refused };
  // An active message of `header` (may be empty) and `data`. at_once: the buffers are free again; later: on_sent tells;
  // refused: the endpoint is broken.
  Sent send(ucp_ep_h endpoint, unsigned id, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee& buffer);

  // Carries on with what is under way. Returns false if there was nothing to do.
  bool progress() { return ucp_worker_progress(worker_) != 0; }

  // Makes event_fd() readable at the next event. False: there are events already.
  bool arm() { return ucp_worker_arm(worker_) == UCS_OK; }
  int event_fd() const { return event_fd_; }

  // Whether `memory` is memory of the host, as far as the transports of this build can tell.
  bool is_host_memory(const void* memory, std::size_t size) const;

 private:
  explicit Transport(TransportEvents& events) : events_(events) {}
  Status open_context();
  Status open_worker();
  Status set_handler(unsigned id, ucp_am_recv_callback_t handler);

  static ucs_status_t take_greeting(void* self, const void* header, std::size_t header_bytes, void* data,
                                    std::size_t bytes, const ucp_am_recv_param_t* how);
  static ucs_status_t take_frame(void* self, const void* header, std::size_t header_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* how);
  static void finish_send(void* request, ucs_status_t status, void* buffer);
  static void finish_close(void* request, ucs_status_t status, void* self);

  TransportEvents& events_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;
  int closing_ = 0;
  bool knows_devices_ = false;  // memory of other kinds than the host's may turn up
  std::vector<std::byte> address_;
};

}  // namespace polder::device::ucx
