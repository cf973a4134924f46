// Ranks of one machine: segments are memory files that peers map and use directly, memory of the user is reached by
// cross-memory attach, and messages go through lock-free rings.
//
// Set-up is in setup.cpp and memory.cpp, the data path in transfer.cpp and message.cpp.
#pragma once

#include "device/device.hpp"
#include "device/filling_thread.hpp"
#include "device/shm/inbox.hpp"
#include "device/shm/options.hpp"
#include "util/cross_attach.hpp"
#include "util/mutex.hpp"
#include "util/shared_memory.hpp"
#include "util/sparse_table.hpp"
#include "util/spin_lock.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <sys/types.h>

namespace polder::device::shm {

class ShmDevice final : public Device {
 public:
  // For rank `rank` of `ranks`, all of this machine.
  static Result<std::unique_ptr<Device>> create(Rank rank, Rank ranks);

  const Capabilities& capabilities() const override { return capabilities_; }
  bool is_direct(Rank) const override { return true; }

  std::vector<std::byte> address() const override;
  Status connect(Rank peer, std::span<const std::byte> address) override;
  void disconnect(Rank peer) override;
  Result<Exposure> expose(void* memory, std::size_t size) override;
  void conceal(const Exposure& exposure) override;
  Result<Region> import(Rank owner, const Key& key, const Region* replaces) override;

  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override;
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override;
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override;
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override;
  int progress(MessageSink& sink) override;
  void wait(std::int64_t nanoseconds) override;
  void wake() override;
  void fill_pages(bool begin) override { FillingThread::note(begin); }
  void on_failure(std::function<void(Rank, const Status&)> listener) override;

 private:
  struct Peer {
    explicit Peer(Inbox box) : inbox(std::move(box)) {}
    Inbox inbox;
    util::SpinLock sending;  // between the threads of this process: the ring has one writer
    std::atomic<bool> connected{true};
  };
  struct Address {
    pid_t pid;
    int inbox;  // descriptor
  };
  struct MemoryKey;
  // A word beside user memory that its owner shares with those who reach it: they have no mapping that would outlive
  // the owner's. What has begun when it is revoked is not stopped.
  struct Grant {
    std::atomic<std::uint32_t> revoked;
    std::uint64_t address;  // of this, at the owner: whether a peer may attach to it is tried here
    std::uint64_t inode;    // of its file: the memory that it is of, for one may be mapped in the place of another
  };

  ShmDevice(Rank rank, Rank ranks, Inbox inbox);

  Result<Region> import_file(Rank owner, const MemoryKey& key, const Region* replaces);
  Result<Region> import_user(Rank owner, const MemoryKey& key, const Region* replaces);
  Status copy(util::CrossDirection direction, Rank peer, const Region& region, std::span<const Piece> pieces);
  Result<Peer*> connected(Rank peer) const;
  int drain(Rank source, MessageSink& sink);

  const Rank rank_;
  const Rank ranks_;
  const UserMemory user_memory_;
  Capabilities capabilities_;
  Inbox inbox_;
  util::SpinLock reading_;
  std::atomic<bool> woken_{false};
  util::SparseTable<Peer> peers_;
  std::function<void(Rank, const Status&)> on_failure_;

  // Memory by handle: what this rank exposed, and what it imported.
  struct Exposed {
    util::Fd file;
    util::Mapping mapping;
    bool user;  // file and mapping are those of a Grant
  };
  struct Imported {
    bool has_grant() const { return grant != nullptr && mapping; }
    util::Mapping mapping;  // direct regions: the address space, which a replacement takes over; user memory: the
                            // latest Grant there, unless another region has taken it over
    pid_t pid = 0;          // user memory, with all that follows
    std::uint64_t base = 0;
    const Grant* grant = nullptr;  // stays mapped
    std::uint64_t inode = 0;       // which it must have
  };
  util::Mutex memory_mutex_;
  std::uint64_t next_handle_ = 1;
  std::unordered_map<std::uint64_t, Exposed> exposed_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Imported>> imported_;
};

}  // namespace polder::device::shm
