#include "core/post/parts.hpp"

#include "core/message/messaging.hpp"
#include "core/post/queue_state.hpp"

namespace polder::core {

PostParts::PostParts(const PostPorts& with, const PostOptions& options)
    : ports(with),
      ordering(options.ordering),
      ledger(with.outside, with.progress),
      staging(with.outside, with.progress, options.staging),
      pool(ledger, staging),
      aggregates(ledger, options.ordering),
      default_queue(QueueState::make(ledger, options.queue_depth, ledger.next_queue_number())),
      internal_queue(QueueState::make_internal(ledger)) {
  ledger.set_default_queue(default_queue->state());
}

PostParts::~PostParts() = default;

Timeout PostParts::patience_of_the_rest() const {
  return ports.messaging.in_handler() ? Timeout::test() : Timeout::block();
}

}  // namespace polder::core
