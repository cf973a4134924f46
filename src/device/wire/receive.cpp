// Frames coming in, under the device's lock: from a known sender, fresh, and in the order of their numbers.
#include "device/wire/wire_device.hpp"
#include "util/deadline.hpp"
#include "util/outside_order.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

constexpr std::size_t kDebtBytes = SendWindow::kMostBytes / 2;  // of parts that a sender may have to wait for at most
// A window of them, and for each frame that this rank has under way the word of what was refused of it, which passes the window.
constexpr std::size_t kMostEarly = 2 * SendWindow::kMostFrames;

Acknowledgement acknowledgement_of(const Record& record) {
  const bool may_be_unawaited = record.kind == RecordKind::put || record.kind == RecordKind::flag;
  return may_be_unawaited && (record.detail & kUnawaited) != 0 ? Acknowledgement::when_idle : Acknowledgement::now;
}

}  // namespace

void WireDevice::on_frame(std::span<const std::byte> head, std::span<const std::byte> data) {
  util::hear_outside();
  FrameHeader header;
  const std::span<const std::byte> first = head.empty() ? data : head;
  if (first.size() < sizeof header || (!head.empty() && !is_part_head(head.size())))
    return stranger("a frame of no known form");
  std::memcpy(&header, first.data(), sizeof header);
  Link* link = state_.links.find(header.source);
  if (link != nullptr && link->session.was(header.session)) return;
  if (link == nullptr || !link->session.accepts(header.session)) return stranger("a frame for no session of this rank");
  state_.has_arrived = true;
  if (link->broken() || !admit(*link, header)) return;
  if (head.empty())
    arrive(*link, header, {}, data.subspan(sizeof header));
  else
    arrive(*link, header, head.subspan(sizeof header), data);
}

bool WireDevice::admit(Link& link, const FrameHeader& header) {
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

void WireDevice::arrive(Link& link, const FrameHeader& header, std::span<const std::byte> head,
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

void WireDevice::carry_out(Link& link, const FrameHeader& header, std::span<const std::byte> head,
                           std::span<const std::byte> data) {
  const Acknowledgement due = head.empty() ? serve_records(link, data) : serve_part(link, head, data);
  link.order.carried_out(header.number);
  responder_.tell_refused(link);
  const std::size_t parts_like_it = kDebtBytes / std::max<std::size_t>(data.size(), 1);
  acknowledger_.note_debt(link, due,
                          head.empty() ? Acknowledger::kDebtLimit
                                       : std::uint32_t(std::min<std::size_t>(Acknowledger::kDebtLimit, parts_like_it)));
  // Behind the records: they may say that some of what is confirmed has failed.
  take_acknowledgement(link, header);
}

// What kept it company, a part, and the flag that came with the last one.
Acknowledgement WireDevice::serve_part(Link& link, std::span<const std::byte> head, std::span<const std::byte> data) {
  Acknowledgement before = Acknowledgement::with_next;
  while (const std::size_t company = company_in_front(head)) {
    before = std::max(before, serve_records(link, head.first(company)));
    head = head.subspan(company);
  }
  Record record;
  std::memcpy(&record, head.data(), sizeof record);
  if (link.broken()) return before;
  const bool more = (record.detail & kMore) != 0;
  const auto flag = head.subspan(sizeof record);
  state_.sleeper.note_part_come(more);
  if (record.bytes != data.size()) {  // where it belonged went while it came, or it is nonsense
    const bool is_offered = state_.exposed.find(record.region) != nullptr;
    if (record.kind == RecordKind::put)
      responder_.refuse(link, record, is_offered ? Code::invalid_offset : Code::invalid_segment);
    return Acknowledgement::now;
  }
  serve(link, record, data);
  const Acknowledgement due = flag.empty() ? Acknowledgement::now : serve_records(link, flag);
  // Of what is unawaited the next part tells.
  if (more) return before == Acknowledgement::now ? before : Acknowledgement::with_next;
  return std::max(before, due);
}

// Returns how soon the most urgent one is to be acknowledged.
Acknowledgement WireDevice::serve_records(Link& link, std::span<const std::byte> content) {
  Acknowledgement due = Acknowledgement::when_idle;
  Record record;
  while (content.size() >= sizeof record && !link.broken()) {
    std::memcpy(&record, content.data(), sizeof record);
    content = content.subspan(sizeof record);
    if (padded(record.bytes) > content.size()) break;
    serve(link, record, content.first(record.bytes));
    due = std::max(due, acknowledgement_of(record));
    content = content.subspan(padded(record.bytes));
  }
  return due;
}

void WireDevice::take_acknowledgement(Link& link, const FrameHeader& header) {
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
