// What a simulated network is like.
#pragma once

#include "util/clock.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::device::sim {

struct FabricOptions {
  Rank ranks = 1;

  // Each way of an operation takes a time between these two. Both 0: operations are carried out by the thread that
  // posts them.
  std::int64_t min_delay_ns = 0;
  std::int64_t max_delay_ns = 0;
  std::uint64_t seed = 1;  // the same seed draws the same delays

  std::int64_t detection_ns = 20'000'000;  // from a kill or a cut until the others notice

  bool direct = false;             // memory that the device allocates is loaded and stored by peers
  bool put_get = true;             // the device does put, get and put_notify
  bool atomics = true;             // the device does atomic
  std::size_t copied_at_once = 0;  // bytes of pieces of puts, at most, that are copied when they are posted
  std::size_t max_message = std::size_t{16} << 10;
  std::size_t queue_depth =
      1024;  // operations and unread messages from one rank to one other; more are refused as queue_full

  util::Clock clock = {};  // of the ways
};

}  // namespace polder::device::sim
