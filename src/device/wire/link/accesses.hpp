// Puts and gets that reach into a peer's memory without its help: what is under way, and what is known of that memory.
#pragma once

#include "device/wire/link/frame.hpp"
#include "device/wire/link/operation.hpp"
#include "device/wire/link/stretch.hpp"
#include "device/wire/network/transport.hpp"
#include "util/fifo.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace polder::device::wire {

// What this rank knows about a region of a peer. Goes with the region, or with the link.
struct RemoteMemory {
  enum class State : std::uint8_t { asked, granted, refused, revoked };

  State state = State::asked;
  std::unique_ptr<RemoteKey> key;
  std::uint64_t address = 0;  // at the peer
  std::uint64_t size = 0;
  std::uint32_t accesses = 0;  // under way
};

// One that the transport carries out.
struct RemoteAccess : Addressee {
  Link* link = nullptr;
  std::uint32_t incarnation = 0;
  WireOperation* operation = nullptr;
  std::shared_ptr<RemoteMemory> memory;  // null: a flush
  std::uint64_t region = 0;
  std::byte* local = nullptr;
  Frame* frame = nullptr;   // where pages may be missing: `local` lies here, of a put a copy,
  std::byte* to = nullptr;  // of a get until it is copied to this place
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  bool put = false;          // else a get
  bool last = false;         // of a put: the operation ends with it,
  bool follows = false;      // and with the frames before it
  std::uint64_t number = 0;  // of a flush: all puts up to this one have arrived when it ends
};

// A put that may not have arrived yet.
struct Departed {
  std::uint64_t region = 0;
  std::uint32_t bytes = 0;
  WireOperation* operation = nullptr;  // that ends with it,
  bool follows = false;                // and with this frame:
  std::uint32_t frame = 0;
};

// A part of a piece that is written or read at once: small enough to see that there is progress.
constexpr std::size_t kAccessBytes = 1 << 20;

// Of one link; under the device's lock.
struct Accesses {
  static constexpr std::uint32_t kAtOnce = 64;
  static constexpr std::uint64_t kBytesAtOnce = 16 << 20;
  static constexpr std::size_t kRemembered = 4096;  // regions without a key, so that they are not asked for again

  bool possible = false;
  bool held = false;  // something waits until a put has arrived or a frame was acknowledged
  std::unordered_map<std::uint64_t, std::shared_ptr<RemoteMemory>> memory;
  // Null: nothing is known of that region.
  RemoteMemory* find(std::uint64_t region) const {
    const auto found = memory.find(region);
    return found == memory.end() ? nullptr : found->second.get();
  }

  // Puts by number, from 1.
  std::uint64_t issued = 0;
  std::uint64_t flushing = 0;  // up to this one the transport was asked to tell
  std::uint64_t arrived = 0;
  util::Fifo<Departed> departed;  // those after `arrived`
  Stretch writes;                 // what they touch

  Stretch stores;                  // what is written by frames that are not acknowledged
  std::uint32_t stores_frame = 0;  // the last of these

  std::uint32_t under_way = 0;  // puts that have not arrived, and gets
  std::uint64_t bytes = 0;      // of them
  std::int64_t since_ns = 0;    // when the first of them began, or the last one ended

  bool window_open() const { return under_way < kAtOnce && bytes < kBytesAtOnce; }
};

// Under the device's lock.
class AccessPool {
 public:
  explicit AccessPool(TransportEvents& events) : events_(events) {}

  RemoteAccess* take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<RemoteAccess>());
      all_.back()->events = &events_;
      return all_.back().get();
    }
    RemoteAccess* access = free_.back();
    free_.pop_back();
    return access;
  }
  void give_back(RemoteAccess* access) {
    access->memory.reset();
    access->frame = nullptr;
    free_.push_back(access);
  }

 private:
  TransportEvents& events_;
  std::vector<RemoteAccess*> free_;
  std::vector<std::unique_ptr<RemoteAccess>> all_;
};

}  // namespace polder::device::wire
