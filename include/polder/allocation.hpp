// Memory that the members of a group allocate together, and memory for a rank's own buffers.
//
//   auto array = rt.allocate(rt.world(), {.size = 1 << 20}, 10s);
//   rt.put(data, (*array)->at(2, 64), bytes);
//
// An allocation is one segment at each member, under the *same* id and at offset 0 everywhere: the address of a byte
// follows from the rank by arithmetic, and nobody stores a table of ranks (OSPRI's symmetric allocation).
#pragma once

#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/segment.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace polder {

namespace core {
class AllocationState;
class Engine;
struct LocalExposure;
}  // namespace core

struct AllocationSpec {
  std::size_t size = 0;             // bytes of this rank; members may differ, 0 is allowed
  std::uint32_t notifications = 0;  // flags beside it; the same number at each member
  // Also remember size and address of all members (16 bytes a member): for doors whose standard wants such a table.
  bool gather = false;
};

// What a member contributed, as the member itself sees it.
struct Contribution {
  std::uint64_t address = 0;  // in its own address space; 0 if it gave no memory
  std::uint64_t size = 0;
};

// Made by Runtime::create_allocation(), then committed by all members. Must not outlive its runtime; its group must
// live until it is committed, and for free().
class POLDER_API Allocation {
 public:
  ~Allocation();  // frees this rank's part without meeting the others
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  // Collective over the group: two allgathers of it, more where members have used different ids. timeout: call again to
  // go on. out_of_memory, limit, invalid_size: some member, which is named, could not allocate; all members return it, and
  // none has the memory. invalid_argument: it has failed or was freed. Else as Group::allgather().
  Status commit(Timeout timeout);
  bool committed() const;

  // Collective: waits until what this rank posted to it is complete, meets the others, and gives the memory back.
  // timeout, and busy (another thread is in the group's barrier): call again to go on. peer_failed: a member is dead; the
  // memory of this rank has been given back all the same, as after any other error of Group::barrier().
  // invalid_argument: it is not committed.
  Status free(Timeout timeout);

  // REQUIRES for the rest: committed().
  SegmentId id() const;            // of the segment, the same at all members
  const Segment& segment() const;  // this rank's part
  GlobalAddress at(Rank rank, std::uint64_t offset = 0) const { return {rank, id(), offset}; }
  std::span<const Contribution> contributions() const;  // by member, empty unless spec.gather

 private:
  friend class core::AllocationState;
  explicit Allocation(std::unique_ptr<core::AllocationState> state);
  std::unique_ptr<core::AllocationState> state_;
};

// Memory of this rank that its device knows, so that transfers from and to it need no preparation. Peers do not see it.
// Made by Runtime::allocate_local(); freed with this object, which must not outlive its runtime.
class POLDER_API LocalMemory {
 public:
  LocalMemory();
  ~LocalMemory();
  LocalMemory(LocalMemory&& other) noexcept;
  LocalMemory& operator=(LocalMemory&& other) noexcept;

  std::byte* data() const { return data_; }  // zeroed at first, page-aligned; null if size() is 0
  std::size_t size() const { return size_; }

 private:
  friend class Runtime;
  core::Engine* engine_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<core::LocalExposure> exposure_;
};

}  // namespace polder
