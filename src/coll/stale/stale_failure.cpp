// What ends a stale-synchronous allreduce for good.
#include "coll/stale/stale_part.hpp"

namespace polder::coll {

void StalePart::look_for_trouble() {
  if (has_failed()) return;
  if (const auto trouble = news_.trouble_of_others()) news_.fail(*trouble, clock());
}

std::optional<StaleNews::Trouble> StalePart::trouble_of(const StaleLink& awaited) const {
  const bool is_gone = news_.has_gone(awaited.peer());  // before what it has told, which is the better reason
  if (auto trouble = news_.trouble_of_others()) return trouble;
  if (auto trouble = news_.trouble_of_ends(clock(), call_.slack)) return trouble;
  const std::size_t incoming = serves() ? size() : links_.size();
  for (std::size_t at = 0; at < incoming; ++at)
    if (has_other_slack(links_[at]))
      return StaleNews::Trouble{StaleNews::Why::other_slack, links_[at].peer(), Code::invalid_argument};
  if (is_gone) return StaleNews::Trouble{StaleNews::Why::left, awaited.peer(), Code::peer_failed};
  // A keeper waits for those whose totals it lacks, whoever's answer it awaits.
  for (Rank member = 0; serves() && member < size(); ++member) {
    const std::uint64_t has_called = links_[member].head().call;
    const bool lags = has_called < clock() && clock() - has_called > call_.slack;
    if (lags && member != me() && news_.has_gone(member))
      return StaleNews::Trouble{StaleNews::Why::left, member, Code::peer_failed};
  }
  return {};
}

// It has sent something of this call, or of a later one, that does not fit.
bool StalePart::has_other_slack(const StaleLink& link) const {
  const StaleHead& head = link.head();
  if (head.call == clock() && head.slack != call_.slack) return true;
  if (!is_consistent()) return false;
  if (serves()) return head.call > clock() && server_->published() < clock();
  const StaleHead* const next = link.next();
  return !is_fresh_now(link) && next != nullptr && next->call > clock();
}

}  // namespace polder::coll
