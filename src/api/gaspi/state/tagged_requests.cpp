#include "api/gaspi/state/tagged_requests.hpp"

#include "api/gaspi/base/error.hpp"

#include <utility>

namespace polder::gaspi {

void TaggedRequests::add(TaggedRequest request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
}

gaspi_number_t TaggedRequests::take(gaspi_number_t max, gaspi_tag_t* tags, gaspi_status_t* statuses) {
  gaspi_number_t taken = 0;
  const std::lock_guard lock(mutex_);
  for (auto request = requests_.begin(); taken < max && request != requests_.end();) {
    const Status status = request->handle.wait(Completion::local, Timeout::test());
    if (status.timed_out()) {
      ++request;
      continue;
    }
    tags[taken] = request->tag;
    statuses[taken++].error = outcome(status.ok() ? request->lost : status);
    request = requests_.erase(request);
  }
  return taken;
}

std::size_t TaggedRequests::count() const {
  const std::lock_guard lock(mutex_);
  return requests_.size();
}

}  // namespace polder::gaspi
