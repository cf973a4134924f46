// The beginning of every collective call: the group must exist and be committed.
#pragma once

#include "api/common/exclusive.hpp"
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

namespace polder::gaspi {

struct CollectiveGroup {
  Context* context = nullptr;
  GroupEntry* entry = nullptr;
  Group* group = nullptr;
};

inline gaspi_return_t find_committed(const char* operation, gaspi_group_t id, CollectiveGroup& found) {
  found.context = current();
  if (found.context == nullptr) return refuse_before_init(operation);
  found.entry = found.context->groups.find(id);
  if (found.entry == nullptr) return refuse(GASPI_ERR_INV_GROUP, operation, "the group must exist", id);
  found.group = found.entry->committed();
  if (found.group == nullptr)
    return refuse(GASPI_ERR_INV_GROUP, operation, "gaspi_group_commit must have succeeded first");
  return GASPI_SUCCESS;
}

// The group is there and committed, so where the core calls it invalid, another member has left it, or the job: as with
// a dead one, nothing is wrong with the arguments.
inline gaspi_return_t collective_outcome(gaspi_return_t code) {
  return code == GASPI_ERR_INV_GROUP ? GASPI_ERROR : code;
}

}  // namespace polder::gaspi
