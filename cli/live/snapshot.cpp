#include "live/snapshot.hpp"

#include "live/process_state.hpp"
#include "util/clock.hpp"

#include <algorithm>

namespace polder::cli {
namespace {

namespace local = bootstrap::local;
using bootstrap::LongWait;
using local::RankState;

// Whom a rank names may have come since, and wait by now for the same.
void leave_out_who_came(std::vector<RankView>& ranks, LongWait& wait) {
  LongWait rest = wait;
  rest.missing = 0;
  for (std::size_t i = 0; i < wait.named(); ++i) {
    const auto there = std::lower_bound(ranks.begin(), ranks.end(), wait.whom[i],
                                        [](const RankView& view, Rank rank) { return view.rank < rank; });
    const bool has_come = there != ranks.end() && there->rank == wait.whom[i] && there->wait.has_value() &&
                          there->wait->meeting == wait.meeting;
    if (!has_come) rest.wait_for(wait.whom[i]);
  }
  rest.missing += wait.missing - std::uint32_t(wait.named());
  if (rest.missing != 0) wait = rest;
}

}  // namespace

bool Snapshot::is_live() const {
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankView& view) { return view.state == RankState::attached; });
}

Snapshot Observer::look() {
  Snapshot snapshot{.at_ns = util::now_ns(), .ranks = {}};
  for (Rank rank = 0; rank < page_.size(); ++rank)
    if (page_.state(rank) != RankState::starting || page_.slot(rank).process.load() != 0)
      snapshot.ranks.push_back(look_at(rank, snapshot.at_ns));
  for (RankView& view : snapshot.ranks)
    if (view.wait && view.wait->meeting != 0) leave_out_who_came(snapshot.ranks, *view.wait);
  return snapshot;
}

RankView Observer::look_at(Rank rank, std::int64_t now) {
  const local::RankSlot& slot = page_.slot(rank);
  RankView view{.rank = rank, .state = page_.state(rank), .wait = {}, .waited_s = 0, .process = '?', .rates = {}};
  if (view.state >= RankState::finished) return view;
  Before after{.at_ns = now, .cpu_ns = 0, .asleep_ns = 0, .counts = page_.standing(rank).counts()};
  after.asleep_ns = std::int64_t(after.counts.asleep_ns);
  view.wait = page_.standing(rank).read(now);
  if (view.wait) {
    view.waited_s = double(std::max<std::int64_t>(now - view.wait->since_ns, 0)) * 1e-9;
    // Its sleep is counted when it ends.
    after.asleep_ns += std::max<std::int64_t>(now - std::max(view.wait->since_ns, before_[rank].at_ns), 0);
  }
  const std::int32_t pid = slot.pid.load() != 0 ? slot.pid.load() : slot.process.load();
  if (const auto process = pid != 0 ? process_state(pid) : std::nullopt) {
    view.process = process->letter;
    after.cpu_ns = process->cpu_ns;
  }
  set_rates(view, after);
  return view;
}

void Observer::set_rates(RankView& view, const Before& after) {
  Before& before = before_[view.rank];
  const double seconds = double(after.at_ns - before.at_ns) * 1e-9;
  if (before.at_ns != 0 && seconds > 0) {
    const auto rate = [&](auto now, auto then) { return now > then ? double(now - then) / seconds : 0; };
    view.rates = {.cores = rate(after.cpu_ns, before.cpu_ns) * 1e-9,
                  .asleep = std::min(rate(after.asleep_ns, before.asleep_ns) * 1e-9, 1.0),
                  .sleeps = rate(after.counts.sleeps, before.counts.sleeps),
                  .collectives = rate(after.counts.collectives, before.counts.collectives),
                  .posted_bytes = rate(after.counts.posted_bytes, before.counts.posted_bytes)};
  }
  before = after;
  // What is under way was added for this look alone.
  before.asleep_ns = std::int64_t(after.counts.asleep_ns);
}

}  // namespace polder::cli
