#include "core/engine/engine.hpp"
#include "core/mutex/mutexes_state.hpp"

#include <polder/runtime.hpp>

namespace polder {

Result<std::unique_ptr<Mutexes>> Runtime::create_mutexes(Group& group, std::size_t count, Timeout timeout) {
  if (Status status = engine_->peers().check_open(); !status.ok()) return status;
  return core::MutexesState::make(engine_->groups().ports(), group, count, timeout);
}

}  // namespace polder
