// The layouts that programs were compiled for, and the one call that takes a communicator.
#include "api/armci/calls/process.hpp"
#include "api/armci/job/error.hpp"
#include "api/armci/mpi/symbols.hpp"

#include <cstddef>
#include <type_traits>

static_assert(sizeof(armci_hdl_t) == 8 && offsetof(armci_hdl_t, target) == 0 && offsetof(armci_hdl_t, aggregate) == 4);
static_assert(sizeof(armci_giov_t) == 24 && offsetof(armci_giov_t, dst_ptr_array) == 8 &&
              offsetof(armci_giov_t, bytes) == 16 && offsetof(armci_giov_t, ptr_array_len) == 20);
static_assert(std::is_same_v<armci_size_t, long>);
static_assert(ARMCI_ACC_INT == 0 && ARMCI_ACC_LNG == 1 && ARMCI_ACC_FLT == 2 && ARMCI_ACC_DBL == 3 &&
              ARMCI_ACC_CPL == 4 && ARMCI_ACC_DCP == 5);
static_assert(ARMCI_FETCH_AND_ADD == 0 && ARMCI_FETCH_AND_ADD_LONG == 1 && ARMCI_SWAP == 2 && ARMCI_SWAP_LONG == 3);
static_assert(SCOPE_ALL == 0 && SCOPE_NODE == 1 && SCOPE_MASTERS == 2);
static_assert(ARMCI_INT == 0 && ARMCI_LONG == 1 && ARMCI_LONG_LONG == 2 && ARMCI_FLOAT == 3 && ARMCI_DOUBLE == 4);

// MPI_Comm is a pointer under one MPI and an int under another; what follows two of them is aligned for a pointer.
constexpr std::size_t kArrays = 2 * sizeof(MPI_Comm);
static_assert(offsetof(ARMCI_Group, comm) == 0 && offsetof(ARMCI_Group, noncoll_pgroup_comm) == sizeof(MPI_Comm));
static_assert(offsetof(ARMCI_Group, grp_to_abs) == kArrays && offsetof(ARMCI_Group, abs_to_grp) == kArrays + 8);
static_assert(offsetof(ARMCI_Group, rank) == kArrays + 16 && offsetof(ARMCI_Group, size) == kArrays + 20);
static_assert(sizeof(ARMCI_Group) == (sizeof(MPI_Comm) == 8 ? 40 : 32));

using namespace polder::armci;

extern "C" {

int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm) {
  return outcome("ARMCI_Init_thread_comm", process().init({.thread_level = armci_requested, .communicator = &comm}));
}
[[gnu::weak, gnu::alias("PARMCI_Init_thread_comm")]] decltype(PARMCI_Init_thread_comm) ARMCI_Init_thread_comm;

}  // extern "C"
