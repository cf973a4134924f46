// The public class: calls with their arguments, and what drives them.
#include <polder/stale.hpp>

#include "coll/stale/stale_meeting.hpp"
#include "coll/stale/stale_part.hpp"
#include "coll/stale/stale_shapes.hpp"
#include "coll/stale/working.hpp"
#include "coll/task/task.hpp"
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

struct Stale::State final : core::Background {
  State(Group& group, const StaleSpec& spec)
      : layout(spec, Rank(group.size())),
        window(group, layout.bytes(), layout.flags(), 1),
        part(strand, window, spec, layout) {}
  ~State();

  void enter_background();
  int advance() override;
  void tell_background();
  Result<Staleness> run(const coll::StaleCall& call, Timeout timeout);
  Status check(const coll::StaleCall& call) const;
  Status drive(Timeout timeout);
  Status drive_untimed(Timeout timeout);
  void leave();

  const coll::StaleLayout layout;
  coll::MemberWindow window;
  coll::Frames frames;
  coll::Strand strand{frames};
  coll::StalePart part;
  coll::StaleMeeting meeting{part, window};
  std::atomic<bool> busy{false};     // a thread of the user is inside
  std::atomic<bool> working{false};  // that thread, or one that makes progress
  bool is_in_background = false, has_told = false;
  std::int64_t waited_ns = 0;
};

namespace {

Status refused_stale(const std::string& what, Code code = Code::invalid_argument) {
  return {code, "stale allreduce: " + what};
}

// What all specs have to have in common.
std::array<coll::SpecField, 7> fields_of(const StaleSpec& spec) {
  const ReductionSpec& reduction = spec.reduction;
  return {{{"count", reduction.count},
           {"element size", reduction.element_size},
           {"operation", reduction.operation},
           {"type", reduction.type},
           {"shape", std::uint64_t(spec.shape)},
           {"cells", spec.cells},
           {"narrow size", reduction.narrow_size}}};
}

Status check_spec(const StaleSpec& spec, Rank members) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() >> 1;
  const ReductionSpec& reduction = spec.reduction;
  if (spec.cells < 2 || spec.cells > 64) return refused_stale("StaleSpec::cells is from 2 to 64");
  if (spec.shape > StaleShape::sharded) return refused_stale("there is no such shape");
  if (!reduction.combine) return refused_stale("there is no function that combines");
  if (!reduction.commutes) return refused_stale("contributions come in any order, so the reduction has to commute");
  if (reduction.narrow_size != 0 && (reduction.widen == nullptr || reduction.narrow == nullptr))
    return refused_stale("elements of another size without functions that widen and narrow them");
  std::size_t bytes = 0;
  if (reduction.element_size == 0 || __builtin_mul_overflow(reduction.count, reduction.element_size, &bytes) ||
      bytes > kMost / 130 / (2 * std::size_t{members} + 1))
    return refused_stale("elements of 0 bytes, or more than any memory has", Code::invalid_size);
  return {};
}

}  // namespace

// ---- life ----

Stale::Stale(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Stale>> Stale::create(Group& group, const StaleSpec& spec, Timeout timeout) {
  if (!group.committed()) return refused_stale("the group has not been committed", Code::invalid_group);
  const Status here = check_spec(spec, Rank(group.size()));
  const util::Deadline deadline(timeout, group.state().ports().progress.clock());
  Status status = coll::agree_on_spec(group, fields_of(spec), here, "stale allreduce", timeout);
  if (!status.ok()) return status;
  auto state = std::make_unique<State>(group, spec);
  if (status = state->window.commit(deadline.remaining()); !status.ok()) return status;
  if (status = state->meeting.commit(group, deadline.remaining()); !status.ok()) return status;
  state->part.place_totals();
  state->enter_background();
  return std::unique_ptr<Stale>(new Stale(std::move(state)));
}

// What its flags say, in memory that a forked child shares, is said for the parent.
Stale::~Stale() {
  if (state_->window.in_forked_child()) {
    util::leave_undestroyed(state_.release());
    return;
  }
  state_->strand.abandon();
  state_->leave();
}

void Stale::State::enter_background() {
  window.background().add(*this);
  is_in_background = true;
  const coll::Working mine(working);  // another thread may be asking already
  tell_background();
}

Stale::State::~State() {
  if (!is_in_background) return;
  window.background().remove(*this);  // first: until then another thread may be inside
  if (has_told) window.background().ends();
}

void Stale::State::leave() {
  const coll::Working mine(working);
  const auto all_end = [&] { return part.work() && part.ends(); };
  if (window.wait(all_end, false, std::chrono::seconds(10)).ok()) return;
  (void)window.wait([this] { return part.goes(); }, false, std::chrono::seconds(1)).ok();
}

// ---- in the background ----

// What is left to be done by others is asked for by everybody who waits.
void Stale::State::tell_background() {
  const bool wants = part.has_work();
  if (wants == has_told) return;
  has_told = wants;
  if (wants)
    window.background().begins();
  else
    window.background().ends();
}

int Stale::State::advance() {
  if (working.exchange(true, std::memory_order_acquire)) return 0;
  part.work();
  tell_background();
  working.store(false, std::memory_order_release);
  return 0;
}

// ---- calls ----

Status Stale::State::check(const coll::StaleCall& call) const {
  const ReductionSpec& reduction = part.spec().reduction;
  const std::size_t element = reduction.narrow_size != 0 ? reduction.narrow_size : reduction.element_size;
  const std::size_t bytes = reduction.count * element;
  if (bytes != 0 && call.sum == nullptr) return refused_stale("a buffer is null");
  const auto one = reinterpret_cast<std::uintptr_t>(call.mine), two = reinterpret_cast<std::uintptr_t>(call.sum);
  if (call.mine != nullptr && one != two && one < two + bytes && two < one + bytes)
    return refused_stale("the buffers overlap");
  return {};
}

Result<Staleness> Stale::State::run(const coll::StaleCall& call, Timeout timeout) {
  const core::Busy running(busy);
  if (!running.mine()) return core::busy("stale allreduce");
  if (Status status = check(call); !status.ok()) return status;
  const coll::Working mine(working);
  if (Status status = window.trouble(); !status.ok()) return status;
  if (!strand.under_way() && !meeting.is_under_way()) {
    if (!part.would_meet(call)) part.look_for_trouble();
    if (part.has_failed()) {
      part.work();
      tell_background();
      return part.failure();
    }
    part.begin(call);
    waited_ns = 0;
    if (part.meets())
      meeting.begin();
    else
      strand.begin(coll::stale_call(part));
  } else if (!(part.call() == call)) {
    return refused_stale("another call has timed out and not ended", Code::busy);
  }
  Status status = meeting.is_under_way() ? meeting.run(timeout, waited_ns) : drive(timeout);
  tell_background();
  if (!status.ok()) return status;
  if (part.has_failed() && !part.has_stored()) return part.failure();
  Staleness told = part.told();
  told.waited = std::chrono::nanoseconds(waited_ns);
  return told;
}

Status Stale::State::drive(Timeout timeout) {
  const std::int64_t begun = window.clock().now_ns();
  Status status = drive_untimed(timeout);
  waited_ns += window.clock().now_ns() - begun;
  return status;
}

Status Stale::State::drive_untimed(Timeout timeout) {
  const util::Deadline deadline(timeout, window.clock());
  bool ended = false;
  const auto ready = [&] { return ended = ended || strand.advance(); };
  while (true) {
    Status status = window.wait(ready, false, deadline.remaining());
    if (ended) {
      part.work();
      return window.trouble();
    }
    if (!status.ok() && !status.timed_out()) return status;
    if (status.timed_out() && deadline.passed()) return status;
  }
}

Result<Staleness> Stale::allreduce_ssp(const void* mine, void* sum, std::uint64_t slack, Timeout timeout) {
  if (mine == nullptr && state_->part.spec().reduction.count != 0) return refused_stale("a buffer is null");
  return state_->run({static_cast<const std::byte*>(mine), static_cast<std::byte*>(sum), slack}, timeout);
}

Result<Staleness> Stale::flush(void* sum, Timeout timeout) {
  return state_->run({nullptr, static_cast<std::byte*>(sum), 0}, timeout);
}

}  // namespace polder
