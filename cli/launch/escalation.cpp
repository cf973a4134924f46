#include "launch/escalation.hpp"

#include <signal.h>

namespace polder::cli {

std::optional<int> Escalation::due(std::int64_t now) {
  if (now < next_) return std::nullopt;
  signalled_ = true;
  if (stage_ == Stage::waiting) {
    enter(Stage::terminated, now + grace_);
    return SIGTERM;
  }
  enter(Stage::killed, INT64_MAX);
  return SIGKILL;
}

}  // namespace polder::cli
