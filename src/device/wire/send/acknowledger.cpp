#include "device/wire/send/acknowledger.hpp"

#include <algorithm>

namespace polder::device::wire {
namespace {

// Frames where nobody waits: before so much is under way that the sender gathers what is small.
constexpr std::uint32_t kUnawaitedLimit = SendWindow::kAtOnce - 2;

}  // namespace

// Between the parts of a large transfer nothing often comes for a moment; what nobody waits for, like letters of
// collectives, is mostly acknowledged with the next one back.
void Acknowledger::note_debt(Link& link, Acknowledgement due, std::uint32_t limit) {
  if (due == Acknowledgement::when_idle) limit = std::min(limit, kUnawaitedLimit);
  if (link.order.debt() >= limit && link.flows()) return sender_.acknowledge(link);
  if (due == Acknowledgement::with_next) return;
  if (link.owe()) owing_.push_back(&link);
  if (due == Acknowledgement::now) is_awaited_ = true;
}

void Acknowledger::acknowledge_all() {
  is_awaited_ = false;
  for (Link* link : owing_) {
    link->settle();
    const bool told = link->order.debt() == 0 && link->messages.untold() == 0;
    if (!told && link->flows() && !link->broken()) sender_.acknowledge(*link);
  }
  owing_.clear();
}

}  // namespace polder::device::wire
