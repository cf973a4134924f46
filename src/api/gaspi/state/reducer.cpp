#include "api/gaspi/state/reducer.hpp"

#include "api/gaspi/base/error.hpp"

#include <cstring>

namespace polder::gaspi {

gaspi_return_t Reducer::run(Group& group, const ReduceKind& kind, const void* send, void* receive,
                            gaspi_reduce_state_t state, const Deadline& deadline) {
  if (active() && kind != kind_) {
    return refuse(GASPI_ERR_ACTIVE_COLL, "gaspi_allreduce", "another allreduce is under way on the group");
  }
  if (!active()) {
    if (const gaspi_return_t begun = begin(group, kind, send); begun != GASPI_SUCCESS) return begun;
  }
  state_ = state;
  deadline_ = deadline;
  const Status status = allreduce_->run(deadline.left());
  if (status.timed_out()) return GASPI_TIMEOUT;
  active_ = false;
  if (status.ok()) std::memcpy(receive, output_.data(), kind_.bytes());
  return outcome(status);
}

gaspi_return_t Reducer::begin(Group& group, const ReduceKind& kind, const void* send) {
  kind_ = kind;
  const auto* const bytes = static_cast<const std::byte*>(send);
  input_.assign(bytes, bytes + kind.bytes());
  output_.resize(kind.bytes());
  auto description = spec();
  if (!description.ok()) return failed(description.status());
  if (allreduce_) {
    allreduce_->begin_again(*std::move(description), input_.data(), output_.data());
  } else {
    allreduce_.emplace(group, *std::move(description), input_.data(), output_.data());
  }
  active_ = true;
  return GASPI_SUCCESS;
}

Result<ReductionSpec> Reducer::spec() {
  if (kind_.operation) return reduction(*kind_.operation, kind_.type, kind_.num);
  return ReductionSpec{kind_.num, kind_.element_size,
                       [this](const void* one, const void* two, void* result, std::size_t count) {
                         return combine(one, two, result, count);
                       }};
}

// An operation that runs out of time is asked again for as long as the call has time; there is no way to leave the
// collective in the middle of an element and to come back.
Status Reducer::combine(const void* one, const void* two, void* result, std::size_t count) const {
  while (true) {
    const gaspi_return_t code = kind_.user(const_cast<void*>(one), const_cast<void*>(two), result, state_,
                                           gaspi_number_t(count), kind_.element_size, deadline_.milliseconds());
    if (code == GASPI_SUCCESS) return {};
    if (code == GASPI_TIMEOUT && !deadline_.over()) continue;
    return {Code::peer_failed, "gaspi_allreduce_user: the program's operation did not succeed", Died::operation};
  }
}

}  // namespace polder::gaspi
