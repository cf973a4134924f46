// The device contract: what Polder asks of a network, on one page.
//
// A device moves bytes between the memory of this rank and that of its peers. It says what it can do; what it cannot,
// core/emulate builds from the rest. Where an imported region is `direct`, core loads and stores there itself and the
// data path of the device is never called.
//
// Rules that every device keeps:
//   - All functions may be called from any thread at any time after construction.
//   - Set-up functions may allocate and make system calls; data path functions do neither for transfers below 2 kB if
//     they can help it.
//   - An operation that was accepted (the Status is ok) completes exactly once: `CompletionSink::local` when the local
//     memory is the caller's again, then `CompletionSink::remote` when the effect is visible at the target, or has failed
//     for good.
//   - After an operation was reported as failed nothing of it is written any more.
//   - Puts to the same peer may pass each other, unless the device is `in_order`. A flag never overtakes the data of
//     the put_notify that carries it, nor earlier puts and atomics of the same thread to the same peer.
//   - Messages of one thread to one peer arrive in order, once, or the peer is reported as failed.
//   - A call never waits for the target; where a buffer is full it returns Code::queue_full.
//   - Memory of the caller may have pages that are missing and that another thread fills, by this very device, once that
//     thread has said so (fill_pages): from then on it is never read or written while a lock is held. See own().
#pragma once

#include "device/completion_sink.hpp"
#include "device/region.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace polder::device {

using HandlerId = std::uint16_t;

struct Capabilities {
  const char* name = "";
  // Operations at this rank's memory may need a thread of this rank to call progress(): core runs a helper thread at
  // all times. True wherever memory is not `direct`: its owner answers questions about it by message.
  bool needs_progress = false;
  // The largest message, head and body together. At least 1 kB.
  std::size_t max_message = 0;
  // What one thread posts to one peer takes effect there in the order in which it was posted: puts and atomics after
  // puts, and gets and messages see them. Only a get may read later than in its turn.
  bool in_order = false;
  // Pieces of puts up to so many bytes have been copied when put() returns.
  std::size_t copied_at_once = 0;
  // There are windows: see open_window().
  bool windows = false;
};

// How a sleep in a wait ended: something may have come; the time has passed; or other threads take what comes as well, so that it would
// not wake this one: then it is to sleep where they wake it.
enum class SleptInWait : std::uint8_t { woken, over, not_alone };

struct AtomicRequest {
  AtomicOp op = AtomicOp::fetch_add;
  std::uint8_t width = 8;     // bytes: 4 or 8
  std::uint64_t offset = 0;   // in the region; a multiple of `width`
  std::uint64_t operand = 0;  // for width 4 the low half counts
  std::uint64_t compare = 0;  // of compare_swap
  std::uint64_t* old =
      nullptr;  // receives the old value (zero-extended) before `remote` is reported; owned by the caller
};

// A 32-bit flag to store after the data, or to add to, and the bell to ring after that.
struct Flag {
  std::uint64_t offset = 0;       // of the flag in the control region; a multiple of 4
  std::uint64_t bell_offset = 0;  // of the util::Bell in the control region
  std::uint32_t value = 0;
  bool adds = false;  // to what is there, atomically
  // With little or no data, it need not leave before something else goes to that peer, or somebody who polls sends it along.
  bool in_company = false;
  bool followed = false;  // likewise, and the calling thread goes on to post to that peer, or to poll
  // The initiator sees by other signs that it has come, and touches the same bytes again only then: the operation's end may
  // be told late, with what goes back anyway.
  bool unawaited = false;
};

// Takes the messages that progress() finds. Called from the thread that called progress(), or from one of the device's own;
// one message at a time, whatever its source: handlers of core and of programs rely on that.
class MessageSink {
 public:
  virtual void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) = 0;

  // What messages left to be done later. Threads of a device's own call it after progress() and after each wait, as
  // the callers of progress() see to it themselves.
  virtual void attend() {}

 protected:
  ~MessageSink() = default;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const Capabilities& capabilities() const = 0;

  // ---- set-up ----

  // Opaque bytes by which peers reach this rank; at most 1 kB. Core carries them through bootstrap.
  virtual std::vector<std::byte> address() const = 0;

  // Makes `peer` reachable under its address. Needed once before any call that names the peer; repeating it is
  // harmless.
  virtual Status connect(Rank peer, std::span<const std::byte> address) = 0;

  // Forgets `peer`: operations under way to it fail, later ones are refused with peer_failed until it is connected
  // again.
  virtual void disconnect(Rank peer) = 0;

  // Ends the way to `peer` as if it had been lost: what is under way to it fails, and the local memory of that is the caller's again once
  // progress has been made. For peers that take nothing of what was sent to them while its memory must be given back.
  virtual void abandon(Rank peer) { disconnect(peer); }

  // Offers memory to peers: `size` fresh zeroed bytes if `memory` is null, else the caller's memory, which must stay
  // valid until conceal(). unsupported: the device cannot reach such memory at all.
  virtual Result<Exposure> expose(void* memory, std::size_t size) = 0;

  // Fresh zeroed memory, likewise, that only those peers need to reach who can load and store it. A network need not
  // register it.
  virtual Result<Exposure> expose_to_neighbours(std::size_t size) { return expose(nullptr, size); }

  // Takes the memory back and frees what expose() allocated. Peers that still use it get an error or reach what it last
  // held, never other data of this rank.
  virtual void conceal(const Exposure& exposure) = 0;

  // Memory that `owner` exposed. `replaces`, if not null, is an earlier region of the same owner that is concealed by
  // now: its addresses may be used again, so that memory that comes and goes does not use up the address space.
  virtual Result<Region> import(Rank owner, const Key& key, const Region* replaces) = 0;

  // Until it is closed, puts at window_offset(window) and on, to this exposure of this rank, land in `memory` instead: in the first of these
  // runs, then in the second. It stays the caller's, and is not registered with anybody. False: there are no windows
  // (capabilities().windows), or none for such memory, because pages of it may be missing. REQUIRES: the runs have no more than
  // kWindowBytes, no window of that number is open. Cost: a lock, no message; a put that belongs to several runs is copied once more.
  virtual bool open_window(const Exposure&, std::uint64_t /*window*/, std::span<const MemoryRun> /*memory*/) {
    return false;
  }

  // Nothing lands there any more once this returns: what still comes is refused, as where memory is concealed.
  virtual void close_window(const Exposure&, std::uint64_t /*window*/) {}

  // Memory of the library's own (or the end of it), whose pages are always there, as are those of memory that expose()
  // allocated: the device may touch it whatever it holds, and need not copy from it and to it beforehand.
  virtual void own(const void*, std::size_t) {}
  virtual void disown(const void*) {}

  // True if fresh memory that `peer` exposes is `direct` here. Known before anything is connected, and mutual.
  virtual bool is_direct(Rank) const { return false; }

  // ---- data path ----

  // REQUIRES for all: region.put_get (or region.atomics), the range lies inside the region. `pieces` is read before the
  // call returns; the local memory that it names stays untouched until `completion->local`.
  virtual Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) = 0;
  virtual Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) = 0;

  // Stores `flag` in `control` after the pieces (there may be none) have become visible in `region`.
  virtual Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                            const Flag& flag, CompletionSink* completion) = 0;

  virtual Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) = 0;

  // Sends `head` and `body`, one behind the other, to handler `handler` of `peer`. Both are copied before the call
  // returns.
  virtual Status send(Rank peer, HandlerId handler, std::span<const std::byte> head,
                      std::span<const std::byte> body) = 0;

  // Completes operations and delivers a batch of messages. Returns how many events it handled. A thread that finds
  // another one inside returns 0 at once.
  virtual int progress(MessageSink& sink) = 0;

  // Sleeps until progress() may find something, wake() is called, or `nanoseconds` have passed. A wake that finds
  // nobody asleep ends the next wait().
  virtual void wait(std::int64_t nanoseconds) = 0;
  virtual void wake() = 0;

  // wait() of a thread of the program, where no helper serves: no thread of the device's own is started. What comes to
  // one half of a device of two may be noticed after a millisecond only.
  virtual void wait_alone(std::int64_t nanoseconds) { wait(nanoseconds); }

  // The calling thread begins, or ends, to fill pages that others wait for. A thread that ever does so begins before any
  // memory with such pages is given to this device. In between it delivers no message and moves
  // nothing from or to memory of others, who may lie in wait for the very page; what it posts itself overtakes what waits
  // for pages, and its memory is all there. PageFiller calls it.
  virtual void fill_pages(bool) {}

  // The calling thread begins, or ends, a wait in which it calls progress() again and again. It may lose its core for a while in
  // between: meanwhile nobody need look in its place, since it finds what has come when it is back. Where it does not call for some
  // ms, others do.
  virtual void poll_in_wait(bool) {}
  // Within such a wait: sleeps until something may have come from the network, or `nanoseconds` have passed. Others that sleep in
  // wait() stay asleep, so nothing else of the device is looked after meanwhile. not_alone: it has not slept, or not only. Any thread.
  virtual SleptInWait sleep_in_wait(std::int64_t /*nanoseconds*/) { return SleptInWait::not_alone; }

  // The calling thread has called progress() until now, and goes to sleep elsewhere: whoever sleeps in wait() may have
  // relied on it.
  virtual void stop_polling() {}

  // Ends threads of the device's own that deliver messages; returns when none does any more. The helper may still be in
  // wait(). Where a handler calls it (it has called exit(), say), no thread waits for the end of that handler from then on:
  // what such threads were to deliver is dropped. Called before the sink goes; only the first call does anything.
  virtual void stop_serving() {}

  // This rank leaves for good, while threads of it may still be inside: says goodbye to peers, ends what is under way
  // with `closed`, and from then on touches no library below, which may be about to end with the process. Memory stays.
  // Called once, after stop_serving().
  virtual void retire() {}

  // `listener(peer, why)` is called, from any thread, when the device finds that it has lost `peer`. Set once, before
  // connect().
  virtual void on_failure(std::function<void(Rank, const Status&)> listener) = 0;

  // `listener(peer)` is called by progress() when the device hears that `peer` has left in good order, after everything
  // that it sent before was delivered: what it has not answered it never will. Set once, before connect(). A device
  // whose peers are watched by the launcher need not tell.
  virtual void on_leave(const std::function<void(Rank)>&) {}
};

// While it lives, this thread fills pages that others wait for: a handler of page faults is such a thread.
class PageFiller {
 public:
  explicit PageFiller(Device& device) : device_(device) { device_.fill_pages(true); }
  ~PageFiller() { device_.fill_pages(false); }
  PageFiller(const PageFiller&) = delete;
  PageFiller& operator=(const PageFiller&) = delete;

 private:
  Device& device_;
};

}  // namespace polder::device
