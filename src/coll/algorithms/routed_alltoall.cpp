// Alltoall of blocks of any sizes in any group: a distance is a number of some digits in base r = near + 1; a block
// goes on once for each digit that is not 0, together with all those that go the same way. For d digits d (r-1) rounds
// of two letters, sizes and data, d (N-1) S bytes from each. With r = 2 this is Bruck's. Groups with more members than
// there are near slots. Bruck, Ho, Kipnis, Upfal, Weathersby 1997.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace polder::coll {
namespace {

// A block on its way; it lies in the place that is the distance it still has to go, and has gone.
struct Parcel {
  const std::byte* data;
  std::uint64_t bytes;
};

// Places 0 .. size-1 whose digit of this weight is `digit`, in turn.
struct Places {
  std::uint64_t size, weight, digit, radix;

  std::uint64_t first() const { return digit * weight; }
  std::uint64_t after(std::uint64_t place) const {
    ++place;
    return place / weight % radix == digit ? place : place + (radix - 1) * weight;
  }
};

std::size_t pack(Wire& wire, const Places& places, const Parcel* parcels, std::uint64_t* sizes, std::byte* data) {
  std::size_t bytes = 0, number = 0;
  for (std::uint64_t place = places.first(); place < places.size; place = places.after(place)) {
    sizes[number++] = parcels[place].bytes;
    if (data != nullptr) wire.copy(data + bytes, parcels[place].data, parcels[place].bytes);
    bytes += parcels[place].bytes;
  }
  return data == nullptr ? bytes : number;
}

std::size_t unpack(const Places& places, Parcel* parcels, const std::uint64_t* sizes, const std::byte* data) {
  std::size_t bytes = 0, number = 0;
  for (std::uint64_t place = places.first(); place < places.size; place = places.after(place)) {
    if (data != nullptr) parcels[place] = {data + bytes, sizes[number]};
    bytes += sizes[number++];
  }
  return bytes;
}

}  // namespace

Task routed_alltoall(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in) {
  const std::uint64_t n = wire.size;
  auto* const parcels = reinterpret_cast<Parcel*>(wire.scratch(n * sizeof(Parcel), true));
  auto* const sizes = reinterpret_cast<std::uint64_t*>(wire.scratch(2 * n * sizeof(std::uint64_t), true));
  for (Rank place = 0; place < n; ++place) {
    const Block& block = out[wire.above(place)];
    new (parcels + place) Parcel{send + block.begin, block.bytes};
  }
  std::uint64_t weight = 1;
  for (unsigned power = 0; power < wire.slots.digits(); ++power, weight *= wire.slots.radix())
    for (Rank digit = 1; digit <= wire.slots.near() && digit * weight < n; ++digit) {
      const Places places{n, weight, digit, wire.slots.radix()};
      const Rank to = wire.above(Rank(digit * weight)), from = wire.below(Rank(digit * weight));
      const Slot slot = wire.slots.from_far(power, digit);
      const std::size_t leaving = pack(wire, places, parcels, sizes, nullptr);
      std::byte* const packed = wire.scratch(leaving);
      const std::size_t number = pack(wire, places, parcels, sizes, packed);
      const Out out_sizes{to, slot, sizes, number * sizeof(std::uint64_t), 0, false, true};
      const In in_sizes{from, slot, sizes + n, number * sizeof(std::uint64_t)};
      co_await wire.swap(out_sizes, in_sizes);
      const std::size_t coming = unpack(places, parcels, sizes + n, nullptr);
      std::byte* const come = wire.scratch(coming);
      const Out out_data{to, slot, packed, leaving};
      const In in_data{from, slot, come, coming};
      co_await wire.swap(out_data, in_data);
      unpack(places, parcels, sizes + n, come);
    }
  for (Rank place = 0; place < n; ++place) {
    const Rank from = wire.below(place);
    if (parcels[place].bytes != in[from].bytes) wire.refuse(from, in[from].bytes, parcels[place].bytes);
    wire.copy(receive + in[from].begin, parcels[place].data,
              std::min<std::size_t>(in[from].bytes, parcels[place].bytes));
  }
}

}  // namespace polder::coll
