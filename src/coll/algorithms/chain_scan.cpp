// Scans by a pipelined chain: each takes a piece of what those before it make, adds its own, and hands that on while the next piece
// comes. N - 2 + ceil(S / piece) rounds, S bytes to each member: (N - 2 + S / piece) (L + 2o + piece (G + y)), so about S (G + y)
// where S is long against N pieces. In ascending order. The chain is that of Watts, van de Geijn 1995.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>

namespace polder::coll {
namespace {

constexpr std::size_t kLongestLetter = std::size_t{4} << 20;

// Bytes of a piece, of whole elements. Of two the second hands nothing on: all of it is one letter.
std::size_t piece_of(const Wire& wire, std::size_t bytes) {
  const std::size_t element = wire.elements.size;
  if (wire.size <= 2) return std::max(bytes, element);
  return std::max<std::size_t>(1, piece_of_chain(wire.size, bytes) / element) * element;
}

}  // namespace

Task chain_scan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const std::size_t bytes = count * wire.elements.size, piece = piece_of(wire, bytes);
  const Slot slot = wire.slots.from_below(0);
  const bool is_first = wire.me == 0, is_last = wire.me + 1 == wire.size;
  Out out{.to = wire.me + 1, .slot = slot, .data = is_first ? send : receive, .bytes = bytes, .step = piece};
  In in{.from = wire.me - 1,
        .slot = slot,
        .into = receive,
        .bytes = bytes,
        .take = Take::combine_left,
        .own = send,
        .step = piece};
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t end = std::min(done + piece, bytes);
    if (!is_first) co_await wire.take_up_to(in, end);
    done = is_first ? end : in.done;
    if (!is_last) co_await wire.send_up_to(out, done);
  }
  if (is_first) wire.copy(receive, send, bytes);
}

// What a member hands on it makes apart from what it keeps. Short vectors go a letter for each piece: it comes over cells in either case.
// A long one is a letter in steps, which lands where it is kept.
Task chain_exscan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const std::size_t element = wire.elements.size, bytes = count * element, piece = piece_of(wire, bytes);
  const std::size_t letter = bytes < kWindowOfAny ? piece : std::max(kLongestLetter / element * element, piece);
  const Slot slot = wire.slots.from_below(0);
  const bool is_first = wire.me == 0, is_last = wire.me + 1 == wire.size, is_between = !is_first && !is_last;
  const bool is_in_place = send == receive;
  std::byte* const handed_on = wire.scratch(is_between ? std::min(letter, bytes) : 0);
  std::byte* const kept = wire.scratch(is_between && is_in_place ? std::min(letter, bytes) : 0);
  for (std::size_t at = 0; at < bytes; at += letter) {
    const std::size_t length = std::min(letter, bytes - at);
    const std::byte* mine = send + at;
    std::byte* const before = is_first ? nullptr : receive + at;  // the first member may have no such memory
    Out out{.to = wire.me + 1, .slot = slot, .data = is_first ? mine : handed_on, .bytes = length, .step = piece};
    In in{.from = wire.me - 1, .slot = slot, .into = before, .bytes = length, .step = piece};
    if (is_between && is_in_place) {
      wire.copy(kept, mine, length);
      mine = kept;
    }
    for (std::size_t done = 0, come = 0; done < length; done = come) {
      come = std::min(done + piece, length);
      if (!is_first) {
        co_await wire.take_up_to(in, come);
        come = in.done / element * element;
      }
      if (is_between) co_await wire.combine(before + done, mine + done, handed_on + done, come - done);
      if (!is_last) co_await wire.send_up_to(out, come);
    }
  }
}

}  // namespace polder::coll
