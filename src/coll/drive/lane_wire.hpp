// The Wire of a runtime: letters go through cells in the memory of their readers, by stores where that is mapped, else
// by one-sided puts of any device. core/group/letter_room.hpp has the layout.
//
// User memory is never registered. What is sent is copied into a cell, by a network from where it lies; what comes is copied or combined
// out of one, and only its own rank touches the user's memory. But long letters between ranks of one machine are read where they lie if
// that is faster and their step may wait for it (lane_wire_rendezvous.cpp), and those between machines go past the cells
// (lane_wire_windows.cpp).
#pragma once

#include "coll/drive/call_record.hpp"
#include "coll/drive/lane_ground.hpp"
#include "coll/drive/letter_cell.hpp"
#include "coll/drive/scratch.hpp"
#include "coll/port/wire.hpp"
#include "core/group/letter_room.hpp"
#include "core/group/member_memory.hpp"
#include "core/peers/peer.hpp"
#include "core/post/transfer.hpp"
#include "util/outward_copy.hpp"

#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace polder::coll {

class LaneWire final : public Wire {
 public:
  // Slots of the lane from `first` on, for members in these places; none: all members of the group.
  LaneWire(Strand& strand, LaneGround& ground, unsigned lane, Slot first, std::span<const Rank> places, Rank me,
           Rank size);

  ~LaneWire();

  // The next collective. `patient`: letters to and from those who are gone are left until all others have come and gone.
  void begin(const CallRecord& call, const Elements& reduced, bool patient = false);

  // ---- for the driver ----
  // Why nothing can go on; taken once.
  Status take_trouble();
  // Of combining, here or at another member: the collective goes to its end without a result.
  Status take_failure() { return std::exchange(failure_, {}); }
  // The member of the group that the last step waited for.
  std::optional<Rank> awaited() const {
    const Rank member = awaited_.load(std::memory_order_relaxed);
    return member == kNobody ? std::nullopt : std::optional<Rank>(member);
  }
  // Nothing but letters to and from those who are gone is left of a patient step: one of them.
  std::optional<Rank> lost() const {
    const Rank member = lost_.load(std::memory_order_relaxed);
    return member == kNobody ? std::nullopt : std::optional<Rank>(member);
  }
  // The last step lacks nothing but letters from and room at members of other nodes.
  bool awaits_other_nodes() const { return awaits_other_nodes_.load(std::memory_order_relaxed); }
  // A device had no room: no letter will ring when it has.
  bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
  // Credits that found no room, or wait for a letter.
  void settle();
  // The call ends: once this returns nobody reads letters where they lie, or writes them where they go. Waits for what is under way, a
  // few seconds at most.
  void withdraw() {
    if (!offers_.empty()) [[unlikely]]
      withdraw_all();
    if (windows_ != 0 || is_read_in_place()) [[unlikely]]
      withdraw_windows();
  }

  // ---- for those who give slots to edges; nothing is under way over these ----
  bool owes_credits_of(Slot slot) const;
  // The next member that writes to `slot`, or reads what goes over it, begins anew.
  void forget_writer(Slot slot);
  void forget_reader(Slot slot);

  void copy(void* to, const void* from, std::size_t bytes) override;
  std::byte* scratch(std::size_t bytes, bool /*steers*/) override { return scratch_.take(bytes); }
  void refuse(Rank from, std::size_t expected, std::size_t bytes) override;
  Status failure() const override { return failure_; }
  void fail(const Status& why) override;

 private:
  using Room = core::LetterRoom;

  // What this member has written to and read from a slot. Both neighbours are the same for life, but for slots of edges.
  struct Traffic {
    std::uint64_t sent = 0, taken = 0, credited = 0;  // cells; halves
    bool comes_in_envelopes = false;                  // as far as something has come;
    bool comes_in_cells = false;                      // likewise
    bool owes_late = false;                           // it is in late_
    unsigned at_once = 0;                             // so many credits do not wait for a letter
    core::MemberMemory to, from;
    std::unique_ptr<std::byte[]> staging;  // cells on their way through a device
    std::uint32_t letters_sent = 0, letters_taken = 0;
    std::uint32_t window = 0;               // that is open for the letter which is read, as credits name it; 0: none
    bool in_place = false;                  // of the letter that is sent some is read where it lies
    unsigned vain_waits = 0, left_out = 0;  // for windows: how many letters are not to wait, and of these still
    Scratch landing_memory;                 // for what lands to be combined:
    std::byte* landing = nullptr;
    util::OutwardCopy outward;  // into cells that are mapped
  };

  bool poll(std::span<Out> outs, std::span<In> ins) override;
  bool fold(const void* one, const void* two, void* result, std::size_t bytes) override;

  bool push(Out& out);
  std::uint32_t credit_word(Slot slot, unsigned half) const;
  bool has_room(const Traffic& traffic, Slot slot) const;
  bool fill_cell(Traffic& traffic, Out& out);
  // Of a letter that could have been offered instead, in a cell that is not the first to use its place: pages that were never touched
  // take longer, and say nothing of later cells.
  template <class Copy>
  void measure(CopyWays::Step step, std::size_t letter_bytes, std::uint64_t cells_before, std::size_t bytes,
               Copy&& copy) {
    if (letter_bytes < CopyWays::kLeast || cells_before < Room::kCells) return copy();
    ways_.measure(step, bytes, copy);
  }
  template <class Copy>
  std::size_t write_content(std::byte* place, const Out& out, const CellHead& head, Copy&& copy) const;
  bool store_cell(Traffic& traffic, const Out& out, const CellHead& head);
  bool post_cell(Traffic& traffic, Out& out, const CellHead& head, core::Urgency urgency);
  bool post_in_place(Traffic& traffic, Out& out, const CellHead& head, const std::byte* content);
  bool post_letter(Traffic& traffic, const Out& out, std::byte* letter, const Shape& shape, bool is_in_short,
                   Queue& queue, core::Urgency urgency);
  std::byte* staged(Traffic& traffic, const CellHead& head);
  bool post_head(Traffic& traffic, Out& out);
  Envelope& envelope(std::byte* memory, Slot slot, unsigned cell) const {
    return *reinterpret_cast<Envelope*>(memory + ground_.room().envelope(lane_, slot, cell));
  }
  // That says that a cell is filled: in which round, by which call, and whether it is the short one.
  static constexpr std::uint32_t kInShort = 1u << 23, kPrint = kInShort - 1;
  std::uint32_t word(std::uint64_t cells) const { return mark(cells / Room::kCells) << 24 | print_; }
  // Letters that are read where they lie.
  struct Offered {
    std::atomic<RendezvousStage>* stage;
    const core::PeerSegment* reader;
  };
  std::optional<Rendezvous> rendezvous_for(const Traffic& traffic, const Out& out);
  bool offer(Traffic& traffic, Out& out, const Rendezvous& where);
  bool has_been_taken(Out& out);
  void withdraw_all();
  bool take_in_place(In& in, Traffic& traffic, Envelope& envelope);
  bool find_in_segment(const In& in, const Rendezvous& where, const std::byte*& place);
  Status read_process(const In& in, const core::PeerSegment& writer, std::uint64_t at);

  // Past the cells.
  static_assert(kLetterFrame == Room::kSpan * Room::kCell && CellHead::kRoom == kLetterHead);
  static constexpr std::size_t kWorthAWindow = kWindowOfAny;  // bytes of a letter, or left of it
  template <class Letter>
  static bool may_have_window(const Letter& letter) {
    return letter.bytes >= std::min(kWorthAWindow, letter.window_from);
  }
  static constexpr std::uint32_t kLanded = 0x5a5a5a;  // of the print that a chunk's flag shows
  std::uint64_t window_of(Slot slot, std::uint32_t letter) const {
    return (std::uint64_t{lane_} * ground_.room().slots() + slot) << 8 | (letter & 0xff);
  }
  static std::size_t most_runs(std::size_t bytes);
  static std::vector<std::span<std::byte>> rest_of(const Out& out);
  template <class Letter>
  std::size_t chunk(const Letter& letter, bool is_combined) const;
  template <class Letter>
  static std::size_t landing_place(const Letter& letter, std::uint64_t cells);
  std::size_t next_chunk(const Traffic& traffic, const Out& out) const;
  bool open_window(In& in);
  void look_for_offer(In& in);
  void offer_window(In& in);
  void close_window(Traffic& traffic, Slot slot);
  bool take_landed(In& in, Traffic& traffic);
  void end_letter(In& in, Traffic& traffic);
  std::uint32_t window_word(const Traffic& traffic, const Out& out) const;
  bool finds_window(const Traffic& traffic, const Out& out) const;
  bool waits_for_window(Traffic& traffic, Out& out);
  bool post_chunk(Traffic& traffic, Out& out);
  bool end_letter(Out& out, Traffic& traffic);
  Queue& in_place();
  bool is_read_in_place() const;
  void withdraw_windows();

  bool pull(In& in);
  // The next cell of a slot, once it is filled.
  struct Filled {
    std::uint32_t print = 0;
    CellHead head;
    std::byte* content = nullptr;
    Envelope* envelope = nullptr;  // null: a device has filled it
    bool is_short = false;
  };
  bool find_filled(Traffic& traffic, Slot slot, Filled& cell) const;
  bool find_in_envelope(Slot slot, unsigned cell, std::uint32_t expected, Filled& filled) const;
  bool take_cell(In& in, Traffic& traffic, const Filled& cell);
  void pass(Traffic& traffic, Slot slot, std::uint64_t end);
  void take_down(Slot slot, unsigned cell);
  bool is_ours(const In& in, std::uint32_t print, const CellHead& head);
  void hear_of_failure(const In& in, const CellHead& head, const std::byte* content);
  bool is_assembled(const In& in) const;
  bool empty_cell(In& in, const Filled& cell);
  bool goes_past_cache(const In& in) const;
  bool combine(const In& in, std::byte* content, std::size_t bytes);
  // Cells to be given back: of this member's slot, to a slot of the writer's.
  struct Credit {
    Slot slot, there;
    Rank from;
  };
  static constexpr unsigned kLate = Room::kHalf / 2;  // cells of the next half that are read before a credit goes alone
  void owe(In& in, Traffic& traffic);
  void give_late(Rank to, bool followed);
  void release(const Credit& credit, core::Urgency urgency);
  bool give(const Credit& credit, core::Urgency urgency);
  bool raise_credit(const Traffic& traffic, const Credit& credit, unsigned half, std::uint32_t mark,
                    core::Urgency urgency);
  bool reach(core::MemberMemory& memory, Rank place) { return memory.segment != nullptr || find(memory, place); }
  bool find(core::MemberMemory& memory, Rank place);
  bool accept(Status status, const core::MemberMemory& target);
  void note(Status status, Rank rank);
  bool is_out_of_reach(Rank place) const;
  bool may_lack_any();
  bool are_of_other_nodes(std::span<const Out> outs, std::span<const In> ins) const;
  void look_for_lost(std::span<const Out> outs, std::span<const In> ins);

  bool is_whole(const In& in, unsigned cell, const Filled& filled);
  static constexpr std::size_t kContent = Room::kCell - CellHead::kRoom;  // of a cell
  static constexpr std::size_t kShortContent = Room::kShort - CellHead::kRoom;
  std::size_t piece(unsigned cells) const;
  static unsigned cells_of(std::size_t content) {
    return unsigned((CellHead::kRoom + content + Room::kCell - 1) / Room::kCell);
  }
  // Cells that are used up behind one more piece: of a letter that is not short whole places, so that it is one of eight that are under
  // way and not of 32. They take memory, and the first letter in each waits for its pages: gathers of 4 kB between two hosts took 1.2
  // to 1.7 times as long, until all had been touched.
  static constexpr unsigned kPlace = Room::kMappedSpan;
  static bool is_short(const CellHead& head) { return head.failure == 0 && head.bytes <= kShortContent; }
  static std::uint64_t behind(std::uint64_t cells, std::size_t content, bool is_alone) {
    return is_alone ? cells + 1 : (cells + cells_of(content) + kPlace - 1) / kPlace * kPlace;
  }
  static std::uint32_t mark(std::uint64_t round) { return std::uint32_t(round % 255) + 1; }
  Rank member(Rank place) const { return places_.empty() ? place : places_[place]; }

  LaneGround& ground_;
  const unsigned lane_;
  const Slot first_;
  const std::span<const Rank> places_;
  std::vector<Traffic> traffic_;                    // by slot
  std::vector<Credit> owed_;                        // that found no room
  std::vector<Credit> late_;                        // that wait for a letter to their member, one of a slot at most
  std::vector<Offered> offers_;                     // that have not been taken
  unsigned windows_ = 0;                            // that are open
  std::unique_ptr<Queue> in_place_;                 // of what is read where it lies
  alignas(util::kCacheLine) std::byte warm_[4352];  // a letter that is copied at once
  CopyWays& ways_;
  Scratch scratch_;

  CallRecord call_;
  std::uint32_t print_ = 0;
  Status trouble_, failure_;
  Reason reason_;  // of a failure, as letters tell it
  bool patient_ = false;
  bool any_gone_ = true;            // of this wire, or about to go, as of
  std::uint64_t as_of_ = kUnknown;  // so many changes of what this rank knows of states
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::vector<Rank> unreachable_;  // ranks to which a letter of this patient step could not be sent
  Status why_unreachable_;
  // Looked at by those who wait while another thread drives.
  static constexpr Rank kNobody = ~Rank{0};
  std::atomic<Rank> awaited_{kNobody};
  std::atomic<Rank> lost_{kNobody};
  std::atomic<bool> crowded_{false};
  std::atomic<bool> awaits_other_nodes_{false};
};

}  // namespace polder::coll
