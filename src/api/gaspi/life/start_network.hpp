// The start-up network of GASPI, for ranks on several hosts that no launcher with PMIx has started: a star of TCP
// connections around rank 0, over which the runtime exchanges what it needs to begin.
//
// Rank 0 says one byte to each when all have come: until then ranks may run out of time, and meet again by the same
// connections. One allgather costs 2 messages for each rank but the first, N bytes up and N * size bytes down.
#pragma once

#include "api/common/deadline.hpp"
#include "api/gaspi/life/start_file.hpp"

#include <polder/exchange.hpp>

#include <polder/timeout.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace polder::gaspi {

// One thread at a time.
class StartNetwork {
 public:
  explicit StartNetwork(const StartFile& start) : start_(start) {}
  ~StartNetwork();
  StartNetwork(const StartNetwork&) = delete;
  StartNetwork& operator=(const StartNetwork&) = delete;

  // Meets the other ranks. timeout: not all have come; call again to go on. peer_failed: one has gone again.
  Status meet(const api::Deadline& deadline);

  // Of ranks that have met, once, and not begun anew: so all have to have an end of it in common, `patience` from now.
  // Must not outlive this.
  Exchange exchange(Timeout patience);

 private:
  Status invite(const api::Deadline& deadline);
  void admit();
  Status visit(const api::Deadline& deadline);
  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all);
  Status gather_here(std::span<const std::byte> mine, std::span<std::byte> all);

  const StartFile start_;
  api::Deadline deadline_{Timeout::test()};  // of the exchange
  int listener_ = -1;                        // at rank 0, until all have come
  std::vector<int> sockets_;                 // at rank 0: by rank, -1 for itself; elsewhere: one, to rank 0
};

}  // namespace polder::gaspi
