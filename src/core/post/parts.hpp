// The parts of posting, as they know each other. Other rooms see OneSided.
#pragma once

#include "core/post/aggregate.hpp"
#include "core/post/ledger.hpp"
#include "core/post/operation.hpp"
#include "core/post/staging.hpp"
#include "util/clock.hpp"

#include <polder/ordering.hpp>
#include <polder/queue.hpp>

#include <memory>

namespace polder::core {

class Emulation;
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
};

struct PostOptions {
  Ordering ordering = Ordering::unordered;  // of operations that name none
  StagingOptions staging;
  std::size_t queue_depth = 1024;  // of the default queue
};

struct PostParts {
  PostParts(const PostPorts& with, const PostOptions& options);
  ~PostParts();

  const PostPorts ports;
  const Ordering ordering;
  Ledger ledger;
  StagingPool staging;
  OperationPool pool;
  Aggregates aggregates;
  std::unique_ptr<Queue> default_queue;
  std::unique_ptr<Queue> internal_queue;  // of groups, so that users' queues hold only users' operations
};

}  // namespace polder::core
