#include "common/survivors.hpp"

#include <algorithm>
#include <chrono>

namespace apps {
namespace {

using Clock = std::chrono::steady_clock;

// What a rank says of its work when all meet, by a bit that it does not set.
constexpr std::uint64_t kDisturbed = 1, kFailed = 2;  // by a death; by an error

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Survivors::Survivors(polder::Runtime& runtime, unsigned spares, double patience)
    : runtime_(runtime), workers_(runtime.size() - std::min(spares, runtime.size() - 1)), patience_(patience) {}

Survivors::~Survivors() = default;

bool Survivors::is_first() const {
  return all().index() == 0;
}

polder::Group& Survivors::all() const {
  return living_ ? *living_ : runtime_.world();
}

Status Survivors::run(const std::function<Status(const Team& team)>& work) {
  for (;;) {
    const Status mine = work_once(work);
    if (lost_others(mine) && !tells_of_death(mine)) return mine;
    bool again = false;
    Status outcome = meet(mine, again);
    if (!again) return outcome;
    Status status = make_smaller();
    if (!status.ok()) return status;
  }
}

std::span<const polder::Rank> Survivors::workers() const {
  const std::span<const polder::Rank> living = all().ranks();
  return living.first(std::min<std::size_t>(workers_, living.size()));
}

Status Survivors::work_once(const std::function<Status(const Team& team)>& work) {
  const std::span<const polder::Rank> working = workers();
  if (std::ranges::find(working, runtime_.rank()) == working.end()) return {};
  Result<std::unique_ptr<polder::Group>> group = runtime_.create_group(working);
  if (!group.ok()) return std::move(group).status();
  const Team team(runtime_, **group, patience_);
  Status status = team.named("the team's beginning", (*group)->commit(team.patience()));
  return status.ok() ? work(team) : status;
}

// All that live, at the end of the work. Spares wait here meanwhile, however long it takes and whoever dies; that a spare has
// died disturbs nobody.
Status Survivors::meet(const Status& mine, bool& again) {
  const bool disturbed = tells_of_death(mine), failed = !mine.ok() && !disturbed;
  const Result<polder::Agreement> met =
      all().agree(~std::uint64_t{0} ^ (disturbed ? kDisturbed : 0) ^ (failed ? kFailed : 0), polder::Timeout::block());
  if (!met.ok()) return met.status();
  if ((met->bits & kFailed) == 0) return agree_who_failed(mine, failed);
  const auto worked = [working = workers()](polder::Rank rank) {
    return std::ranges::find(working, rank) != working.end();
  };
  const bool all_done = (met->bits & kDisturbed) != 0 && std::ranges::none_of(met->failed, worked);
  if (all_done) return {};
  again = !met->failed.empty();
  // Where nobody has died, once more would end no better.
  return disturbed ? mine : stopped_by_another();
}

// As vote(): the lowest rank whose own error it is speaks.
Status Survivors::agree_who_failed(const Status& mine, bool failed) {
  const bool speaks = failed && !mine.message().empty();
  const Result<polder::Agreement> culprit = all().agree(speaks ? 0 : ~std::uint64_t{0}, polder::Timeout::block());
  if (!culprit.ok()) return failed ? mine : culprit.status();
  return culprit->dissenter == runtime_.rank() ? mine : stopped_by_another();
}

Status Survivors::make_smaller() {
  const Clock::time_point start = Clock::now();
  const Team team(runtime_, all(), patience_);
  const std::vector<polder::Rank> before(all().ranks().begin(), all().ranks().end());
  Result<std::unique_ptr<polder::Group>> shrunk = all().shrink(team.patience());
  if (!shrunk.ok()) return team.named("the agreement about who is left", shrunk.status());
  living_ = *std::move(shrunk);
  Recovery recovery;
  std::ranges::set_difference(before, living_->ranks(), std::back_inserter(recovery.lost));
  recovery.seconds = seconds_since(start);
  recoveries_.push_back(std::move(recovery));
  return {};
}

}  // namespace apps
