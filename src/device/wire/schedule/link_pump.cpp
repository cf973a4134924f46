#include "device/wire/schedule/link_pump.hpp"

namespace polder::device::wire {

void LinkPump::pump(Link& link) {
  if (!link.flows()) return;
  do send_steps(link);
  while (accesses_.flush(link));
  // A sender that has run out of room for messages waits for this.
  if (!link.broken() && link.messages.untold() >= MessageCredit::kRoom / 4) sender_.acknowledge(link);
}

void LinkPump::pump_dirty() {
  state_.dirty.take_all([this](Link& link) {
    state_.lock.assert_held();
    pump(link);
  });
}

void LinkPump::send_steps(Link& link) {
  while (!link.broken() && link.may_send()) {
    const LinkSchedule::Step step = schedule_.next(link);
    if (step.frame != nullptr)
      sender_.transmit(link, *step.frame, step.part);
    else if (step.access != nullptr)
      accesses_.begin(link, *step.access);
    else if (step.ask != 0)
      keys_.ask(link, step.ask);
    else
      break;
  }
}

}  // namespace polder::device::wire
