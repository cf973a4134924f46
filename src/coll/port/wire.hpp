// The port of collectives: all that an algorithm sees of the world. A member sends letters to slots of others and takes
// those that come to its own. Two implementations: coll/letters/lane_wire.hpp over one-sided operations of any device,
// and coll/model/flow.hpp in virtual time. The same object code of an algorithm runs over both.
//
// What is awaited is done in pieces, so that a long vector is combined while the rest of it is still coming, and what a
// step sends goes out while it receives; a step never waits for room while it could take something in.
#pragma once

#include "coll/port/elements.hpp"
#include "coll/port/pieces.hpp"
#include "coll/port/slots.hpp"
#include "coll/task/task.hpp"
#include "util/copy_block.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::coll {

// How far a letter is that its reader copies from where it lies at its writer. The reader goes from `offered` over `reading` to `taken`,
// or back to `offered` where it could not read; the writer may withdraw what is `offered`, and then its memory is its own again.
enum class RendezvousStage : std::uint32_t { none, offered, reading, taken, withdrawn };

// The slot of credits is that of the letters.
inline constexpr Slot kSameSlot = ~Slot{0};

// What a network sends of letters in one frame, and what of that is the head of a piece.
constexpr std::size_t kLetterFrame = std::size_t{120} << 10, kLetterHead = 64;

// A letter may go in steps, so that it is handed on while it comes (Wire::send_up_to, take_up_to). Writer and reader say how long these
// are, and must say the same; and of the whole letter, how much the step that is awaited has to do with.
inline constexpr std::size_t kWholeLetter = ~std::size_t{0};

// From so many bytes on letters of a step in which each member takes what comes, whatever becomes of its own letters, wait for their
// readers to show where they go: one more letter back, and two copies less. Between two hosts on a Xeon of 2023 an alltoall of 64 kB
// by 8 ranks on two cores takes 0.65 of the time that way and by 2 ranks 1.2; with 128 kB both are faster, with 32 kB none.
constexpr std::size_t window_from(std::size_t letters) {
  return std::size_t{letters > 2 ? 60u : 96u} << 10;
}

// From so many bytes on readers show where any letter goes, if they can. So the only letter of a member's step waits a moment for that,
// instead of filling the cells first: of 1 MB between two hosts on an EPYC a quarter would be copied once more.
constexpr std::size_t kWindowOfAny = 3 * kLetterFrame;

// A letter to `to`. The data must stay until the step has ended, and no longer; of one that goes in steps, until the last one has.
struct Out {
  Rank to = 0;
  Slot slot = 0;
  const void* data = nullptr;
  std::size_t bytes = 0;
  std::size_t done = 0;  // bytes on their way
  std::size_t step = 0;  // bytes; 0: it goes at once
  std::size_t up_to = kWholeLetter;
  bool ended = false;
  bool steers =
      false;  // what is in it decides what the reader does next, so it travels even where contents are left out
  // Its step may wait until the reader takes it, which is to copy it: then it may be read where it lies.
  bool may_wait = false;
  std::size_t window_from = kWholeLetter;  // bytes; so long a one waits a moment for its reader to show where it goes
  std::atomic<RendezvousStage>* rendezvous = nullptr;  // it is to be read where it lies, and how far that is
  Slot credits = kSameSlot;                            // this member's slot in which the reader gives cells back
  const Pieces* pieces = nullptr;                      // where the data lies, from `begin` on, instead of `data`
  std::size_t begin = 0;
  unsigned looks = 0;       // so often it was in vain
  bool begun = false;       // its head is on its way
  bool in_place = false;    // some of it is sent from where it lies, and may be read there still
  bool past_cells = false;  // and goes past the cells

  // The next `count` bytes; `copy` is util::copy_block, or like it.
  template <class Copy>
  void copy_to(std::byte* into, std::size_t count, Copy&& copy) const {
    if (pieces != nullptr)
      pieces->read(begin + done, into, count);
    else
      copy(into, static_cast<const std::byte*>(data) + done, count);
  }
  // Where the whole letter lies, if in one piece; else null.
  const std::byte* whole() const {
    return pieces != nullptr ? pieces->one_run(begin, bytes) : static_cast<const std::byte*>(data);
  }
  // Where the next `count` bytes lie, if in one piece; else null.
  const std::byte* next(std::size_t count) const {
    return pieces != nullptr ? pieces->one_run(begin + done, count) : static_cast<const std::byte*>(data) + done;
  }
  Slot own_slot() const { return credits == kSameSlot ? slot : credits; }
};

// What becomes of a letter's content: it replaces what is there, or is combined with it, on its right or on its left: the result is
// that of what is there and the content, or of the content and what is there.
enum class Take : std::uint8_t { copy, combine_right, combine_left };

struct In {
  Rank from = 0;
  Slot slot = 0;
  void* into = nullptr;
  std::size_t bytes = 0;
  Take take = Take::copy;
  const void* own = nullptr;  // what the content is combined with; null: what is there. it is `into`, or no byte of it
  std::size_t done = 0;
  std::size_t step = 0;  // bytes; 0: it goes at once
  std::size_t up_to = kWholeLetter;
  bool ended = false;
  std::size_t window_from = kWholeLetter;  // as its writer has it
  std::byte* assembly = nullptr;           // of an element that does not fit a cell
  Slot credits = kSameSlot;                // the writer's slot in which it is given cells back
  const Pieces* pieces = nullptr;  // where it goes, from `begin` on, instead of `into`; to be copied, not combined
  std::size_t begin = 0;
  bool landed = false;  // some of it came past the cells

  // `copy` is util::copy_block, or like it.
  template <class Copy>
  void copy_from(const std::byte* content, std::size_t count, Copy&& copy) const {
    if (pieces != nullptr)
      pieces->write(begin + done, content, count);
    else
      copy(static_cast<std::byte*>(into) + done, content, count);
  }
  // What the next bytes are combined with.
  const std::byte* operand() const { return static_cast<const std::byte*>(own != nullptr ? own : into) + done; }
  Slot credit_slot() const { return credits == kSameSlot ? slot : credits; }
};

class Wire : public Port {
 public:
  Wire(Strand& s, Rank member, Rank members, const Slots& places) : Port(s), me(member), size(members), slots(places) {}

  const Rank me, size;
  const Slots slots;
  Elements elements;  // of what is reduced

  Rank below(Rank distance) const { return me >= distance ? me - distance : me + size - distance; }
  Rank above(Rank distance) const { return size - me > distance ? me + distance : me + distance - size; }

  // ---- awaited ----

  class Step : public WaitFor<Step> {
   public:
    Step(Wire& w, const Out& o) : wire(w), out(o), has_out(true) {}
    Step(Wire& w, const In& i) : wire(w), in(i), has_in(true) {}
    Step(Wire& w, const Out& o, const In& i) : wire(w), out(o), in(i), has_out(true), has_in(true) {}
    bool is_ready() { return wire.poll({&out, std::size_t(has_out)}, {&in, std::size_t(has_in)}); }

   private:
    Wire& wire;
    Out out;
    In in;
    bool has_out = false, has_in = false;
  };
  enum class Until : std::uint8_t { ended, ins_ended, begun };
  class Steps : public WaitFor<Steps> {
   public:
    Steps(Wire& w, std::span<Out> o, std::span<In> i, Until u) : wire(w), outs(o), ins(i), until(u) {}
    bool is_ready() {
      const bool ended = wire.poll(outs, ins);
      const auto have_come = [this] {
        return std::all_of(ins.begin(), ins.end(), [](const In& in) { return in.ended; });
      };
      return ended || until == Until::begun || (until == Until::ins_ended && have_come());
    }

   private:
    Wire& wire;
    std::span<Out> outs;
    std::span<In> ins;
    Until until;
  };
  class Fold : public WaitFor<Fold> {
   public:
    Fold(Wire& w, const void* o, const void* t, void* r, std::size_t b)
        : wire(w), one(o), two(t), result(r), bytes(b) {}
    bool is_ready() { return wire.fold(one, two, result, bytes); }

   private:
    Wire& wire;
    const void *one, *two;
    void* result;
    std::size_t bytes;
  };

  // The data is on its way: copied, or there. `window_from`: see Out.
  Step send(Rank to, Slot slot, const void* data, std::size_t bytes, std::size_t window_from = kWholeLetter) {
    Out out{to, slot, data, bytes};
    out.window_from = window_from;
    return {*this, out};
  }
  // The next letter of this slot, whole, in `into`.
  Step receive(Rank from, Slot slot, void* into, std::size_t bytes, Take take = Take::copy, const void* own = nullptr) {
    return {*this, In{from, slot, into, bytes, take, own}};
  }
  // Both at the same time.
  Step swap(const Out& out, const In& in) { return {*this, out, in}; }
  // All of them at the same time.
  Steps all(std::span<Out> outs, std::span<In> ins) { return {*this, outs, ins, Until::ended}; }
  // All `ins`; the same `outs` go out as far as there is room, and go on in a later step, which is an all() at the end.
  Steps meanwhile(std::span<Out> outs, std::span<In> ins) { return {*this, outs, ins, Until::ins_ended}; }
  // One look at all of them: letters begin to go, and writers learn where theirs may. They go on in a later step, which is an all().
  Steps begin(std::span<Out> outs, std::span<In> ins) { return {*this, outs, ins, Until::begun}; }
  // A letter in steps, which is handed on while the rest of it comes: of it what is in front of byte `end`, and in the last step all
  // of it. A writer may keep less than a step's bytes for a later one, a reader get more than it asked for: In::done says how far.
  Steps send_up_to(Out& out, std::size_t end) {
    out.up_to = end;
    return all({&out, 1}, {});
  }
  Steps take_up_to(In& in, std::size_t end) {
    in.up_to = end;
    return all({}, {&in, 1});
  }
  // Two vectors of this member into `result`, which may be `one`.
  Fold combine(const void* one, const void* two, void* result, std::size_t bytes) {
    return {*this, one, two, result, bytes};
  }

  // ---- at once ----

  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  // Memory for the time of this collective; kept for the next one. Where contents are left out there is none behind it,
  // unless it `steers`, as letters do.
  virtual std::byte* scratch(std::size_t bytes, bool steers = false) = 0;
  // A block of `from` is not as long as this member was told. The collective goes to its end and fails.
  virtual void refuse(Rank from, std::size_t expected, std::size_t bytes) = 0;
  // Of combining, as far as this member knows by now.
  virtual Status failure() const = 0;
  // It failed on another port of this collective, unless `why` is ok: those who get letters of this member hear of it.
  virtual void fail(const Status& why) = 0;

 protected:
  ~Wire() = default;

 private:
  // Does what can be done of these; true once all have ended.
  virtual bool poll(std::span<Out> outs, std::span<In> ins) = 0;
  // False: the function that combines gave up for now.
  virtual bool fold(const void* one, const void* two, void* result, std::size_t bytes) = 0;
};

}  // namespace polder::coll
