// Transfers of lists of blocks. Blocks whose remote sides lie in one segment travel as one list, as many at a time as
// fit on the stack.
#include "api/armci/job/traced.hpp"
#include "api/armci/transfer/element.hpp"
#include "api/armci/transfer/transfer.hpp"

#include <array>
#include <optional>
#include <string>

namespace polder::armci {
namespace {

enum class Side { source, target };  // which of the two arrays holds the remote addresses

struct Blocks {
  const armci_giov_t* lists;
  int count;
  int proc;
};

// Gathers blocks until a list is full or goes elsewhere, then hands it to move(local, global address, list).
template <class Move>
class Lists {
 public:
  explicit Lists(Move& move) : move_(move) {}

  Status add(std::byte* local, const GlobalAddress& remote, std::size_t bytes) {
    if (count_ == items_.size() || (count_ != 0 && remote.segment != first_.segment))
      if (Status status = flush(); !status.ok()) return status;
    if (count_ == 0) {
      first_ = remote;
      local_ = local;
    }
    items_[count_++] = {local - local_, std::ptrdiff_t(remote.offset - first_.offset), bytes};
    return {};
  }

  Status flush() {
    const std::size_t count = count_;
    count_ = 0;
    if (count == 0) return {};
    return move_(local_, first_, Shape(std::span<const ListItem>(items_.data(), count)));
  }

 private:
  Move& move_;
  std::byte* local_ = nullptr;
  GlobalAddress first_;
  std::size_t count_ = 0;
  std::array<ListItem, 64> items_;
};

Status check(const Blocks& blocks) {
  if (blocks.count < 0 || (blocks.count > 0 && blocks.lists == nullptr))
    return {Code::invalid_argument, "a list of " + std::to_string(blocks.count) + " descriptors, or NULL"};
  for (int i = 0; i < blocks.count; ++i) {
    const armci_giov_t& list = blocks.lists[i];
    if (list.bytes < 0) return negative_size(list.bytes);
    if (list.ptr_array_len < 0 ||
        (list.ptr_array_len > 0 && (list.src_ptr_array == nullptr || list.dst_ptr_array == nullptr)))
      return {Code::invalid_argument, "descriptor " + std::to_string(i) + " has " + std::to_string(list.ptr_array_len) +
                                          " blocks, or an array that is NULL"};
  }
  return {};
}

// Each block goes to `lists`, or, where its remote side is private memory, to direct(local, remote, bytes).
template <class Move, class Direct>
Status for_each_block(Context& context, const Blocks& blocks, Side remote_side, Move&& move, Direct&& direct) {
  if (Status status = check(blocks); !status.ok()) return status;
  Lists<Move> lists(move);
  for (int i = 0; i < blocks.count; ++i) {
    const armci_giov_t& list = blocks.lists[i];
    void* const* const remotes = remote_side == Side::source ? list.src_ptr_array : list.dst_ptr_array;
    void* const* const locals = remote_side == Side::source ? list.dst_ptr_array : list.src_ptr_array;
    if (list.bytes == 0) continue;
    for (int k = 0; k < list.ptr_array_len; ++k) {
      const auto place = context.addresses.find(Rank(blocks.proc), remotes[k]);
      Status status = place ? Status() : check_private(context, remotes[k], locals[k], blocks.proc);
      if (status.ok())
        status = place ? lists.add(static_cast<std::byte*>(locals[k]), *place, std::size_t(list.bytes))
                       : direct(locals[k], remotes[k], std::size_t(list.bytes));
      if (!status.ok()) return status;
    }
  }
  return lists.flush();
}

int put_blocks(const char* call, const Blocks& blocks, Mode mode) {
  Context* const context = current();
  if (context == nullptr) return failed_outside(call);
  const auto move = [&](const std::byte* local, const GlobalAddress& remote, const Shape& list) {
    return issue(*context, mode, [&](const Post& how) { return context->runtime().put(local, remote, list, how); });
  };
  return outcome(call, for_each_block(*context, blocks, Side::target, move, put_privately));
}

int get_blocks(const char* call, const Blocks& blocks, Mode mode) {
  Context* const context = current();
  if (context == nullptr) return failed_outside(call);
  const auto move = [&](std::byte* local, const GlobalAddress& remote, const Shape& list) {
    return issue(*context, mode, [&](const Post& how) { return context->runtime().get(local, remote, list, how); });
  };
  return outcome(call, for_each_block(*context, blocks, Side::source, move, get_privately));
}

int accumulate_blocks(const char* call, int datatype, void* scale, const Blocks& blocks, Mode mode) {
  Context* const context = current();
  if (context == nullptr) return failed_outside(call);
  const auto combined = accumulation(datatype, scale);
  if (!combined.ok()) return failed(call, combined.status());
  const auto move = [&](const std::byte* local, const GlobalAddress& remote, const Shape& list) {
    return issue(*context, mode,
                 [&](const Post& how) { return context->runtime().accumulate(*combined, local, remote, list, how); });
  };
  const auto direct = [&](const void* local, void* remote, std::size_t bytes) {
    return accumulate_privately(*combined, local, remote, bytes);
  };
  return outcome(call, for_each_block(*context, blocks, Side::target, move, direct));
}

}  // namespace
}  // namespace polder::armci

using namespace polder::armci;

extern "C" {

int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc) {
  const TracedArmciCall traced(ArmciCall::PutV, {.peer = door_rank(proc)});
  return put_blocks("ARMCI_PutV", {iov, iov_len, proc}, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_PutV")]] decltype(PARMCI_PutV) ARMCI_PutV;

int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc) {
  const TracedArmciCall traced(ArmciCall::GetV, {.peer = door_rank(proc)});
  return get_blocks("ARMCI_GetV", {iov, iov_len, proc}, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_GetV")]] decltype(PARMCI_GetV) ARMCI_GetV;

int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc) {
  const TracedArmciCall traced(ArmciCall::AccV, {.peer = door_rank(proc)});
  return accumulate_blocks("ARMCI_AccV", datatype, scale, {iov, iov_len, proc}, until_done());
}
[[gnu::weak, gnu::alias("PARMCI_AccV")]] decltype(PARMCI_AccV) ARMCI_AccV;

int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  const TracedArmciCall traced(ArmciCall::NbPutV, {.peer = door_rank(proc)});
  return put_blocks("ARMCI_NbPutV", {iov, iov_len, proc}, posted(handle));
}
[[gnu::weak, gnu::alias("PARMCI_NbPutV")]] decltype(PARMCI_NbPutV) ARMCI_NbPutV;

int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  const TracedArmciCall traced(ArmciCall::NbGetV, {.peer = door_rank(proc)});
  return get_blocks("ARMCI_NbGetV", {iov, iov_len, proc}, posted(handle));
}
[[gnu::weak, gnu::alias("PARMCI_NbGetV")]] decltype(PARMCI_NbGetV) ARMCI_NbGetV;

int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  const TracedArmciCall traced(ArmciCall::NbAccV, {.peer = door_rank(proc)});
  return accumulate_blocks("ARMCI_NbAccV", datatype, scale, {iov, iov_len, proc}, posted(handle));
}
[[gnu::weak, gnu::alias("PARMCI_NbAccV")]] decltype(PARMCI_NbAccV) ARMCI_NbAccV;

}  // extern "C"
