// What this rank knows of another: whether it is there, how to reach it, and what is under way to it.
#pragma once

#include "core/progress/outstanding.hpp"
#include "util/mutex.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace polder::core {

struct Root;

struct Peer {
  explicit Peer(Rank r) : rank(r) {}

  const Rank rank;
  std::atomic<bool> failed{false};  // or finished: it answers no more
  std::atomic<bool> left{false};    // of another node, in good order, by its own word or that of others
  Outstanding operations;           // that users posted through the device, by messages or not
  Outstanding local_operations;     // those whose local memory is in use

  util::Mutex connecting;
  std::atomic<int> queueing{0};            // threads that wait for it
  std::atomic<std::int64_t> sought_ns{0};  // when this rank first wanted to connect
  std::atomic<bool> connected{false};
  const Root* root = nullptr;  // valid once connected. Not null: load here; null: ask its owner by message
};

}  // namespace polder::core
