#include "core/engine/engine.hpp"
#include "core/group/allocation_state.hpp"

#include <polder/runtime.hpp>

namespace polder {

Result<std::unique_ptr<Allocation>> Runtime::create_allocation(Group& group, const AllocationSpec& spec) {
  if (Status status = engine_->peers().check_open(); !status.ok()) return status;
  if (!group.committed()) return Status(Code::invalid_group, "an allocation of a group that has not been committed");
  return core::AllocationState::make(engine_->groups().ports(), group, spec);
}

Result<std::unique_ptr<Allocation>> Runtime::allocate(Group& group, const AllocationSpec& spec, Timeout timeout) {
  auto allocation = create_allocation(group, spec);
  if (!allocation.ok()) return allocation;
  if (Status status = (*allocation)->commit(timeout); !status.ok()) return status;
  return allocation;
}

}  // namespace polder
