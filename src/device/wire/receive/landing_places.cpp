#include "device/wire/receive/landing_places.hpp"

#include "util/bell.hpp"
#include "util/deadline.hpp"
#include "util/outside_order.hpp"

namespace polder::device::wire {
namespace {

Record record_of_part(std::span<const std::byte> head) {
  while (const std::size_t company = company_in_front(head)) head = head.subspan(company);
  Record record;
  std::memcpy(&record, head.data(), sizeof record);
  return record;
}

bool overlap(MemoryRun a, MemoryRun b) {
  const auto from = [](MemoryRun run) { return reinterpret_cast<std::uintptr_t>(run.data()); };
  return from(a) < from(b) + b.size() && from(b) < from(a) + a.size();
}

// Whether what `company` asks for, a put or a flag, writes to this memory. By where it is: it may be offered under several
// numbers, and in windows.
bool writes_to(MemoryRun part, std::span<const std::byte> company, ExposedMemory& offered) {
  Record record;
  std::memcpy(&record, company.data(), sizeof record);
  const Exposed* const exposed = offered.find(record.region);
  if (exposed == nullptr) return false;
  bool some = false;
  const auto look = [&](std::byte* place, std::uint64_t bytes) { some = some || overlap(part, {place, bytes}); };
  if (record.kind == RecordKind::put) return exposed->each_run(record.offset, record.bytes, look) && some;
  FlagPayload flag;
  if (record.bytes != sizeof flag) return false;
  std::memcpy(&flag, company.data() + sizeof record, sizeof flag);
  if (exposed->contains(record.offset, sizeof(std::uint32_t)))
    look(exposed->data + record.offset, sizeof(std::uint32_t));
  if (exposed->contains(flag.bell_offset, sizeof(util::Bell)))
    look(exposed->data + flag.bell_offset, sizeof(util::Bell));
  return some;
}

bool company_writes_to(MemoryRun part, std::span<const std::byte> head, ExposedMemory& offered) {
  while (const std::size_t company = company_in_front(head)) {
    if (writes_to(part, head.first(company), offered)) return true;
    head = head.subspan(company);
  }
  return false;
}

}  // namespace

std::byte* LandingPlaces::place_of(std::span<const std::byte> head, std::size_t bytes) {
  util::hear_outside();
  if (!is_part_head(head.size())) return nullptr;
  FrameHeader header;
  std::memcpy(&header, head.data(), sizeof header);
  Link* link = state_.links.find(header.source);
  // What is not the next one is kept until its turn; and what has come too late to count must not touch anything.
  const bool is_due = link != nullptr && link->session.accepts(header.session) && !link->broken() &&
                      link->order.is_next(header.number) && state_.is_fresh(header, util::coarse_now_ns());
  if (!is_due) return nullptr;
  head = head.subspan(sizeof header);
  std::byte* const place = place_of_part(*link, record_of_part(head), bytes);
  // What was posted before the part and keeps it company is carried out once that is whole: it must not undo it.
  return place == nullptr || company_writes_to({place, bytes}, head, state_.exposed) ? nullptr : place;
}

std::byte* LandingPlaces::place_of_part(Link& link, const Record& record, std::size_t bytes) {
  if (record.bytes != bytes) return nullptr;
  if (record.kind == RecordKind::put) {
    const Exposed* const exposed = state_.exposed.find(record.region);
    return exposed == nullptr ? nullptr : exposed->place(record.offset, bytes);
  }
  return record.kind == RecordKind::data ? answers_.place_of_data(link, record, bytes) : nullptr;
}

}  // namespace polder::device::wire
