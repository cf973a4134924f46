// The leaders of a group's nodes reduce one vector each into one that all of them have, equal to the bit. For N leaders
// and S bytes:
//
//   whole      each sends its vector to all others and combines what comes: 1 step, (N-1) S bytes sent by each. Where
//              leaders are few and vectors short; of two leaders, always.
//   doubling   recursive doubling: in round k a leader swaps what it has with the one 2^k away, ceil(log2 N) steps, two
//              more if N is no power of two, log2 N S bytes. Short vectors of many leaders.
//   slices     each leader combines one slice of all vectors and sends that to all others: 2 steps, 2 S (N-1)/N bytes,
//              the least there is. Long vectors. This is Rabenseifner's reduce-scatter and allgather without the
//              rounds.
//
// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, 2005. All ways combine in
// the order of places. Nothing is asked for: data is put where it is needed with a flag behind it, so a step costs one
// way of the network.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/group/member_memory.hpp"
#include "core/group/reduction_room.hpp"
#include "util/deadline.hpp"

#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace polder::core {

class Barrier;

// Combines `count` elements; `result` may be `one`. timeout: it has changed nothing and wants to be called again.
using Combining = std::function<Status(const void* one, const void* two, void* result, std::size_t count)>;

// A piece of a vector that is reduced at once.
struct ReductionPiece {
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t elements = 0;
  std::size_t element_size = 0;
  const Combining& combine;

  std::size_t bytes() const { return elements * element_size; }
};

// Not thread safe: one thread at a time, as its group sees to it.
class LeaderExchange {
 public:
  struct Setting {
    const GroupPorts* ports = nullptr;
    Barrier* barrier = nullptr;  // of the group, that knows why others will never come
    std::span<const Rank> ranks;
    std::span<const MemberMemory> memories;  // by member; those of partners() are known before run()
    std::span<const Rank> leaders;           // members
    Rank place = 0;                          // of this one among them
    ReductionRoom room;
  };

  void set_up(Setting setting);
  // Members whose memory a piece of that many bytes needs.
  std::vector<Rank> partners(const ReductionPiece& piece) const;

  // The vector of this node lies in its own() of `number`; `failure` is that of combining it, if there was one.
  void begin(const ReductionPiece& piece, std::uint64_t number, Status failure);
  // timeout: call again to go on, with the same piece. Other errors: some leader is gone.
  Status run(const ReductionPiece& piece, Timeout timeout);

  // Once run() has succeeded.
  const Status& outcome() const { return failure_; }     // of all combining
  std::size_t result_offset() const { return result_; }  // in this leader's memory

 private:
  enum class Way { whole, doubling, slices };
  // Of a doubling, with the leaders in these places.
  struct Step {
    std::optional<std::size_t> to, from;
    bool combines = true;  // false: what comes is the result
    std::size_t slot = 0;
  };
  struct Letter {
    std::size_t from = 0;  // in our memory
    std::size_t to = 0;    // in that of the leader who gets it
    std::size_t bytes = 0;
    NotificationId flag = 0;
  };

  Way way_of(const ReductionPiece& piece) const;
  std::vector<Step> doubling_steps() const;
  Status run_whole(const ReductionPiece& piece);
  Status run_slices(const ReductionPiece& piece);
  Status run_doubling(const ReductionPiece& piece);
  Status take_step(const ReductionPiece& piece, const Step& step);
  template <class LetterTo>
  Status send_all(LetterTo&& letter_to);
  template <class FlagOf>
  Status hear_all(FlagOf&& flag_of);
  template <class VectorOf>
  Status combine_all(const ReductionPiece& piece, std::size_t elements, std::size_t result, VectorOf&& vector_of);
  Status combine(const ReductionPiece& piece, std::size_t elements, std::size_t one, std::size_t two,
                 std::size_t result);
  Status send(std::size_t place, const Letter& letter);
  Status deleted_by(Rank rank);
  Status hear(NotificationId flag, std::size_t place);
  void note(Status failure);
  Status finish(int stage, Status status);
  Status wait_for_earlier_letters();
  Timeout left() const { return deadline_.remaining(); }
  std::uint32_t mark() const { return std::uint32_t(number_ % 0xffffff) + 1; }
  std::byte* at(std::size_t offset) const {
    return setting_.memories[setting_.leaders[setting_.place]].segment->data + offset;
  }
  const PeerSegment& own() const { return *setting_.memories[setting_.leaders[setting_.place]].segment; }
  Rank rank_of(std::size_t place) const { return setting_.ranks[setting_.leaders[place]]; }
  std::size_t slice_begin(const ReductionPiece& piece, std::size_t place) const {
    return piece.elements * place / setting_.leaders.size();
  }
  std::size_t slice_elements(const ReductionPiece& piece, std::size_t place) const {
    return slice_begin(piece, place + 1) - slice_begin(piece, place);
  }

  Setting setting_;
  std::vector<Step> steps_;
  std::unique_ptr<Queue> sent_[2];     // by parity; own ones, so that no other group's failure is found there
  Timeout timeout_ = Timeout::test();  // of the call that runs
  util::Deadline deadline_{Timeout::test()};

  std::uint64_t number_ = 0;
  std::size_t parity_ = 0;
  Way way_ = Way::whole;
  int stage_ = 0;         // of the way: each goes through some of sending, hearing, combining
  std::size_t next_ = 0;  // place or step, within the stage
  bool told_ = false;     // in this step of a doubling
  bool heard_ = false;
  std::size_t result_ = 0;
  Status failure_;
};

}  // namespace polder::core
