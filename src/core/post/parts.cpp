#include "core/post/parts.hpp"

#include "core/message/messaging.hpp"
#include "core/post/queue_state.hpp"

namespace polder::core {

PostParts::PostParts(const PostPorts& with, const PostOptions& options)
    : ports(with),
      ordering(options.ordering),
      ledger(with.outside, with.progress),
      queues(ledger),
      staging(with.outside, with.progress, options.staging),
      pool(ledger, staging),
      aggregates(ledger, queues, options.ordering),
      default_queue(queues.make(options.queue_depth)),
      internal_queue(queues.make_internal()) {
  queues.set_default(default_queue->state());
}

PostParts::~PostParts() = default;

Timeout PostParts::patience_of_the_rest() const {
  return ports.messaging.in_handler() ? Timeout::test() : Timeout::block();
}

}  // namespace polder::core
