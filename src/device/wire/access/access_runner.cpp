#include "device/wire/access/access_runner.hpp"

#include "util/deadline.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

constexpr const char* kRefused = "the way there is broken";

// The link has not been lost since.
bool is_current(const RemoteAccess& access) {
  return access.link->endpoint() != nullptr && access.link->incarnation() == access.incarnation;
}

Status unreachable(Rank peer, const char* why) {
  return {Code::peer_failed, "the memory of rank " + std::to_string(peer) + " cannot be reached: " + why, Died::peer};
}

}  // namespace

void AccessRunner::begin(Link& link, RemoteAccess& access) {
  Accesses& all = link.accesses;
  if (all.under_way++ == 0) all.since_ns = util::coarse_now_ns();
  all.bytes += access.bytes;
  ++access.memory->accesses;
  ++state_.sending;
  const bool behind = all.writes.meets(access.region, access.offset, access.bytes);
  if (behind && !state_.transport->fence()) return on_accessed(access, "it keeps no order");
  const std::uint64_t address = access.memory->address + access.offset;
  auto sent = Transport::Sent::refused;
  if (access.put) {
    ++all.issued;
    all.writes.add(access.region, access.offset, access.bytes);
    all.departed.push_back({.region = access.region,
                            .bytes = access.bytes,
                            .operation = access.last ? access.operation : nullptr,
                            .follows = access.follows,
                            .frame = link.window.last()});
    sent = state_.transport->put(*link.endpoint(), {access.local, access.bytes}, address, *access.memory->key, access);
  } else {
    sent = state_.transport->get(*link.endpoint(), {access.local, access.bytes}, address, *access.memory->key, access);
  }
  if (sent != Transport::Sent::later) on_accessed(access, sent == Transport::Sent::at_once ? nullptr : kRefused);
}

void AccessRunner::on_accessed(RemoteAccess& access, const char* problem) {
  --state_.sending;
  const bool current = is_current(access);
  if (problem != nullptr && current) state_.give_up(*access.link, unreachable(access.link->peer, problem), false);
  if (access.put) {
    // The operation may have ended before its copy has left.
    access.frame != nullptr ? state_.frames.give_back(access.frame) : state_.endings.end_part(*access.operation);
  } else {
    end_get(access, current, problem == nullptr);
  }
  state_.accesses.give_back(&access);
}

// One that went wrong, or is late, ends with its link.
void AccessRunner::end_get(RemoteAccess& access, bool current, bool well) {
  Link& link = *access.link;
  WireOperation& operation = *access.operation;
  if (current) {
    --link.accesses.under_way;
    link.accesses.bytes -= access.bytes;
    link.accesses.since_ns = util::coarse_now_ns();
    keys_.end_use(link, access.region);
    if (link.accesses.held) state_.dirty.add(link);
  }
  const bool counts = well && current && !operation.is_decided();
  if (counts) operation.missing -= access.bytes;
  if (access.frame != nullptr && counts) {
    operation.begin_part();
    state_.landings.add({&operation, access.to, access.local, access.bytes, access.frame});
  } else if (access.frame != nullptr) {
    state_.frames.give_back(access.frame);
  }
  state_.endings.end_part(operation);
  if (counts && operation.missing == 0) state_.take_answer(link, operation);
}

bool AccessRunner::flush(Link& link) {
  Accesses& all = link.accesses;
  if (all.flushing == all.issued || link.broken()) return false;
  RemoteAccess* flush = state_.accesses.take();
  flush->link = &link;
  flush->incarnation = link.incarnation();
  flush->number = all.flushing = all.issued;
  ++state_.sending;
  const auto sent = state_.transport->flush(*link.endpoint(), *flush);
  if (sent == Transport::Sent::later) return false;
  on_flushed(*flush, sent == Transport::Sent::at_once ? nullptr : kRefused);
  return !link.broken() && all.held;
}

void AccessRunner::on_flushed(RemoteAccess& flush, const char* problem) {
  --state_.sending;
  if (is_current(flush)) {
    if (problem == nullptr)
      note_arrival(*flush.link, flush.number);
    else
      state_.give_up(*flush.link, unreachable(flush.link->peer, problem), false);
  }
  state_.accesses.give_back(&flush);
}

void AccessRunner::note_arrival(Link& link, std::uint64_t number) {
  Accesses& all = link.accesses;
  for (; all.arrived < number; ++all.arrived) {
    const Departed put = all.departed.front();
    all.departed.pop_front();
    --all.under_way;
    all.bytes -= put.bytes;
    if (put.operation != nullptr) settle(link, put);
    keys_.end_use(link, put.region);
  }
  all.since_ns = util::coarse_now_ns();
  if (all.departed.empty()) all.writes.clear();
  if (all.held) state_.dirty.add(link);
}

// The operation has ended, unless pieces of it are in frames that the peer has not carried out.
void AccessRunner::settle(Link& link, const Departed& put) {
  SendWindow::Sent* const frame = put.follows ? link.window.find(put.frame) : nullptr;
  if (frame == nullptr) return state_.resolve(*put.operation);
  put.operation->next = frame->operations;
  frame->operations = put.operation;
}

}  // namespace polder::device::wire
