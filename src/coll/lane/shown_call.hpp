// What a member shows in its memory of the collectives that go over a lane, to those who wait for it.
#pragma once

#include "coll/lane/call_record.hpp"
#include "core/group/letter_room.hpp"
#include "core/peers/published.hpp"

#include <atomic>
#include <cstdint>

namespace polder::coll {

struct ShownCall {
  core::Published<CallRecord> call;        // that it is in, or was in last
  std::atomic<std::uint64_t> given_up{0};  // not 0: it takes part in no collective of the group any more
};
static_assert(sizeof(ShownCall) <= core::LetterRoom::kRecord);

}  // namespace polder::coll
