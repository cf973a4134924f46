// Eventually consistent collectives: a broadcast, reduce or allreduce that ends when enough has come, of the data, of the
// members or of their weight, or when its time is over, and that says what its result is made of.
//
//   auto eventual = Eventual::create(rt.world(), {.bytes = n * sizeof(double)}, 10s);
//   const auto sum = *reduction(Reduction::sum, DataType::float64, n);
//   auto status = (*eventual)->allreduce(sum, mine, all, {.members = 0.75}, 1s);   // three members of four are enough
//   if (status->mine != Counted::yes) ...                                          // keep it for the next one
//   status = (*eventual)->enhance({.members = 1}, 1s);                             // and now those of all
//
// Which part, and of whom, is the caller's choice; that the status tells the truth is the library's: each element that is
// called final is exactly the combination of what `contributors` gave for it, each of them once, in ascending order; along
// a binomial tree (EventualWay) in ascending order from the root on, around the end.
// With everything asked for (Threshold{}) the result is that of the consistent collective.
//
// How: each contributor shows its vector in its own memory and says so. A member that finds the threshold reached claims the
// operation, reads the vectors of those who have come, combines them, and says where the result lies. So nobody waits
// for a member that computes, and all have the same result, unless one dies meanwhile (Eventual::allreduce); the last that
// was needed does the work.
// Cost: 3 flags to each member; the claimant reads C x S bytes of C contributors, every other one S.
//
// What is for all members, or for those of some stages, waits for them anyway. There they help each other, along a binomial
// tree or in slices (EventualWay), and it takes about as long as the consistent collective, or less. A
// member that is late there, or whose call has timed out and is not made again, holds up those that read of it. With
// `members` below 1, with a `weight` (but of a broadcast) and with EventualWay::flat none depends on another one than the
// root, or whoever makes the result. A member that dies or leaves at its deadline holds up nobody: what it would have
// passed on is read where it comes from, of a broadcast at the root, otherwise at each contributor.
//
// After Iakymchuk et al., "Efficient and eventually consistent collective operations", 2022 (thresholds on data and
// members), and Li, Ben-Nun et al., "Taming unbalanced training workloads in deep learning with partial collective
// operations", PPoPP 2020 (whoever comes first begins).
#pragma once

#include <polder/collective.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace polder {

// Which elements come first where not all are asked for.
enum class Choose : std::uint8_t {
  prefix,    // the first ones
  rotating,  // those after the ones of the last rotating call, around the end: in the course of calls, all
  order,     // as the user's order says
  largest,   // those of each contributor that are largest in magnitude; numbers only
};

// Which members are left out where not all are asked for.
enum class LeaveOut : std::uint8_t {
  late,    // those that come last: who they are differs from run to run
  stages,  // those of the last stages of a binomial tree, whole stages: always the same ones, half of all at first
};

// When an operation has enough. The same at all members, but for `mine` and `deadline`.
struct Threshold {
  double data = 1;     // share of the elements, rounded up
  double members = 1;  // share of the members, rounded up
  // Above 0: enough are also those whose weights sum up to it, as doubles do: ten of 0.1 are less than 1. Not of a
  // broadcast.
  double weight = 0;
  double mine = 1;                                        // the weight of this member; not negative
  std::optional<std::chrono::nanoseconds> deadline = {};  // since this member entered: then it ends with what has come
  Choose choose = Choose::prefix;
  LeaveOut leave_out = LeaveOut::late;
  std::span<const std::size_t> order = {};  // of Choose::order: elements, none twice, as many as are asked for or more
};

enum class Counted : std::uint8_t { no, yes, unknown };  // unknown: this member left before it could be known

enum class Ended : std::uint8_t {
  thresholds,  // all that was asked for has come
  deadline,    // the time was over, at this member or at the one that made the result
  deaths,      // no more can come, because those who have not come are gone
};

// What a member's result is made of.
struct EventualStatus {
  std::size_t elements = 0;        // that are final here, in `receive` or `data`
  std::vector<Rank> contributors;  // members, ascending, that are in them. Broadcast: the root; at the root, those that
                                   // have taken it, itself among them
  double weight = 0;               // of the contributors; of a broadcast 0
  Counted mine = Counted::unknown;
  Ended ended = Ended::thresholds;
  std::chrono::nanoseconds waited{0};  // in the calls of this member

  // Whether all contributors are in this element. Of other elements `receive` has what it had before; with
  // Choose::largest it has what those gave that sent it, if is_touched().
  bool is_final(std::size_t element) const { return has(final_, element); }
  bool is_touched(std::size_t element) const { return has(touched_, element); }
  // Whether this member's own value of the element was sent; what was not may be kept for the next call.
  bool is_sent(std::size_t element) const { return has(sent_, element); }

  // For the library's own use: a bit an element.
  using Bits = std::vector<std::uint64_t>;
  static bool has(const Bits& bits, std::size_t i) { return i / 64 < bits.size() && (bits[i / 64] >> i % 64 & 1) != 0; }
  Bits final_, touched_, sent_;
};

// Which way vectors go, where all members that are asked for have to come anyway.
enum class EventualWay : std::uint8_t {
  fastest,   // what is the fastest of these for the length of the vector and the number of members
  flat,      // each reads of the root, or the root of each
  binomial,  // along a binomial tree
  slices,    // each member brings some pieces to all others, or combines them
};

struct EventualSpec {
  std::size_t bytes = 0;  // of the longest vector, in the form in which it is combined: of halves, as floats
  bool largest = false;   // Choose::largest is going to be used: needs room for indices
  // How many operations members may be apart: a member that begins the one after those waits for the others to have
  // left the first. 1 .. 64. Each takes memory: twice `bytes` at each member, 22 times with `largest`, of which only what
  // is used is touched.
  unsigned apart = 4;
  // Nobody starves: a member that was left out of so many operations in a row, as late, is waited for in the next one, unless a
  // deadline ends it. 0: never. Of a broadcast nobody is left out: members take its data when they come.
  unsigned patience = 8;
  EventualWay way = EventualWay::fastest;
};

// The eventual collectives of a group. One thread at a time. All members make the same calls in the same order. It must
// not outlive its group.
//
// Errors. Nothing has happened: invalid_argument (a null or overlapping buffer, shares outside of 0 .. 1, an order that
// is none), invalid_rank, invalid_size (longer than spec.bytes), busy (another call has timed out and not ended). It has
// ended here, without a result: peer_failed (the root is gone; an allreduce has none), invalid_argument (a member made
// another call: the text names the rank and the first field that differs), and what the function that combines returned.
// The object can be used on after all of these. timeout: call again, with the same arguments, to go on; the deadline and
// `mine` are those that it began with. Deaths of others end nothing: the result is then made of those that live, and says
// so.
class POLDER_API Eventual {
 public:
  // Collective; the spec is the same at all members, but for `patience`. timeout: the object is lost; the group can only
  // be destroyed. invalid_argument: a spec that cannot be, or a member's is another one: the text names the field and the
  // rank. invalid_size: a size that no memory has. Else as Allocation::commit().
  static Result<std::unique_ptr<Eventual>> create(Group& group, const EventualSpec& spec, Timeout timeout);
  // Says so to the others, and waits, ten seconds at most, until all that live do the same: they may be reading here.
  // Where members may be later than that, a barrier belongs before it: to those a member that has gone is a dead one. So
  // it is at once in operations that this member has not ended, and nobody waits for it there.
  ~Eventual();
  Eventual(const Eventual&) = delete;
  Eventual& operator=(const Eventual&) = delete;

  // Elements of `spec`, whose function is not used, of the root's `data` reach the others'. The root returns when
  // `members` have taken it, at once for 0. LeaveOut::stages: those that are left out get nothing, and return at once.
  Result<EventualStatus> broadcast(Rank root, const ReductionSpec& spec, void* data, const Threshold& enough,
                                   Timeout timeout);
  // `receive` is used at the root only. Others return when the root has made its choice.
  Result<EventualStatus> reduce(Rank root, const ReductionSpec& spec, const void* send, void* receive,
                                const Threshold& enough, Timeout timeout);
  // All have the same result, unless a member dies during the operation: those that do not know the same of who lives may
  // make two. Each status is true of the result it comes with, so who keeps replicas compares `contributors` then.
  Result<EventualStatus> allreduce(const ReductionSpec& spec, const void* send, void* receive, const Threshold& enough,
                                   Timeout timeout);

  // The last operation again, to a higher threshold: all that were in it are in it again, with the others that are
  // needed. `send` has what it had; not for `send` and `receive` in one. Collective, as the operation was. If its
  // deadline comes before those who were in it have come again, the result stays what it was, and the status says so.
  // invalid_argument: nothing has ended yet, less data or fewer members are asked for than before, elements or those who
  // are left out are chosen in another way, or what was sent has been overwritten.
  Result<EventualStatus> enhance(const Threshold& more, Timeout timeout);

  // For the library's own use.
  struct State;

 private:
  explicit Eventual(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace polder
