// Dead ranks and cut links, and how the others come to know.
#include "device/sim/fabric.hpp"

#include <string>

namespace polder::device::sim {

// Takes all that match out of the fabric: from then on they cannot touch any memory.
template <class Match>
void Fabric::fail_parcels(Match&& match, const Status& status) {
  for (Timeline* timeline : {&travelling_, &held_}) {
    for (auto at = timeline->begin(); at != timeline->end();) {
      const auto next = std::next(at);
      if (match(*at->second)) {
        finish(*at->second, status);
        timeline->erase(at);
      }
      at = next;
    }
  }
}

void Fabric::kill(Rank rank) {
  if (rank >= options_.ranks) return;
  Lock lock(mutex_);
  Endpoint& endpoint = endpoints_[rank];
  if (endpoint.death != 0) return;
  endpoint.death = next_fault_++;
  fail_from(rank, check_open(rank));
  endpoint.inbox.clear();
  endpoint.has_mail.store(false, std::memory_order_release);
  for (Rank observer = 0; observer < options_.ranks; ++observer) suspect(observer, rank, endpoint.death);
  endpoint.woken.store(true, std::memory_order_release);
  endpoint.bell.ring();
  tell(lock);
}

void Fabric::cut(Rank from, Rank to) {
  if (from >= options_.ranks || to >= options_.ranks) return;
  Lock lock(mutex_);
  const auto [cut, is_new] = cuts_.try_emplace({from, to}, next_fault_);
  if (!is_new) return;
  ++next_fault_;
  // The sender misses the replies to what does not get there, the other its replies that do not get back.
  suspect(from, to, cut->second);
  suspect(to, from, cut->second);
}

void Fabric::heal(Rank from, Rank to) {
  Lock lock(mutex_);
  if (cuts_.erase({from, to}) == 0) return;
  for (auto at = held_.begin(); at != held_.end();) {
    const auto next = std::next(at);
    // They keep their times, which have passed, and with them their order. Those to a dead rank will be held again.
    if (at->second->from() == from && at->second->to() == to) travelling_.insert(held_.extract(at));
    at = next;
  }
  start_thread();
  changed_.ring();
}

std::uint64_t Fabric::cut_between(Rank a, Rank b) const {
  for (const auto& link : {std::pair(a, b), std::pair(b, a)})
    if (const auto found = cuts_.find(link); found != cuts_.end()) return found->second;
  return 0;
}

// Notes that `observer` will have lost `peer` by the end of the detection time if the fault lasts.
void Fabric::suspect(Rank observer, Rank peer, std::uint64_t fault) {
  const auto& links = endpoints_[observer].links;
  const auto link = links.find(peer);
  if (link == links.end() || !link->second.connected) return;
  suspicions_.emplace(options_.clock.now_ns() + options_.detection_ns, Suspicion{observer, peer, fault});
  start_thread();
  changed_.ring();
}

bool Fabric::in_effect(const Suspicion& suspicion) const {
  const auto lasts = [&](Rank from, Rank to) {
    const auto cut = cuts_.find({from, to});
    return cut != cuts_.end() && cut->second == suspicion.fault;
  };
  return endpoints_[suspicion.peer].death == suspicion.fault || lasts(suspicion.observer, suspicion.peer) ||
         lasts(suspicion.peer, suspicion.observer);
}

void Fabric::lose(Rank observer, Rank peer) {
  auto& links = endpoints_[observer].links;
  const auto link = links.find(peer);
  if (endpoints_[observer].death != 0 || link == links.end() || !link->second.connected) return;
  link->second.connected = false;
  const char* why = endpoints_[peer].death != 0 ? " is dead" : " is out of reach";
  const Status status(Code::peer_failed, "sim: rank " + std::to_string(peer) + why, Died::peer);
  fail_between(observer, peer, status);
  notice(observer, {.kind = Notice::Kind::lost_peer, .peer = peer, .status = status});
}

void Fabric::fail_from(Rank source, const Status& status) {
  fail_parcels([&](const InFlight& parcel) { return parcel.source == source; }, status);
}

void Fabric::fail_between(Rank source, Rank target, const Status& status) {
  fail_parcels([&](const InFlight& parcel) { return parcel.source == source && parcel.target == target; }, status);
}

Status Fabric::connect(Rank source, Rank peer) {
  Lock lock(mutex_);
  if (Status status = check_open(source); !status.ok()) return status;
  if (endpoints_[peer].death != 0)
    return Status(Code::peer_failed, "sim: rank " + std::to_string(peer) + " is dead", Died::peer);
  endpoints_[source].links[peer].connected = true;
  if (const std::uint64_t fault = cut_between(source, peer); fault != 0) suspect(source, peer, fault);
  return {};
}

void Fabric::disconnect(Rank source, Rank peer) {
  Lock lock(mutex_);
  auto& links = endpoints_[source].links;
  const auto link = links.find(peer);
  if (link == links.end() || !link->second.connected) return;
  link->second.connected = false;
  fail_between(source, peer,
               Status(Code::peer_failed, "sim: rank " + std::to_string(peer) + " was disconnected", Died::peer));
  tell(lock);
}

}  // namespace polder::device::sim
