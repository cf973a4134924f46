// Consistent collectives: every member of a group calls the same one, and every member that is to have a result has the
// complete one, equal to the bit at all of them.
//
//   std::vector<double> sum(n);
//   const auto spec = *reduction(Reduction::sum, DataType::float64, n);
//   Status status = allreduce(rt.world(), spec, mine.data(), sum.data(), 1s);
//   if (status.timed_out()) ...                            // nothing is lost: call it again, with the same arguments
//
// Each comes in three forms by one code:
//
//   blocking       broadcast(group, root, data, bytes, 1s)
//   non-blocking   auto request = Collective::broadcast(group, root, data, bytes);
//                  request.start();  compute();  request.wait(1s);
//   persistent     the same request again: request.start(); request.wait(1s); request.start(); ...
//
// A fourth, partitioned, is in partitioned.hpp. Vectors that do not lie in one piece: Collective::lay_out(), alltoallw().
//
// Members number the collectives of a group as they begin them, so all begin them in the same order; up to four of a
// group are under way together, further ones begin when those have ended. Buffers stay untouched from the beginning to
// the end. Those of a reduction are the same memory, or do not overlap; those of kinds that only move data do not overlap.
// A buffer of nothing may be null.
//
// Errors, of all calls here. Nothing has happened: invalid_argument (a null buffer, an overlap, a wrong number of
// parts), invalid_rank (a root outside the group), invalid_size (a product that overflows), invalid_group (it is not
// committed), busy (another thread begins a collective of this group). It has ended, here at least: peer_failed (a
// member is dead), invalid_argument (another member made a different call: the text names the rank and the first field
// that differs), and what a function of the user returned. After peer_failed and a call that did not fit, the group can
// only be destroyed. timeout: the text names ranks that have not entered, as far as that is known.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace polder {

// ---- what is reduced ----

// Combines two vectors of `count` elements into `result` (which may be `one`). timeout: it has changed nothing, and is
// called again in the next run(). Any other error is that of the collective, at this rank at least; the others learn of
// it where they need what was not combined. The group can be used again. An exception becomes such an error, system
// with its text.
using Combine = std::function<Status(const void* one, const void* two, void* result, std::size_t count)>;

struct ReductionSpec {
  std::size_t count = 0;         // elements
  std::size_t element_size = 0;  // bytes
  // Associative. Only some members may be asked to call it. All results are equal to the bit.
  Combine combine;
  // False: members are combined in ascending order, by algorithms that keep to it.
  bool commutes = true;
  // What combine() stands for, so that calls which do not fit can be named.
  std::uint8_t operation = kUserFunction;
  std::uint8_t type = kUserType;
  static constexpr std::uint8_t kUserFunction = 0xfe, kUserType = 0xff;
  // Not 0: elements in the buffers have so many bytes, and are combined in a wider form of `element_size`: each vector
  // is widened once before and narrowed once after everything has been combined.
  std::size_t narrow_size = 0;
  void (*widen)(const void* narrow, void* wide, std::size_t count) = nullptr;
  void (*narrow)(const void* wide, void* narrow, std::size_t count) = nullptr;
  // Combined by the binary tree of members, whoever does it: as Reproducible::layout. Algorithms that combine in another
  // way are not chosen, and use() refuses them.
  bool same_in_any_layout = false;
};

// How far the bits of a result reach. All members of a call have the same in any case, and those of integers depend on
// nothing else; nor do minima and maxima, where no number is a NaN and zeros have one sign.
enum class Reproducible : std::uint8_t {
  // The same from run to run, where members lie on the same nodes in the same way, and the table is the same.
  runs,
  // Of a number of members the same, wherever they lie, whatever the size, the table and the algorithm: members are the
  // leaves of a binary tree in their order, ((0 1) (2 3)) ((4 5) ...). As fast on one node; between nodes whole vectors
  // travel up and down a tree.
  layout,
  // For sums: as if exact, whoever holds which of the numbers, and rounded once (exact_sum.hpp says how exact). 48 bytes
  // travel for each number. Otherwise as `layout`.
  exact,
};

// The ReductionSpec of a built-in operation; axpy is none.
POLDER_API Result<ReductionSpec> reduction(Reduction op, DataType type, std::size_t count);
// With a level. exact: a product of floating-point numbers has none (invalid_argument).
POLDER_API Result<ReductionSpec> reduction(Reduction op, DataType type, std::size_t count, Reproducible level);
// Vectors of `count` ExactSums, of which each member has added up its own (exact_sum.hpp).
POLDER_API ReductionSpec exact_sums(std::size_t count);

// Numbers of 16 bits: IEEE 754's binary16, and the upper half of a float. Combined as float and rounded once, to the
// nearest, ties to even.
enum class HalfType : std::uint8_t { float16, bfloat16 };
// sum, product, min, max.
POLDER_API Result<ReductionSpec> reduction(Reduction op, HalfType type, std::size_t count,
                                           Reproducible level = Reproducible::runs);

// Elements that are not 0 are true. Results are 0 or 1.
enum class Logical : std::uint8_t { all, any, odd };  // and, or, exclusive or
POLDER_API Result<ReductionSpec> reduction(Logical op, DataType type, std::size_t count);

// A value and where it is from: the least or largest value with the lowest place that has it.
template <class T>
struct Placed {
  T value;
  std::int64_t place;
};
// `count` elements of Placed<T>. min or max; all types but complex.
POLDER_API Result<ReductionSpec> placed_reduction(Reduction op, DataType type, std::size_t count);

// ---- a collective as an object ----

// Where a part of a buffer lies, in bytes.
struct Part {
  std::size_t offset = 0;
  std::size_t size = 0;
};

// `blocks` of `size` bytes each, the first one at `offset`, `stride` bytes from the beginning of one to that of the next: a
// column of a matrix, a face of a field.
struct StridedPart {
  std::size_t offset = 0;
  std::size_t blocks = 1;
  std::size_t size = 0;
  std::size_t stride = 0;  // at least `size`, if there is more than one
};

class Neighbours;  // neighbours.hpp

// A collective of this member: prepared, under way, or ended. One thread at a time. It must not outlive its group. One
// that goes while it is under way leaves a group whose members wait in vain.
class POLDER_API Collective {
 public:
  ~Collective();
  Collective(Collective&&) noexcept;
  Collective& operator=(Collective&&) noexcept;

  // ---- kinds; the arguments are those of the functions below ----
  static Result<Collective> barrier(Group& group);
  static Result<Collective> broadcast(Group& group, Rank root, void* data, std::size_t bytes);
  static Result<Collective> reduce(Group& group, Rank root, ReductionSpec spec, const void* send, void* receive);
  static Result<Collective> allreduce(Group& group, ReductionSpec spec, const void* send, void* receive);
  static Result<Collective> reduce_scatter(Group& group, ReductionSpec spec, std::span<const std::size_t> counts,
                                           const void* send, void* receive);
  static Result<Collective> allgather(Group& group, std::span<const std::size_t> bytes, const void* send,
                                      void* receive);
  static Result<Collective> gather(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send,
                                   void* receive);
  static Result<Collective> scatter(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send,
                                    void* receive);
  static Result<Collective> alltoall(Group& group, std::size_t bytes, const void* send, void* receive);
  static Result<Collective> alltoallv(Group& group, const void* send, std::span<const Part> sent, void* receive,
                                      std::span<const Part> received);
  static Result<Collective> alltoallw(Group& group, const void* send, std::span<const StridedPart> sent, void* receive,
                                      std::span<const StridedPart> received);
  // Those of neighbours.hpp, which may go once this is made.
  static Result<Collective> neighbour_allgather(const Neighbours& neighbours, std::size_t bytes, const void* send,
                                                void* receive);
  static Result<Collective> neighbour_allgatherv(const Neighbours& neighbours, std::size_t bytes, const void* send,
                                                 void* receive, std::span<const Part> received);
  static Result<Collective> neighbour_alltoall(const Neighbours& neighbours, std::size_t bytes, const void* send,
                                               void* receive);
  static Result<Collective> neighbour_alltoallv(const Neighbours& neighbours, const void* send,
                                                std::span<const Part> sent, void* receive,
                                                std::span<const Part> received);
  static Result<Collective> neighbour_alltoallw(const Neighbours& neighbours, const void* send,
                                                std::span<const StridedPart> sent, void* receive,
                                                std::span<const StridedPart> received);
  static Result<Collective> scan(Group& group, ReductionSpec spec, const void* send, void* receive);
  static Result<Collective> exscan(Group& group, ReductionSpec spec, const void* send, void* receive);

  // ---- doing it ----

  // Begins it, collectively, and returns: whoever makes progress in this rank drives it. That is any call of the runtime
  // that waits, a helper, or a thread that the group has since its first start() (unless with Helper::none): from 4 MB on,
  // and where something follows, it goes on at once, which costs a wake-up of some microseconds; else when it has stayed
  // for one or two milliseconds. `then` is called once by the thread that ends it, under no lock; it must not wait. It
  // may begin other collectives, and may still run when wait() has returned. Of one that goes while it is under way it is
  // not called. busy: it is under way.
  Status start(std::function<void()> then = {});
  // Whether it has ended; makes progress.
  bool test();
  // Its outcome. timeout: call again to go on.
  Status wait(Timeout timeout);
  // start(), unless it is under way, and wait(), by this thread only: what a blocking call does.
  Status run(Timeout timeout);
  bool under_way() const;

  // From now on by this algorithm of `polder info collectives`, at all members. invalid_argument: there is none of that
  // name for this kind, or it cannot serve this call; the choice stays; busy: it is under way.
  Status use(std::string_view algorithm);

  // From now on what was given as a buffer in one piece lies in blocks, whose bytes, one behind the other, are that
  // buffer: they are copied together when it begins, and apart when it has ended well. Null: that buffer stays in one
  // piece. Each member may have another layout, or none. Where a member has nothing to send or receive, that layout does
  // not count. One copy of the vector more, none by `spread`. invalid_size: not as many bytes as the buffer has;
  // invalid_argument: blocks overlap, or the span of one buffer overlaps that of the other, unless both are the same;
  // busy: it is under way. Then nothing has changed. REQUIRES: not of alltoallw. Neighbours refuse it (invalid_argument).
  Status lay_out(const StridedPart* send, const StridedPart* receive);

  // By which it goes: as use() said, or as the table chooses.
  std::string_view algorithm() const;

  // The index of one of `all` that has ended, or was never begun. timeout: none has.
  static Result<std::size_t> wait_any(std::span<Collective* const> all, Timeout timeout);

  // For the library's own use.
  struct State;

 private:
  friend struct State;
  explicit Collective(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- blocking ----
//
// timeout: call again with the same arguments to go on; until then no other blocking collective of the group is begun.

// Bytes of the root's `data` reach all others'.
POLDER_API Status broadcast(Group& group, Rank root, void* data, std::size_t bytes, Timeout timeout);
// The vectors of all members, combined, in `receive` of the root; elsewhere it is not used.
POLDER_API Status reduce(Group& group, Rank root, const ReductionSpec& spec, const void* send, void* receive,
                         Timeout timeout);
// The same, at all members.
POLDER_API Status allreduce(Group& group, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout);
// `counts`: elements of each member's part, spec.count in all; this member's part of the result is in `receive`. A member that gets
// nothing may be through before others have begun.
POLDER_API Status reduce_scatter(Group& group, const ReductionSpec& spec, std::span<const std::size_t> counts,
                                 const void* send, void* receive, Timeout timeout);
// `bytes`: of each member's part, the same numbers at all. `receive` has the parts one behind the other.
POLDER_API Status allgather(Group& group, std::span<const std::size_t> bytes, const void* send, void* receive,
                            Timeout timeout);
// The same at the root only; elsewhere `receive` is not used.
POLDER_API Status gather(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send, void* receive,
                         Timeout timeout);
// The root's `send` has the parts one behind the other; elsewhere it is not used.
POLDER_API Status scatter(Group& group, Rank root, std::span<const std::size_t> bytes, const void* send, void* receive,
                          Timeout timeout);
// Block c of `send`, of `bytes`, reaches member c; block c of `receive` comes from it.
POLDER_API Status alltoall(Group& group, std::size_t bytes, const void* send, void* receive, Timeout timeout);
// Blocks of any sizes, anywhere: sent[c] of this member is as long as received[this] of member c.
POLDER_API Status alltoallv(Group& group, const void* send, std::span<const Part> sent, void* receive,
                            std::span<const Part> received, Timeout timeout);
// Blocks of any shape: those of sent[c] have as many bytes together as those of received[this] at member c. One copy of
// all blocks more at each end, but by `spread`. `send` is not changed.
POLDER_API Status alltoallw(Group& group, const void* send, std::span<const StridedPart> sent, void* receive,
                            std::span<const StridedPart> received, Timeout timeout);
// What this member and those before it make together.
POLDER_API Status scan(Group& group, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout);
// Without its own; `receive` of member 0 is not touched.
POLDER_API Status exscan(Group& group, const ReductionSpec& spec, const void* send, void* receive, Timeout timeout);

// ---- allreduce, as an object that goes over its group's boards where that is faster ----
//
// It does on one node, up to 4096 bytes. Members that make different calls are told as above, but for one: where one of them goes over
// boards and another does not, as by the number of its elements, both wait until their time is up.

// An allreduce under way. run() may be repeated after a timeout until it returns something else.
class POLDER_API Allreduce {
 public:
  // `send` and `receive` hold spec.count elements, may be the same, and must stay until run() has ended. Collective
  // over `group`.
  Allreduce(Group& group, ReductionSpec spec, const void* send, void* receive);
  ~Allreduce();
  Allreduce(Allreduce&&) noexcept;
  Allreduce& operator=(Allreduce&&) noexcept;

  Status run(Timeout timeout);

  // The next one over the same group, in the memory of this one, which has ended and not with a timeout.
  void begin_again(ReductionSpec spec, const void* send, void* receive);

  // For the library's own use.
  struct State;

 private:
  std::unique_ptr<State> state_;
};

// All in one, by the name of the reduction, for those who wait to the end or give up. It cannot be called again to go on: after a timeout the group can only be destroyed, but for barrier(),
// agree() and shrink().
POLDER_API Status allreduce(Group& group, Reduction op, DataType type, const void* send, void* receive,
                            std::size_t count, Timeout timeout);

}  // namespace polder
