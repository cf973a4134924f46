// What happens at the end of each leg: at the target, and back at the source.
#include "device/sim/fabric.hpp"
#include "device/sim/remote_memory.hpp"
#include "device/words.hpp"

#include <algorithm>
#include <string>

namespace polder::device::sim {

const char* to_string(InFlight::Kind kind) {
  switch (kind) {
    case InFlight::Kind::put: return "put";
    case InFlight::Kind::get: return "get";
    case InFlight::Kind::put_notify: return "put_notify";
    case InFlight::Kind::atomic: return "atomic";
    case InFlight::Kind::message: break;
  }
  return "message";
}

std::unique_ptr<InFlight> Fabric::arrive(std::unique_ptr<InFlight> parcel) {
  const bool at_target = parcel->leg != Leg::reply;
  if (is_cut(parcel->from(), parcel->to()) || (at_target && endpoints_[parcel->target].death != 0)) {
    held_.emplace(parcel->place(), std::move(parcel));
    return nullptr;
  }
  if (at_target) return arrive_at_target(std::move(parcel));
  hand_over(*parcel);
  finish(*parcel, {});
  return nullptr;
}

std::unique_ptr<InFlight> Fabric::arrive_at_target(std::unique_ptr<InFlight> parcel) {
  if (Status status = carry_out(*parcel); !status.ok()) {
    finish(*parcel, status);
    return nullptr;
  }
  if (parcel->kind == InFlight::Kind::message) {
    finish(*parcel, {});
    return nullptr;
  }
  if (parcel->kind == InFlight::Kind::put_notify && parcel->leg == Leg::request) {
    parcel->leg = Leg::flag;
    parcel->due_ns = parcel->flag_due_ns;
  } else {
    parcel->leg = Leg::reply;
    parcel->due_ns += delay_ns(options_, parcel->target, parcel->source, parcel->number, Leg::reply);
  }
  return parcel;
}

Status Fabric::carry_out(InFlight& parcel) {
  if (!endpoints_[parcel.target].attached) return refuse(parcel, Code::peer_failed, "it has closed its device");
  if (parcel.kind == InFlight::Kind::message) {
    deliver_message(parcel);
    return {};
  }
  if (parcel.leg == Leg::request && parcel.kind == InFlight::Kind::put_notify && parcel.pieces.empty()) {
    tell_local(parcel);  // a flag alone: its region need not exist
    return {};
  }
  const auto memory = memory_.find(parcel.leg == Leg::flag ? parcel.control : parcel.region);
  if (memory == memory_.end() || memory->second.owner != parcel.target)
    return refuse(parcel, Code::invalid_segment, "it does not offer this memory any more");
  std::byte* const data = memory->second.data;
  if (parcel.leg == Leg::flag)
    raise_flag(data, parcel.flag);
  else if (parcel.kind == InFlight::Kind::atomic)
    parcel.old = apply_atomic(data + parcel.request.offset, parcel.request.op, parcel.request.width,
                              parcel.request.operand, parcel.request.compare);
  else if (parcel.kind == InFlight::Kind::get)
    read_pieces(parcel, data);
  else
    return write_pieces(parcel, memory->second);
  return {};
}

Status Fabric::refuse(const InFlight& parcel, Code code, const char* why) const {
  return Status(code,
                "sim: " + std::string(to_string(parcel.kind)) + " of rank " + std::to_string(parcel.source) +
                    " to rank " + std::to_string(parcel.target) + ": " + why,
                Died::operation);
}

// The source of a put is read now and not when it was posted: who changes it before `local` finds out.
Status Fabric::write_pieces(InFlight& parcel, const SharedMemory& memory) {
  for (const Piece& piece : parcel.pieces) {
    const std::byte* from = piece.local;
    const auto copy = [&](std::byte* place, std::uint64_t bytes) {
      copy_to_remote(place, from, bytes);
      from += bytes;
    };
    if (!is_in_window(piece.remote))
      copy(memory.data + piece.remote, piece.bytes);
    else if (!memory.windows.each_run(piece.remote, piece.bytes, copy))
      return refuse(parcel, Code::invalid_offset, "no such window is open");
  }
  tell_local(parcel);
  return {};
}

void Fabric::read_pieces(InFlight& parcel, const std::byte* remote) {
  std::size_t total = 0;
  for (const Piece& piece : parcel.pieces) total += piece.bytes;
  parcel.bytes.resize(total);
  std::byte* to = parcel.bytes.data();
  for (const Piece& piece : parcel.pieces) {
    copy_from_remote(to, remote + piece.remote, piece.bytes);
    to += piece.bytes;
  }
}

void Fabric::deliver_message(InFlight& parcel) {
  Endpoint& target = endpoints_[parcel.target];
  target.inbox.push_back({parcel.source, parcel.handler, std::move(parcel.bytes)});
  target.has_mail.store(true, std::memory_order_release);
  target.bell.ring();
  if (const auto link = endpoints_[parcel.source].links.find(parcel.target);
      link != endpoints_[parcel.source].links.end())
    ++link->second.unread;
}

// What a reply brings.
void Fabric::hand_over(InFlight& parcel) {
  if (parcel.kind == InFlight::Kind::atomic && parcel.request.old != nullptr) *parcel.request.old = parcel.old;
  if (parcel.kind != InFlight::Kind::get) return;
  const std::byte* from = parcel.bytes.data();
  for (const Piece& piece : parcel.pieces) {
    std::copy_n(from, piece.bytes, piece.local);
    from += piece.bytes;
  }
}

void Fabric::tell_local(InFlight& parcel) {
  if (parcel.completion == nullptr || parcel.local_told) return;
  parcel.local_told = true;
  notice(parcel.source, {.kind = Notice::Kind::local, .completion = parcel.completion});
}

void Fabric::finish(InFlight& parcel, const Status& status) {
  if (const auto link = endpoints_[parcel.source].links.find(parcel.target);
      link != endpoints_[parcel.source].links.end())
    --link->second.parcels;
  if (parcel.completion == nullptr) return;
  tell_local(parcel);
  notice(parcel.source, {.kind = Notice::Kind::remote, .completion = parcel.completion, .status = status});
}

}  // namespace polder::device::sim
