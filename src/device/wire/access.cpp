// Accesses under way, under the device's lock. A put has *arrived* when a flush that was begun behind it has ended.
#include "device/wire/wire_device.hpp"
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

void WireDevice::begin_access(Link& link, RemoteAccess& access) {
  Accesses& all = link.accesses;
  if (all.under_way++ == 0) all.since_ns = util::coarse_now_ns();
  all.bytes += access.bytes;
  ++access.memory->accesses;
  ++sending_;
  const bool behind = all.writes.meets(access.region, access.offset, access.bytes);
  if (behind && !transport_->fence()) return on_accessed(access, "it keeps no order");
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
    sent = transport_->put(*link.endpoint(), {access.local, access.bytes}, address, *access.memory->key, access);
  } else {
    sent = transport_->get(*link.endpoint(), {access.local, access.bytes}, address, *access.memory->key, access);
  }
  if (sent != Transport::Sent::later) on_accessed(access, sent == Transport::Sent::at_once ? nullptr : kRefused);
}

void WireDevice::on_accessed(Addressee& addressee, const char* problem) {
  auto& access = static_cast<RemoteAccess&>(addressee);
  --sending_;
  const bool current = is_current(access);
  if (problem != nullptr && current) give_up(*access.link, unreachable(access.link->peer, problem), false);
  if (access.put) {
    // The operation may have ended before its copy has left.
    access.frame != nullptr ? frames_.give_back(access.frame) : end_part(*access.operation);
  } else {
    end_get(access, current, problem == nullptr);
  }
  accesses_.give_back(&access);
}

// One that went wrong, or is late, ends with its link.
void WireDevice::end_get(RemoteAccess& access, bool current, bool well) {
  Link& link = *access.link;
  WireOperation& operation = *access.operation;
  if (current) {
    --link.accesses.under_way;
    link.accesses.bytes -= access.bytes;
    link.accesses.since_ns = util::coarse_now_ns();
    end_use(link, access.region);
    if (link.accesses.held) mark_dirty(link);
  }
  const bool counts = well && current && !operation.is_decided();
  if (counts) operation.missing -= access.bytes;
  if (access.frame != nullptr && counts) {
    operation.begin_part();
    landings_.add({&operation, access.to, access.local, access.bytes, access.frame});
  } else if (access.frame != nullptr) {
    frames_.give_back(access.frame);
  }
  end_part(operation);
  if (counts && operation.missing == 0) take_answer(link, operation);
}

// Returns whether puts have arrived at once and something waited for that.
bool WireDevice::flush_accesses(Link& link) {
  Accesses& all = link.accesses;
  if (all.flushing == all.issued || link.broken()) return false;
  RemoteAccess* flush = accesses_.take();
  flush->link = &link;
  flush->incarnation = link.incarnation();
  flush->number = all.flushing = all.issued;
  ++sending_;
  const auto sent = transport_->flush(*link.endpoint(), *flush);
  if (sent == Transport::Sent::later) return false;
  on_flushed(*flush, sent == Transport::Sent::at_once ? nullptr : kRefused);
  return !link.broken() && all.held;
}

void WireDevice::on_flushed(Addressee& addressee, const char* problem) {
  auto& flush = static_cast<RemoteAccess&>(addressee);
  --sending_;
  if (is_current(flush)) {
    if (problem == nullptr)
      note_arrival(*flush.link, flush.number);
    else
      give_up(*flush.link, unreachable(flush.link->peer, problem), false);
  }
  accesses_.give_back(&flush);
}

void WireDevice::note_arrival(Link& link, std::uint64_t number) {
  Accesses& all = link.accesses;
  for (; all.arrived < number; ++all.arrived) {
    const Departed put = all.departed.front();
    all.departed.pop_front();
    --all.under_way;
    all.bytes -= put.bytes;
    if (put.operation != nullptr) settle(link, put);
    end_use(link, put.region);
  }
  all.since_ns = util::coarse_now_ns();
  if (all.departed.empty()) all.writes.clear();
  if (all.held) mark_dirty(link);
}

// The operation has ended, unless pieces of it are in frames that the peer has not carried out.
void WireDevice::settle(Link& link, const Departed& put) {
  SendWindow::Sent* const frame = put.follows ? link.window.find(put.frame) : nullptr;
  if (frame == nullptr) return resolve(*put.operation);
  put.operation->next = frame->operations;
  frame->operations = put.operation;
}

}  // namespace polder::device::wire
