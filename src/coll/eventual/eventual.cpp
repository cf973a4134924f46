// The public class: calls with their arguments, and what drives them.
#include <polder/eventual.hpp>

#include "coll/eventual/algorithms.hpp"
#include "coll/eventual/eventual_part.hpp"
#include "coll/eventual/wide_vectors.hpp"
#include "coll/eventual/wish.hpp"
#include "coll/task/task.hpp"
#include "coll/window/same_spec.hpp"
#include "coll/window/window.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "util/deadline.hpp"
#include "util/forked.hpp"

#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <utility>

namespace polder {

using coll::Kind;
using coll::Wish;

struct Eventual::State {
  State(Group& group, const EventualSpec& s)
      : spec(s),
        layout(s, Rank(group.size())),
        window(group, layout.bytes(), layout.flags(), s.apart),
        part(strand, window, s) {}

  Result<EventualStatus> run(Wish wish, Timeout timeout);
  Status prepare(Wish& wish);
  Status drive(Timeout timeout);
  void leave();
  void drain(const util::Deadline& deadline);
  Timeout until_deadline(Timeout left) const;

  const EventualSpec spec;
  const coll::EventualLayout layout;
  coll::MemberWindow window;
  coll::Frames frames;
  coll::Strand strand{frames};
  coll::EventualPart part;
  coll::WideVectors wide;
  std::atomic<bool> busy{false};
  std::int64_t waited_ns = 0;
};

namespace {

Status refused(const std::string& what, Code code = Code::invalid_argument) {
  return {code, "eventual collectives: " + what};
}

// What all specs have to have in common: where things lie in the windows, and who reads of whom.
std::array<coll::SpecField, 4> fields_of(const EventualSpec& spec) {
  return {{{"bytes", spec.bytes}, {"largest", spec.largest}, {"apart", spec.apart}, {"way", std::uint64_t(spec.way)}}};
}

Status check_spec(const EventualSpec& spec) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() >> 16;
  if (spec.apart < 1 || spec.apart > 64) return refused("EventualSpec::apart is from 1 to 64");
  if (spec.bytes > kMost) return refused("a size that no memory has", Code::invalid_size);
  return {};
}

bool overlap(const void* a, const void* b, std::size_t bytes) {
  const auto one = reinterpret_cast<std::uintptr_t>(a), two = reinterpret_cast<std::uintptr_t>(b);
  return one != two && one < two + bytes && two < one + bytes;
}

Wish wish_of(Kind kind, Rank root, const ReductionSpec& spec, const void* send, void* receive,
             const Threshold& enough) {
  Wish wish{.kind = kind,
            .root = root,
            .spec = spec,
            .send = static_cast<const std::byte*>(send),
            .receive = static_cast<std::byte*>(receive),
            .enough = enough,
            .order = {},
            .given_send = static_cast<const std::byte*>(send),
            .given_receive = static_cast<std::byte*>(receive)};
  if (enough.choose == Choose::order) wish.order.assign(enough.order.begin(), enough.order.end());
  wish.enough.order = {};
  return wish;
}

}  // namespace

// ---- life ----

Eventual::Eventual(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Eventual>> Eventual::create(Group& group, const EventualSpec& spec, Timeout timeout) {
  if (!group.committed()) return refused("the group has not been committed", Code::invalid_group);
  const util::Deadline deadline(timeout, group.state().ports().progress.clock());
  Status status = coll::agree_on_spec(group, fields_of(spec), check_spec(spec), "eventual collectives", timeout);
  if (!status.ok()) return status;
  auto state = std::make_unique<State>(group, spec);
  if (status = state->window.commit(deadline.remaining()); !status.ok()) return status;
  return std::unique_ptr<Eventual>(new Eventual(std::move(state)));
}

// What its flags say, in memory that a forked child shares, is said for the parent.
Eventual::~Eventual() {
  if (state_->window.in_forked_child()) {
    util::leave_undestroyed(state_.release());
    return;
  }
  state_->strand.abandon();
  state_->leave();
}

// Last words may overtake what this member has told and shown, and others do not wait for more of it once they have them.
void Eventual::State::leave() {
  const util::Deadline deadline(std::chrono::seconds(10), window.clock());
  drain(deadline);
  Rank told = 0;
  const Rank size = window.size();
  const auto all_end = [&] {
    while (told < size && window.raise(told, layout.ends(window.me()), 1)) ++told;
    for (Rank member = 0; member < size; ++member)
      if (!window.is_raised(layout.ends(member), 1) && !window.is_gone(member)) return false;
    return told == size;
  };
  [[maybe_unused]] const Status ended = window.wait(all_end, false, deadline.remaining());
  drain(util::Deadline(std::chrono::seconds(5), window.clock()));  // of weights, which are read from this object
}

void Eventual::State::drain(const util::Deadline& deadline) {
  for (unsigned stream = 0; stream < spec.apart; ++stream) {
    window.use_stream(stream);
    (void)window.wait([this] { return window.is_drained(); }, true, deadline.remaining()).ok();
  }
}

// ---- driving ----

Result<EventualStatus> Eventual::State::run(Wish wish, Timeout timeout) {
  const core::Busy running(busy);
  if (!running.mine()) return core::busy("eventual collective");
  if (!strand.under_way()) {
    if (Status status = prepare(wish); !status.ok()) return status;
    part.begin(wish);
    waited_ns = 0;
    strand.begin(coll::eventual_operation(part));
  } else if (!part.wish().is_same_call(wish)) {
    return refused("another call has timed out and not ended", Code::busy);
  }
  const std::int64_t begun = window.clock().now_ns();
  Status status = drive(timeout);
  waited_ns += window.clock().now_ns() - begun;
  if (!status.ok()) return status;
  if (part.has_failed()) {
    part.forget_last();
    return part.failure();
  }
  EventualStatus result = part.status();
  result.waited = std::chrono::nanoseconds(waited_ns);
  coll::WideVectors::end(part.wish(), result);
  return result;
}

Status Eventual::State::prepare(Wish& wish) {
  if (Status status = window.trouble(); !status.ok()) return status;
  if (Status status = wish.check(spec, window.size()); !status.ok()) return status;
  const std::size_t bytes = wish.given();
  const bool sends = wish.kind != Kind::broadcast || window.me() == wish.root;
  const bool receives = wish.kind != Kind::reduce || window.me() == wish.root;
  if (bytes != 0 && ((sends && wish.send == nullptr) || (receives && wish.receive == nullptr)))
    return refused("a buffer is null");
  if (sends && receives && overlap(wish.send, wish.receive, bytes)) return refused("the buffers overlap");
  wide.begin(wish, sends);
  return {};
}

Timeout Eventual::State::until_deadline(Timeout left) const {
  const std::int64_t at = part.deadline_at_ns();
  if (at == std::numeric_limits<std::int64_t>::max()) return left;
  const std::int64_t rest = at - window.clock().now_ns();
  return rest > 0 && rest < left.nanoseconds() ? Timeout(std::chrono::nanoseconds(rest)) : left;
}

Status Eventual::State::drive(Timeout timeout) {
  const util::Deadline deadline(timeout, window.clock());
  bool ended = false;
  while (true) {
    const bool by_completion = part.waits_for_handle();
    const auto ready = [&] {
      ended = ended || strand.advance();
      return ended || part.waits_for_handle() != by_completion;
    };
    Status status = window.wait(ready, by_completion, until_deadline(deadline.remaining()));
    if (ended) return window.trouble();
    if (!status.ok() && !status.timed_out()) return status;
    if (status.timed_out() && deadline.passed()) return status;
  }
}

// ---- calls ----

Result<EventualStatus> Eventual::broadcast(Rank root, const ReductionSpec& spec, void* data, const Threshold& enough,
                                           Timeout timeout) {
  return state_->run(wish_of(Kind::broadcast, root, spec, data, data, enough), timeout);
}

Result<EventualStatus> Eventual::reduce(Rank root, const ReductionSpec& spec, const void* send, void* receive,
                                        const Threshold& enough, Timeout timeout) {
  return state_->run(wish_of(Kind::reduce, root, spec, send, receive, enough), timeout);
}

Result<EventualStatus> Eventual::allreduce(const ReductionSpec& spec, const void* send, void* receive,
                                           const Threshold& enough, Timeout timeout) {
  return state_->run(wish_of(Kind::allreduce, 0, spec, send, receive, enough), timeout);
}

Result<EventualStatus> Eventual::enhance(const Threshold& more, Timeout timeout) {
  const Wish& before = state_->part.wish();
  Wish wish = wish_of(before.kind, before.root, before.spec, before.given_send, before.given_receive, more);
  wish.more = true;
  if (state_->strand.under_way()) return state_->run(std::move(wish), timeout);
  if (!state_->part.has_begun()) return refused("there is no operation that could be enhanced");
  const bool receives = before.kind == Kind::allreduce || (before.kind == Kind::reduce && state_->part.is_root());
  if (receives && before.given_send == before.given_receive && before.vector() != 0)
    return refused("what was sent has been overwritten by the result: there were not two buffers");
  if (Status status = coll::check_enhancement(before.enough, more); !status.ok()) return status;
  const std::size_t ordered = std::min({before.order.size(), before.chosen(), wish.order.size()});
  if (!std::equal(wish.order.begin(), wish.order.begin() + std::ptrdiff_t(ordered), before.order.begin()))
    return refused("an enhancement begins with the elements of the operation, in their order");
  return state_->run(std::move(wish), timeout);
}

}  // namespace polder
