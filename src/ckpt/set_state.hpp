// A rank's view of the working set: who is in it, and the last epoch that was saved, by whomever.
#pragma once

#include "ckpt/checkpoint_state.hpp"
#include "ckpt/epoch_files.hpp"

#include <polder/working_set.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace polder {

struct Member::State {
  // A group of members, ordered by places.
  struct Formation {
    std::shared_ptr<Group> parent;  // of all that live; it must outlive `group`
    std::unique_ptr<Group> group;
    // Of the same, ascending: for store(), which may stay open after a timeout, while the program goes on in `group`. Null
    // where there is no directory.
    std::unique_ptr<Group> storing = nullptr;
    std::uint64_t stores = 0;  // that were begun
    Status commit(const ckpt::Deadline& deadline);
  };
  // The last checkpoint of which all members of its formation know that it has the last epoch.
  struct Holding {
    std::uint64_t number = 0;  // of the formation
    std::shared_ptr<Formation> formation;
    std::unique_ptr<Checkpoint> checkpoint;
  };
  // What a member says of its part of an epoch that is being stored.
  struct Written {
    std::uint64_t place = 0;
    ckpt::EpochTable::Part part;
    std::uint64_t whole = 0;  // the last epoch on disk of which it knows that, before this one
    std::uint64_t done = 0;
  };
  // A store() under way.
  struct Storing {
    ckpt::EpochDraft draft;
    int step = 0;
    Written mine;
    Status trouble;
    std::vector<Written> all;  // ascending by ranks
  };
  // How a step went, as bits of an agreement.
  static constexpr std::uint64_t kDone = ~std::uint64_t{0};
  static constexpr std::uint64_t kAgain = ~std::uint64_t{1};   // somebody has died
  static constexpr std::uint64_t kFailed = ~std::uint64_t{2};  // for good
  static std::uint64_t bits_of(const Status& status);
  static bool says_again(const Agreement& agreed) { return (agreed.bits & ~kAgain) == 0; }
  static bool says_failed(const Agreement& agreed) { return (agreed.bits & ~kFailed) == 0; }
  static Status error_of_all(const Status& mine);  // where a member failed for good

  State(Runtime& runtime, const WorkingSetSpec& wanted) : rt(runtime), spec(wanted) {}

  // working_set.cpp
  Status set_up();
  Status work_once(const WorkingSet::Work& work);
  void leave(Status& mine);
  Status meet(const Status& mine, bool& again);
  // formation.cpp
  Status form(bool somebody_died);
  Status leave_out_the_dead();
  Status prepare(std::span<const Rank> next, bool from_nothing);
  Status tell(bool from_nothing);
  Status hear(std::span<std::uint64_t> words, Rank root);
  Status gather_members(std::span<const Rank> next);
  Result<std::vector<Rank>> next_members() const;
  bool any_member_in(std::span<const Rank> ranks) const;
  // member.cpp
  Status fill(const ckpt::Deadline& deadline, const Redistribute& redistribute);
  Status fill_from_own_copy();
  Status fill_from(SavedParts& parts, std::uint64_t epoch, const ckpt::Deadline& deadline,
                   const Redistribute& redistribute);
  Status fits(std::size_t bytes, std::uint64_t epoch) const;
  Status all_could(const Status& mine, std::uint64_t epoch, const ckpt::Deadline& deadline);
  Status open(std::uint64_t epoch, const ckpt::Deadline& deadline);
  std::size_t kept_bytes() const;
  // disk.cpp
  Result<std::uint64_t> load(const ckpt::Deadline& deadline, const Redistribute& redistribute);
  Result<std::optional<ckpt::PartsOnDisk>> find_whole(const ckpt::EpochFiles& files, const ckpt::Deadline& deadline);
  Result<bool> look_at_parts(const ckpt::EpochFiles& files, std::uint64_t epoch,
                             std::optional<ckpt::PartsOnDisk>& parts) const;
  Status store_step(const ckpt::EpochFiles& files, const ckpt::Deadline& deadline);
  Status write_own_part(const ckpt::EpochFiles& files);
  Status publish(const ckpt::EpochFiles& files);

  void reached(std::string_view name) const {
    if (spec.at_step) spec.at_step(name);
  }
  bool is_member() const { return formation != nullptr; }
  bool in_use() const { return holding && formation && holding->formation == formation; }  // begin() has succeeded

  Runtime& rt;
  WorkingSetSpec spec;
  Rank least = 0;

  std::shared_ptr<Group> living;         // all that are not known to have died: members and spares
  std::vector<Rank> members;             // ranks of the job by place, the same at all that live
  std::uint64_t number = 0;              // of the formation of `members`
  std::shared_ptr<Formation> formation;  // null: this rank is a spare, or has left it
  std::optional<Rank> place;

  // What begin() begins from: epoch 0 is nothing. It never changes again: its checkpoint has ended.
  ckpt::SavedEpoch known;
  std::uint64_t known_number = 0;

  std::vector<Checkpoint::State::Range> ranges;  // of this turn of the work
  std::unique_ptr<Checkpoint> opening;
  std::optional<Holding> holding;  // the one in use, or an ended one that the next is to be filled from

  std::optional<Storing> storing;
  ckpt::EpochsSeen seen;  // by load(), and by each store() that has ended

  std::vector<Recovery> recoveries;
  std::int64_t heard_ns = 0;  // of the last death
};

}  // namespace polder
