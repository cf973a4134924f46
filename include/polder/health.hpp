// What this rank knows of the others' state.
#pragma once

#include <polder/types.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace polder {

enum class Health : std::uint8_t {
  healthy,
  finished,  // it left the job in good order and answers no more
  failed,    // it died, its link broke, or this rank declared it corrupt
};

// Whose end makes a wait pointless. A flag does not know which rank will raise it, so a wait for flags ends by itself
// only once all other ranks are gone; a caller that knows more says so:
//
//   rt.wait_some(0, 0, 16, 10s, {.rank = producer});    // peer_failed once that rank has died or left
//   rt.wait_some(0, 0, 16, 10s, {.ranks = producers});  // ... once one of these has
//
//   const auto seen = rt.health_changes();              // a loop that looks at the states of all ranks itself:
//   if (all_well(rt.health()))
//     rt.wait_some(0, 0, 16, 10s, {.changes = seen});   // peer_failed once any state has changed since
//
// What was awaited goes first: a flag that the rank raised before its end is still found. A rank that is gone when the
// wait begins ends it at once. Noticed within POLDER_SLICE_MS (50 ms by default) of when this rank learns of it.
struct Watch {
  static constexpr Rank kNobody = std::numeric_limits<Rank>::max();

  Rank rank = kNobody;
  std::span<const Rank> ranks = {};  // must stay valid until the call returns
  // A value of Runtime::health_changes(). The wait may end a second time for the same change: look at the states anew.
  std::optional<std::uint64_t> changes = std::nullopt;
};

}  // namespace polder
