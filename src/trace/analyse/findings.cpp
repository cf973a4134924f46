#include "trace/analyse/findings.hpp"

namespace polder::trace {

const char* to_string(Cause cause) {
  switch (cause) {
    case Cause::late_notification: return "late notification";
    case Cause::late_sender: return "late sender";
    case Cause::late_receiver: return "late receiver";
    case Cause::imbalance: return "imbalance before a collective";
    case Cause::serial_section: return "serial section";
    case Cause::queue_full: return "queue full";
    case Cause::tiny_puts: return "many small puts that could be one";
    case Cause::remote_completion: return "wait for a completion that was not needed";
    case Cause::oversubscribed: return "oversubscribed cores";
    case Cause::startup: return "start-up";
  }
  return "";
}

}  // namespace polder::trace
