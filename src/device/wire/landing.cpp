// Parts of large transfers that land where they belong while they come: a transport that knows the header before the data need
// not keep them, and nobody copies them again.
//
// The place is looked up for each piece that comes, under the device's lock. So memory that is concealed, a window that is closed or
// a get that ends while a part is coming is not touched any more; the part is refused then.
#include "device/wire/wire_device.hpp"
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

}  // namespace

std::byte* WireDevice::place_of(std::span<const std::byte> head, std::size_t bytes) {
  util::hear_outside();
  if (!is_part_head(head.size())) return nullptr;
  FrameHeader header;
  std::memcpy(&header, head.data(), sizeof header);
  Link* link = find_link(header.source);
  // What is not the next one is kept until its turn; and what has come too late to count must not touch anything.
  const bool is_due = link != nullptr && link->session.accepts(header.session) && !link->broken() &&
                      link->order.is_next(header.number) && is_fresh(header, util::coarse_now_ns());
  return is_due ? place_of_part(*link, record_of_part(head.subspan(sizeof header)), bytes) : nullptr;
}

std::byte* WireDevice::place_of_part(Link& link, const Record& record, std::size_t bytes) {
  if (record.bytes != bytes) return nullptr;
  if (record.kind == RecordKind::put) {
    const Exposed* const exposed = exposed_.find(record.region);
    return exposed == nullptr ? nullptr : exposed->place(record.offset, bytes);
  }
  if (record.kind != RecordKind::data) return nullptr;
  const WireOperation* const operation = asked_of(link, record);
  return operation == nullptr || operation->foreign ? nullptr : place_of_answer(operation, record, bytes);
}

}  // namespace polder::device::wire
