#include "common/team.hpp"

#include <chrono>
#include <string>

namespace apps {

Team::Team(polder::Runtime& runtime, double patience) : Team(runtime, runtime.world(), patience) {}

Team::Team(polder::Runtime& runtime, polder::Group& group, double patience)
    : runtime_(runtime), group_(group), patience_(std::chrono::duration<double>(patience)) {}

Status Team::named(const char* what, const Status& status) const {
  if (status.ok()) return {};
  const std::string about = std::string(what) + ": ";
  if (status.timed_out()) {
    const std::string seconds = std::to_string(patience_.nanoseconds() / 1'000'000'000);
    return {Code::timeout, about + "no news from the other ranks for " + seconds + " s (--patience); giving up"};
  }
  return {status.code(), about + status.to_string(), status.died()};
}

Status Team::barrier() const {
  return named("barrier", group_.barrier(patience_));
}

Status Team::reduce(polder::Reduction op, std::span<double> values) const {
  return named("allreduce", polder::allreduce(group_, op, polder::DataType::float64, values.data(), values.data(),
                                              values.size(), patience_));
}

Status Team::sum(std::span<double> values) const {
  return reduce(polder::Reduction::sum, values);
}

Status Team::minimum(std::span<double> values) const {
  return reduce(polder::Reduction::min, values);
}

Result<std::uint64_t> Team::maximum(std::uint64_t mine) const {
  Status status = named("allreduce", polder::allreduce(group_, polder::Reduction::max, polder::DataType::uint64, &mine,
                                                       &mine, 1, patience_));
  if (!status.ok()) return status;
  return mine;
}

Status Team::agree(const Status& mine) const {
  // After such an error the others do not come to a vote.
  if (lost_others(mine)) return mine;
  return vote(rank(), size(), mine, [this](std::uint64_t number) { return maximum(number); });
}

Crew crew_of(const Team& team) {
  return {team.rank(), [&team](std::uint64_t mine) { return team.maximum(mine); },
          [&team](const Status& mine) { return team.agree(mine); }};
}

}  // namespace apps
