// Passive communication (GASPI 17.1, section 9). A send offers its data; the receive that takes the offer gets the data
// from the sender's segment and replies. So nothing is buffered, and a send succeeds when a receive has taken its data
// and not before.
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"
#include "api/gaspi/messages/messages.hpp"
#include "api/gaspi/messages/replies.hpp"

#include <polder/runtime.hpp>

#include <condition_variable>
#include <deque>
#include <list>
#include <memory>
#include <mutex>

namespace polder::gaspi {

// What a send sends. A send that has timed out is gone on with by a call with the same.
struct PassiveData {
  Rank rank = 0;
  SegmentId segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  bool operator==(const PassiveData&) const = default;
};

// The sends of this rank that no receive has taken yet. Thread safe.
class PassiveSends {
 public:
  explicit PassiveSends(Replies& replies) : replies_(replies) {}

  // GASPI_ERROR: `limit` sends are waiting, the rank is gone, or could not get the data.
  gaspi_return_t send(Runtime& runtime, const PassiveData& data, unsigned limit, const Deadline& deadline);
  // Forgets those that no thread waits for.
  void forget();

 private:
  struct Sending {
    PassiveData data;
    Token token = 0;
    bool awaited = true;  // by a thread; false after a timeout
  };
  using Position = std::list<Sending>::iterator;

  gaspi_return_t offer(Runtime& runtime, const Sending& sending, const Deadline& deadline);
  void end(Position sending);

  Replies& replies_;
  std::mutex mutex_;
  std::list<Sending> sendings_;
};

// The offers of other ranks that no receive has taken yet, in the order of their coming. Thread safe.
class PassiveOffers {
 public:
  // From a message handler.
  void arrive(Rank source, const OfferMessage& offer);

  // Takes the first offer, gets its data into the `size` bytes at `memory` and sets `source`.
  gaspi_return_t receive(Runtime& runtime, std::byte* memory, std::size_t size, Rank& source, const Deadline& deadline);
  // Ends the receives that wait, and all that begin from now on, with GASPI_ERROR.
  void end();
  // Forgets the offers of ranks that are gone.
  void forget(const Runtime& runtime);

 private:
  struct Offer {
    Rank source = 0;
    OfferMessage message{};
  };

  gaspi_return_t take(Runtime& runtime, std::size_t size, Offer& offer, const Deadline& deadline);
  bool take_now(const std::unique_lock<std::mutex>& held, std::size_t size, Offer& offer, gaspi_return_t& code);
  void put_back(const Offer& offer);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Offer> offers_;
  bool ended_ = false;
};

}  // namespace polder::gaspi
