// The port of collectives among members that load and store each other's memory. Beside letters (port/wire.hpp): here
// nothing is sent, members show what they have and take what others show.
//
// A collective is a row of pieces, the same at all members. In each a member shows a line (up to 48 bytes, or where its
// memory lies) and may put something on its desk; it leaves the piece when it has taken what it needs. Line and desk of
// a piece are used again two pieces later, once all have left.
#pragma once

#include "coll/port/elements.hpp"
#include "coll/task/task.hpp"
#include "core/group/node_room.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::coll {

// Memory of a member that others reach for the time of a piece.
struct Offer {
  enum Kind : std::uint32_t { nothing, segment, address };
  SegmentId id = 0;      // of a segment, to load and store
  Kind kind = nothing;   // address: private, to be copied by the kernel
  std::uint64_t at = 0;  // offset in the segment, or the address
};

// The same as another member reaches it.
struct Place {
  std::byte* direct = nullptr;  // null: by fetch() and store() only
  std::uint64_t address = 0;
};

class Node : public Port {
 public:
  using Line = core::NodeLine;
  using Memory = core::NodeMemory;
  static constexpr std::size_t kInline = Line::kContent, kDesk = core::NodeRoom::kDesk;

  Node(Strand& s, Rank member, Rank members) : Port(s), me(member), size(members) {}

  const Rank me, size;
  Elements elements;  // of what is reduced

  // From the member `distance` above on, so that not all read the same one first.
  Rank above(Rank distance) const { return size - me > distance ? me + distance : me + distance - size; }

  // ---- pieces ----
  std::uint64_t piece() const { return piece_; }

  // Waits until line and desk of the next piece are free, and begins it.
  class Next : public WaitFor<Next> {
   public:
    explicit Next(Node& n) : node(n) {}
    bool is_ready() {
      if (!node.is_attached() || !node.have_left(node.piece_ > 0 ? node.piece_ - 1 : 0)) return false;
      ++node.piece_;
      return true;
    }

   private:
    Node& node;
  };
  Next next() { return Next(*this); }

  // Waits until all have left this piece, or an earlier one.
  class Left : public WaitFor<Left> {
   public:
    Left(Node& n, std::uint64_t p) : node(n), piece(p) {}
    bool is_ready() { return node.have_left(piece); }

   private:
    Node& node;
    std::uint64_t piece;
  };
  Left all_left() { return {*this, piece_}; }

  // This member has taken what it needs of all pieces up to this one.
  void leave() { memory(me).left.store(piece_, std::memory_order_release); }
  void leave(std::uint64_t piece) { memory(me).left.store(piece, std::memory_order_release); }

  // ---- lines and desks ----
  // `content` has up to kInline bytes.
  void show(const void* content = nullptr, std::size_t bytes = 0, std::uint32_t what = 0) {
    Line& line = memory(me).line[piece_ % 2];
    if (bytes != 0) std::memcpy(line.content, content, bytes);
    line.what = what;
    line.print.store(print_, std::memory_order_relaxed);
    line.number.store(piece_, std::memory_order_release);
  }
  const Line& line(Rank member) const { return memory(member).line[piece_ % 2]; }
  std::byte* desk(Rank member) const { return desk(member, piece_); }
  std::byte* desk(Rank member, std::uint64_t piece) const { return bases_[member] + sizeof_head_ + piece % 2 * kDesk; }

  // Waits for the line of one member, or of all.
  class Shown : public WaitFor<Shown> {
   public:
    Shown(Node& n, Rank first, Rank end) : node(n), at(first), last(end) {}
    bool is_ready() {
      while (at < last && node.has_shown(at)) ++at;
      return at == last;
    }

   private:
    Node& node;
    Rank at, last;
  };
  Shown shown(Rank member) { return {*this, member, member + 1}; }
  Shown all_shown() { return {*this, 0, size}; }
  // This piece is one that nobody ends before all have begun it, and that they began after they had left the one before.
  void all_met() { known_left_ = std::max(known_left_, piece_ - 1); }

  // ---- counters ----
  Memory& memory(Rank member) const { return *reinterpret_cast<Memory*>(bases_[member]); }
  Memory& common() const { return memory(0); }

  // Waits until a counter is not below a value.
  class Reached : public WaitFor<Reached> {
   public:
    Reached(const std::atomic<std::uint64_t>& c, std::uint64_t v) : counter(c), value(v) {}
    bool is_ready() { return counter.load(std::memory_order_acquire) >= value; }

   private:
    const std::atomic<std::uint64_t>& counter;
    std::uint64_t value;
  };
  Reached reached(const std::atomic<std::uint64_t>& counter, std::uint64_t value) { return {counter, value}; }

  // Slices of a piece that members claim: each member claims until there are none, so that one number of a common
  // counter is used up for each slice and each member.
  std::uint64_t claims_begin() const { return claims_; }
  void claims_end(std::uint64_t slices) { claims_ += slices + size, dones_ += slices; }
  std::uint64_t done_before() const { return dones_; }

  // ---- combining ----
  // Both vectors into `result`, which may be `one`.
  class Fold : public WaitFor<Fold> {
   public:
    Fold(Node& n, const void* o, const void* t, void* r, std::size_t b)
        : node(n), one(o), two(t), result(r), bytes(b) {}
    bool is_ready() { return node.fold(one, two, result, bytes); }

   private:
    Node& node;
    const void *one, *two;
    void* result;
    std::size_t bytes;
  };
  Fold combine(const void* one, const void* two, void* result, std::size_t bytes) {
    return {*this, one, two, result, bytes};
  }
  // Bytes of whole elements that `bytes` have room for.
  std::size_t whole(std::size_t bytes) const { return bytes / elements.size * elements.size; }

  // ---- memory ----
  // Where a member's offer lies here; waits until it is known.
  class Reach : public WaitFor<Reach> {
   public:
    Reach(Node& n, Rank m, const Offer& o, std::size_t b, Place& p)
        : node(n), member(m), offer(o), bytes(b), place(p) {}
    bool is_ready() { return node.find(member, offer, bytes, place); }

   private:
    Node& node;
    Rank member;
    Offer offer;
    std::size_t bytes;
    Place& place;
  };
  Reach reach(Rank member, const Offer& offer, std::size_t bytes, Place& place) {
    return {*this, member, offer, bytes, place};
  }
  // Copies bytes from a member's place, or to it, `at` bytes from its beginning. Does not end if the member is gone.
  class Copy : public WaitFor<Copy> {
   public:
    Copy(Node& n, Rank m, const Place& p, std::size_t a, std::byte* h, std::size_t b, bool in)
        : node(n), member(m), place(p), at(a), here(h), bytes(b), fetches(in) {}
    bool is_ready() { return node.copy(member, place, at, here, bytes, fetches); }

   private:
    Node& node;
    Rank member;
    Place place;
    std::size_t at;
    std::byte* here;
    std::size_t bytes;
    bool fetches;
  };
  Copy fetch(Rank member, const Place& place, std::size_t at, std::byte* into, std::size_t bytes) {
    return {*this, member, place, at, into, bytes, true};
  }
  Copy store(Rank member, const Place& place, std::size_t at, std::byte* from, std::size_t bytes) {
    return {*this, member, place, at, from, bytes, false};
  }
  // Of this member's memory; nothing if others cannot reach it.
  virtual Offer offer(const void* memory, std::size_t bytes) const = 0;
  // Memory for the time of this collective; kept for the next one.
  virtual std::byte* scratch(std::size_t bytes) = 0;
  // A block of `from` is not as long as this member was told. The collective goes to its end and fails.
  virtual void refuse(Rank from, std::size_t expected, std::size_t bytes) = 0;
  // Of combining, as far as any member knew when it showed what this one has seen.
  virtual Status failure() const = 0;
  // It failed on another port of this collective, unless `why` is ok: the other members hear of it.
  virtual void fail(const Status& why) = 0;
  // Wakes a member that waits, or all, behind what was stored.
  virtual void ring(Rank member) = 0;
  virtual void ring_all() = 0;

 protected:
  ~Node() = default;

  std::byte** bases_ = nullptr;  // of the lane's memory, by member
  std::size_t sizeof_head_ = util::round_up(sizeof(Memory), util::kPage);
  std::uint64_t piece_ = 0;
  std::uint32_t print_ = 0;  // of this call

 private:
  bool has_shown(Rank member) {
    const Line& there = line(member);
    if (there.number.load(std::memory_order_acquire) < piece_) return false;
    return there.print.load(std::memory_order_relaxed) == print_ || differs(member);
  }
  bool have_left(std::uint64_t piece) {
    if (known_left_ >= piece) return true;
    for (; left_at_ < size; ++left_at_)
      if (memory(left_at_).left.load(std::memory_order_acquire) < piece) return false;
    left_at_ = 0;
    known_left_ = piece;
    return true;
  }
  // Whether the memory of all is known.
  bool is_attached() { return bases_ != nullptr || attach(); }
  virtual bool attach() = 0;
  // The member made a different call: false, for ever.
  virtual bool differs(Rank member) = 0;
  virtual bool fold(const void* one, const void* two, void* result, std::size_t bytes) = 0;
  virtual bool find(Rank member, const Offer& offer, std::size_t bytes, Place& place) = 0;
  virtual bool cross_copy(Rank member, std::uint64_t address, std::byte* here, std::size_t bytes, bool fetches) = 0;
  // Around a copy from or to what a member offers. False, for ever: it has taken the offer back.
  virtual bool begin_reaching(Rank member) = 0;
  virtual void end_reaching() = 0;
  bool copy(Rank member, const Place& place, std::size_t at, std::byte* here, std::size_t bytes, bool fetches) {
    if (bytes == 0) return true;
    if (member != me && !begin_reaching(member)) return false;
    bool copied = true;
    if (place.direct == nullptr)
      copied = cross_copy(member, place.address + at, here, bytes, fetches);
    else
      std::memcpy(fetches ? here : place.direct + at, fetches ? place.direct + at : here, bytes);
    if (member != me) end_reaching();
    return copied;
  }

  std::uint64_t known_left_ = 0;  // all have left this piece
  Rank left_at_ = 0;              // those below are known to have left the piece that is asked for
  std::uint64_t claims_ = 0, dones_ = 0;
};

}  // namespace polder::coll
