// Recursive doubling. ceil(log2 N) rounds, two more if N is no power of two, S bytes in each: lg N (L + 2o + SG + Sy).
// Short vectors, many members. Of the first 2r members, r beyond a power of two, the odd ones hand their vectors to the
// ones before them and get the result back. Combined in ascending order. Thakur, Rabenseifner, Gropp 2005.
#include "coll/algorithms/algorithms.hpp"

#include <bit>

namespace polder::coll {
namespace {

// Who takes part in the doubling.
class Doubling {
 public:
  explicit Doubling(Rank size) : power_(std::bit_floor(size)), beyond_(size - power_) {}
  Rank power() const { return power_; }
  bool paired(Rank member) const { return member < 2 * beyond_; }
  Rank number(Rank member) const { return paired(member) ? member / 2 : member - beyond_; }
  Rank member(Rank number) const { return number < beyond_ ? 2 * number : number + beyond_; }

 private:
  Rank power_, beyond_;
};

}  // namespace

Task doubling_allreduce(Wire& wire, void* data, std::size_t count) {
  const Doubling doubling(wire.size);
  const std::size_t bytes = count * wire.elements.size;
  const bool paired = doubling.paired(wire.me);
  if (paired && wire.me % 2 == 1) {
    co_await wire.send(wire.me - 1, wire.slots.fold_in(), data, bytes);
    co_await wire.receive(wire.me - 1, wire.slots.fold_out(), data, bytes);
    co_return;
  }
  if (paired) co_await wire.receive(wire.me + 1, wire.slots.fold_in(), data, bytes, Take::combine_right);
  const Rank number = doubling.number(wire.me);
  // What is sent must stay while the other's comes in, so the sum goes from one place to another and back.
  std::byte* const other_place = wire.scratch(bytes);
  std::byte* sum = static_cast<std::byte*>(data);
  std::byte* next = other_place;
  unsigned k = 0;
  for (Rank distance = 1; distance < doubling.power(); distance *= 2, ++k) {
    const Rank partner = doubling.member(number ^ distance);
    const Slot slot = wire.slots.from_pair(k);
    wire.copy(next, sum, bytes);
    const Out out{partner, slot, sum, bytes};
    const In in{partner, slot, next, bytes, (number & distance) == 0 ? Take::combine_right : Take::combine_left};
    co_await wire.swap(out, in);
    std::byte* const before = sum;
    sum = next;
    next = before;
  }
  if (sum != data) wire.copy(data, sum, bytes);
  if (paired) co_await wire.send(wire.me + 1, wire.slots.fold_out(), data, bytes);
}

}  // namespace polder::coll
