// The keeper of a slice, in the sharded shape: knows the newest total of each member, and answers each with what the
// others have given. A member is answered when it sends, and again when its last answer was too old for its call and a
// newer one can be made.
#pragma once

#include "coll/stale/stale_layout.hpp"
#include "coll/stale/stale_link.hpp"

#include <polder/stale.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::coll {

class StaleServer {
 public:
  // `links`: those by which the slices of all members come, then those by which the answers leave.
  StaleServer(const ReductionSpec& spec, const StaleLayout& layout, Rank me, Rank members,
              std::vector<StaleLink>& links);

  // Does what can be done at once. An error is that of the function that combines; timeout: come again.
  Status serve();
  // The last call with slack 0 that all have made.
  std::uint64_t published() const { return published_; }
  // All have made that call, of which nothing came by the links. REQUIRES: these have been told the same.
  void skip_to(std::uint64_t call);

 private:
  bool all_have_come() const;
  Status publish();
  bool wants_answer(Rank member) const;
  Status answer();
  Status answer_one(Rank member);
  Status add_up();
  StaleHead clocks_without(Rank member) const;

  // A slice, or nothing.
  struct Part {
    std::byte* values = nullptr;
    bool is_empty = true;
  };
  Part given(Rank member) const;
  Part scratch(std::size_t place);
  Status join(const Part& one, const Part& two, Part& into) const;

  const ReductionSpec& spec_;
  const std::size_t count_;  // elements of the slice
  const Rank members_;
  std::vector<StaleLink>& links_;
  std::uint64_t published_ = 0;
  struct Answered {
    std::uint64_t call = 0, oldest = 0;
  };
  std::vector<Answered> answered_;  // by member
  std::vector<std::byte> scratch_;
  Part before_;               // what members below the one that is answered have given together
  std::vector<Part> behind_;  // and those from each one on
};

}  // namespace polder::coll
