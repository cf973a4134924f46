// The start-up network of GASPI, for ranks on several hosts that no launcher with PMIx has started: a star of TCP
// connections around rank 0, over which the runtime exchanges what it needs to begin.
//
// One allgather costs 2 messages for each rank but the first, N bytes up and N * size bytes down.
#pragma once

#include "api/common/deadline.hpp"
#include "api/gaspi/life/start_file.hpp"

#include <polder/exchange.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace polder::gaspi {

// One thread at a time.
class StartNetwork {
 public:
  // Meets the other ranks. timeout: not all have come; peer_failed: one has gone again.
  static Result<std::unique_ptr<StartNetwork>> meet(const StartFile& start, const api::Deadline& deadline);
  ~StartNetwork();
  StartNetwork(const StartNetwork&) = delete;
  StartNetwork& operator=(const StartNetwork&) = delete;

  // Must not outlive this.
  Exchange exchange();

 private:
  StartNetwork(const StartFile& start, const api::Deadline& deadline) : start_(start), deadline_(deadline) {}

  Status invite();
  Status visit();
  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all);
  Status gather_here(std::span<const std::byte> mine, std::span<std::byte> all);

  const StartFile start_;
  const api::Deadline deadline_;
  std::vector<int> sockets_;  // at rank 0: by rank, -1 for itself; elsewhere: one, to rank 0
};

}  // namespace polder::gaspi
