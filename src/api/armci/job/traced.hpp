// Calls as they stand in traces: those that communicate, wait or change something.
#pragma once

#include <polder/trace_door.hpp>

#include <cstdint>

namespace polder::armci {

enum class ArmciCall : std::uint8_t {
  Wait,
  Test,
  WaitAll,
  WaitProc,
  Put,
  Get,
  NbPut,
  NbGet,
  Acc,
  NbAcc,
  Put_flag,
  PutS_flag,
  Malloc,
  Malloc_memdev,
  Malloc_group,
  Malloc_group_memdev,
  Free,
  Free_memdev,
  Free_group,
  msg_barrier,
  msg_group_barrier,
  msg_bcast,
  msg_brdcst,
  msg_bcast_scope,
  msg_group_bcast_scope,
  msg_clus_brdcst,
  grp_clus_brdcst,
  msg_gop_scope,
  msg_group_gop_scope,
  msg_sel,
  msg_sel_scope,
  msg_igop,
  msg_lgop,
  msg_llgop,
  msg_fgop,
  msg_dgop,
  msg_group_igop,
  msg_group_lgop,
  msg_group_llgop,
  msg_group_fgop,
  msg_group_dgop,
  msg_clus_igop,
  msg_clus_lgop,
  msg_clus_llgop,
  msg_clus_fgop,
  msg_clus_dgop,
  msg_reduce,
  msg_reduce_scope,
  exchange_address,
  exchange_address_grp,
  msg_snd,
  msg_rcv,
  msg_rcvany,
  Create_mutexes,
  Destroy_mutexes,
  Lock,
  Unlock,
  Fence,
  AllFence,
  Barrier,
  Rmw,
  PutS,
  NbPutS,
  GetS,
  NbGetS,
  AccS,
  NbAccS,
  PutValueInt,
  PutValueLong,
  PutValueFloat,
  PutValueDouble,
  NbPutValueInt,
  NbPutValueLong,
  NbPutValueFloat,
  NbPutValueDouble,
  GetValueInt,
  GetValueLong,
  GetValueFloat,
  GetValueDouble,
  PutV,
  NbPutV,
  GetV,
  NbGetV,
  AccV,
  NbAccV,
  Group_create,
  Group_create_child,
  Group_free,
  Finalize,
};

// Tells traces the names of all calls. Before the runtime is made.
void name_calls_in_traces();

class TracedArmciCall : public trace::DoorCall {
 public:
  TracedArmciCall(ArmciCall call, const trace::DoorDetails& details)
      : DoorCall(trace::door_kind(1, unsigned(call)), details) {}
};

// Arguments may be anything.
constexpr Rank door_rank(int rank) {
  return rank < 0 ? ~Rank{0} : Rank(rank);
}
constexpr std::uint64_t door_bytes(long long bytes) {
  return bytes < 0 ? 0 : std::uint64_t(bytes);
}

}  // namespace polder::armci
