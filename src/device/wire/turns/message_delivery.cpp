#include "device/wire/turns/message_delivery.hpp"

#include "device/filling_thread.hpp"

namespace polder::device::wire {

int MessageDelivery::deliver(MessageSink& sink) {
  if (FillingThread::here()) {
    if (state_.inbox.pending()) state_.sleeper.wake();  // others, who may be asleep
    return 0;
  }
  return state_.inbox.take([&](const Label& label, std::span<const std::byte> message) {
    if (label.farewell) {
      if (on_leave_) on_leave_(label.source);
      return;
    }
    sink.deliver(label.source, label.handler, message);
    note_drained(label, sizeof(Record) + message.size());
  });
}

// A sender with no more room for messages waits for this.
void MessageDelivery::note_drained(const Label& label, std::size_t bytes) {
  Link& link = *state_.links.find(label.source);
  bool awaited = false;
  {
    util::SpinGuard lock(link.lock);
    if (link.incarnation() != label.incarnation) return;
    awaited = link.messages.take(std::uint32_t(bytes));
  }
  if (awaited) copier_.hand_on(link, true);
}

}  // namespace polder::device::wire
