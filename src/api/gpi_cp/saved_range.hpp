// What a description stands for: the range of this rank that is saved, and how far its calls have come.
#pragma once

#include "api/gpi_cp/formation.hpp"

#include <polder/saved_parts.hpp>
#include <polder/timeout.hpp>

#include <optional>
#include <span>
#include <vector>

namespace polder::gpi_cp {

// What is to be saved, and with whom.
struct WantedCopies {
  Range range;
  std::vector<Rank> members;  // ascending
  std::uint32_t mirrors = 1;
};

// The calls of gpi_cp.h, see there. A timeout: the same again goes on.
class SavedRange {
 public:
  explicit SavedRange(Runtime& rt) : rt_(rt) {}

  Status init(const WantedCopies& wanted, Timeout timeout);
  Status start(Timeout timeout);
  Status commit(Timeout timeout);
  Status restore(const WantedCopies& wanted, Timeout timeout);
  Status finalize(Timeout timeout);
  Status read_buddy(Timeout timeout);
  Status rollback(Timeout timeout);

  Runtime& runtime() const { return rt_; }
  bool initialised() const { return spare_ || current_; }
  bool is_fresh() const {
    return !initialised() && !forming_ && !recovery_;
  }  // nothing is under way, and nothing was done
  bool in_progress() const { return current_ && !failed_ && current_->checkpoint->started(); }
  std::uint64_t epoch() const { return current_ ? current_->checkpoint->epoch() : 0; }
  std::size_t active() const { return (epoch() & 1) * range_.size(); }
  std::byte* window();

 private:
  // restore() under way. What it leaves undone at its end nobody has.
  struct Recovery {
    Recovery();  // declared: clang 14 makes no optional of what it cannot construct before the class around it ends
    WantedCopies wanted;
    Formation next;
    std::optional<SharedParts> parts;
    bool shared = false;          // parts
    bool filled = false;          // `part`, or the range of a joiner
    std::optional<Status> lacks;  // why this rank could not; decided with the others next
    bool decided = false;         // all have theirs
    std::vector<std::byte> part;  // of a survivor: what it has committed last
    bool joins = false;
  };

  std::optional<Rank> lost_of(std::span<const Rank> ranks) const;
  Result<Formation> form(const WantedCopies& wanted) const;
  Status found(const api::Deadline& deadline);
  void replace_current(Formation& next, std::optional<Status> ended);
  Status recover(const api::Deadline& deadline);
  Status end_last(const api::Deadline& deadline);
  Status fill(const api::Deadline& deadline);
  Result<Rank> own_place() const;
  Status decide(const api::Deadline& deadline);
  Status save(const api::Deadline& deadline);
  Status give_up_recovery(const api::Deadline& deadline);

  Runtime& rt_;
  Range range_;
  bool spare_ = false;
  std::optional<Formation> forming_;  // init() under way, with these:
  std::vector<Rank> forming_members_;
  std::optional<Formation> current_;
  // How the end of current_ went, once it is over here. Members end it once each, however many calls of restore() they make: one
  // that ended it again would wait for votes of others that have no reason to.
  std::optional<Status> ended_;
  bool failed_ = false;  // a start that will never count
  std::optional<Recovery> recovery_;
  std::vector<std::byte> window_;
};

}  // namespace polder::gpi_cp
