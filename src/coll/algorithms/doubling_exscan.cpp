// Exclusive scan by doubling: a member keeps what those before it make apart from what it hands on, which has its own
// vector, too. ceil(log2 N) rounds of S bytes: ceil(lg N) (L + 2o + SG + 2Sy). In ascending order. Hillis, Steele 1986.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

Task doubling_exscan(Wire& wire, void* data, std::size_t count) {
  const std::size_t bytes = count * wire.elements.size;
  std::byte* const partial = wire.scratch(3 * bytes);
  std::byte *const sent = partial + bytes, *const come = sent + bytes;
  wire.copy(partial, data, bytes);
  for (unsigned k = 0; k < wire.slots.rounds(); ++k) {
    const Rank distance = Rank{1} << k;
    const bool sends = distance < wire.size - wire.me, takes = distance <= wire.me;
    const Slot slot = wire.slots.from_below(k);
    if (sends) wire.copy(sent, partial, bytes);
    Out out{wire.me + distance, slot, sent, bytes};
    In in{wire.me - distance, slot, come, bytes};
    const std::span<Out> outs(&out, std::size_t(sends));
    const std::span<In> ins(&in, std::size_t(takes));
    co_await wire.all(outs, ins);
    if (!takes) continue;
    co_await wire.combine(partial, come, bytes, Take::combine_left);
    if (k == 0) wire.copy(data, come, bytes);
    if (k != 0) co_await wire.combine(data, come, bytes, Take::combine_left);
  }
}

}  // namespace polder::coll
