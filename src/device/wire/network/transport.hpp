// What a network must be able to do for device/wire: messages to peers, in buffers that are told when they are free
// again, and a descriptor to sleep on. Where it can, reaching into memory of peers as well.
//
// All calls but address(), event_fd(), disarm() and register_memory() take turns: they are made under the device's lock.
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace polder::device::wire {

class TransportEvents;

// What the transport hands back with an event: a buffer that was sent, or the owner of an endpoint.
struct Addressee {
  TransportEvents* events = nullptr;
};

// The way to one peer. Belongs to the Transport, and ends with close().
class Endpoint {
 public:
  // What is sent leaves at once. Until then greetings only are sent.
  bool made() const { return made_; }

 protected:
  ~Endpoint() = default;

  bool made_ = false;
};

// Memory of this rank that the network reads and writes by itself, until the object ends.
class Registration {
 public:
  virtual ~Registration() = default;
  // What a peer needs: for Transport::unpack.
  virtual std::span<const std::byte> key() const = 0;
};

// The key to memory of a peer, as one endpoint uses it. Must outlive the accesses that use it, and end before the
// transport.
class RemoteKey {
 public:
  virtual ~RemoteKey() = default;
};

// What arrives, and what has been sent. Called from inside calls of the Transport.
class TransportEvents {
 public:
  // `header`, `data` and `bytes` are valid during the call. Without its data a part of a transfer is refused.
  // `over`: the owner of the endpoint that sends by the connection over which it came; null: there is none, or the transport cannot say.
  virtual void on_greeting(std::span<const std::byte> bytes, Addressee* over) = 0;
  virtual void on_frame(std::span<const std::byte> header, std::span<const std::byte> data) = 0;
  // Where the data of a frame belongs whose header has come, as long as it may go there before it is whole; null: nowhere. Such data is
  // handed to on_frame() where it is. Asked again before each piece of it; once the answer changes none may go there any more.
  virtual std::byte* place_of(std::span<const std::byte> /*header*/, std::size_t /*bytes*/) { return nullptr; }
  // The buffers of a send() that returned `later` are the sender's again.
  virtual void on_sent(Addressee& buffer) = 0;
  // A put() or get() that returned `later` has ended: the local memory is the caller's again. `problem`: what went
  // wrong, or null.
  virtual void on_accessed(Addressee& access, const char* problem) = 0;
  // A flush() that returned `later` has ended, likewise.
  virtual void on_flushed(Addressee& flush, const char* problem) = 0;
  // The endpoint that was opened with `owner` is made.
  virtual void on_made(Addressee& owner, Endpoint& endpoint) = 0;
  // It does not work any more and must be closed, but not from inside this call.
  virtual void on_broken(Addressee& owner, Endpoint& endpoint, const char* why) = 0;

 protected:
  ~TransportEvents() = default;
};

// The two kinds of messages.
enum class Packet : unsigned { greeting = 1, frame = 2 };

class Transport {
 public:
  virtual ~Transport() = default;

  // By which others open endpoints to this rank.
  virtual const std::vector<std::byte>& address() const = 0;

  // `owner` is handed to on_made and on_broken, and must live until close(). `address` comes from a Transport of the
  // same kind. peer_failed: no way leads there.
  virtual Result<Endpoint*> open(std::span<const std::byte> address, Addressee& owner) = 0;
  // What has not been sent is dropped, and on_sent is called for it, now or during progress().
  virtual void close(Endpoint& endpoint) = 0;
  // Nothing that was sent by it is still here, so it need not be closed to get that back.
  virtual bool is_idle(const Endpoint& /*endpoint*/) const { return false; }
  // Endpoints whose closing has not ended yet.
  virtual int closing() const = 0;
  // The transport cannot be taken down in good order, because some peer has not answered: it is left as it is until the
  // process ends. `unheard`: a peer may not have heard what was sent last.
  virtual void abandon_if_needed(bool unheard) = 0;
  // True if an error of the endpoint while the peer was heard of lately can only mean that the peer has closed it.
  virtual bool tells_closing(const Endpoint& endpoint) const = 0;

  enum class Sent { at_once, later, refused };
  // A message of `header` (may be empty) and `data`, together at most kPacketLimit, or kMostPartHead
  // and the part_bytes of its device's Settings. at_once: the buffers are free
  // again; later: on_sent tells; refused: the endpoint is broken.
  virtual Sent send(Endpoint& endpoint, Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
                    Addressee& buffer) = 0;

  // Carries on with what is under way; looks that often before it returns false because there was nothing to do.
  virtual bool progress(int looks = 1) = 0;

  // Makes event_fd() readable at the next event. False: there are events already.
  virtual bool arm() = 0;
  // A thread that slept by an arm() that was true is awake again. Any thread, at the same time as other calls.
  virtual void disarm() {}
  virtual int event_fd() const = 0;

  // Whether `memory` is memory of the host, as far as the transport can tell. Any thread.
  virtual bool is_host_memory(const void*, std::size_t) const { return true; }

  // ---- memory of peers; a transport that cannot reach it leaves these as they are ----

  // Whether the network reads and writes memory of that peer by itself. The endpoint must be made.
  virtual bool reaches_memory(const Endpoint&) const { return false; }
  // In any thread, and at the same time as other calls.
  virtual Result<std::unique_ptr<Registration>> register_memory(void* memory, std::size_t size) const;
  virtual Result<std::unique_ptr<RemoteKey>> unpack(const Endpoint& endpoint, std::span<const std::byte> key);
  // at_once: the local memory is the caller's again; later: on_accessed tells. A put has arrived when a flush() that
  // was begun after it has ended.
  virtual Sent put(Endpoint&, std::span<const std::byte>, std::uint64_t, const RemoteKey&, Addressee&) {
    return Sent::refused;
  }
  virtual Sent get(Endpoint&, std::span<std::byte>, std::uint64_t, const RemoteKey&, Addressee&) {
    return Sent::refused;
  }
  virtual Sent flush(Endpoint&, Addressee&) { return Sent::refused; }
  // What comes after it to the same bytes takes effect after what came before. False: the transport cannot.
  virtual bool fence() { return false; }
};

}  // namespace polder::device::wire
