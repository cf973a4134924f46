#include "common/survivors.hpp"

#include <algorithm>
#include <chrono>

namespace apps {
namespace {

using Clock = std::chrono::steady_clock;

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
    // Whoever has learned of a death does not come to the meeting, which tells the others.
    const Status outcome = tells_of_death(mine) ? mine : meet(mine);
    if (!tells_of_death(outcome)) return outcome;
    Status status = make_smaller();
    if (!status.ok()) return status;
  }
}

Status Survivors::work_once(const std::function<Status(const Team& team)>& work) {
  const std::span<const polder::Rank> living = all().ranks();
  const std::span<const polder::Rank> working = living.first(std::min<std::size_t>(workers_, living.size()));
  if (std::ranges::find(working, runtime_.rank()) == working.end()) return {};
  Result<std::unique_ptr<polder::Group>> group = runtime_.create_group(working);
  if (!group.ok()) return std::move(group).status();
  const Team team(runtime_, **group, patience_);
  Status status = team.named("the team's beginning", (*group)->commit(team.patience()));
  return status.ok() ? work(team) : status;
}

// All that live, at the end of the work. Spares wait here meanwhile, however long it takes; a death ends it at all.
Status Survivors::meet(const Status& mine) {
  const Team team(runtime_, all(), patience_);
  const auto maximum = [&](std::uint64_t number) -> Result<std::uint64_t> {
    const Result<polder::ReductionSpec> spec = polder::reduction(polder::Reduction::max, polder::DataType::uint64, 1);
    if (!spec.ok()) return spec.status();
    polder::Allreduce meeting(all(), *spec, &number, &number);
    Status status = Code::timeout;
    while (status.timed_out()) status = meeting.run(team.patience());
    if (!status.ok()) return team.named("the meeting of all ranks", status);
    return number;
  };
  return vote(team.rank(), team.size(), mine, maximum);
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
