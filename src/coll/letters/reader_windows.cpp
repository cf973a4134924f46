#include "coll/letters/reader_windows.hpp"

#include "coll/letters/letter_window.hpp"
#include "core/segment/peer_segment.hpp"

#include <span>
#include <vector>

namespace polder::coll {

bool ReaderWindows::open(In& in) {
  ReadSlot& traffic = state_.read[in.slot];
  const LaneGround& ground = state_.ground;
  const bool is_worth_it = in.done == 0 ? LetterWindow::may_be_for(in) : in.bytes - in.done >= LetterWindow::kWorthIt;
  if (traffic.window != 0 || !is_worth_it || in.bytes > device::kWindowBytes || !state_.failure().ok()) return false;
  if (!ground.has_windows() || !state_.reach(traffic.from, in.from) || traffic.from.segment->data != nullptr)
    return false;
  std::vector<std::span<std::byte>> memory;
  if (in.take == Take::copy) {
    memory = in.pieces != nullptr ? in.pieces->runs(in.begin, in.bytes, LetterWindow::most_runs(in.bytes))
                                  : std::vector{std::span(static_cast<std::byte*>(in.into), in.bytes)};
  } else if (state_.elements.size <= Cells::kContent) {
    if (traffic.landing == nullptr) traffic.landing = traffic.landing_memory.take(LetterWindow::kRingBytes);
    memory = {{traffic.landing, LetterWindow::kRingBytes}};
  }
  const std::uint64_t window = LetterWindow::number(state_, state_.first + in.slot, traffic.letters);
  if (memory.empty() || !ground.device().open_window(ground.exposure(), window, memory)) return false;
  traffic.window = CreditWord::of_window(traffic.letters, in.take != Take::copy);
  ++open_;
  return true;
}

void ReaderWindows::offer(In& in) {
  ReadSlot& traffic = state_.read[in.slot];
  const auto is_given = [&] { return traffic.credited == traffic.taken / Room::kHalf; };
  if (!(traffic.owes_late || is_given()) || !open(in)) return;
  if (traffic.owes_late) credits_.give_now(in, core::Urgency::followed);
  if (is_given()) credits_.name_window(in, traffic);
}

void ReaderWindows::close(ReadSlot& traffic, Slot slot_of_lane) {
  if (traffic.window == 0) return;
  const std::uint64_t window = LetterWindow::number(state_, slot_of_lane, traffic.letters);
  state_.ground.device().close_window(state_.ground.exposure(), window);
  traffic.window = 0;
  --open_;
}

void ReaderWindows::close_all() {
  for (Slot slot = 0; slot < state_.read.size() && open_ != 0; ++slot) close(state_.read[slot], state_.first + slot);
}

}  // namespace polder::coll
