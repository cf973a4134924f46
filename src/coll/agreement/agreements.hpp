// The agreements of a group at one of its members: agree() and shrink() of the public group.
#pragma once

#include "coll/agreement/panel.hpp"
#include "coll/agreement/talk.hpp"
#include "coll/task/task.hpp"
#include "core/group/group_extension.hpp"

#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::core {
class GroupState;
}

namespace polder::coll {

class Agreements final : public core::GroupExtension, private Panel {
 public:
  // Of this group, made on first use. REQUIRES: the group is committed.
  static Agreements& of(core::GroupState& group);
  explicit Agreements(core::GroupState& group);

  // As those of Group.
  Result<Agreement> agree(std::uint64_t bits, Timeout timeout);
  Result<std::unique_ptr<Group>> shrink(Timeout timeout);

 private:
  // Of a shrink(): members find out who is there, make a group of those, and then whether all could.
  enum class Shrinking : std::uint8_t { idle, counting, committing, confirming };

  void show(const Opinion& own) override;
  void wake(Rank member) override;
  Look look(Rank member, Opinion& opinion) override;
  bool has_failed(Rank member) override;

  Status run(std::uint64_t bits, Timeout timeout);
  void begin(std::uint64_t bits);
  bool is_given_up() const;
  Status trouble() const;
  Status outcome() const;
  Status count(Timeout timeout);
  void make(std::vector<Rank> ranks);
  Status commit(Timeout timeout);
  bool hears_refusal();
  bool hears_refusal_of(Rank member);
  void answer(std::uint64_t bits, Rank refuser);
  Status refusal(const Decision& decided) const;
  Result<std::unique_ptr<Group>> confirm(Timeout timeout);

  core::GroupState& group_;
  const Rank size_;
  Frames frames_;
  Strand strand_{frames_};
  Talk talk_;
  std::vector<std::uint64_t> words_;
  std::atomic<bool> busy_{false};
  std::uint64_t bits_ = 0;  // of the agreement that is under way
  Shrinking shrinking_ = Shrinking::idle;
  std::unique_ptr<Group> smaller_;  // null as well where it could not be made
  Status committed_;                // how that, or the commit of it, ended here
  std::uint64_t answer_ = 0;        // whether this member could, for the second agreement
  Rank refuser_ = kNoMember;        // if not: itself, or the one because of which it gave up
  Opinion heard_;                   // of another one, while committing
  Rank looked_at_ = 0;              // so many others, meanwhile
};

}  // namespace polder::coll
