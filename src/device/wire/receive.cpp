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
// Frames where nobody waits: before so much is under way that the sender gathers what is small.
constexpr std::uint32_t kUnawaitedLimit = SendWindow::kAtOnce - 2;

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
  Link* link = find_link(header.source);
  if (link != nullptr && link->session.was(header.session)) return;
  if (link == nullptr || !link->session.accepts(header.session)) return stranger("a frame for no session of this rank");
  arrived_ = true;
  if (link->broken() || !admit(*link, header)) return;
  if (head.empty())
    arrive(*link, header, {}, data.subspan(sizeof header));
  else
    arrive(*link, header, head.subspan(sizeof header), data);
}

// Whether the frame is younger than the lease: its sender may report older ones as failed.
bool WireDevice::is_fresh(const FrameHeader& header, std::int64_t now) const {
  const std::uint32_t age = clock_ms(now) - header.echo;
  return lease_ms_ == 0 || std::int32_t(age) <= std::int32_t(lease_ms_);
}

bool WireDevice::admit(Link& link, const FrameHeader& header) {
  const std::int64_t now = util::coarse_now_ns();
  if (!is_fresh(header, now)) {
    give_up(link,
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
  tell_refused(link);
  const std::size_t parts_like_it = kDebtBytes / std::max<std::size_t>(data.size(), 1);
  note_debt(link, due, head.empty() ? kDebtLimit : std::uint32_t(std::min<std::size_t>(kDebtLimit, parts_like_it)));
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
  sleeper_.note_part_come(more);
  if (record.bytes != data.size()) {  // where it belonged went while it came, or it is nonsense
    const bool is_offered = exposed_.find(record.region) != nullptr;
    if (record.kind == RecordKind::put)
      respond_failed(link, record, is_offered ? Code::invalid_offset : Code::invalid_segment);
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
    lock_.assert_held();
    resolve(operation);
  };
  if (!link.window.acknowledge(header.done, end)) return;
  if (!after(link.accesses.stores_frame, header.done)) link.accesses.stores.clear();
  // What waits for company is marked already.
  if (link.stalled() || link.accesses.held) mark_dirty(link);
}

// Acknowledgements ride on what is sent anyway, and go alone only when nothing comes in any more, or too much has.
// Between the parts of a large transfer nothing often comes for a moment; what nobody waits for, like letters of
// collectives, is mostly acknowledged with the next one back.
void WireDevice::note_debt(Link& link, Acknowledgement due, std::uint32_t limit) {
  if (due == Acknowledgement::when_idle) limit = std::min(limit, kUnawaitedLimit);
  if (link.order.debt() >= limit && link.flows()) return acknowledge(link);
  if (due == Acknowledgement::with_next) return;
  if (link.owe()) owing_.push_back(&link);
  if (due == Acknowledgement::now) acknowledge_now_ = true;
}

// The peer is done with it, or it has failed for good.
void WireDevice::resolve(WireOperation& operation) {
  ++events_;
  if (operation.parts.fetch_or(WireOperation::kDecided, std::memory_order_acq_rel) == 0) note_ended(operation);
}

}  // namespace polder::device::wire
