// The port of collectives among members that load and store each other's memory. Beside letters (port/wire.hpp): here
// nothing is sent, members show what they have and take what others show.
//
// A collective is a row of pieces, the same at all members. In each a member may show a line (up to 48 bytes, or where
// its memory lies) and put something on its desk; it leaves the piece when it has taken what it needs. A line is used again
// kLines pieces later and a desk kDesks later, once all have left the piece that it served.
//
// Who needs nothing of the others waits for nobody: neither when it begins a piece, as far as the lines reach, nor when it
// leaves one.
#pragma once

#include "coll/port/copy_ways.hpp"
#include "coll/port/desk_copies.hpp"
#include "coll/port/elements.hpp"
#include "coll/port/offer.hpp"
#include "coll/task/task.hpp"
#include "core/group/node_room.hpp"
#include "util/copy.hpp"
#include "util/outside_order.hpp"
#include "util/prefetch.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace polder::coll {

class Node : public Port {
 public:
  using Line = core::NodeLine;
  using Memory = core::NodeMemory;
  static constexpr std::size_t kInline = Line::kContent, kDesk = core::NodeRoom::kDesk;
  static constexpr std::uint64_t kLines = Memory::kLines, kDesks = Memory::kDesks;  // pieces that may be under way
  static constexpr std::size_t kDeskRoom = kDesks * kDesk;  // bytes that a member can put before any of them is taken
  // Lines are taken back so many at a time: then only who leaves the last of a batch wakes those who wait for it.
  static constexpr std::uint64_t kBatch = 16;
  // Pieces that a member is ahead of one that has not left them, at most, but for scans: with 64 and 128 a reduce_scatter of 8 bytes
  // by 16 ranks on two cores mostly found itself asleep, 20 times as slow. That was before ranks ceased to take each other for
  // strangers (docs/design/waiting.md), and has not been tried since.
  static constexpr std::uint64_t kAhead = 32;

  Node(Strand& s, Rank member, Rank members, const util::OutwardCopy& outward)
      : Port(s), me(member), size(members), copies_(outward, kDesks * (members - 1)) {}

  const Rank me, size;
  CopyWays& ways() const { return *ways_; }  // of calls of this kind
  Elements elements;                         // of what is reduced

  // From the member `distance` above on, so that not all read the same one first.
  Rank above(Rank distance) const { return size - me > distance ? me + distance : me + distance - size; }

  // ---- pieces ----
  std::uint64_t piece() const { return piece_; }

  // Waits until the line of the next piece is free, and begins it.
  class Next : public WaitFor<Next> {
   public:
    Next(Node& n, std::uint64_t a) : node(n), ahead(a) {}
    bool is_ready() {
      if (!node.has_line(ahead)) return false;
      node.begin_piece();
      return true;
    }

   private:
    Node& node;
    std::uint64_t ahead;
  };
  // `ahead`: pieces, a multiple of kBatch, up to kLines.
  Next next(std::uint64_t ahead = kAhead) { return {*this, ahead}; }

  // Until its desk is free, too. `reader`: who alone takes something from it; kAll: anybody.
  class NextWithDesk : public WaitFor<NextWithDesk> {
   public:
    NextWithDesk(Node& n, Rank r) : node(n), reader(r) {}
    bool is_ready() {
      if (!node.has_desk()) return false;
      node.begin_piece();
      node.on_desk_[node.piece_ % kDesks] = {node.piece_, reader};
      return true;
    }

   private:
    Node& node;
    Rank reader;
  };
  static constexpr Rank kAll = ~Rank{0};
  NextWithDesk next_with_desk(Rank reader = kAll) { return {*this, reader}; }
  // Whether next_with_desk() would wait for nobody.
  bool has_desk() {
    if (!has_line(kAhead)) return false;
    const DeskUse& last = on_desk_[(piece_ + 1) % kDesks];
    return last.reader == kAll ? have_left(last.piece)
                               : memory(last.reader).left.load(std::memory_order_acquire) >= last.piece;
  }

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

  // This member has taken what it needs of all pieces up to this one. Rings where lines are waited for; who waits for more,
  // a desk or what was offered, is to be woken besides.
  void leave() { leave(piece_); }
  void leave(std::uint64_t piece) {
    // Once this member has left others may be so far ahead that they use the word again.
    failure_seen_ = failure_of_call().load(std::memory_order_relaxed);
    auto& left = memory(me).left;
    const std::uint64_t before = left.load(std::memory_order_relaxed);
    left.store(piece, std::memory_order_release);
    if ((before + 1) / kBatch != (piece + 1) / kBatch) ring_all();
  }

  // ---- lines and desks ----
  // `content` has up to kInline bytes. `next`: so many pieces later this member will show the next line.
  void show(const void* content = nullptr, std::size_t bytes = 0, std::uint32_t what = 0, std::uint64_t next = 1) {
    Line& line = memory(me).line[piece_ % kLines];
    util::copy(line.content, content, bytes);
    line.what = what;
    line.print.store(print_, std::memory_order_relaxed);
    util::tell_outside();
    line.number.store(piece_, std::memory_order_release);
    util::prefetch_to_write(&memory(me).line[(piece_ + next) % kLines]);
  }
  const Line& line(Rank member) const { return line(member, piece_); }
  const Line& line(Rank member, std::uint64_t piece) const { return memory(member).line[piece % kLines]; }
  std::byte* desk(Rank member) const { return desk(member, piece_); }
  std::byte* desk(Rank member, std::uint64_t piece) const {
    return bases_[member] + sizeof_head_ + piece % kDesks * kDesk;
  }

  // Onto a desk.
  void put(std::byte* desk, const void* from, std::size_t bytes) { copies_.put(desk, from, bytes, measured_); }
  // Whether that goes past the cache, by now.
  bool puts_past_cache(std::size_t bytes) const { return copies_.puts_past_cache(bytes); }
  // From a desk, or a line, into a vector of `all` bytes.
  void take(void* into, const void* desk, std::size_t bytes, std::size_t all) {
    copies_.take(into, desk, bytes, all, measured_);
  }

  // Waits for the line of one member, or of all.
  class Shown : public WaitFor<Shown> {
   public:
    Shown(Node& n, Rank first, Rank end, std::uint64_t p) : node(n), at(first), last(end), piece(p) {}
    bool is_ready() {
      while (at < last && node.has_shown(at, piece)) ++at;
      return at == last;
    }

   private:
    Node& node;
    Rank at, last;
    std::uint64_t piece;
  };
  // REQUIRES: this member has begun the piece.
  bool has_shown(Rank member, std::uint64_t piece) {
    const Line& there = line(member, piece);
    if (there.number.load(std::memory_order_acquire) < piece) return false;
    return there.print.load(std::memory_order_relaxed) == print_ || differs(member);
  }
  Shown shown(Rank member) { return shown(member, piece_); }
  // Of a piece that this member has begun.
  Shown shown(Rank member, std::uint64_t piece) { return {*this, member, member + 1, piece}; }
  Shown all_shown() { return all_shown(piece_); }
  Shown all_shown(std::uint64_t piece) { return {*this, 0, size, piece}; }
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
    Fold(Node& n, const void* o, const void* t, void* r, std::size_t b, CopyWays* m = nullptr)
        : node(n), one(o), two(t), result(r), bytes(b), measured(m) {}
    bool is_ready() {
      return node.copies_.combine(bytes, measured, [&] { return node.fold(one, two, result, bytes); });
    }

   private:
    Node& node;
    const void *one, *two;
    void* result;
    std::size_t bytes;
    CopyWays* measured;
  };
  Fold combine(const void* one, const void* two, void* result, std::size_t bytes) {
    return {*this, one, two, result, bytes};
  }
  // The same where one of both lies on another member's desk, and could have been offered instead.
  Fold combine_from_desk(const void* one, const void* two, void* result, std::size_t bytes) {
    return {*this, one, two, result, bytes, measured_};
  }
  // Bytes of whole elements that `bytes` have room for.
  std::size_t whole(std::size_t bytes) const { return bytes / elements.size * elements.size; }

  // ---- memory ----
  // Where a member's offer lies here; waits until it is known.
  class Reach : public WaitFor<Reach> {
   public:
    Reach(Node& n, Rank m, const Offer& o, std::size_t b, std::byte*& p)
        : node(n), member(m), offer(o), bytes(b), place(p) {}
    bool is_ready() { return node.find(member, offer, bytes, place); }

   private:
    Node& node;
    Rank member;
    Offer offer;
    std::size_t bytes;
    std::byte*& place;
  };
  Reach reach(Rank member, const Offer& offer, std::size_t bytes, std::byte*& place) {
    return {*this, member, offer, bytes, place};
  }
  // Copies bytes to where a member's offer lies. Does not end if the member has taken its offer back.
  class Store : public WaitFor<Store> {
   public:
    Store(Node& n, Rank m, std::byte* t, const std::byte* f, std::size_t b)
        : node(n), member(m), to(t), from(f), bytes(b) {}
    bool is_ready() { return node.copy(member, to, from, bytes, member != node.me); }

   private:
    Node& node;
    Rank member;
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
  };
  Store store(Rank member, std::byte* place, const std::byte* from, std::size_t bytes) {
    return {*this, member, place, from, bytes};
  }
  // Copies bytes from what a member offers, from `begin` on, once it is known where it lies. Likewise.
  class Fetch : public WaitFor<Fetch> {
   public:
    Fetch(Node& n, Rank m, const Offer& o, std::size_t a, std::byte* t, std::size_t b)
        : node(n), member(m), offer(o), begin(a), to(t), bytes(b) {}
    bool is_ready() {
      if (offer.kind == Offer::process) return node.copy_from_process(member, offer.at + begin, to, bytes);
      std::byte* place = nullptr;
      if (!node.find(member, offer, begin + bytes, place)) return false;
      return node.copy(member, to, place + begin, bytes, false);
    }

   private:
    Node& node;
    Rank member;
    Offer offer;
    std::size_t begin;
    std::byte* to;
    std::size_t bytes;
  };
  Fetch fetch(Rank member, const Offer& offer, std::size_t begin, std::byte* into, std::size_t bytes) {
    return {*this, member, offer, begin, into, bytes};
  }
  // Of this member's memory, in a segment; nothing if it is in none.
  virtual Offer offer(const void* memory, std::size_t bytes) const = 0;
  // The same, or for others to copy from private memory; nothing if they cannot do that either.
  virtual Offer offer_for_copies(const void* memory, std::size_t bytes) const = 0;
  // This call may offer private memory instead of putting it on desks, so from now on copies to and from those are measured. Whether
  // members read each other's; finds it out as far as that is not known: those that offer none take part.
  bool find_out_who_reads() {
    measured_ = ways_;
    return can_read_processes();
  }
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
  virtual void ring_from(Rank first) = 0;  // and those behind it
  void ring_all() { ring_from(0); }

 protected:
  ~Node() = default;

  std::byte** bases_ = nullptr;  // of the lane's memory, by member
  std::size_t sizeof_head_ = util::round_up(sizeof(Memory), util::kPage);
  std::uint64_t piece_ = 0;
  std::uint32_t print_ = 0;     // of this call
  bool is_first_piece_ = true;  // of this call: it has begun none
  CopyWays* ways_ = nullptr;
  CopyWays* measured_ = nullptr;  // `ways_` if copies to and from desks of this call are measured
  std::uint64_t calls_ = 0;       // that have begun a piece; the same at all members
  // The member that failed in this call, written before what was made of its result is shown. Each of these calls has a piece, and
  // no member is kLines pieces ahead, so the word is not used again before all have left the last piece of this call.
  std::atomic<std::uint64_t>& failure_of_call() const { return common().failure[calls_ % kLines]; }
  std::uint64_t failure_seen_ = 0;  // as this member left its last piece

 private:
  void begin_piece() {
    ++piece_;
    if (is_first_piece_) ++calls_;
    is_first_piece_ = false;
  }
  // The first piece of a batch waits for the lines of all of it.
  bool has_line(std::uint64_t ahead) {
    const std::uint64_t next = piece_ + 1;
    if (next % kBatch != 0 || next < ahead) return is_attached();
    return is_attached() && have_left(next - ahead + kBatch - 1);
  }
  bool have_left(std::uint64_t piece) {
    if (known_left_ >= piece) return true;
    if (piece > asked_left_) {
      asked_left_ = piece;
      left_at_ = 0;
      least_left_ = kNever;
    }
    for (; left_at_ < size; ++left_at_) {
      const std::uint64_t there = memory(left_at_).left.load(std::memory_order_acquire);
      if (there < piece) return false;
      least_left_ = std::min(least_left_, there);
    }
    // Mostly more than was asked for, so that lines which others write to are not fetched for each piece.
    known_left_ = std::exchange(least_left_, kNever);
    left_at_ = 0;
    return true;
  }
  // Whether the memory of all is known.
  bool is_attached() { return bases_ != nullptr || attach(); }
  virtual bool attach() = 0;
  // The member made a different call: false, for ever.
  virtual bool differs(Rank member) = 0;
  virtual bool fold(const void* one, const void* two, void* result, std::size_t bytes) = 0;
  virtual bool can_read_processes() = 0;
  virtual bool find(Rank member, const Offer& offer, std::size_t bytes, std::byte*& place) = 0;
  // Around a copy from or to what a member offers. False, for ever: it has taken the offer back.
  virtual bool begin_reaching(Rank member) = 0;
  // False, for ever: it could not be read.
  virtual bool copy_from_process(Rank member, std::uint64_t at, std::byte* to, std::size_t bytes) = 0;
  virtual void end_reaching() = 0;
  bool copy(Rank member, std::byte* to, const std::byte* from, std::size_t bytes, bool outward) {
    if (bytes == 0) return true;
    if (member != me && !begin_reaching(member)) return false;
    outward ? copies_.outward(to, from, bytes) : util::copy(to, from, bytes);
    if (member != me) end_reaching();
    return true;
  }

  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t known_left_ = 0;       // all have left this piece
  std::uint64_t asked_left_ = 0;       // the latest piece that was asked for,
  Rank left_at_ = 0;                   // those below are known to have left it,
  std::uint64_t least_left_ = kNever;  // and the least of them this one
  struct DeskUse {
    std::uint64_t piece = 0;
    Rank reader = kAll;
  };
  DeskUse on_desk_[kDesks];  // of each, the last one
  std::uint64_t claims_ = 0, dones_ = 0;
  DeskCopies copies_;
};

}  // namespace polder::coll
