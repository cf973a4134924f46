// Stale-synchronous allreduce: a sum over the iterations of all members in which those of others may be missing for a
// while, but never for longer than the caller allows.
//
//   auto stale = Stale::create(rt.world(), {.reduction = *reduction(Reduction::sum, DataType::float64, n)}, 10s);
//   for (...) {
//     compute(model, step);                                         // what this iteration adds to the model
//     auto told = (*stale)->allreduce_ssp(step, model, 8, 10s);     // all steps of this member, and those of each other
//     ...                                                           // up to at most 8 calls before this one
//   }
//   (*stale)->flush(model, 10s);                                    // all steps of all, equal to the bit at each member
//
// A member's clock is the number of its calls. The result of call c with slack s is the combination of what each member
// gave in its calls 1 .. its clock, every one of them exactly once, where the clock of this member is c, that of another
// one at least c - s, and none ever goes back. (In the sharded shape a member's clock may differ between the slices, each
// of which keeps to this.) So a member waits only for those that are more than s calls behind.
// Slack 0 is the consistent allreduce: all calls of all members up to c, and the same bits at each.
//
// How: what travels is state, the running total of a member (or of several), and not what one iteration adds: a total
// that is left out in favour of the next one loses nothing, and one that is used again doubles nothing. Each total says
// which clocks are in it, by the least and the greatest. It lies in one of a few cells that its sender does not write again before
// the receiver has given it back, so nobody reads half of one. After a call with slack 0 totals begin anew, on top of
// what all have, so that they do not grow beyond what the digits of their type can tell apart.
// A call with slack 0 whose predecessor had slack 0, too, or that is the first, is a consistent allreduce of the totals,
// by whatever algorithm is best for it, in every shape.
// Cost of a call of P members and S bytes: by shape, below; of one that is a consistent allreduce: that, and two passes over
// S bytes, of which one adds what the program would have to add itself. Memory at each member: 6 S (7 S of what is
// combined in a wider form), and (2 cells + 1) S for each of those that it exchanges totals with, but for the sharded
// shape, where that is (4 cells + 3) S and 2 S / P in all; and a group.
//
// After Iakymchuk et al., "Efficient and eventually consistent collective operations", 2022, section III-A, whose
// hypercube labels what a member sends with the minimum of the clocks in it, as its text says (with the sender's clock,
// as line 6 of its Algorithm 1 has it, staleness reaches slack x log2 P), and Ho et al., "More effective distributed ML
// via a stale synchronous parallel parameter server", NIPS 2013.
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

namespace polder {

// Which members exchange totals.
enum class StaleShape : std::uint8_t {
  // Partners of a hypercube; members beyond the largest power of two go through one of it. S log2 P bytes a member.
  // Totals of others come through up to log2 P members, each of which adds to their age.
  hypercube,
  // Everybody with everybody: (P - 1) S bytes a member, the fewest waits.
  flat,
  // Each member keeps a slice of the totals of all and combines it: 2 S (P - 1) / P bytes a member. It does so in its
  // calls, and otherwise as all work in the background is done: in any call of the runtime that waits, or by the helper.
  sharded,
};

struct StaleSpec {
  ReductionSpec reduction;  // of the vectors; it commutes
  StaleShape shape = StaleShape::hypercube;
  // How many totals may be under way from one member to another. 2 .. 64. A sender that has none left keeps its newest
  // total until one is given back.
  unsigned cells = 4;
};

// What a member's result is made of.
struct Staleness {
  std::uint64_t clock = 0;              // of this member: its calls, this one included
  std::uint64_t oldest = 0;             // the least clock of a member in the result
  std::uint64_t newest = 0;             // the greatest: others may be ahead of this one
  Rank slowest = 0;                     // a member whose clock is `oldest`
  std::optional<Rank> waited_for = {};  // in its longest wait: the member known to be furthest behind
  std::chrono::nanoseconds waited{0};   // in this call
  // Of totals of this member that left during this call; of its vector, if the call was a consistent allreduce.
  std::uint64_t bytes = 0;
};

// The stale-synchronous allreduce of a group. One thread at a time. All members make the same number of calls with the
// same slack in each of them, and flush() in the same ones. It must not outlive its group.
//
// A member that has made its last call says so by flush() or by the end of the object: totals for which there was no
// cell leave when it next calls, or waits in any call of the runtime, or by the helper.
//
// Errors. Nothing has happened: invalid_argument (a null or overlapping buffer), busy (another thread is inside, or
// another call has timed out and not ended). For good, at each member, in this call or in its next one: peer_failed (a
// member has died, or has left before its clock was high enough: the text names the rank), invalid_argument (a member
// called with another slack, or, where nobody had given anything yet, flushed in a call in which others gave: the text names
// it; later a flush is what a call is that adds nothing), and what the function that combines returned. timeout: call again,
// with the same arguments, to go on; nothing is lost, and `mine` counts once.
class POLDER_API Stale {
 public:
  // Collective. invalid_argument: the reduction does not commute or has no function, or a member's spec is another one:
  // the text names the rank and the field. invalid_size: a size that no memory has. timeout: the object is lost; the group
  // can only be destroyed. Else as Allocation::commit() and Group::commit().
  static Result<std::unique_ptr<Stale>> create(Group& group, const StaleSpec& spec, Timeout timeout);
  // Says so to the others, and waits, ten seconds at most, until all that live do the same. Where members may be later than
  // that, a barrier belongs before it: to those that still wait for something of this one it has left.
  ~Stale();
  Stale(const Stale&) = delete;
  Stale& operator=(const Stale&) = delete;

  // Adds `mine` to what this member has given, and stores the result. The buffers may be one. `sum` is written by a
  // call that succeeds only. Where nobody has given anything yet it is not written (flush() only).
  Result<Staleness> allreduce_ssp(const void* mine, void* sum, std::uint64_t slack, Timeout timeout);
  // A call with slack 0 that adds nothing: everything that anybody has given, equal to the bit at all members.
  Result<Staleness> flush(void* sum, Timeout timeout);

  // For the library's own use.
  struct State;

 private:
  explicit Stale(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace polder
