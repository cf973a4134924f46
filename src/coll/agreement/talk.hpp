// One member's part in an agreement: what it knows, and the steps that agree() is made of.
#pragma once

#include "coll/agreement/opinion.hpp"
#include "coll/agreement/panel.hpp"
#include "coll/task/task.hpp"
#include "util/assert.hpp"

#include <polder/types.hpp>

#include <cstdint>
#include <vector>

namespace polder::coll {

class Talk : public Port {
 public:
  // `name`: of the group, as this member would call it; it may differ between members.
  Talk(Strand& strand, Panel& panel, Rank me, Rank size, std::uint64_t name);

  // The next agreement, to which this member contributes `bits`. REQUIRES: the last one is over, or this is the first.
  void begin(std::uint64_t bits);
  // The same, and shows at once that this member does not set all bits, to those who have not begun and look. `dissenter`:
  // itself, or the member that it has this from.
  void begin_openly(std::uint64_t bits, Rank dissenter);
  // Of the agreement that is under way, or was the last one; from 1.
  std::uint64_t number() const { return own_.number; }
  // REQUIRES: it has ended.
  const Decision& decision() const {
    POLDER_ASSERT(is_over());
    return own_.value;
  }
  // The others went on without this member: they have given it up.
  bool is_left_behind() const { return left_behind_; }

  // ---- steps of agree() ----

  class Heard : public WaitFor<Heard> {
   public:
    Heard(Talk& t, bool p, Stage s) : talk(t), parent(p), stage(s) {}
    bool is_ready() { return parent ? talk.hear_parent(stage) : talk.hear_children(stage); }

   private:
    Talk& talk;
    bool parent;
    Stage stage;
  };
  Heard all_children(Stage stage) { return {*this, false, stage}; }
  Heard parent(Stage stage) { return {*this, true, stage}; }

  // Nothing is left to be waited for: it is decided, or this member was left behind.
  bool is_over() const { return own_.stage == Stage::committed || left_behind_; }
  // A later ballot has begun, or it is over.
  bool is_outdated() const { return next_ballot_ != own_.ballot || is_over(); }
  void open_ballot();
  void contribute();
  void accept();
  void acknowledge() { move_to(Stage::acknowledged); }
  void commit() { move_to(Stage::committed); }
  void show_now();

 private:
  bool hear_children(Stage stage);
  bool hear_parent(Stage stage);
  bool go_through_children(Stage stage);
  bool has_come(Rank member, Stage stage);
  bool listen(Rank member);
  void learn(const Decision& decided);
  bool is_gone(Rank member);
  void follow_the_living();
  Rank parent_now();
  void push_children(Rank member);
  void move_to(Stage stage);
  bool settle(bool ready);
  Decision contribution() const;
  void begin_gathering();
  void gather(const Opinion& of_child);
  void gather_failed();

  Panel& panel_;
  const Rank me_, size_;
  const std::uint64_t name_;
  Opinion own_;
  bool dirty_ = false;  // own_ has changed since it was shown
  Rank next_ballot_ = 0;
  bool is_first_ballot_ = true;
  bool left_behind_ = false;
  std::uint64_t bits_ = 0;
  Rank dissenter_ = kNoMember;  // who is named for bits_
  Decision accepted_;           // in the ballot accepted_in_
  Rank accepted_in_ = kNoMember;
  MemberSet gone_;             // as this member found them; for good
  Opinion heard_;              // the last one that was looked at
  Opinion gathered_;           // of all children, in the last round through them
  std::vector<Rank> pending_;  // of that round
};

}  // namespace polder::coll
