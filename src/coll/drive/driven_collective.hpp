// A collective at one member: begun, driven, ended. The same object is driven in two ways: by a thread that waits for
// it to a deadline and comes back, and by whoever makes progress.
#pragma once

#include "bootstrap/standing.hpp"
#include "coll/drive/attended.hpp"
#include "coll/drive/call_news.hpp"
#include "coll/drive/driven_call.hpp"
#include "coll/drive/lanes.hpp"
#include "coll/lane/call_record.hpp"
#include "coll/port/elements.hpp"
#include "coll/task/task.hpp"
#include "util/assert.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <cstdint>
#include <functional>

namespace polder::coll {

class DrivenCollective : public Attended {
 public:
  DrivenCollective() = default;
  ~DrivenCollective() override;

  // Collective: takes its number. Nothing is sent yet. REQUIRES: idle or ended. busy: another thread is inside.
  Status begin(core::GroupState& group, const CallRecord& call, const Elements& elements, Living living = Living::all,
               Over over = Over::wires_and_node);

  bool idle() const { return call_.is_at(Stage::idle); }
  bool under_way() const {
    const Stage stage = call_.stage.load(std::memory_order_acquire);
    return stage == Stage::queued || stage == Stage::running;
  }
  bool ended() const final { return call_.is_at(Stage::ended); }
  // REQUIRES: ended().
  const Status& outcome() const {
    POLDER_ASSERT(ended());
    return outcome_;
  }
  // REQUIRES: not idle.
  Lanes& lanes() const {
    POLDER_ASSERT(!idle());
    return *call_.lanes;
  }

  // Drives it. timeout: call again to go on; the text says who has not come. Else the outcome.
  Status wait(Timeout timeout);
  // One look.
  bool test();

  // From now on it is driven by whoever makes progress, and `then` is called by who ends it, under no lock. It must not
  // wait.
  void go_on_alone(std::function<void()> then = {});

  void attend() final;
  std::function<void()> take_continuation() final;

 protected:
  // The task of this member, over the lane's ports.
  virtual Task start(Lane& lane) = 0;
  // Once the task has ended without a failure, before anybody is told.
  virtual void finish() {}
  const CallRecord& call() const { return call_.record; }
  // To be called by the destructor of the class that is final, while all that start() and finish() need is still there: no
  // thread looks after it any more when this returns. One that is under way breaks its group, whose members do not know.
  void retire();

 private:
  using Stage = DrivenCall::Stage;

  Status wait_untraced(Timeout timeout);
  void leave_alone();
  void advance(int looks = 1);
  void drive();
  bool enter();
  Status take_trouble();
  Status take_failure();
  void end(Status outcome, bool for_good);
  void give_up(Status why);
  void give_up_driven(Status why);
  bool is_crowded() const;
  bool awaits_other_nodes() const;
  Status told();

  DrivenCall call_;
  CallNews news_{call_};
  Status outcome_;
  bool alone_ = false;
  std::function<void()> then_;
  std::atomic<bool> told_{false};  // then_ has been taken
  std::int64_t looked_ns_ = 0;
};

}  // namespace polder::coll
