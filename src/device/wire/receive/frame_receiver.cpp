#include "device/wire/receive/frame_receiver.hpp"

#include "util/deadline.hpp"
#include "util/outside_order.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

constexpr std::size_t kDebtBytes = SendWindow::kMostBytes / 2;  // of parts that a sender may have to wait for at most
// A window of them, and for each frame that this rank has under way the word of what was refused of it, which passes the window.
constexpr std::size_t kMostEarly = std::size_t{2} * SendWindow::kMostFrames;

}  // namespace

void FrameReceiver::on_frame(std::span<const std::byte> head, std::span<const std::byte> data) {
  util::hear_outside();
  FrameHeader header;
  const std::span<const std::byte> first = head.empty() ? data : head;
  if (first.size() < sizeof header || (!head.empty() && !is_part_head(head.size())))
    return strangers_.drop("a frame of no known form");
  std::memcpy(&header, first.data(), sizeof header);
  Link* link = state_.links.find(header.source);
  if (link != nullptr && link->session.was(header.session)) return;
  if (link == nullptr || !link->session.accepts(header.session))
    return strangers_.drop("a frame for no session of this rank");
  state_.has_arrived = true;
  if (link->broken() || !admit(*link, header)) return;
  if (head.empty())
    arrive(*link, header, {}, data.subspan(sizeof header));
  else
    arrive(*link, header, head.subspan(sizeof header), data);
}

bool FrameReceiver::admit(Link& link, const FrameHeader& header) {
  const std::int64_t now = util::coarse_now_ns();
  if (!state_.is_fresh(header, now)) {
    state_.give_up(
        link,
        {Code::peer_failed, "what rank " + std::to_string(link.peer) + " sent came too late to count", Died::peer},
        false);
    return false;
  }
  link.signs.hear(header.clock, now);
  return true;
}

void FrameReceiver::arrive(Link& link, const FrameHeader& header, std::span<const std::byte> head,
                           std::span<const std::byte> data) {
  if (head.empty() && data.empty()) {  // not counted; out of turn it would confirm what has not been looked at
    if (link.order.is_latest(header.number)) take_acknowledgement(link, header);
    return;
  }
  if (!link.order.is_next(header.number)) {
    if (!link.order.may_keep(header.number, kMostEarly)) return;
    // Several lanes of a transport may pass each other.
    auto& copy = link.order.keep(header.number);
    const auto* raw = reinterpret_cast<const std::byte*>(&header);
    static_assert(kMostPartHead - sizeof header <= 0xff);
    copy.assign(1, std::byte(head.size()));
    copy.insert(copy.end(), raw, raw + sizeof header);
    copy.insert(copy.end(), head.begin(), head.end());
    copy.insert(copy.end(), data.begin(), data.end());
    return;
  }
  carry_out(link, header, head, data);
  while (!link.broken()) {
    const auto copy = link.order.take_kept();
    if (!copy) break;
    const std::span<const std::byte> kept(*copy);
    FrameHeader next;
    std::memcpy(&next, kept.data() + 1, sizeof next);
    const auto heads = std::size_t(kept[0]);
    const auto rest = kept.subspan(1 + sizeof next);
    carry_out(link, next, rest.first(heads), rest.subspan(heads));
  }
}

void FrameReceiver::carry_out(Link& link, const FrameHeader& header, std::span<const std::byte> head,
                              std::span<const std::byte> data) {
  const Acknowledgement due = head.empty() ? reader_.read_all(link, data) : reader_.read_part(link, head, data);
  link.order.carried_out(header.number);
  responder_.tell_refused(link);
  const std::size_t parts_like_it = kDebtBytes / std::max<std::size_t>(data.size(), 1);
  acknowledger_.note_debt(link, due,
                          head.empty() ? Acknowledger::kDebtLimit
                                       : std::uint32_t(std::min<std::size_t>(Acknowledger::kDebtLimit, parts_like_it)));
  // Behind the records: they may say that some of what is confirmed has failed.
  take_acknowledgement(link, header);
}

void FrameReceiver::take_acknowledgement(Link& link, const FrameHeader& header) {
  link.messages.hear(header.drained);
  const auto end = [this](WireOperation& operation) {
    state_.lock.assert_held();
    state_.resolve(operation);
  };
  if (!link.window.acknowledge(header.done, end)) return;
  if (!after(link.accesses.stores_frame, header.done)) link.accesses.stores.clear();
  // What waits for company is marked already.
  if (link.stalled() || link.accesses.held) state_.dirty.add(link);
}

}  // namespace polder::device::wire
