// A collective at one member: begun, driven, ended. The same object is driven in two ways: by a thread that waits for
// it to a deadline and comes back, and by whoever makes progress.
#pragma once

#include "bootstrap/standing.hpp"
#include "coll/drive/attended.hpp"
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
#include <optional>
#include <vector>

namespace polder::coll {

// Who has to live. All: consistent collectives, which a death of any member ends. Awaited: only those whose letters a
// member needs. Reached: those whom it sends letters or who send it some, all in one step; it goes on without the dead until
// all else has come and gone, and then fails at this member only, while the group lives on.
enum class Living : std::uint8_t { all, awaited, reached };

// What a task goes over: what it leaves out is not made ready for it.
enum class Over : std::uint8_t { wires_and_node, wires, node };

class DrivenCollective : public Attended {
 public:
  DrivenCollective() = default;
  ~DrivenCollective() override;

  // Collective: takes its number. Nothing is sent yet. REQUIRES: idle or ended. busy: another thread is inside.
  Status begin(core::GroupState& group, const CallRecord& call, const Elements& elements, Living living = Living::all,
               Over over = Over::wires_and_node);

  bool idle() const { return stage() == Stage::idle; }
  bool under_way() const { return stage() == Stage::queued || stage() == Stage::running; }
  bool ended() const final { return stage() == Stage::ended; }
  // REQUIRES: ended().
  const Status& outcome() const {
    POLDER_ASSERT(ended());
    return outcome_;
  }
  // REQUIRES: not idle.
  Lanes& lanes() const {
    POLDER_ASSERT(!idle());
    return *lanes_;
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
  const CallRecord& call() const { return call_; }
  // To be called by the destructor of the class that is final, while all that start() and finish() need is still there: no
  // thread looks after it any more when this returns. One that is under way breaks its group, whose members do not know.
  void retire();

 private:
  enum class Stage : std::uint8_t { idle, queued, running, ended };
  Stage stage() const { return stage_.load(std::memory_order_acquire); }

  Status wait_untraced(Timeout timeout);
  void leave_alone();
  void advance(int looks = 1);
  void drive();
  bool enter();
  Status take_trouble();
  Status take_failure();
  // Null: the task does not go over it, or there is none.
  LaneNode* node() const { return over_ != Over::wires && lane_->node ? &*lane_->node : nullptr; }
  void end(Status outcome, bool for_good);
  void give_up(Status why);
  bool is_crowded() const;
  bool awaits_other_nodes() const;
  Status told();
  Status trouble();
  Status gone() const;
  bool is_grace_over() const;
  Status news_of(Rank member) const;
  Status news_beside() const;
  Status news_of_node();
  Status timed_out() const;
  std::vector<Rank> late_members() const;
  void describe(bootstrap::LongWait& wait) const;
  std::optional<Rank> awaited() const;

  Lanes* lanes_ = nullptr;
  Lane* lane_ = nullptr;
  CallRecord call_;
  Elements elements_;
  Living living_ = Living::all;
  Over over_ = Over::wires_and_node;
  std::atomic<Stage> stage_{Stage::idle};
  Status outcome_;
  bool alone_ = false;
  std::function<void()> then_;
  std::atomic<bool> told_{false};  // then_ has been taken
  std::int64_t looked_ns_ = 0;
  mutable std::atomic<std::int64_t> left_since_ns_{0};  // when a member was first found to have left, or given up
};

}  // namespace polder::coll
