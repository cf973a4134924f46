// A rank as the fabric sees it. All members are guarded by the fabric's mutex unless said otherwise.
#pragma once

#include "device/device.hpp"
#include "util/bell.hpp"
#include "util/spin_lock.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace polder::device::sim {

// What a rank remembers of its way to one peer.
struct Link {
  bool connected = false;
  std::uint64_t operations = 0;      // posted so far
  std::size_t parcels = 0;           // in the fabric now
  std::size_t unread = 0;            // messages that lie in the peer's inbox
  std::int64_t last_write_ns = 0;    // when the latest data arrives: flags come after it
  std::int64_t last_flag_ns = 0;     // flags keep their order
  std::int64_t last_message_ns = 0;  // and so do messages
};

// Something to tell a rank once no lock is held.
struct Notice {
  enum class Kind : std::uint8_t { local, remote, lost_peer };
  Kind kind;
  CompletionSink* completion = nullptr;
  Rank peer = 0;
  Status status = {};
};

struct Message {
  Rank source;
  HandlerId handler;
  std::vector<std::byte> bytes;
};

struct Endpoint {
  bool attached = false;
  std::uint64_t death = 0;  // the fault that killed it; 0: alive
  std::map<Rank, Link> links;
  std::function<void(Rank, const Status&)> listener;

  // Told one after the other, by one thread at a time: local() of an operation must have returned before its remote()
  // is called.
  std::deque<Notice> notices;
  bool telling = false;

  std::deque<Message> inbox;

  // Not guarded by the fabric's mutex.
  std::atomic<bool> has_mail{false};
  std::atomic<bool> woken{false};
  util::SpinLock reading;  // by the thread that is in progress()
  util::Bell bell;
};

}  // namespace polder::device::sim
