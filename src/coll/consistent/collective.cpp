// The public class: a call with its life.
#include <polder/collective.hpp>

#include "coll/consistent/call.hpp"
#include "coll/consistent/neighbour_lists.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/progress.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace polder {

namespace {
constexpr std::int64_t kNap = 1'000'000;  // ns
}

struct Collective::State {
  static Result<Collective> make(Group& group, const coll::Arguments& arguments) {
    if (Status status = coll::Call::check(group, arguments); !status.ok()) return status;
    auto state = std::make_unique<State>();
    state->call.prepare(group, arguments);
    return Collective(std::move(state));
  }
  coll::Call call;
};

Collective::Collective(std::unique_ptr<State> state) : state_(std::move(state)) {}
Collective::~Collective() = default;
Collective::Collective(Collective&&) noexcept = default;
Collective& Collective::operator=(Collective&&) noexcept = default;

// ---- kinds ----

Result<Collective> Collective::barrier(Group& group) {
  return State::make(group, {.kind = coll::Kind::barrier});
}
Result<Collective> Collective::broadcast(Group& group, Rank root, void* data, std::size_t bytes) {
  return State::make(group, {.kind = coll::Kind::broadcast, .root = root, .receive = data, .bytes = bytes});
}
Result<Collective> Collective::reduce(Group& group, Rank root, ReductionSpec spec, const void* send, void* receive) {
  return State::make(group, {coll::Kind::reduce, root, std::move(spec), send, receive});
}
Result<Collective> Collective::allreduce(Group& group, ReductionSpec spec, const void* send, void* receive) {
  return State::make(group, {coll::Kind::allreduce, 0, std::move(spec), send, receive});
}
Result<Collective> Collective::reduce_scatter(Group& group, ReductionSpec spec, std::span<const std::size_t> counts,
                                              const void* send, void* receive) {
  return State::make(group, {coll::Kind::reduce_scatter, 0, std::move(spec), send, receive, 0, counts});
}
Result<Collective> Collective::allgather(Group& group, std::span<const std::size_t> bytes, const void* send,
                                         void* receive) {
  return State::make(group, {coll::Kind::allgather, 0, {}, send, receive, 0, bytes});
}
Result<Collective> Collective::gather(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send,
                                      void* receive) {
  return State::make(group, {coll::Kind::gather, root, {}, send, receive, 0, bytes});
}
Result<Collective> Collective::scatter(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send,
                                       void* receive) {
  return State::make(group, {coll::Kind::scatter, root, {}, send, receive, 0, bytes});
}
Result<Collective> Collective::alltoall(Group& group, std::size_t bytes, const void* send, void* receive) {
  return State::make(group, {coll::Kind::alltoall, 0, {}, send, receive, bytes});
}
Result<Collective> Collective::alltoallv(Group& group, const void* send, std::span<const Part> sent, void* receive,
                                         std::span<const Part> received) {
  return State::make(group, {.kind = coll::Kind::alltoall,
                             .send = send,
                             .receive = receive,
                             .sent = sent,
                             .received = received,
                             .in_parts = true});
}
Result<Collective> Collective::alltoallw(Group& group, const void* send, std::span<const StridedPart> sent,
                                         void* receive, std::span<const StridedPart> received) {
  return State::make(group, {.kind = coll::Kind::alltoall,
                             .send = send,
                             .receive = receive,
                             .sent_blocks = sent,
                             .received_blocks = received,
                             .in_parts = true});
}
Result<Collective> Collective::neighbour_alltoallw(const Neighbours& neighbours, const void* send,
                                                   std::span<const StridedPart> sent, void* receive,
                                                   std::span<const StridedPart> received) {
  const auto lists = coll::neighbour_lists(neighbours, send, sent, receive, received);
  if (!lists) return lists.status();
  return State::make(neighbours.group(), (*lists)->arguments);
}
Result<Collective> Collective::neighbour_alltoallv(const Neighbours& neighbours, const void* send,
                                                   std::span<const Part> sent, void* receive,
                                                   std::span<const Part> received) {
  return neighbour_alltoallw(neighbours, send, coll::as_blocks(sent), receive, coll::as_blocks(received));
}
Result<Collective> Collective::neighbour_alltoall(const Neighbours& neighbours, std::size_t bytes, const void* send,
                                                  void* receive) {
  return neighbour_alltoallw(neighbours, send, coll::in_a_row(neighbours.destinations().size(), bytes), receive,
                             coll::in_a_row(neighbours.sources().size(), bytes));
}
Result<Collective> Collective::neighbour_allgatherv(const Neighbours& neighbours, std::size_t bytes, const void* send,
                                                    void* receive, std::span<const Part> received) {
  return neighbour_alltoallw(neighbours, send, coll::all_the_same(neighbours.destinations().size(), bytes), receive,
                             coll::as_blocks(received));
}
Result<Collective> Collective::neighbour_allgather(const Neighbours& neighbours, std::size_t bytes, const void* send,
                                                   void* receive) {
  return neighbour_alltoallw(neighbours, send, coll::all_the_same(neighbours.destinations().size(), bytes), receive,
                             coll::in_a_row(neighbours.sources().size(), bytes));
}
Result<Collective> Collective::scan(Group& group, ReductionSpec spec, const void* send, void* receive) {
  return State::make(group, {coll::Kind::scan, 0, std::move(spec), send, receive});
}
Result<Collective> Collective::exscan(Group& group, ReductionSpec spec, const void* send, void* receive) {
  return State::make(group, {coll::Kind::exscan, 0, std::move(spec), send, receive});
}

// ---- doing it ----

Status Collective::start(std::function<void()> then) {
  if (under_way()) return {Code::busy, "a collective is begun again before it has ended"};
  if (Status status = state_->call.begin(); !status.ok()) return status;
  state_->call.go_on_alone(std::move(then));
  return {};
}

bool Collective::test() {
  return !under_way() || state_->call.test();
}

Status Collective::wait(Timeout timeout) {
  if (state_->call.idle()) return {Code::invalid_argument, "waiting for a collective that was never begun"};
  return state_->call.wait(timeout);
}

Status Collective::run(Timeout timeout) {
  if (!under_way())
    if (Status status = state_->call.begin(); !status.ok()) return status;
  return state_->call.wait(timeout);
}

Status Collective::use(std::string_view algorithm) {
  if (under_way()) return {Code::busy, "a collective is told its algorithm before it has ended"};
  return state_->call.use(algorithm);
}

Status Collective::lay_out(const StridedPart* send, const StridedPart* receive) {
  if (under_way()) return {Code::busy, "a collective is laid out before it has ended"};
  return state_->call.lay_out(send, receive);
}

std::string_view Collective::algorithm() const {
  return to_string(state_->call.algorithm());
}

bool Collective::under_way() const {
  return state_->call.under_way();
}

Result<std::size_t> Collective::wait_any(std::span<Collective* const> all, Timeout timeout) {
  if (all.empty()) return Status(Code::invalid_argument, "waiting for any of no collectives");
  std::size_t found = all.size();
  const auto any = [&] {
    for (std::size_t i = 0; i < all.size() && found == all.size(); ++i)
      if (all[i]->test()) found = i;
    return found < all.size();
  };
  if (any()) return found;
  coll::Lanes& lanes = all[0]->state_->call.lanes();
  core::Progress& progress = lanes.ports().progress;
  // Letters to another group ring another bell: then a sleep is short.
  const bool one_group =
      std::all_of(all.begin(), all.end(), [&](Collective* c) { return &c->state_->call.lanes() == &lanes; });
  const coll::Attendant::Away away(lanes.attendant());
  const util::Deadline deadline(timeout, progress.clock());
  Status status;
  do {
    const Timeout left = deadline.remaining();
    const Timeout nap = one_group ? left : std::min(left.nanoseconds(), kNap) * std::chrono::nanoseconds(1);
    status = progress.wait(
        any, [&] { return progress.closed_status(); }, lanes.ground().waiting_bell(), nap,
        [&](bootstrap::LongWait& wait) { wait.say("for any of " + std::to_string(all.size()) + " collectives"); });
  } while (status.timed_out() && !deadline.passed());
  return status.ok() ? Result<std::size_t>(found) : Result<std::size_t>(std::move(status));
}

}  // namespace polder
