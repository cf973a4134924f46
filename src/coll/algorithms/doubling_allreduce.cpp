// Recursive doubling. ceil(log2 N) rounds, two more if N is no power of two, S bytes in each: lg N (L + 2o + SG + Sy).
// Short vectors, many members. Of the first 2r members, r beyond a power of two, the odd ones hand their vectors to the
// ones before them and get the result back. Combined in ascending order. Thakur, Rabenseifner, Gropp 2005.
#include "coll/algorithms/algorithms.hpp"
#include "coll/algorithms/two_places.hpp"

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

Task doubling_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count) {
  const Doubling doubling(wire.size);
  const std::size_t bytes = count * wire.elements.size;
  const bool paired = doubling.paired(wire.me);
  if (paired && wire.me % 2 == 1) {
    co_await wire.send(wire.me - 1, wire.slots.fold_in(), send, bytes);
    co_await wire.receive(wire.me - 1, wire.slots.fold_out(), receive, bytes);
    co_return;
  }
  if (paired) {
    co_await wire.receive(wire.me + 1, wire.slots.fold_in(), receive, bytes, Take::combine_right, send);
    send = receive;
  }
  const Rank number = doubling.number(wire.me);
  const unsigned rounds = unsigned(std::countr_zero(doubling.power()));
  TwoPlaces sum(send, receive, wire.scratch(bytes), rounds);
  for (unsigned k = 0; k < rounds; ++k) {
    const Rank distance = Rank{1} << k, partner = doubling.member(number ^ distance);
    const Slot slot = wire.slots.from_pair(k);
    const Out out{partner, slot, sum.vector(), bytes};
    const Take take = (number & distance) == 0 ? Take::combine_right : Take::combine_left;
    co_await wire.swap(out, {partner, slot, sum.next(), bytes, take, sum.vector()});
    sum.move();
  }
  wire.copy(receive, sum.vector(), bytes);
  if (paired) co_await wire.send(wire.me + 1, wire.slots.fold_out(), receive, bytes);
}

}  // namespace polder::coll
