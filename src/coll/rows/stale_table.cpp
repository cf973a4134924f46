// The public class: calls with their arguments, and what drives them.
#include <polder/stale_table.hpp>

#include "coll/rows/row_part.hpp"
#include "coll/stale/working.hpp"
#include "coll/window/same_spec.hpp"
#include "coll/window/window.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/background.hpp"
#include "util/deadline.hpp"
#include "util/forked.hpp"

#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <utility>

namespace polder {

struct StaleTable::State final : core::Background {
  State(Group& group, const StaleTableSpec& wanted)
      : spec(wanted),
        layout(spec, Rank(group.size())),
        window(group, layout.bytes(), layout.flags(), 1),
        part(window, spec, layout) {}
  ~State();

  void enter_background();
  int advance() override;
  // Until `ready`, which is asked whenever something has come. `wanted`: the clock that all members have to reach.
  template <class Ready>
  Status wait(std::uint64_t wanted, Ready&& ready, Timeout timeout);
  Status check_rows(std::span<const std::uint64_t> rows, const void* values) const;
  Status check_usable();
  Status check_change(std::uint64_t row, const void* values);
  // A tick that begins for a flush is that flush's.
  enum class Unfinished { nothing, tick, tick_of_flush, flush };
  Status finish_tick(Unfinished of, Timeout timeout);

  const StaleTableSpec spec;
  const coll::RowLayout layout;
  coll::MemberWindow window;
  coll::RowPart part;
  std::atomic<bool> busy{false};     // a thread of the user is inside
  std::atomic<bool> working{false};  // that thread, or one that makes progress
  bool is_in_background = false;
  Unfinished unfinished = Unfinished::nothing;  // it has timed out and is to be called again
};

namespace {

Status refused_table(const std::string& what, Code code = Code::invalid_argument) {
  return {code, "stale table: " + what};
}

std::array<coll::SpecField, 8> fields_of(const StaleTableSpec& spec) {
  return {{{"rows", spec.rows},
           {"count", spec.row.count},
           {"element size", spec.row.element_size},
           {"operation", spec.row.operation},
           {"type", spec.row.type},
           {"narrow size", spec.row.narrow_size},
           {"cell bytes", spec.cell_bytes},
           {"cells", spec.cells}}};
}

Status check_spec(const StaleTableSpec& spec, Rank members) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() >> 1;
  const ReductionSpec& row = spec.row;
  if (spec.cells < 2 || spec.cells > 64) return refused_table("StaleTableSpec::cells is from 2 to 64");
  if (spec.rows > std::numeric_limits<std::uint64_t>::max() - 1) return refused_table("too many rows");
  if (!row.combine) return refused_table("there is no function that combines");
  if (!row.commutes) return refused_table("updates come in any order, so the reduction has to commute");
  if (row.narrow_size != 0 && (row.widen == nullptr || row.narrow == nullptr))
    return refused_table("elements of another size without functions that widen and narrow them");
  std::size_t bytes = 0;
  const std::size_t most = kMost / 1024 / (std::size_t{members} + 1);
  if (row.element_size == 0 || __builtin_mul_overflow(row.count, row.element_size, &bytes) || bytes > most ||
      spec.cell_bytes > most)
    return refused_table("elements of 0 bytes, or rows or cells of more than any memory has", Code::invalid_size);
  return {};
}

}  // namespace

// ---- life ----

StaleTable::StaleTable(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<StaleTable>> StaleTable::create(Group& group, const StaleTableSpec& spec, Timeout timeout) {
  if (!group.committed()) return refused_table("the group has not been committed", Code::invalid_group);
  const Status here = check_spec(spec, Rank(group.size()));
  const util::Deadline deadline(timeout, group.state().ports().progress.clock());
  Status status = coll::agree_on_spec(group, fields_of(spec), here, "stale table", timeout);
  if (!status.ok()) return status;
  auto state = std::make_unique<State>(group, spec);
  if (status = state->window.commit(deadline.remaining()); !status.ok()) return status;
  state->enter_background();
  return std::unique_ptr<StaleTable>(new StaleTable(std::move(state)));
}

// What its flags say, in memory that a forked child shares, is said for the parent.
StaleTable::~StaleTable() {
  if (state_->window.in_forked_child()) {
    util::leave_undestroyed(state_.release());
    return;
  }
  State& state = *state_;
  const coll::Working mine(state.working);
  const auto all_end = [&] { return state.part.work() && state.part.news().ends(state.part.clock()); };
  if (state.window.wait(all_end, false, std::chrono::seconds(10)).ok()) return;
  (void)state.window.wait([&] { return state.part.news().goes(); }, false, std::chrono::seconds(1)).ok();
}

// Rows are asked for at any time, so everybody who waits serves.
void StaleTable::State::enter_background() {
  window.background().add(*this);
  window.background().begins();
  is_in_background = true;
}

StaleTable::State::~State() {
  if (!is_in_background) return;
  window.background().remove(*this);  // first: until then another thread may be inside
  window.background().ends();
}

int StaleTable::State::advance() {
  if (working.exchange(true, std::memory_order_acquire)) return 0;
  part.work();
  working.store(false, std::memory_order_release);
  return 0;
}

// ---- calls ----

Status StaleTable::State::check_rows(std::span<const std::uint64_t> rows, const void* values) const {
  if (values == nullptr && !rows.empty() && part.user_bytes() != 0) return refused_table("a buffer is null");
  for (const std::uint64_t row : rows)
    if (row >= spec.rows)
      return refused_table("there is no row " + std::to_string(row) + ", only " + std::to_string(spec.rows));
  return {};
}

Status StaleTable::State::check_change(std::uint64_t row, const void* values) {
  if (Status status = check_rows(std::span(&row, 1), values); !status.ok()) return status;
  if (part.news().has_failed()) return part.news().failure();  // as far as it is known; others look for more
  if (part.is_ticking() || unfinished != Unfinished::nothing)
    return refused_table("a tick has timed out and not ended", Code::busy);
  return {};
}

// What is wrong with the table; else nothing.
Status StaleTable::State::check_usable() {
  if (Status status = window.trouble(); !status.ok()) return status;
  if (part.news().has_failed())
    part.work();  // the others may not have heard of it yet
  else if (const auto trouble = part.trouble())
    part.fail(*trouble);
  return part.news().failure();
}

template <class Ready>
Status StaleTable::State::wait(std::uint64_t wanted, Ready&& ready, Timeout timeout) {
  const util::Deadline deadline(timeout, window.clock());
  bool ended = false;
  const auto asked = [&] {
    if (ended || part.news().has_failed() || ready()) return ended = true;
    const auto trouble = part.trouble(wanted);
    if (!trouble) return false;
    // What has come in the meantime may be what a member sent last.
    if (!ready()) part.fail(*trouble);
    return ended = true;
  };
  while (true) {
    Status status = window.wait(asked, false, deadline.remaining());
    if (ended) break;
    if (!status.ok() && !status.timed_out()) return status;
    if (status.timed_out() && deadline.passed()) return status;
  }
  return part.news().has_failed() ? part.news().failure() : window.trouble();
}

Result<Staleness> StaleTable::read(std::span<const std::uint64_t> rows, void* into, std::uint64_t slack,
                                   Timeout timeout) {
  State& state = *state_;
  const core::Busy running(state.busy);
  if (!running.mine()) return core::busy("stale table");
  if (Status status = state.check_rows(rows, into); !status.ok()) return status;
  const coll::Working mine(state.working);
  if (Status status = state.check_usable(); !status.ok()) return status;
  coll::RowPart& part = state.part;
  if (part.is_ticking() || state.unfinished != State::Unfinished::nothing)
    return refused_table("a tick has timed out and not ended", Code::busy);
  const std::uint64_t wanted = part.wanted(slack), before = part.bytes();
  const std::int64_t begun = state.window.clock().now_ns();
  std::size_t fresh = 0;
  const auto all_fresh = [&] {
    while (fresh < rows.size() && part.is_fresh(rows[fresh], wanted)) ++fresh;
    return fresh == rows.size();
  };
  Staleness told;
  if (!all_fresh()) {
    const auto ready = [&] {
      part.work();
      if (part.oldest() < wanted) told.waited_for = part.slowest();
      if (all_fresh()) return true;
      part.ask(rows.subspan(fresh), wanted);
      return all_fresh();
    };
    if (Status status = state.wait(wanted, ready, timeout); !status.ok()) return status;
    told.waited = std::chrono::nanoseconds(state.window.clock().now_ns() - begun);
  }
  if (Status status = part.read(rows, static_cast<std::byte*>(into), told); !status.ok()) return status;
  told.bytes = part.bytes() - before;
  return told;
}

Status StaleTable::prefetch(std::span<const std::uint64_t> rows, std::uint64_t slack) {
  State& state = *state_;
  const core::Busy running(state.busy);
  if (!running.mine()) return core::busy("stale table");
  if (Status status = state.check_rows(rows, &state); !status.ok()) return status;
  const coll::Working mine(state.working);
  if (Status status = state.check_usable(); !status.ok()) return status;
  state.part.work();
  state.part.shrink();
  state.part.ask(rows, state.part.wanted(slack));
  return {};
}

Status StaleTable::update(std::uint64_t row, const void* values) {
  State& state = *state_;
  const core::Busy running(state.busy);
  if (!running.mine()) return core::busy("stale table");
  const coll::Working mine(state.working);
  if (Status status = state.check_change(row, values); !status.ok()) return status;
  return state.part.update(row, values);
}

Status StaleTable::write(std::uint64_t row, const void* values) {
  State& state = *state_;
  const core::Busy running(state.busy);
  if (!running.mine()) return core::busy("stale table");
  const coll::Working mine(state.working);
  if (Status status = state.check_change(row, values); !status.ok()) return status;
  state.part.write(row, values);
  return {};
}

Status StaleTable::State::finish_tick(Unfinished of, Timeout timeout) {
  Status status = wait(
      0, [&] { return part.tick(); }, timeout);
  unfinished = status.timed_out() ? of : Unfinished::nothing;
  return status;
}

Status StaleTable::tick(Timeout timeout) {
  State& state = *state_;
  const core::Busy running(state.busy);
  if (!running.mine()) return core::busy("stale table");
  const coll::Working mine(state.working);
  if (Status status = state.check_usable(); !status.ok()) return status;
  if (state.unfinished > State::Unfinished::tick)
    return refused_table("a flush has timed out and not ended", Code::busy);
  return state.finish_tick(State::Unfinished::tick, timeout);
}

Status StaleTable::flush(Timeout timeout) {
  State& state = *state_;
  const core::Busy running(state.busy);
  if (!running.mine()) return core::busy("stale table");
  const coll::Working mine(state.working);
  if (Status status = state.check_usable(); !status.ok()) return status;
  const util::Deadline deadline(timeout, state.window.clock());
  if (state.unfinished == State::Unfinished::tick)
    return refused_table("a tick has timed out and not ended", Code::busy);
  if (state.unfinished != State::Unfinished::flush) {
    if (Status status = state.finish_tick(State::Unfinished::tick_of_flush, timeout); !status.ok()) return status;
    state.unfinished = State::Unfinished::flush;
  }
  Status status = state.wait(
      state.part.clock(), [&] { return state.part.flush(); }, deadline.remaining());
  if (status.ok()) state.unfinished = State::Unfinished::nothing;
  return status;
}

std::uint64_t StaleTable::clock() const {
  return state_->part.clock();
}

std::uint64_t StaleTable::bytes() const {
  const coll::Working mine(state_->working);
  return state_->part.bytes();
}

Rank StaleTable::keeper(std::uint64_t row) const {
  return state_->part.keeper(row);
}

}  // namespace polder
