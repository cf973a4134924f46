// Passive communication (GASPI 17.1, section 9). A send offers its data; the receive that takes the offer gets the data
// from the sender's segment and replies. So nothing is buffered, and a send succeeds when a receive has taken its data
// and not before.
#pragma once

#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/timeout.hpp"
#include "api/gaspi/messages/messages.hpp"
#include "api/gaspi/messages/replies.hpp"

#include <polder/handle.hpp>
#include <polder/runtime.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

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
  // Takes those back that no thread waits for. GASPI_TIMEOUT: not all yet.
  gaspi_return_t forget(Runtime& runtime, const Deadline& deadline);

 private:
  struct Sending {
    PassiveData data;
    Token token = 0;
    bool awaited = true;  // by a thread; false after a timeout
  };
  using Position = std::list<Sending>::iterator;

  gaspi_return_t offer(Runtime& runtime, const Sending& sending, const Deadline& deadline);
  gaspi_return_t wait(Runtime& runtime, const Sending& sending, bool again, const Deadline& deadline);
  void end(Position sending);

  Replies& replies_;
  std::mutex mutex_;
  std::list<Sending> sendings_;
};

// The data of an offer on its way here, over a network. It goes on while no receive waits for it, so it comes to memory
// of its own: the program's is its own again as soon as a receive has returned.
struct PassiveFetch {
  explicit PassiveFetch(std::size_t size) : data(size) {}

  std::vector<std::byte> data;
  Handle handle;
};

// The offers of other ranks that no receive has taken yet, in the order of their coming. Thread safe.
class PassiveOffers {
 public:
  // From message handlers. An offer that a receive is at cannot be taken back from that one, but no later receive finds it.
  void arrive(Rank source, const OfferMessage& offer);
  void withdraw(Rank source, const WithdrawMessage& offer);
  // Sends the replies again that have found no room so far.
  void reply_again(Runtime& runtime);

  // Takes the first offer, gets its data into the `size` bytes at `memory` and sets `source`. GASPI_TIMEOUT: the offer
  // stays the first one, unless it was taken back meanwhile, and what has begun of it goes on. GASPI_ERR_MEMALLOC: likewise.
  gaspi_return_t receive(Runtime& runtime, std::byte* memory, std::size_t size, Rank& source, const Deadline& deadline);
  // Ends the receives that wait, and all that begin from now on, with GASPI_ERROR.
  void end();
  // Forgets the offers of ranks that are gone.
  void forget(const Runtime& runtime);
  // The runtime ends: nobody waits any more for what is on its way. Memory that it may still come to stays until this dies.
  void let_go();

 private:
  struct OwedReply {
    Rank sender = 0;
    ReplyMessage message{};
  };
  struct Offer {
    Rank source = 0;
    OfferMessage message{};
    std::unique_ptr<PassiveFetch> fetch = nullptr;  // begun, over a network

    bool is(Rank sender, Token token) const { return source == sender && message.token == token; }
  };
  // An offer that a receive is at.
  struct OfferAtWork {
    Rank source = 0;
    Token token = 0;
    bool withdrawn = false;
  };

  gaspi_return_t take(Runtime& runtime, std::size_t size, Offer& offer, const Deadline& deadline);
  bool take_now(const std::unique_lock<std::mutex>& held, std::size_t size, Offer& offer, gaspi_return_t& code);
  Status fetch(Runtime& runtime, Offer& offer, std::byte* memory, const Deadline& deadline);
  void put_back(Offer offer);
  bool leave(const std::lock_guard<std::mutex>& held, const Offer& offer);   // whether it was withdrawn
  static std::unique_ptr<PassiveFetch> room_for(const OfferMessage& offer);  // null: there is no memory
  void keep(const std::lock_guard<std::mutex>& held, std::unique_ptr<PassiveFetch> fetch);
  void reply(Runtime& runtime, const Offer& offer, gaspi_return_t code);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Offer> offers_;
  std::vector<OfferAtWork> at_work_;
  std::vector<std::unique_ptr<PassiveFetch>> withdrawn_;  // data that nobody wants any more, on its way
  std::vector<OwedReply> owed_;
  bool ended_ = false;
};

}  // namespace polder::gaspi
