#include "api/gaspi/state/agreement.hpp"

#include <algorithm>
#include <string>

namespace polder::gaspi {
namespace {

constexpr std::byte kSuccess{1};
constexpr std::byte kFailure{2};

}  // namespace

void Agreement::begin(gaspi_segment_id_t segment, bool success, std::size_t members) {
  segment_ = segment;
  agreed_ = false;
  mine_ = success ? kSuccess : kFailure;
  all_.assign(members, std::byte{0});
}

bool Agreement::success() const {
  return mine_ == kSuccess;
}

Status Agreement::run(Group& group, Timeout timeout) {
  if (agreed_) return {};
  Status status = group.allgather({&mine_, 1}, all_, timeout);
  if (status.timed_out()) return status;
  const auto failure = std::ranges::find(all_, kFailure);
  agreed_ = status.ok() && failure == all_.end();
  if (agreed_) return {};
  const unsigned segment = *std::exchange(segment_, std::nullopt);
  if (!status.ok()) return status;
  const Rank rank = group.ranks()[std::size_t(failure - all_.begin())];
  return {Code::peer_failed,
          "segment " + std::to_string(segment) + ": rank " + std::to_string(rank) + " could not create its part",
          Died::operation};
}

}  // namespace polder::gaspi
