#include "device/wire/peers/undertaker.hpp"

#include "util/deadline.hpp"

#include <string>
#include <vector>

namespace polder::device::wire {
namespace {

// Clocks of two machines do not run equally fast; a clock that was told is cut to milliseconds, and that of each frame
// is the kernel's last tick.
constexpr std::int64_t kMargin_ns = 200'000'000;

}  // namespace

void Undertaker::lose(Link& link, bool settled) {
  if (link.endpoint() == nullptr) return;
  state_.transport->close(link.leave_endpoint());
  bury(link, settled);
}

void Undertaker::bury(Link& link, bool settled) {
  state_.exposed.forget(&link);
  {
    util::SpinGuard lock(link.lock);
    drop_waiting(link);
    link.end();
  }
  link.graves.push_back({link.incarnation(), settled ? 0 : link.signs.refuses_from(kMargin_ns)});
  if (!link.quiet()) state_.endings.note_lost(link.peer, link.why());
  open_graves(link, util::now_ns());
}

void Undertaker::drop_waiting(Link& link) {
  link.queues.clear(state_.frames, [this](Waiting& waiting) {
    state_.lock.assert_held();
    drop(waiting);
  });
}

void Undertaker::drop(Waiting& waiting) {
  const Bulk& bulk = waiting.bulk;
  if (waiting.frame != nullptr) return state_.frames.give_back(waiting.frame);
  const bool gone = waiting.gone || bulk.operation == nullptr || bulk.bytes == 0;  // what copies the rest has its share
  if (!gone) state_.endings.end_part(*bulk.operation);
}

void Undertaker::open_graves(Link& link, std::int64_t now) {
  std::erase_if(link.graves, [&](const Grave& grave) {
    state_.lock.assert_held();
    if (grave.open_ns > now) return false;
    fail_operations(link, grave.incarnation, link.why());
    return true;
  });
}

void Undertaker::fail_operations(Link& link, std::uint32_t incarnation, const Status& why) {
  state_.operations.for_each([&](WireOperation& operation) {
    state_.lock.assert_held();
    if (operation.link != &link || operation.incarnation.load(std::memory_order_relaxed) != incarnation ||
        operation.is_decided())
      return;
    operation.status =
        Status(why.code(), state_.name + ": rank " + std::to_string(state_.rank) + ": " + std::string(why.message()),
               why.died());
    state_.resolve(operation);
  });
}

}  // namespace polder::device::wire
