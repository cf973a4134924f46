#include "device/wire/receive/record_reader.hpp"

#include <algorithm>

namespace polder::device::wire {
namespace {

Acknowledgement acknowledgement_of(const Record& record) {
  const bool may_be_unawaited = record.kind == RecordKind::put || record.kind == RecordKind::flag;
  return may_be_unawaited && (record.detail & kUnawaited) != 0 ? Acknowledgement::when_idle : Acknowledgement::now;
}

}  // namespace

void RecordReader::read(Link& link, const Record& record, std::span<const std::byte> payload) {
  switch (record.kind) {
    case RecordKind::put: return server_.serve_put(link, record, payload);
    case RecordKind::flag: return server_.serve_flag(link, record, payload);
    case RecordKind::message: return server_.serve_message(link, record, payload);
    case RecordKind::get: return server_.serve_get(link, record, payload);
    case RecordKind::atomic: return server_.serve_atomic(link, record, payload);
    case RecordKind::data: return answers_.take_data(link, record, payload);
    case RecordKind::old: return answers_.take_old(link, record, payload);
    case RecordKind::failed: return answers_.take_failure(link, record);
    case RecordKind::ask: return keys_.serve_ask(link, record);
    case RecordKind::key: return keys_.take_key(link, record, payload);
    case RecordKind::revoke: return keys_.take_revoke(link, record);
    case RecordKind::release: return keys_.take_release(link, record);
    case RecordKind::ping: return;
    case RecordKind::bye: return server_.take_farewell(link);
  }
}

Acknowledgement RecordReader::read_part(Link& link, std::span<const std::byte> head, std::span<const std::byte> data) {
  Acknowledgement before = Acknowledgement::with_next;
  while (const std::size_t company = company_in_front(head)) {
    before = std::max(before, read_all(link, head.first(company)));
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
  read(link, record, data);
  const Acknowledgement due = flag.empty() ? Acknowledgement::now : read_all(link, flag);
  // Of what is unawaited the next part tells.
  if (more) return before == Acknowledgement::now ? before : Acknowledgement::with_next;
  return std::max(before, due);
}

Acknowledgement RecordReader::read_all(Link& link, std::span<const std::byte> content) {
  Acknowledgement due = Acknowledgement::when_idle;
  Record record;
  while (content.size() >= sizeof record && !link.broken()) {
    std::memcpy(&record, content.data(), sizeof record);
    content = content.subspan(sizeof record);
    if (padded(record.bytes) > content.size()) break;
    read(link, record, content.first(record.bytes));
    due = std::max(due, acknowledgement_of(record));
    content = content.subspan(padded(record.bytes));
  }
  return due;
}

}  // namespace polder::device::wire
