#include "coll/consistent/neighbour_commit.hpp"

#include "coll/consistent/neighbour_lists.hpp"
#include "coll/port/direct_slots.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/progress/progress.hpp"
#include "util/deadline.hpp"

#include <polder/queue.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace polder::coll {
namespace {

using State = Neighbours::State;

// What members can do about their edges, from the vote of the least one.
enum Vote : std::uint64_t { routed, after_what_is_idle_is_free, direct };

std::string times(std::uint32_t number) {
  return number == 1 ? "once" : std::to_string(number) + " times";
}

// What members say of each other's edges.
Status difference(const State& state) {
  for (Rank member = 0; member < state.group->size(); ++member) {
    const EdgeWord& heard = state.heard[member];
    const std::string who = "neighbours: rank " + std::to_string(state.group->absolute(member));
    if (heard.sends != state.sources.each[member])
      return {Code::invalid_argument, who + " names this rank as a destination " + times(heard.sends) +
                                          ", which names it as a source " + times(state.sources.each[member])};
    if (heard.hears != state.destinations.each[member])
      return {Code::invalid_argument, who + " names this rank as a source " + times(heard.hears) +
                                          ", which names it as a destination " +
                                          times(state.destinations.each[member])};
  }
  return {};
}

// Goes on with a collective that every member takes part in; timeout: the same again. What failed may be begun anew.
Status run_once(std::optional<Collective>& request, Result<Collective> (*make)(State&), State& state, Timeout timeout) {
  if (!request) {
    auto made = make(state);
    if (!made) return made.status();
    request.emplace(*std::move(made));
  }
  Status status = request->run(timeout);
  if (!status.ok() && !status.timed_out()) request.reset();
  return status;
}

// ---- slots ----

Rank distance(const State& state, Rank from, Rank to) {
  const auto size = Rank(state.group->size());
  return (to + size - from) % size;
}

// Of a distance, the same at both ends.
std::optional<Slot> slot_of_distance(const State& state, Rank from, Rank to) {
  const auto size = Rank(state.group->size());
  return direct_slot(Slots(size), size, distance(state, from, to));
}

using IdleEdges = std::vector<std::pair<Rank, Slot>>;

// What this member takes for its edges, and the idle ones of earlier neighbours that it can do without; of those that it
// reads `settled`, whose credits have arrived.
void offer(State& state, const IdleEdges& settled) {
  Lanes& lanes = Lanes::of(state.group->state());
  EdgeSlots& slots = *lanes.edge_slots();
  const auto me = Rank(state.group->index());
  auto edges = std::make_shared<NeighbourEdges>(lanes.edge_slots());
  state.lacking[0] = state.lacking[1] = 0;
  const auto take = [&](Role role, Rank member) {
    const auto own = edges->lease.take(role, member);
    if (!own) ++state.lacking[unsigned(role)];
    return own.value_or(EdgeWord::kNoSlot);
  };
  for (Rank member = 0; member < state.group->size(); ++member) {
    EdgeWord& word =
        state.told[member] = {.sends = state.destinations.each[member], .hears = state.sources.each[member]};
    if (member == me) continue;
    if (word.hears != 0 && !slot_of_distance(state, member, me)) word.slot = take(Role::reads, member);
    if (word.sends != 0 && !slot_of_distance(state, me, member)) word.credits = take(Role::writes, member);
  }
  state.edges = std::move(edges);  // what an earlier attempt had taken is left now
  for (const auto& [member, slot] : settled)
    if (!lanes.owes_credits_of(slot)) state.told[member].reads_no_more = slots.promise_back(Role::reads, member);
  for (const auto& [member, slot] : slots.idle(Role::writes))
    state.told[member].writes_no_more = slots.promise_back(Role::writes, member);
}

// What the other ends have taken for the same edges, and what neither end wants any more.
void settle(State& state, Role role) {
  Lanes& lanes = Lanes::of(state.group->state());
  EdgeSlots& slots = *lanes.edge_slots();
  const bool reads = role == Role::reads;
  for (Rank member = 0; member < state.group->size(); ++member) {
    const EdgeWord &told = state.told[member], &heard = state.heard[member];
    const Slot own = reads ? told.slot : told.credits, other = reads ? heard.credits : heard.slot;
    if (own != EdgeWord::kNoSlot && other != EdgeWord::kNoSlot) slots.settle(role, member, other);
    if (!(reads ? told.reads_no_more : told.writes_no_more)) continue;
    if (reads ? heard.writes_no_more : heard.reads_no_more)
      lanes.forget_edge(role, slots.give_back(role, member));
    else
      slots.keep(role, member);
  }
}

// Nobody has said anything: what has been promised is kept.
void take_back(State& state) {
  EdgeSlots& slots = *Lanes::of(state.group->state()).edge_slots();
  for (Rank member = 0; member < state.told.size(); ++member) {
    if (state.told[member].reads_no_more) slots.keep(Role::reads, member);
    if (state.told[member].writes_no_more) slots.keep(Role::writes, member);
  }
}

// In the order in which letters go. False: some edge has no slots.
bool list_edges(State& state, Role role, std::vector<SlottedEdge>& edges) {
  const EdgeSlots& slots = *Lanes::of(state.group->state()).edge_slots();
  const auto size = Rank(state.group->size()), me = Rank(state.group->index());
  const bool reads = role == Role::reads;
  for (Rank d = 1; d < size; ++d) {
    const Rank member = reads ? (me + size - d) % size : (me + d) % size;
    if ((reads ? state.sources : state.destinations).each[member] == 0) continue;
    if (const auto slot = direct_slot(Slots(size), size, d)) {
      edges.push_back({member, *slot, *slot});
      continue;
    }
    const Slot own = reads ? state.told[member].slot : state.told[member].credits;
    const auto other = slots.other(role, member);
    if (own == EdgeWord::kNoSlot || !other) return false;
    edges.push_back(reads ? SlottedEdge{member, own, *other} : SlottedEdge{member, *other, own});
  }
  return true;
}

// Who has found a difference has no neighbours in the end, and holds up nobody.
Vote vote_of(const State& state, bool has_all) {
  if (has_all || !state.compared.ok()) return direct;
  const EdgeSlots& slots = *Lanes::of(state.group->state()).edge_slots();
  const auto would_do = [&](Role role) { return state.lacking[unsigned(role)] <= slots.free(role); };
  return state.is_second_attempt || !would_do(Role::reads) || !would_do(Role::writes) ? routed
                                                                                      : after_what_is_idle_is_free;
}

// ---- the collectives ----

// Edges that nobody uses any more, all of whose credits have arrived, so that none comes when their slots serve others. None,
// where that cannot be known.
Status let_credits_arrive(State& state, IdleEdges& settled, Timeout timeout) {
  Lanes& lanes = Lanes::of(state.group->state());
  settled = lanes.edge_slots()->idle(Role::reads);
  if (settled.empty()) return {};
  lanes.settle_credits();
  Status status = lanes.ground().queue().wait(Completion::remote, timeout);
  if (status.timed_out()) return status;
  if (!status.ok()) settled.clear();
  return {};
}

Status compare(State& state, const util::Deadline& deadline) {
  if (state.has_compared) return {};
  if (!state.comparing) {
    IdleEdges settled;
    if (Status status = let_credits_arrive(state, settled, deadline.remaining()); !status.ok()) return status;
    state.told.resize(state.group->size());
    state.heard.resize(state.group->size());
    offer(state, settled);
  }
  const auto make = [](State& all) {
    return Collective::alltoall(*all.group, sizeof(EdgeWord), all.told.data(), all.heard.data());
  };
  Status status = run_once(state.comparing, make, state, deadline.remaining());
  if (status.timed_out()) return status;
  if (!status.ok()) {
    take_back(state);
    state.edges.reset();
    return status;
  }
  state.comparing.reset();
  state.compared = difference(state);
  settle(state, Role::reads);
  settle(state, Role::writes);
  const bool leaves = list_edges(state, Role::writes, state.edges->leaving);
  const bool comes = list_edges(state, Role::reads, state.edges->coming);
  state.own_vote = vote_of(state, leaves && comes);
  state.told = state.heard = {};
  state.has_compared = true;
  return {};
}

// All take the same way. In groups in which everybody has a slot for everybody nothing is asked; in others also those take
// part who have found a difference, since the rest waits for them.
Status vote(State& state, Timeout timeout) {
  if (state.group->size() <= Slots::kNear + 1) return state.least_vote = direct, Status();
  const auto make = [](State& all) {
    return Collective::allreduce(*all.group, *reduction(Reduction::min, DataType::uint64, 1), &all.own_vote,
                                 &all.least_vote);
  };
  if (Status status = run_once(state.voting, make, state, timeout); !status.ok()) return status;
  state.voting.reset();
  return {};
}

}  // namespace

Status commit_neighbours(State& state, Timeout timeout) {
  if (state.committed) return *state.committed;
  if (Status status = state.group->state().check_committed(); !status.ok()) return status;
  const util::Deadline deadline(timeout, state.group->state().ports().progress.clock());
  while (true) {
    if (Status status = compare(state, deadline); !status.ok()) return status;
    if (Status status = vote(state, deadline.remaining()); !status.ok()) return status;
    if (state.least_vote != after_what_is_idle_is_free) break;
    state.is_second_attempt = true;
    state.has_compared = false;
  }
  if (state.least_vote != direct) state.edges.reset();
  state.committed = state.compared;
  return *state.committed;
}

}  // namespace polder::coll
