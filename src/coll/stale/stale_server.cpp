#include "coll/stale/stale_server.hpp"

#include "coll/port/elements.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace polder::coll {

StaleServer::StaleServer(const ReductionSpec& spec, const StaleLayout& layout, Rank me, Rank members,
                         std::vector<StaleLink>& links)
    : spec_(spec),
      count_(layout.first_of(me + 1) - layout.first_of(me)),
      members_(members),
      links_(links),
      answered_(members),
      scratch_((std::size_t{members} + 2) * count_ * spec.element_size),
      behind_(members + 1) {}

Status StaleServer::serve() {
  for (Rank member = 0; member < members_; ++member) links_[member].take(std::numeric_limits<std::uint64_t>::max());
  return all_have_come() ? publish() : answer();
}

// ---- parts ----

StaleServer::Part StaleServer::given(Rank member) const {
  const StaleLink& link = links_[member];
  if (link.head().is_empty != 0) return {};
  return {const_cast<std::byte*>(link.values()), false};
}

StaleServer::Part StaleServer::scratch(std::size_t place) {
  return {scratch_.data() + place * count_ * spec_.element_size, true};
}

// REQUIRES: `into` has memory of its own, or is `one`.
Status StaleServer::join(const Part& one, const Part& two, Part& into) const {
  const Part& only = one.is_empty ? two : one;
  if (one.is_empty || two.is_empty) {
    if (!only.is_empty && only.values != into.values && count_ != 0)
      util::copy(into.values, only.values, count_ * spec_.element_size);
    into.is_empty = only.is_empty;
    return {};
  }
  into.is_empty = false;
  return count_ == 0 ? Status() : combine_guarded(spec_.combine, one.values, two.values, into.values, count_);
}

// ---- calls with slack 0 ----

bool StaleServer::all_have_come() const {
  const std::uint64_t call = links_[0].head().call;
  if (call <= published_) return false;
  for (Rank member = 0; member < members_; ++member)
    if (links_[member].head().is_whole == 0 || links_[member].head().call != call) return false;
  return true;
}

Status StaleServer::publish() {
  Part sum = scratch(0);
  for (Rank member = 0; member < members_; ++member)
    if (Status status = join(sum, given(member), sum); !status.ok()) return status;
  published_ = links_[0].head().call;
  const std::size_t bytes = sum.is_empty ? 0 : count_ * spec_.element_size;
  for (Rank member = 0; member < members_; ++member) {
    StaleLink& link = links_[members_ + member];
    const StaleHead head{
        .call = published_, .oldest = published_, .newest = published_, .is_empty = sum.is_empty, .is_whole = 1};
    std::memcpy(link.place(), &head, sizeof head);
    if (bytes != 0) util::copy(link.place() + sizeof head, sum.values, bytes);
    link.post(sizeof head + bytes);
    answered_[member] = {published_, published_};
    links_[member].begin_anew(published_);
  }
  return {};
}

void StaleServer::skip_to(std::uint64_t call) {
  published_ = call;
  for (Answered& each : answered_) each = {call, call};
}

// ---- others ----

StaleHead StaleServer::clocks_without(Rank member) const {
  const StaleHead& own = links_[member].head();
  StaleHead head{.call = own.call, .oldest = own.call, .newest = own.call, .slowest = member, .is_empty = 1};
  bool is_first = true;
  for (Rank other = 0; other < members_; ++other) {
    if (other == member) continue;
    const std::uint64_t clock = links_[other].head().oldest;
    if (is_first || clock < head.oldest) head.oldest = clock, head.slowest = other;
    head.newest = is_first ? clock : std::max(head.newest, clock);
    is_first = false;
  }
  head.call = head.oldest;
  return head;
}

bool StaleServer::wants_answer(Rank member) const {
  const StaleHead& head = links_[member].head();
  if (head.is_whole != 0 || head.call == 0) return false;
  const Answered& last = answered_[member];
  if (head.call > last.call) return true;
  return last.oldest < head.call && head.call - last.oldest > head.slack && clocks_without(member).oldest > last.oldest;
}

Status StaleServer::answer() {
  bool any = false;
  for (Rank member = 0; member < members_ && !any; ++member) any = wants_answer(member);
  if (!any) return {};
  if (Status status = add_up(); !status.ok()) return status;
  for (Rank member = 0; member < members_; ++member) {
    if (wants_answer(member))
      if (Status status = answer_one(member); !status.ok()) return status;
    if (Status status = join(before_, given(member), before_); !status.ok()) return status;
  }
  return {};
}

// From the last member to the first.
Status StaleServer::add_up() {
  before_ = scratch(0);
  behind_[members_] = scratch(1);
  for (Rank member = members_; member-- > 0;) {
    behind_[member] = scratch(std::size_t{member} + 2);
    if (Status status = join(given(member), behind_[member + 1], behind_[member]); !status.ok()) return status;
  }
  return {};
}

Status StaleServer::answer_one(Rank member) {
  StaleLink& link = links_[members_ + member];
  StaleHead head = clocks_without(member);
  Part others{link.place() + sizeof head, true};
  if (Status status = join(before_, behind_[member + 1], others); !status.ok()) return status;
  head.is_empty = others.is_empty;
  std::memcpy(link.place(), &head, sizeof head);
  link.post(sizeof head + (others.is_empty ? 0 : count_ * spec_.element_size));
  answered_[member] = {links_[member].head().call, head.oldest};
  return {};
}

}  // namespace polder::coll
