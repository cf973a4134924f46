// Of StalePart: calls with slack 0 that follow one with slack 0.
#include "coll/stale/stale_part.hpp"

#include <utility>

namespace polder::coll {
namespace {

constexpr unsigned kMeetings = 256;  // then totals begin anew, so that they do not grow beyond the digits of their type

}  // namespace

void StalePart::begin_to_meet() {
  is_meeting_ = true;
  told_.bytes = spec_.reduction.count * spec_.reduction.element_size;
  if (meetings_++ % kMeetings == 0) {
    own_.clear();
    if (me() == 0 && !base_.is_empty()) own_.set(base_.data(), 0, spec_.reduction.count);
    has_given_ = false;
  }
  has_given_ = has_given_ || call_.mine != nullptr;
}

bool StalePart::is_ready_to_meet() {
  return add_given() || has_failed();
}

void StalePart::has_met() {
  is_meeting_ = false;
  if (given() != nullptr) base_.is_filled();
  store(base_);
}

// All have been in that call, and links are to know it before anything of a later one is taken from them.
void StalePart::catch_up(std::uint64_t call) {
  if (caught_up_ == call) return;
  caught_up_ = call;
  for (StaleLink& link : links_) link.skip_to(call);
  if (server_) server_->skip_to(call);
}

// Who sends a total of this call was called with another slack. (One of a later call is of a member that has met.)
void StalePart::look_for_trouble_of_meeting() {
  look_for_trouble();
  if (has_failed()) return;
  const std::size_t incoming = serves() ? size() : links_.size();
  for (std::size_t at = 0; at < incoming; ++at)
    if (const StaleHead* const next = links_[at].next(); next != nullptr && next->call == clock())
      return news_.fail({StaleNews::Why::other_slack, links_[at].peer(), Code::invalid_argument}, clock());
  if (const auto trouble = news_.trouble_of_ends(clock(), 0)) news_.fail(*trouble, clock());
}

}  // namespace polder::coll
