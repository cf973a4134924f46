// How a LaneWire sends the rest of a long letter to another machine: past the cells, from where it lies to where it goes.
//
// Through cells a letter is copied twice by its reader, out of the network and out of the cell; and with room for two frames each waits
// for the other. So a reader that waits for a long letter, or has emptied its first
// cells, opens a window of its memory to this writer (Device::open_window) and says so in the credits that it gives from then on. The
// writer sends the head in a cell, and puts the rest there. What is copied lands where it goes, all with the flag of one cell. What is
// combined comes in chunks, each with the flag of a cell, so that it is combined while the next one comes. It lands in memory of 1.9 MB,
// where a longer letter goes round, and credits bound what is under way.
//
// Between two hosts on a Xeon of 2023 a frame of 120 kB takes its writer 20 us to send, its reader 12 to receive and 6 for each
// copy; a credit takes 6.
#include "coll/drive/lane_wire.hpp"

#include "core/group/group_ports.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/queue_state.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/thread.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

// Where what is combined lands: one chunk for each place of cells.
constexpr std::size_t kRingChunk = 2 * kLetterFrame,
                      kRingBytes = core::LetterRoom::kCells / core::LetterRoom::kMappedSpan * kRingChunk;

// Shorter letters lie there as they are.
constexpr bool lands_in_ring(std::size_t bytes) {
  return bytes > kRingBytes;
}

}  // namespace

// A letter that lies in more is filled into cells and emptied out of them.
std::size_t LaneWire::most_runs(std::size_t bytes) {
  constexpr std::size_t kLeastRun = std::size_t{64} << 10, kMost = 16;
  return std::min(kMost, bytes / kLeastRun);
}

// Where the rest of a letter lies; none: in too many runs.
std::vector<std::span<std::byte>> LaneWire::rest_of(const Out& out) {
  if (out.pieces != nullptr) return out.pieces->runs(out.begin + out.done, out.bytes - out.done, most_runs(out.bytes));
  auto* const data = static_cast<std::byte*>(const_cast<void*>(out.data));
  return {std::span(data + out.done, out.bytes - out.done)};
}

// Where the next chunk of what is combined begins.
template <class Letter>
std::size_t LaneWire::landing_place(const Letter& letter, std::uint64_t cells) {
  return lands_in_ring(letter.bytes) ? cells % Room::kCells / kPlace * kRingChunk : letter.done;
}

// Bytes of the next one; reader and writer must agree about it. Of what is combined it is whole elements, and no more than is combined
// while the next one comes: each costs a frame, and a reduce of 1 MB in nine of them took 1.17 times as long as in three. Of what goes in steps no
// more than one of these.
template <class Letter>
std::size_t LaneWire::chunk(const Letter& letter, bool is_combined) const {
  const std::size_t left = letter.bytes - letter.done, most = lands_in_ring(letter.bytes) ? kRingChunk : 2 * kRingChunk;
  const std::size_t whole = elements.size == 0 ? most : most / elements.size * elements.size;
  return std::min({left, letter.step == 0 ? left : letter.step, is_combined ? whole : left});
}

// ---- the reader ----

// Nothing of it has come yet, or a piece has just been read.
bool LaneWire::open_window(In& in) {
  Traffic& traffic = traffic_[in.slot];
  const bool is_worth_it = in.done == 0 ? may_have_window(in) : in.bytes - in.done >= kWorthAWindow;
  if (traffic.window != 0 || !is_worth_it || in.bytes > device::kWindowBytes || !failure_.ok()) return false;
  if (!ground_.has_windows() || !reach(traffic.from, in.from) || traffic.from.segment->data != nullptr) return false;
  std::vector<std::span<std::byte>> memory;
  if (in.take == Take::copy) {
    memory = in.pieces != nullptr ? in.pieces->runs(in.begin, in.bytes, most_runs(in.bytes))
                                  : std::vector{std::span(static_cast<std::byte*>(in.into), in.bytes)};
  } else if (elements.size <= kContent) {
    if (traffic.landing == nullptr) traffic.landing = traffic.landing_memory.take(kRingBytes);
    memory = {{traffic.landing, kRingBytes}};
  }
  const std::uint64_t window = window_of(first_ + in.slot, traffic.letters_taken);
  if (memory.empty() || !ground_.device().open_window(ground_.exposure(), window, memory)) return false;
  traffic.window = CreditWord::of_window(traffic.letters_taken, in.take != Take::copy);
  ++windows_;
  return true;
}

// In front of what this member sends, which takes its time: the writer waits for it.
void LaneWire::look_for_offer(In& in) {
  Filled cell;
  Traffic& traffic = traffic_[in.slot];
  if (traffic.window == 0 && !find_filled(traffic, first_ + in.slot, cell)) offer_window(in);
}

// The reader is here before the letter: its writer need not fill a cell but with the head.
void LaneWire::offer_window(In& in) {
  Traffic& traffic = traffic_[in.slot];
  const Credit credit{in.slot, in.credit_slot(), in.from};
  const unsigned half = unsigned(traffic.taken % Room::kCells / Room::kHalf);
  const auto is_given = [&] { return traffic.credited == traffic.taken / Room::kHalf; };
  if (!(traffic.owes_late || is_given()) || !open_window(in)) return;
  if (traffic.owes_late) release(credit, core::Urgency::followed);
  // The credit of the half that is filled next has been given; it is said again.
  if (is_given())
    static_cast<void>(raise_credit(traffic, credit, half,
                                   traffic.taken < Room::kCells ? 0 : mark(traffic.taken / Room::kCells - 1),
                                   core::Urgency::unawaited));
}

void LaneWire::close_window(Traffic& traffic, Slot slot) {
  if (traffic.window == 0) return;
  ground_.device().close_window(ground_.exposure(), window_of(slot, traffic.letters_taken));
  traffic.window = 0;
  --windows_;
}

// A chunk has landed. False: the function that combines gave up for now.
bool LaneWire::take_landed(In& in, Traffic& traffic) {
  const std::size_t bytes = chunk(in, in.take != Take::copy);
  if (in.take != Take::copy && failure_.ok()) {
    std::byte* const landed = traffic.landing + landing_place(in, traffic.taken);
    if (!combine(in, landed, bytes)) return false;
  }
  pass(traffic, in.slot, traffic.taken + kPlace);
  in.done += bytes;
  in.landed = true;
  return true;
}

// The letter has been read. Behind chunks the next one begins with a whole frame again.
void LaneWire::end_letter(In& in, Traffic& traffic) {
  close_window(traffic, first_ + in.slot);
  ++traffic.letters_taken;
  if (!in.landed) return;
  for (; traffic.taken % Room::kSpan != 0; ++traffic.taken) take_down(in.slot, traffic.taken % Room::kCells);
}

// ---- the writer ----

// The credit in which the reader names a window for this very letter; 0: in none. It may have said so with that of either half, while
// this member filled the other one.
std::uint32_t LaneWire::window_word(const Traffic& traffic, const Out& out) const {
  for (unsigned half = 0; half < Room::kCells / Room::kHalf; ++half)
    if (const std::uint32_t word = credit_word(out.own_slot(), half);
        CreditWord::has_window(word, traffic.letters_sent))
      return word;
  return 0;
}

bool LaneWire::finds_window(const Traffic& traffic, const Out& out) const {
  if (traffic.to.segment->data != nullptr || !failure_.ok()) return false;
  const std::uint32_t word = window_word(traffic, out);
  return word != 0 && (out.pieces == nullptr || (!CreditWord::is_combined(word) && !rest_of(out).empty()));
}

// Whether the reader of a letter that has not begun may open one yet: for a turn or two of those who share its core. A reader that is
// late, or cannot, has the letter in its cells, as without; and the next letter does not wait, then three, then seven.
bool LaneWire::waits_for_window(Traffic& traffic, Out& out) {
  constexpr unsigned kLooks = 64, kMostLeftOut = 15;
  if (out.begun || out.bytes < out.window_from || out.looks == kLooks || traffic.to.segment->data != nullptr)
    return false;
  if (!ground_.has_windows() || !failure_.ok() || (out.pieces != nullptr && rest_of(out).empty())) return false;
  if (out.looks == 0 && traffic.left_out != 0) {
    --traffic.left_out;
    out.looks = kLooks;
  } else if (++out.looks == kLooks) {
    traffic.left_out = traffic.vain_waits = std::min(2 * traffic.vain_waits + 1, kMostLeftOut);
  }
  if (out.looks == kLooks) return false;
  crowded_.store(true, std::memory_order_relaxed);  // if it opens none nothing rings
  return true;
}

std::size_t LaneWire::next_chunk(const Traffic& traffic, const Out& out) const {
  return chunk(out, CreditWord::is_combined(window_word(traffic, out)));
}

bool LaneWire::post_chunk(Traffic& traffic, Out& out) {
  const core::PeerSegment& segment = *traffic.to.segment;
  const Slot slot = first_ + out.slot;
  const unsigned cell = traffic.sent % Room::kCells;
  const bool is_combined = CreditWord::is_combined(window_word(traffic, out));
  const std::span<const std::byte> run = rest_of(out).front();
  const std::size_t most = next_chunk(traffic, out), bytes = std::min(run.size(), most);
  const bool is_whole = bytes == most;
  const Notification flag{ground_.room().letter_flag(lane_, slot, cell), word(traffic.sent) ^ kLanded, traffic.to.id};
  const core::WindowPut put{run.data(), window_of(slot, traffic.letters_sent),
                            is_combined ? landing_place(out, traffic.sent) : out.done, bytes,
                            is_whole ? &flag : nullptr};
  Post post(in_place(), Timeout::test());
  // Nothing that is under way is touched; but the flag of the last run stands for those before it.
  post.ordering = out.pieces == nullptr ? Ordering::unordered : Ordering::partial;
  if (!accept(ground_.ports().one_sided.put_in_window(put, segment, post), traffic.to)) return false;
  out.in_place = out.past_cells = traffic.in_place = true;
  if (is_whole) traffic.sent += kPlace;
  out.done += bytes;
  return true;
}

// The letter is on its way. False: some of it is still read where it lies.
bool LaneWire::end_letter(Out& out, Traffic& traffic) {
  if (out.in_place && is_read_in_place()) return false;
  ++traffic.letters_sent;
  if (out.past_cells) traffic.sent = (traffic.sent + Room::kSpan - 1) / Room::kSpan * Room::kSpan;
  out.in_place = traffic.in_place = false;
  return out.ended = true;
}

Queue& LaneWire::in_place() {
  if (in_place_ == nullptr) in_place_ = ground_.ports().one_sided.make_internal_queue();
  return *in_place_;
}

bool LaneWire::is_read_in_place() const {
  return in_place_ != nullptr && in_place_->state().local.count() != 0;
}

// ---- the call ends ----

// A peer that does not take what was sent to it is given up: memory cannot be given back otherwise.
void LaneWire::withdraw_windows() {
  constexpr std::int64_t kLongest = 2'000'000'000;  // ns
  for (Slot slot = 0; slot < traffic_.size() && windows_ != 0; ++slot) close_window(traffic_[slot], first_ + slot);
  const util::Clock clock = ground_.ports().progress.clock();
  for (const bool gives_up : {false, true}) {
    for (Traffic& traffic : traffic_)
      if (gives_up && traffic.in_place && is_read_in_place()) ground_.device().abandon(traffic.to.segment->rank);
    for (const std::int64_t end = clock.now_ns() + kLongest; is_read_in_place() && clock.now_ns() < end;
         util::yield_core())
      ground_.ports().progress.make();
  }
  for (Traffic& traffic : traffic_) traffic.in_place = false;
}

}  // namespace polder::coll
