// Exclusive scan by doubling: a member keeps what those before it make apart from what it hands on, which has its own
// vector, too. ceil(log2 N) rounds of S bytes; the result is combined while the next letter is on its way, so no more
// than a scan: ceil(lg N) (L + 2o + SG + Sy). In ascending order. Hillis, Steele 1986.
#include "coll/algorithms/algorithms.hpp"

#include <utility>

namespace polder::coll {
namespace {

// `result` becomes both; `come` is used up.
Task put_before(Wire& wire, std::byte* come, std::byte* result, std::size_t bytes) {
  co_await wire.combine(come, result, come, bytes);
  wire.copy(result, come, bytes);
}

}  // namespace

Task doubling_exscan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const std::size_t bytes = count * wire.elements.size;
  std::byte* next = wire.scratch(3 * bytes);
  std::byte *spare = next + bytes, *const come = spare + bytes;
  const std::byte* partial = send;  // what is handed on
  bool is_owed = false;             // what came last is still to become part of the result
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank distance = Rank{1} << k;
    const bool sends = distance < wire.size - wire.me, takes = distance <= wire.me;
    const bool goes_on = k + 1 < wire.slots.rounds() && 2 * distance < wire.size - wire.me;
    const Slot slot = wire.slots.from_below(k);
    Out out{wire.me + distance, slot, partial, bytes};
    In in{wire.me - distance, slot, come, bytes};
    const std::span<Out> outs(&out, std::size_t(sends));
    const std::span<In> ins(&in, std::size_t(takes));
    if (is_owed) {
      co_await wire.meanwhile(outs, {});
      co_await put_before(wire, come, receive, bytes);
    }
    co_await wire.all(outs, ins);
    is_owed = takes && k != 0;
    if (takes && goes_on) {
      co_await wire.combine(come, partial, next, bytes);
      partial = next;
      std::swap(next, spare);
    }
    if (takes && k == 0) wire.copy(receive, come, bytes);
  }
  if (is_owed) co_await put_before(wire, come, receive, bytes);
}

}  // namespace polder::coll
