// ARMCI's groups as the rest of this folder sees them. Their layout depends on MPI, so the folder mpi/ implements this.
#pragma once

#include "api/armci/job/team.hpp"
#include "api/armci/symbols.hpp"

#include <polder/status.hpp>

#include <memory>

namespace polder::armci {

// Null: the group is null or unknown, or this rank is not in it. REQUIRES: current() is not null.
std::shared_ptr<Team> team_of(const ARMCI_Group* group);

inline Status not_a_member() {
  return {Code::invalid_group, "there is no such group, or this rank is not in it"};
}

}  // namespace polder::armci
