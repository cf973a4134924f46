// What a member says of the call that it is in where its memory is not mapped: read over the device, and only once a
// collective has waited for the member for a while, so a collective that fits costs no message. Costs a get of 48 bytes
// each time.
#pragma once

#include "coll/lane/shown_call.hpp"
#include "core/group/letter_room.hpp"
#include "core/group/member_memory.hpp"

#include <polder/queue.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace polder::core {
struct GroupPorts;
}

namespace polder::coll {

class AskedRecord {
 public:
  static constexpr std::int64_t kPatience =
      200'000'000;  // ns that a member is waited for before it is asked, and asked again

  explicit AskedRecord(const core::GroupPorts& ports);
  ~AskedRecord();
  AskedRecord(const AskedRecord&) = delete;
  AskedRecord& operator=(const AskedRecord&) = delete;

  struct Answer {
    std::optional<CallRecord> call;  // nothing: it was being written
    bool given_up = false;
  };
  // Of a member whose record lies `offset` bytes in its memory, for whom collective `number` waits; to be called again and
  // again, each kPatience at least. Nothing: not yet. One member at a time is asked, by collectives in turn; a thread that
  // finds another one here comes again.
  std::optional<Answer> of(const core::MemberMemory& memory, std::uint64_t offset, std::uint64_t number);

 private:
  // What a lane waits for, each with a time of its own: several collectives of a group may be under way.
  struct Waiting {
    const core::PeerSegment* segment = nullptr;  // for which `number` waits since `since_ns`
    std::uint64_t number = 0;
    std::int64_t since_ns = 0;
  };
  void ask(const core::MemberMemory& memory, std::uint64_t offset);
  std::optional<Answer> answer();

  const core::GroupPorts& ports_;
  const std::unique_ptr<Queue> queue_;
  std::unique_ptr<ShownCall> copy_;
  std::atomic<bool> entered_{false};
  std::array<Waiting, core::LetterRoom::kLanes> waiting_;
  Waiting asked_;  // who is asked, for whom, since when
  bool under_way_ = false;
};

}  // namespace polder::coll
