#include "coll/letters/writer_windows.hpp"

#include "coll/letters/letter_window.hpp"
#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/segment/peer_segment.hpp"

#include <algorithm>

namespace polder::coll {

// Where the rest of a letter lies; none: in too many runs.
std::vector<std::span<std::byte>> WriterWindows::rest_of(const Out& out) {
  if (out.pieces != nullptr)
    return out.pieces->runs(out.begin + out.done, out.bytes - out.done, LetterWindow::most_runs(out.bytes));
  auto* const data = static_cast<std::byte*>(const_cast<void*>(out.data));
  return {std::span(data + out.done, out.bytes - out.done)};
}

// The credit in which the reader names a window for this very letter; 0: in none. It may have said so with that of either half, while
// this member filled the other one.
std::uint32_t WriterWindows::word(const WrittenSlot& traffic, const Out& out) const {
  for (unsigned half = 0; half < Room::kCells / Room::kHalf; ++half)
    if (const std::uint32_t word = state_.credit_word(out.own_slot(), half);
        CreditWord::has_window(word, traffic.letters))
      return word;
  return 0;
}

bool WriterWindows::finds(const WrittenSlot& traffic, const Out& out) const {
  if (traffic.to.segment->data != nullptr || !state_.failure().ok()) return false;
  const std::uint32_t found = word(traffic, out);
  return found != 0 && (out.pieces == nullptr || (!CreditWord::is_combined(found) && !rest_of(out).empty()));
}

// For a turn or two of those who share its core. A reader that is late, or cannot, has the letter in its cells, as without; and the
// next letter does not wait, then three, then seven.
bool WriterWindows::waits_for_reader(WrittenSlot& traffic, Out& out) {
  constexpr unsigned kLooks = 64, kMostLeftOut = 15;
  if (out.looks == kLooks || traffic.to.segment->data != nullptr) return false;
  if (!state_.ground.has_windows() || !state_.failure().ok() || (out.pieces != nullptr && rest_of(out).empty()))
    return false;
  if (out.looks == 0 && traffic.left_out != 0) {
    --traffic.left_out;
    out.looks = kLooks;
  } else if (++out.looks == kLooks) {
    traffic.left_out = traffic.vain_waits = std::min(2 * traffic.vain_waits + 1, kMostLeftOut);
  }
  if (out.looks == kLooks) return false;
  state_.crowd();  // if it opens none nothing rings
  return true;
}

std::size_t WriterWindows::next_chunk(const WrittenSlot& traffic, const Out& out) const {
  return LetterWindow::chunk(out, state_.elements.size, CreditWord::is_combined(word(traffic, out)));
}

bool WriterWindows::put_chunk(WrittenSlot& traffic, Out& out) {
  const Slot slot = state_.first + out.slot;
  const unsigned cell = traffic.sent % Room::kCells;
  const bool is_combined = CreditWord::is_combined(word(traffic, out));
  const std::span<const std::byte> run = rest_of(out).front();
  const std::size_t most = next_chunk(traffic, out), bytes = std::min(run.size(), most);
  const bool is_whole = bytes == most;
  const Notification flag{state_.ground.room().letter_flag(state_.lane, slot, cell),
                          state_.word(traffic.sent) ^ CellWord::kLanded, traffic.to.id};
  const core::WindowPut put{run.data(), LetterWindow::number(state_, slot, traffic.letters),
                            is_combined ? LetterWindow::landing_place(out, traffic.sent) : out.done, bytes,
                            is_whole ? &flag : nullptr};
  Post post(sends_.queue(traffic), Timeout::test());
  // Nothing that is under way is touched; but the flag of the last run stands for those before it.
  post.ordering = out.pieces == nullptr ? Ordering::unordered : Ordering::partial;
  if (!state_.accept(state_.ground.ports().one_sided.put_in_window(put, *traffic.to.segment, post), traffic.to))
    return false;
  out.in_place = out.past_cells = true;
  if (is_whole) traffic.sent += Cells::kPlace;
  out.done += bytes;
  return true;
}

}  // namespace polder::coll
