// What a rank does at a moment, as far as a picture tells it apart.
#pragma once

#include "trace/format/kind.hpp"

#include <cstddef>
#include <cstdint>

namespace polder::trace {

enum class Activity : std::uint8_t { compute, transfer, wait, collective, setup, other };
inline constexpr std::size_t kActivities = 6;

// Of a call, by its kind as readers know it.
Activity activity_of(EventKind like);
const char* to_string(Activity activity);

// Bytes go to or come from a peer.
bool is_transfer(EventKind like);

}  // namespace polder::trace
