// A table of rows that all members of a group read and add to, each of which may see the others' updates late, but never
// later than it allows: parameters that are sparse, where an iteration touches few of very many rows.
//
//   auto table = StaleTable::create(rt.world(), {.rows = 1'000'000, .row = *reduction(Reduction::sum, DataType::float64, 32)},
//                                   10s);
//   for (...) {
//     (*table)->read(rows, values, 8, 10s);          // what is at most 8 ticks of others old, and all of this member's own
//     compute(values, steps);
//     for (...) (*table)->update(rows[i], steps + i * 32);
//     (*table)->tick(10s);                           // this iteration is over: its updates go to those who keep the rows
//   }
//   (*table)->flush(10s);                            // all updates of all are in what is read from now on
//
// A member's clock is the number of its ticks, flushes included. A member that reads at clock c with slack s gets, for each
// row, `initial` and the updates that each other member has made before its tick number k, every one of them exactly
// once, where k >= c - s, together with all of its own, those since its last tick included. A row never loses again what
// a member has seen in it. An update is in all of a row or in nothing of it. So a reader waits only for members that are
// more than s ticks behind, and only for rows that nobody has told it of recently: what was read once is kept, with the
// clock up to which it is complete, and read again without a message until it is too old for the slack.
// A write puts values in the place of a row, as an update adds to it. It is meant for rows that one member alone changes:
// they hold what that one wrote last before its tick k. Where several members change a row that somebody writes, what
// reaches its keeper last replaces what others had done before; all agree on which that was.
// Slack 0 is the bulk-synchronous model: all that was ever ticked by anybody up to this member's clock.
//
// How: row r is kept by member r mod P, in memory that only rows take that somebody has updated. A member adds up its
// updates of a row between two ticks and sends them as one, through cells which the keeper gives back, in the order in
// which they were made: so each arrives once, and the tick that follows says that no more come before it. Requests for
// rows take the same way, and are answered when the least clock is high enough. Keepers do that in their calls, and
// otherwise as all work in the background is done: in any call of the runtime that waits, or by the helper.
// Cost: a tick one message of up to `cell_bytes` to each other member (more where updates do not fit), a read of rows
// that are not kept one message to each of their keepers and back. Memory at each member: `cells` cells in each of 4
// rings for each member, the rows it keeps and those it remembers. Two sums of floating-point numbers may differ in
// their last bits from run to run, because updates are added as they come; after a flush all members read the same bits.
//
// After Ho et al., "More effective distributed ML via a stale synchronous parallel parameter server", NIPS 2013 (SSPTable),
// Cui et al., "Exploiting bounded staleness to speed up big data analytics", USENIX ATC 2014 (LazyTable), and LazyGASPI
// and Lapser, which keep such rows over GASPI.
#pragma once

#include <polder/collective.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/stale.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace polder {

struct StaleTableSpec {
  std::uint64_t rows = 0;  // numbered 0 .. rows - 1
  ReductionSpec row;       // of one row: how long it is, and how updates are combined; it commutes
  // Writes what a row holds before its first update, as elements of the buffers; the same for a row whenever and at
  // whatever member it is called, and it does not throw. Empty: bytes of 0. It and the function that combines are called
  // by whatever thread makes progress at a member, one at a time; they make no call of the table.
  std::function<void(std::uint64_t row, void* values)> initial = {};
  std::size_t cached_rows = 65'536;  // of other members that this one remembers; may differ between members
  std::size_t cell_bytes = 8192;     // at least a row and 64 bytes are taken
  unsigned cells = 4;                // that may be under way from one member to another, each way. 2 .. 64
};

// One thread at a time. It must not outlive its group.
//
// Errors. Nothing has happened: invalid_argument (a null buffer, no such row), busy (another thread is inside, or a
// tick has timed out and not ended). For good, at each member, in this call or in its next one: peer_failed
// (a member has died, has left before its clock was high enough, or is gone, more than ten seconds after the end of its
// table: the text names the rank), and what the function that combines returned at a keeper. timeout: nothing is lost.
class POLDER_API StaleTable {
 public:
  // Collective. invalid_argument: the reduction does not commute or has no function, or a member's spec is another one:
  // the text names the rank and the field. invalid_size: a size that no memory has. timeout: the object is lost; the group
  // can only be destroyed. Else as Allocation::commit().
  static Result<std::unique_ptr<StaleTable>> create(Group& group, const StaleTableSpec& spec, Timeout timeout);
  // Says so to the others, and waits, ten seconds at most, until all that live do the same: until then they may read. After
  // that each call of theirs fails, for the rows that this member keeps are gone: a barrier before it prevents that.
  // Updates and writes since the last tick are dropped.
  ~StaleTable();
  StaleTable(const StaleTable&) = delete;
  StaleTable& operator=(const StaleTable&) = delete;

  // Stores those rows, one after the other, in `into`, which is written by a call that succeeds only, or that ends with
  // an error of the function that combines. Rows may repeat.
  // timeout: call again, or call something else; what has come meanwhile is kept.
  // Of the result: `clock` is this member's, `oldest` and `newest` bound the clocks of all other members in these rows,
  // `slowest` is a member whose clock is `oldest`, `bytes` what left during this call.
  Result<Staleness> read(std::span<const std::uint64_t> rows, void* into, std::uint64_t slack, Timeout timeout);
  Result<Staleness> read(std::uint64_t row, void* into, std::uint64_t slack, Timeout timeout) {
    return read(std::span(&row, 1), into, slack, timeout);
  }
  // Asks for those of the rows that a read with this slack would wait for now, as far as there is room, and returns: it
  // finds them sooner then.
  Status prefetch(std::span<const std::uint64_t> rows, std::uint64_t slack);
  // Combines `values` into what this member adds to the row before its next tick. It reads that at once, others after
  // the tick. An error of the function that combines: nothing has changed.
  Status update(std::uint64_t row, const void* values);
  // Puts `values` in the place of the row, and of this member's updates of it since its last tick. Otherwise as update().
  Status write(std::uint64_t row, const void* values);
  // Ends an iteration. It waits only where keepers have given no cell back. timeout: call again to go on; until then
  // reads and updates are busy.
  Status tick(Timeout timeout);
  // Collective. A tick that waits until the updates of all have arrived. All members have made the same number of ticks.
  // What is read between it and the next tick of anybody is equal to the bit at all members. timeout: as tick().
  Status flush(Timeout timeout);

  // Of this member: its ticks so far.
  std::uint64_t clock() const;
  // That have left this member so far: updates, requests, and answers.
  std::uint64_t bytes() const;
  // The member that keeps a row.
  Rank keeper(std::uint64_t row) const;

  // For the library's own use.
  struct State;

 private:
  explicit StaleTable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace polder
