// Parcels on their way: when they arrive, and the thread that waits for that.
#include "device/sim/fabric.hpp"

#include <algorithm>
#include <string>

namespace polder::device::sim {

Status Fabric::check_open(Rank rank) const {
  const Endpoint& endpoint = endpoints_[rank];
  if (endpoint.death != 0)
    return Status(Code::closed, "sim: rank " + std::to_string(rank) + " was killed", Died::runtime);
  if (!endpoint.attached)
    return Status(Code::closed, "sim: rank " + std::to_string(rank) + " has closed its device", Died::runtime);
  return {};
}

Status Fabric::check_postable(const InFlight& parcel) {
  if (Status status = check_open(parcel.source); !status.ok()) return status;
  const auto& links = endpoints_[parcel.source].links;
  const auto link = links.find(parcel.target);
  if (link == links.end() || !link->second.connected)
    return Status(Code::peer_failed,
                  "sim: " + std::string(to_string(parcel.kind)) + " of rank " + std::to_string(parcel.source) +
                      ": rank " + std::to_string(parcel.target) + " is not connected",
                  Died::peer);
  return link->second.parcels + link->second.unread >= options_.queue_depth ? Status(Code::queue_full) : Status();
}

Status Fabric::post(std::unique_ptr<InFlight> parcel) {
  Lock lock(mutex_);
  if (Status status = check_postable(*parcel); !status.ok()) return status;
  Link& link = endpoints_[parcel->source].links[parcel->target];
  count(*parcel);
  schedule(*parcel, link);
  // Not past those that are held, or wait to be carried after a heal.
  const bool alone = link.parcels++ == 0;
  if (immediate() && alone) {
    while (parcel != nullptr) parcel = arrive(std::move(parcel));
  } else {
    travel(std::move(parcel));
  }
  tell(lock);
  return {};
}

void Fabric::count(const InFlight& parcel) {
  ++traffic_.operations;
  if (parcel.kind == InFlight::Kind::message) traffic_.bytes += parcel.bytes.size();
  for (const Piece& piece : parcel.pieces) traffic_.bytes += piece.bytes;
}

Traffic Fabric::traffic() {
  Lock lock(mutex_);
  return traffic_;
}

// Draws the delays, and sees to it that flags arrive behind the data of before, and messages behind messages.
void Fabric::schedule(InFlight& parcel, Link& link) {
  const std::int64_t now = options_.clock.now_ns();
  parcel.number = link.operations++;
  parcel.sequence = next_sequence_++;
  const auto draw = [&](Leg leg) { return delay_ns(options_, parcel.source, parcel.target, parcel.number, leg); };
  parcel.due_ns = now + draw(Leg::request);
  switch (parcel.kind) {
    case InFlight::Kind::message:
      parcel.due_ns = link.last_message_ns = std::max(parcel.due_ns, link.last_message_ns);
      break;
    case InFlight::Kind::put:
    case InFlight::Kind::atomic: link.last_write_ns = std::max(parcel.due_ns, link.last_write_ns); break;
    case InFlight::Kind::put_notify:
      link.last_write_ns = std::max(parcel.due_ns, link.last_write_ns);
      link.last_flag_ns = std::max({now + draw(Leg::flag), link.last_write_ns, link.last_flag_ns});
      parcel.flag_due_ns = link.last_flag_ns;
      break;
    case InFlight::Kind::get: break;
  }
}

void Fabric::travel(std::unique_ptr<InFlight> parcel) {
  const bool first = parcel->due_ns < next_event_ns();
  travelling_.emplace(parcel->place(), std::move(parcel));
  start_thread();
  if (first) changed_.ring();
}

void Fabric::start_thread() {
  if (!thread_.joinable()) thread_ = util::Thread(options_.clock, "fabric", [this] { run(); });
}

std::int64_t Fabric::next_event_ns() const {
  std::int64_t next = INT64_MAX;
  if (!travelling_.empty()) next = travelling_.begin()->first.first;
  if (!suspicions_.empty()) next = std::min(next, suspicions_.begin()->first);
  return next;
}

void Fabric::run() {
  constexpr std::int64_t kLong = 3'600'000'000'000;
  Lock lock(mutex_);
  while (!stopping_) {
    const std::int64_t next = next_event_ns(), now = options_.clock.now_ns();
    if (next <= now) {
      handle_due(now);
      tell(lock);
      continue;
    }
    util::Bell::Listener listener(changed_);
    lock.unlock();
    listener.sleep(std::min(next - now, kLong));
    lock.lock();
  }
}

void Fabric::handle_due(std::int64_t now_ns) {
  while (!travelling_.empty() && travelling_.begin()->first.first <= now_ns) {
    auto parcel = arrive(std::move(travelling_.extract(travelling_.begin()).mapped()));
    if (parcel != nullptr) travel(std::move(parcel));
  }
  while (!suspicions_.empty() && suspicions_.begin()->first <= now_ns) {
    const Suspicion suspicion = suspicions_.extract(suspicions_.begin()).mapped();
    if (in_effect(suspicion)) lose(suspicion.observer, suspicion.peer);
  }
}

}  // namespace polder::device::sim
