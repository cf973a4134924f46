// Calls with slack 0 that follow a call with slack 0: nobody is in an earlier call any more, so nobody needs to be
// served, and members meet in the consistent allreduce of their totals. Over a group of the object's own, so that the
// collectives of the program need not come in the same order as these.
#pragma once

#include "coll/consistent/call.hpp"
#include "coll/stale/stale_part.hpp"
#include "coll/window/window.hpp"

#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace polder::coll {

class StaleMeeting {
 public:
  StaleMeeting(StalePart& part, MemberWindow& window) : part_(part), window_(window) {}

  // Collective. timeout: call again.
  Status commit(Group& group, Timeout timeout);

  // REQUIRES: nothing is under way, and the part's call meets.
  void begin() { stage_ = Stage::adding; }
  bool is_under_way() const { return stage_ != Stage::over; }
  // timeout: call again. ok: it is over, or the part has failed. Adds the time that it has waited.
  Status run(Timeout timeout, std::int64_t& waited_ns);

 private:
  enum class Stage : std::uint8_t { over, adding, meeting };

  Status run_waiting(Timeout timeout);
  bool is_there_at_once();
  bool enter();
  Call& prepared();
  bool is_over(Status status);

  StalePart& part_;
  MemberWindow& window_;
  std::unique_ptr<Group> group_;
  Stage stage_ = Stage::over;
  Call* call_ = nullptr;  // the one of these that is under way, or was last
  Call allreduce_;
  Call nothing_;  // of the same shape, of nothing: so that who gives something meanwhile is named
  const std::byte* prepared_total_ = nullptr;  // of the allreduce
  std::byte* prepared_sum_ = nullptr;
};

}  // namespace polder::coll
