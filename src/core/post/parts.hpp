// The parts of posting, as they know each other. Other rooms see OneSided.
#pragma once

#include "core/post/aggregates.hpp"
#include "core/post/ledger.hpp"
#include "core/post/operation.hpp"
#include "core/post/queues.hpp"
#include "core/post/staging.hpp"
#include "util/clock.hpp"

#include <polder/ordering.hpp>
#include <polder/queue.hpp>
#include <polder/timeout.hpp>

#include <memory>

namespace polder::core {

class Emulation;
class Messaging;
class Peers;
class PeerSegments;
class Progress;
struct Outside;

// What posting is built from.
struct PostPorts {
  Outside& outside;
  Progress& progress;
  util::Clock clock;
  Peers& peers;
  PeerSegments& segments;
  Emulation& emulation;
  const Messaging& messaging;
};

struct PostOptions {
  Ordering ordering = Ordering::unordered;  // of operations that name none
  StagingOptions staging;
  std::size_t queue_depth = 1024;  // of the default queue
};

struct PostParts {
  PostParts(const PostPorts& with, const PostOptions& options);
  ~PostParts();

  // How long the further parts of a transfer may wait whose first part is on its way: they must follow, so that only the
  // first may find the queue full. In a handler of a message nobody could take the answers that make room, and what is
  // half posted is given up instead: a put or a get may be posted again as a whole.
  Timeout patience_of_the_rest() const;

  const PostPorts ports;
  const Ordering ordering;
  Ledger ledger;
  Queues queues;
  StagingPool staging;
  OperationPool pool;
  Aggregates aggregates;
  std::unique_ptr<Queue> default_queue;
  std::unique_ptr<Queue> internal_queue;  // of groups, so that users' queues hold only users' operations
};

}  // namespace polder::core
