// ARMCI_Malloc and its kin.
#include "api/armci/job/context.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/job/group.hpp"
#include "api/armci/job/traced.hpp"
#include "api/armci/memory/local_blocks.hpp"
#include "api/armci/symbols.hpp"

#include <string>

using namespace polder;
using namespace polder::armci;

namespace {

Status bytes_and(const Status& status, armci_size_t bytes) {
  return {status.code(), std::to_string(bytes) + " bytes: " + std::string(status.message())};
}

// Lack of memory is something that programs ask about, so it is told and returned; everything else is an error.
int allocate(const char* call, void** table, armci_size_t bytes, const std::shared_ptr<Team>& team) {
  Context& context = *current();
  if (table == nullptr) return failed(call, {Code::invalid_argument, "the table of pointers is NULL"});
  if (bytes < 0) return failed(call, {Code::invalid_size, std::to_string(bytes) + " bytes"});
  const Status status = context.allocations.allocate(context, team, std::size_t(bytes), table);
  if (status.code() == Code::out_of_memory || status.code() == Code::limit)
    return told(call, bytes_and(status, bytes), team->rank() == 0);
  return outcome(call, status);
}

int allocate_for(const char* call, void** table, armci_size_t bytes, const ARMCI_Group* group) {
  if (current() == nullptr) return failed_outside(call);
  const auto team = team_of(group);
  if (team == nullptr) return failed(call, not_a_member());
  return allocate(call, table, bytes, team);
}

// Waits until the caller's own transfers to it are done; the others' are when they have called this, too.
int release(const char* call, void* mine, Team* team) {
  Context& context = *current();
  if (mine != nullptr && context.allocations.team_of(mine) != team)
    return failed(call, {Code::invalid_argument, "the pointer is not this rank's part of an allocation of the group"});
  return outcome(call, context.allocations.release(context, mine, *team));
}

// Without a group the memory itself says who allocated it; where there is none, all ranks are meant.
int release_any(const char* call, void* mine) {
  Context* const context = current();
  if (context == nullptr) return failed_outside(call);
  Team* const team = context->allocations.team_of(mine);
  return release(call, mine, team != nullptr ? team : context->world.get());
}

}  // namespace

extern "C" {

int PARMCI_Malloc(void** base_ptrs, armci_size_t size) {
  const TracedArmciCall traced(ArmciCall::Malloc, {});
  if (current() == nullptr) return failed_outside("ARMCI_Malloc");
  return allocate("ARMCI_Malloc", base_ptrs, size, current()->world);
}
[[gnu::weak, gnu::alias("PARMCI_Malloc")]] decltype(PARMCI_Malloc) ARMCI_Malloc;

int PARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char*) {
  const TracedArmciCall traced(ArmciCall::Malloc_memdev, {});
  if (current() == nullptr) return failed_outside("ARMCI_Malloc_memdev");
  return allocate("ARMCI_Malloc_memdev", ptr_arr, bytes, current()->world);
}
[[gnu::weak, gnu::alias("PARMCI_Malloc_memdev")]] decltype(PARMCI_Malloc_memdev) ARMCI_Malloc_memdev;

int PARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::Malloc_group, {});
  return allocate_for("ARMCI_Malloc_group", ptr_arr, bytes, group);
}
[[gnu::weak, gnu::alias("PARMCI_Malloc_group")]] decltype(PARMCI_Malloc_group) ARMCI_Malloc_group;

int PARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char*) {
  const TracedArmciCall traced(ArmciCall::Malloc_group_memdev, {});
  return allocate_for("ARMCI_Malloc_group_memdev", ptr_arr, bytes, group);
}
[[gnu::weak, gnu::alias("PARMCI_Malloc_group_memdev")]] decltype(PARMCI_Malloc_group_memdev) ARMCI_Malloc_group_memdev;

int PARMCI_Free(void* ptr) {
  const TracedArmciCall traced(ArmciCall::Free, {});
  return release_any("ARMCI_Free", ptr);
}
[[gnu::weak, gnu::alias("PARMCI_Free")]] decltype(PARMCI_Free) ARMCI_Free;

int PARMCI_Free_memdev(void* ptr) {
  const TracedArmciCall traced(ArmciCall::Free_memdev, {});
  return release_any("ARMCI_Free_memdev", ptr);
}
[[gnu::weak, gnu::alias("PARMCI_Free_memdev")]] decltype(PARMCI_Free_memdev) ARMCI_Free_memdev;

int PARMCI_Free_group(void* ptr, ARMCI_Group* group) {
  const TracedArmciCall traced(ArmciCall::Free_group, {});
  if (current() == nullptr) return failed_outside("ARMCI_Free_group");
  const auto team = team_of(group);
  if (team == nullptr) return failed("ARMCI_Free_group", not_a_member());
  return release("ARMCI_Free_group", ptr, team.get());
}
[[gnu::weak, gnu::alias("PARMCI_Free_group")]] decltype(PARMCI_Free_group) ARMCI_Free_group;

void* PARMCI_Malloc_local(armci_size_t size) {
  if (size <= 0) return nullptr;
  void* const block = local_blocks().allocate(std::size_t(size));
  if (block == nullptr) told("ARMCI_Malloc_local", {Code::out_of_memory, std::to_string(size) + " bytes"}, true);
  return block;
}
[[gnu::weak, gnu::alias("PARMCI_Malloc_local")]] decltype(PARMCI_Malloc_local) ARMCI_Malloc_local;

int PARMCI_Free_local(void* ptr) {
  if (ptr == nullptr || local_blocks().release(ptr)) return 0;
  return failed("ARMCI_Free_local",
                {Code::invalid_argument, "the pointer is none that ARMCI_Malloc_local returned, or was freed before"});
}
[[gnu::weak, gnu::alias("PARMCI_Free_local")]] decltype(PARMCI_Free_local) ARMCI_Free_local;

// The memory is coherent, and what is put arrives by itself.
void PARMCI_Access_begin(void*) {}
[[gnu::weak, gnu::alias("PARMCI_Access_begin")]] decltype(PARMCI_Access_begin) ARMCI_Access_begin;

void PARMCI_Access_end(void*) {}
[[gnu::weak, gnu::alias("PARMCI_Access_end")]] decltype(PARMCI_Access_end) ARMCI_Access_end;

}  // extern "C"
