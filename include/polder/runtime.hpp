// A rank's view of the job, and everything it can do to the memory of the others.
//
//   auto runtime = polder::Runtime::create();
//   polder::Runtime& rt = **runtime;
//   auto segment = rt.create_segment({.size = 1 << 20, .id = 0});
//   rt.world().barrier(1s);
//   rt.put_notify(data, {.rank = 1, .segment = 0, .offset = 64}, bytes, {.id = 3});
//   // at rank 1:
//   auto id = rt.wait_some(0, 0, 16, 1s);   // 3
//
// Every function may be called from many threads at once. Every wrong argument is refused with a Status that names it
// and changes nothing. A put to a rank of the same machine is a copy by the caller: no system call, no lock, no
// allocation.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/address_map.hpp>
#include <polder/allocation.hpp>
#include <polder/atomic.hpp>
#include <polder/exchange.hpp>
#include <polder/export.hpp>
#include <polder/global_pointer.hpp>
#include <polder/group.hpp>
#include <polder/handle.hpp>
#include <polder/health.hpp>
#include <polder/message.hpp>
#include <polder/mutex.hpp>
#include <polder/ordering.hpp>
#include <polder/queue.hpp>
#include <polder/segment.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>
#include <polder/word.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace polder {

namespace core {
class Engine;
struct Update;
}  // namespace core

// The helper thread of a rank, which serves what peers ask of it where they cannot load and store its memory.
enum class Helper : std::uint8_t {
  inherit,   // what POLDER_HELPER says, sleeping if it says nothing
  none,      // progress is made inside calls that wait, and by Runtime::progress()
  sleeping,  // it sleeps while there is nothing to do
  polling,   // it never sleeps: answers come sooner, at the price of a core
};

struct RuntimeOptions {
  Timeout timeout = std::chrono::seconds(60);  // for finding the other ranks
  bool commit_world = true;                    // false: the caller commits world() itself, in its own time
  std::size_t queue_depth = 1024;              // of the default queue: operations under way; at least 1
  std::size_t segment_limit = 65536;           // segments of this rank alive at once, allocations included
  Ordering ordering = Ordering::inherit;       // of operations that name none
  Helper helper = Helper::inherit;
  // Whether a put over a network that waits for local completion (Until::local) returns once its data lies in the
  // staging pool, from which it travels on by itself. Unset: what POLDER_HANDOFF says.
  std::optional<bool> handoff = std::nullopt;
};

class POLDER_API Runtime {
 public:
  // Joins the job that a launcher started (polder run, srun, mpirun), or one of its own. A process may hold several
  // runtimes, which do not see each other; all ranks must create them in the same order. Collective if
  // options.commit_world. timeout: ranks that are named have not come; invalid_argument; unsupported: no such plug-in.
  // A call that fails counts among those of the process: to go on after a timeout, create with commit_world = false, and
  // repeat world().commit().
  static Result<std::unique_ptr<Runtime>> create(const RuntimeOptions& options = {});
  // Makes a job of ranks that somebody else started and that can talk to each other (exchange.hpp); whatever launcher
  // the environment names is ignored. Collective over the ranks of `exchange`.
  static Result<std::unique_ptr<Runtime>> create(const RuntimeOptions& options, const Exchange& exchange);

  // Not collective. Segments, queues and groups of this runtime end here. Waits until what this rank has posted has
  // arrived, since peers may depend on it: 5 s at most, after which a line in the log says how much had not. In a forked
  // child, where exit() ends copies of static objects, this and leave() do nothing.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // ---- who and where ----
  Rank rank() const;
  Rank size() const;
  Rank local_rank() const;  // among the ranks of this machine
  Rank local_size() const;
  const std::string& host() const;
  // The name of the machine of any rank. Costs nothing for ranks of this one; else it asks the launcher's records, and
  // waits for a rank that has not come so far. invalid_rank; timeout; peer_failed: the rank was gone before it came.
  Result<std::string> host(Rank rank, Timeout timeout = Timeout::block()) const;
  // The node of a rank, named by the lowest rank on it: equal for ranks that share a node. Known without waiting.
  // invalid_rank; unsupported: the launcher does not say who is where, of no rank.
  Result<Rank> node(Rank rank) const;
  bool same_node(Rank rank) const;       // as this one; false for ranks that do not exist
  std::vector<Rank> node_ranks() const;  // of this node, ascending, this one among them. O(size())

  // ---- segments (segment.hpp) ----
  Result<Segment> create_segment(const SegmentSpec& spec);  // local; errors as the next
  // That and a barrier: then every member's segment of this id (not kAnySegment) can be used. timeout: call the group's
  // barrier to go on. Other errors leave no segment: exists; invalid_segment (no id to choose), _size, _argument, _group
  // (not committed); limit; out_of_memory; those of the barrier.
  Result<Segment> create_segment(const SegmentSpec& spec, Group& group, Timeout timeout);
  // Peers that still use it get invalid_segment, and so do waits of this rank for its flags and words, of other threads
  // and of later calls; their memory stays until they have returned. The caller sees to it that no other operation on
  // it is under way. timeout: done, but peers on other nodes have not answered within 5 s, or a wait has not ended (that may
  // be one in which the calling handler or continuation runs); the memory goes when they have. closed: this rank left first.
  Status delete_segment(SegmentId id);
  Result<Segment> segment(SegmentId id) const;  // invalid_segment
  std::vector<SegmentId> segments() const;      // their ids, ascending
  // Looks at the peer's list of segments; waits only where a network is between. invalid_segment: it has none of this
  // id. invalid_rank; timeout; peer_failed.
  Result<RemoteSegment> remote_segment(Rank rank, SegmentId id, Timeout timeout);

  // Where this rank loads and stores the byte, or null: it is out of reach for loads and stores. Waits only when it
  // meets the segment for the first time. Good until that is deleted. invalid_segment, invalid_offset; timeout; peer_failed.
  Result<std::byte*> direct_pointer(GlobalAddress address, Timeout timeout = Timeout::block()) {
    return direct_range("pointer", address, 1, 1, timeout);
  }
  // To one element; also invalid_alignment.
  template <class T>
  Result<T*> direct_pointer(GlobalPointer<T> pointer, Timeout timeout = Timeout::block()) {
    auto place = direct_range("pointer", pointer.address(), sizeof(T), alignof(T), timeout);
    if (!place.ok()) return std::move(place).status();
    return reinterpret_cast<T*>(*place);
  }

  // ---- collective and local allocation (allocation.hpp) ----
  // Local; all members commit it afterwards. invalid_group: the group is not committed.
  Result<std::unique_ptr<Allocation>> create_allocation(Group& group, const AllocationSpec& spec);
  // Collective: create_allocation() and its commit(). After a timeout the group can only be destroyed; callers that
  // want to go on after one use the two parts.
  Result<std::unique_ptr<Allocation>> allocate(Group& group, const AllocationSpec& spec, Timeout timeout);
  Result<LocalMemory> allocate_local(std::size_t bytes);  // invalid_size: too much; out_of_memory

  // ---- put and get ----
  // `bytes` (or what `shape` describes) from `source` to `target`, or from `source` to `destination`. The local memory
  // is the caller's again, or filled, at local completion of the queue or handle. 0 bytes are allowed.
  //
  // On memory that this rank loads and stores: a copy, complete when the call returns. Over a network: posted; some
  // microseconds of the caller, a round trip until remote completion. The call waits only to find the segment, when it
  // is met for the first time, for room in the queue and the network, and for what post.ordering and post.until ask
  // for.
  //
  // Errors, after which nothing has been posted: invalid_rank, invalid_segment, invalid_offset, invalid_size,
  // invalid_argument (a null pointer, an enumerator that does not exist); timeout, queue_full: see Post; peer_failed;
  // closed. What goes wrong later is told by the queue or handle.
  Status put(const void* source, GlobalAddress target, std::size_t bytes, Post post = {});
  Status put(const void* source, GlobalAddress target, const Shape& shape, Post post = {});
  Status get(void* destination, GlobalAddress source, std::size_t bytes, Post post = {});
  Status get(void* destination, GlobalAddress source, const Shape& shape, Post post = {});

  // The same in elements (global_pointer.hpp): as many as the span has.
  template <class T>
  Status put(std::span<const std::type_identity_t<T>> source, GlobalPointer<T> target, Post post = {}) {
    return put(source.data(), target.address(), source.size_bytes(), post);
  }
  template <class T>
  Status get(std::span<std::remove_const_t<T>> destination, GlobalPointer<T> source, Post post = {}) {
    return get(destination.data(), source.address(), destination.size_bytes(), post);
  }

  // ---- notifications ----
  // A flag of `segment` at `rank`; becomes visible after all that this thread put to `rank` before, and after the
  // atomics that it posted there. Cost and errors as of a put of no bytes; also invalid_notification: there is no such
  // flag, or the value is 0. Where accumulates or other messages to `rank` are under way the call may wait for them.
  Status notify(Rank rank, SegmentId segment, Notification notification, Post post = {});
  // put() and then the flag: a rank that sees the flag sees the data.
  Status put_notify(const void* source, GlobalAddress target, std::size_t bytes, Notification notification,
                    Post post = {});
  Status put_notify(const void* source, GlobalAddress target, const Shape& shape, Notification notification,
                    Post post = {});
  // get(), and then the flag in a segment of this rank (notification.segment must name it).
  Status get_notify(void* destination, GlobalAddress source, const Shape& shape, Notification notification,
                    Post post = {});

  // Waits until one of the flags first .. first+count-1 of this rank's `segment` is set, and returns its id without
  // resetting it. Flags are scanned upwards from `first`.
  //   timeout: none was set in time;  invalid_segment: none, or it was deleted meanwhile;  invalid_notification: no such flags;
  //   peer_failed: all other ranks are gone, or one that `watch` (health.hpp) names;  invalid_rank: that is none;  closed.
  Result<NotificationId> wait_some(SegmentId segment, NotificationId first, NotificationId count, Timeout timeout,
                                   const Watch& watch = {});
  // Waits until at least `wanted` of these flags are set, and returns how many are; none is reset. Each look costs a
  // load for each flag. Errors as wait_some(); invalid_argument: more are wanted than there are.
  Result<NotificationId> wait_several(SegmentId segment, NotificationId first, NotificationId count,
                                      NotificationId wanted, Timeout timeout, const Watch& watch = {});
  // Waits until a flag that counts up (NotificationOp::add) has reached `wanted`, and returns its value without
  // resetting it: so many may have come meanwhile, and reset() takes them all. Errors as wait_some().
  Result<NotificationValue> wait_count(SegmentId segment, NotificationId flag, NotificationValue wanted,
                                       Timeout timeout, const Watch& watch = {});
  // Waits until an integer in a segment of this rank fulfils `word compare value`, whoever changes it and by whatever
  // means (puts, atomics, stores), and returns it; what its writer stored before with release is visible. As
  // OpenSHMEM's wait_until. A notification in that segment wakes at once, and so does what comes over a network; a
  // plain put or atomic of a rank of this node makes no noise, and is seen after 1 ms at most, or while the call still
  // spins. invalid_rank: the word is another rank's; invalid_argument; invalid_segment, invalid_offset,
  // invalid_alignment; timeout; peer_failed as wait_some().
  template <AtomicValue T>
  requires std::integral<T> Result<T> wait_until(GlobalPointer<T> word, Compare compare, std::type_identity_t<T> value,
                                                 Timeout timeout, const Watch& watch = {}) {
    auto seen = wait_word(word.address(), data_type_of<T>(), compare, to_word(value), timeout, watch);
    if (!seen.ok()) return std::move(seen).status();
    return from_word<T>(*seen);
  }
  // Reads the flag and sets it to 0 in one step, at once; 0: it was not set. invalid_segment, invalid_notification.
  Result<NotificationValue> reset(SegmentId segment, NotificationId id);

  // ---- atomics (atomic.hpp) ----
  // Read-modify-write of one word of 1, 2, 4 or 8 bytes, aligned to its size; each returns the old value. Atomic
  // against all other atomics from anywhere, and against std::atomic of the owner.
  //
  // On memory that this rank loads and stores an atomic is one instruction of the processor, and nothing waits. Over a
  // network it takes a round trip; the device carries out words of 4 and 8 bytes, the owner's helper the others and
  // those of fetch_accumulate(). A caller with many to do posts them (below).
  //
  // Errors: invalid_rank, invalid_segment, invalid_offset, invalid_alignment, invalid_size and invalid_argument (no
  // such width, operation or type): nothing has changed. timeout: it may or may not be carried out later. peer_failed.
  Result<std::uint64_t> atomic(AtomicOp op, GlobalAddress target, std::size_t width, std::uint64_t operand,
                               std::uint64_t compare = 0, Timeout timeout = Timeout::block()) {
    return typed<std::uint64_t>(fetch(op, target, width, operand, compare, timeout));
  }
  // Integers wrap. Of float and double: fetch_accumulate() of the sum.
  template <AtomicValue T>
  Result<T> fetch_add(GlobalAddress target, T value, Timeout timeout = Timeout::block()) {
    if constexpr (std::floating_point<T>)
      return fetch_accumulate(Reduction::sum, target, value, timeout);
    else if constexpr (sizeof(T) >= 4)
      return typed<T>(add(target, WordOf<T>(value), timeout));
    else
      return typed<T>(fetch(AtomicOp::fetch_add, target, sizeof(T), to_word(value), 0, timeout));
  }
  template <AtomicValue T>
  Result<T> swap(GlobalAddress target, T value, Timeout timeout = Timeout::block()) {
    return typed<T>(fetch(AtomicOp::swap, target, sizeof(T), to_word(value), 0, timeout));
  }
  // Stores `desired` if the value is `expected`, bit by bit; success is a return value equal to `expected`.
  template <AtomicValue T>
  Result<T> compare_swap(GlobalAddress target, T expected, T desired, Timeout timeout = Timeout::block()) {
    return typed<T>(fetch(AtomicOp::compare_swap, target, sizeof(T), to_word(desired), to_word(expected), timeout));
  }
  // y = y op x for one element, any Reduction but axpy. Atomic against accumulate() of the same type, too, for which it
  // takes a lock of the segment: some 30 ns where atomics take 10. timeout: another rank kept it locked for too long.
  template <AtomicValue T>
  Result<T> fetch_accumulate(Reduction op, GlobalAddress target, T value, Timeout timeout = Timeout::block()) {
    return typed<T>(fetch_element(op, data_type_of<T>(), target, to_word(value), timeout));
  }

  // The same without waiting for the answer: posted like a get, which fills `old` with the old value, `width` bytes, at
  // local completion of the queue or handle; null: it is not wanted. On memory that this rank loads and stores all is
  // done when the call returns. Over a network many are under way at a time, some 10 to 60 times as many a second. A
  // notification that this thread posts to the same rank afterwards does not overtake them.
  //
  // Errors as above. queue_full: no room within post.timeout, nothing was posted. What goes wrong later is told by the
  // queue or handle.
  Status post_atomic(AtomicOp op, void* old, GlobalAddress target, std::size_t width, std::uint64_t operand,
                     std::uint64_t compare = 0, Post post = {});
  Status post_fetch_accumulate(Reduction op, DataType type, void* old, GlobalAddress target, const void* value,
                               Post post = {});
  template <AtomicValue T>
  Status post_fetch_add(std::type_identity_t<T>* old, GlobalAddress target, T value, Post post = {}) {
    if constexpr (std::floating_point<T>)
      return post_fetch_accumulate(Reduction::sum, data_type_of<T>(), old, target, &value, post);
    else
      return post_atomic(AtomicOp::fetch_add, old, target, sizeof(T), to_word(value), 0, post);
  }
  template <AtomicValue T>
  Status post_swap(std::type_identity_t<T>* old, GlobalAddress target, T value, Post post = {}) {
    return post_atomic(AtomicOp::swap, old, target, sizeof(T), to_word(value), 0, post);
  }
  template <AtomicValue T>
  Status post_compare_swap(std::type_identity_t<T>* old, GlobalAddress target, T expected,
                           std::type_identity_t<T> desired, Post post = {}) {
    return post_atomic(AtomicOp::compare_swap, old, target, sizeof(T), to_word(desired), to_word(expected), post);
  }
  template <AtomicValue T>
  Status post_fetch_accumulate(Reduction op, std::type_identity_t<T>* old, GlobalAddress target, T value,
                               Post post = {}) {
    return post_fetch_accumulate(op, data_type_of<T>(), old, target, &value, post);
  }

  // ---- accumulate (accumulate.hpp) ----
  // Offsets must be multiples of the element's alignment (any on x86-64), bytes of its size. On memory that this rank loads and stores:
  // done when the call returns, under a lock for each 16 kB; over a network the target's helper does it, and the source
  // may be changed when the call returns. Errors as put(); also invalid_alignment, invalid_size, and invalid_argument:
  // the operation is not defined for the type. timeout: another rank kept elements locked for too long; then elements
  // up to some point have been combined and the others have not.
  Status accumulate(const Accumulation& how, const void* source, GlobalAddress target, const Shape& shape,
                    Post post = {});

  // ---- completion and order ----
  Queue& queue();                                                         // the default one
  Result<std::unique_ptr<Queue>> create_queue(std::size_t depth = 1024);  // local; invalid_argument: a depth of 0
  // Waits until all that this rank posted before, with handles or without, is complete: everything, what goes to
  // `rank`. Local completion is what puts need to reuse their memory and gets to be filled; remote completion is a
  // fence. timeout; invalid_rank. Failures are left to queues and handles; wait_for(): peer_failed if `rank` is gone.
  Status wait_all(Completion completion, Timeout timeout);
  Status wait_for(Rank rank, Completion completion, Timeout timeout);
  // Waits until all that this rank posted before is visible: at `rank`, in the segments of this id at all ranks,
  // everywhere. Some loads, or a round trip. timeout; peer_failed: `rank` is gone; invalid_rank, invalid_segment.
  Status fence(Rank rank, Timeout timeout);
  Status fence_segment(SegmentId id, Timeout timeout);
  Status fence_all(Timeout timeout);

  // ---- mutexes (mutex.hpp) ----
  // Collective over `group`: `count` from this rank, members may differ. After a timeout the group can only be destroyed.
  // invalid_group: not committed; invalid_size: too many; else as Allocation::commit().
  Result<std::unique_ptr<Mutexes>> create_mutexes(Group& group, std::size_t count, Timeout timeout);

  // ---- messages (message.hpp) ----
  // Handlers are registered before any peer sends to them, usually followed by a barrier; the last one counts. A message without
  // is dropped with a line in the log. invalid_argument, of both: an id of kMessageIdLimit or above; an empty handler.
  //
  // send() copies the bytes, and waits where the target has no room for them. queue_full, or timeout at their first
  // meeting: nothing was sent; peer_failed: it is gone, or goes meanwhile; invalid_size: over max_message(); invalid_rank.
  Status register_handler(MessageId id, MessageHandler handler);
  Status send(Rank rank, MessageId id, std::span<const std::byte> bytes, Timeout timeout = Timeout::block());
  std::size_t max_message() const;  // bytes of one message, the same at all ranks of a device; at least 1 kB
  // Serves messages in the calling thread for as long as it finds any; the helper thread does so anyway.
  void progress();

  // ---- groups (group.hpp) ----
  Group& world();
  // `ranks` in any order, each once, this one among them; numbered ascending. Local; all members commit it then.
  // invalid_rank, invalid_group; limit. Groups of the same ranks are told apart by their order, in which all members make
  // and end them; where threads may do so in any order, by a `label`, the same at all members.
  Result<std::unique_ptr<Group>> create_group(std::span<const Rank> ranks, std::uint64_t label = 0);
  Result<std::unique_ptr<Group>> create_group(Rank first, Rank count);  // a range
  // Members `indices` of `parent`, numbered by rank; it must outlive the new group if that is asked for its parent.
  Result<std::unique_ptr<Group>> create_group(const Group& parent, std::span<const Rank> indices);
  // The ranks of this node. Local; they all commit it afterwards.
  Result<std::unique_ptr<Group>> create_node_group();
  // One group for each colour, its members in the order of their keys and, where those are equal, of the parent.
  // Collective over `parent`, which must outlive them; costs an allgather of 16 bytes. Then the members of each group
  // commit it, as any other:
  //   auto row = rt.split(rt.world(), rt.rank() / columns, rt.rank(), 10s);
  //   (*row)->commit(10s);
  // A rank of kNoColour gets a null pointer. timeout: call again with the same arguments to go on; peer_failed and
  // others as allgather(); limit: too many groups.
  Result<std::unique_ptr<Group>> split(Group& parent, std::int64_t colour, std::int64_t key, Timeout timeout);

  // ---- faults (health.hpp) ----
  Health health(Rank rank) const;      // a load; failed where there is no such rank
  std::vector<Health> health() const;  // one entry a rank
  // Grows with every change of a state that this rank learns of; for Watch::changes. Compare for equality only.
  std::uint64_t health_changes() const;
  // Declares `rank` failed, here and for the job. invalid_rank.
  Status mark_failed(Rank rank);
  // Ends `rank`'s process. One on another node is asked through its runtime: timeout if that does not answer in time,
  // another error, of a rank that lives, if it cannot. peer_failed: gone already. invalid_rank: none, or this one (abort()).
  Status kill(Rank rank, Timeout timeout);
  // For exit handlers: leaves the job while threads of this process may still be inside calls. What was posted arrives
  // first (five seconds at most), peers hear a goodbye, and all calls, also those that wait, return `closed` from then on;
  // only waits of queues, handles and fences succeed where nothing is under way. Nothing is freed before the destructor.
  void leave();
  // Ends the job with this exit code; `reason` is printed. Returns in simulations only.
  void abort(int code, const std::string& reason);

  // For the modules of the library.
  core::Engine& engine() const { return *engine_; }
  explicit Runtime(std::unique_ptr<core::Engine> engine);

 private:
  Result<std::uint64_t> wait_word(GlobalAddress word, DataType type, Compare compare, std::uint64_t value,
                                  Timeout timeout, const Watch& watch);
  Result<std::byte*> direct_range(const char* what, GlobalAddress address, std::size_t bytes, std::size_t alignment,
                                  Timeout timeout);
  // An old value, or an error (Status::release). It travels in two registers: through memory, as a Result does, it
  // would arrive later, and a contended counter feels every nanosecond between two of its operations.
  struct Fetched {
    std::uint64_t old;
    std::uintptr_t error;
  };
  template <std::integral T>
  using WordOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  template <class Word>
  Fetched add(GlobalAddress target, Word operand, Timeout timeout);
  Fetched fetch(AtomicOp op, GlobalAddress target, std::size_t width, std::uint64_t operand, std::uint64_t compare,
                Timeout timeout);
  Fetched fetch_element(Reduction op, DataType type, GlobalAddress target, std::uint64_t operand, Timeout timeout);
  Fetched fetch_with_care(const core::Update& update, GlobalAddress target, Timeout timeout);
  template <AtomicValue T>
  static Result<T> typed(Fetched fetched) {
    if (fetched.error != 0) [[unlikely]]
      return Status::adopt(fetched.error);
    return from_word<T>(fetched.old);
  }

  std::unique_ptr<core::Engine> engine_;
};

}  // namespace polder
