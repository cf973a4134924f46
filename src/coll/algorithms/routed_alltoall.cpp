// Alltoall of blocks of any sizes in any group: a distance is a number of some digits in base r = near + 1; a block
// goes on once for each digit that is not 0, together with all those that go the same way. Two rounds for each of the d
// digits, in which r-1 letters leave at the same time: sizes, then data where there are any; d (N-1) S bytes from each:
// about d (2 (L + 2o) + 2 (r-2) max(g, o) + (N-1) SG). With r = 2 this is Bruck's. Groups with more members than there are
// near slots. Bruck, Ho, Kipnis, Upfal, Weathersby 1997, with all ports at once.
#include "coll/algorithms/algorithms.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <numeric>
#include <span>

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

// What goes one way in one power: places of one digit, in turn.
struct Way {
  Rank to, from;
  Slot slot;
  std::size_t first, number;  // of the list of sizes
  std::size_t leaving, coming;
  std::byte *packed, *come;
};

std::size_t list_sizes(const Places& places, const Parcel* parcels, std::uint64_t* sizes) {
  std::size_t number = 0;
  for (std::uint64_t place = places.first(); place < places.size; place = places.after(place))
    sizes[number++] = parcels[place].bytes;
  return number;
}

void pack(Wire& wire, const Places& places, const Parcel* parcels, std::byte* data) {
  std::size_t bytes = 0;
  for (std::uint64_t place = places.first(); place < places.size; place = places.after(place)) {
    wire.copy(data + bytes, parcels[place].data, parcels[place].bytes);
    bytes += parcels[place].bytes;
  }
}

void unpack(const Places& places, Parcel* parcels, const std::uint64_t* sizes, const std::byte* data) {
  std::size_t bytes = 0, number = 0;
  for (std::uint64_t place = places.first(); place < places.size; place = places.after(place)) {
    parcels[place] = {data + bytes, sizes[number]};
    bytes += sizes[number++];
  }
}

// Blocks whose digits of one weight differ do not meet, so all of them go at the same time.
Task route_digits(Wire& wire, unsigned power, std::uint64_t weight, Parcel* parcels, std::uint64_t* sizes) {
  constexpr Rank kMost = Slots::kNear;
  const std::uint64_t n = wire.size, radix = wire.slots.radix();
  std::uint64_t* const theirs = sizes + n;
  Way ways[kMost];
  Out outs[kMost];
  In ins[kMost];
  Rank count = 0, leaving = 0, coming = 0;
  std::size_t listed = 0;
  for (Rank digit = 1; digit <= wire.slots.near() && digit * weight < n; ++digit) {
    const Rank distance = Rank(digit * weight);
    Way& way = ways[count];
    way = {wire.above(distance),
           wire.below(distance),
           wire.slots.from_far(power, digit),
           listed,
           0,
           0,
           0,
           nullptr,
           nullptr};
    way.number = list_sizes({n, weight, digit, radix}, parcels, sizes + listed);
    const std::size_t bytes = way.number * sizeof(std::uint64_t);
    outs[count] = {.to = way.to, .slot = way.slot, .data = sizes + listed, .bytes = bytes, .steers = true};
    ins[count++] = {way.from, way.slot, theirs + listed, bytes};
    listed += way.number;
  }
  const std::span<Out> sizes_out(outs, count);
  const std::span<In> sizes_in(ins, count);
  co_await wire.all(sizes_out, sizes_in);
  for (Rank i = 0; i < count; ++i) {
    Way& way = ways[i];
    way.leaving = std::accumulate(sizes + way.first, sizes + way.first + way.number, std::size_t{0});
    way.coming = std::accumulate(theirs + way.first, theirs + way.first + way.number, std::size_t{0});
    way.packed = wire.scratch(way.leaving);
    way.come = wire.scratch(way.coming);
    pack(wire, {n, weight, i + 1, radix}, parcels, way.packed);
    // Both know what is empty.
    if (way.leaving != 0) outs[leaving++] = {way.to, way.slot, way.packed, way.leaving};
    if (way.coming != 0) ins[coming++] = {way.from, way.slot, way.come, way.coming};
  }
  const std::span<Out> data_out(outs, leaving);
  const std::span<In> data_in(ins, coming);
  co_await wire.all(data_out, data_in);
  for (Rank i = 0; i < count; ++i) unpack({n, weight, i + 1, radix}, parcels, theirs + ways[i].first, ways[i].come);
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
    co_await route_digits(wire, power, weight, parcels, sizes);
  for (Rank place = 0; place < n; ++place) {
    const Rank from = wire.below(place);
    if (parcels[place].bytes != in[from].bytes) wire.refuse(from, in[from].bytes, parcels[place].bytes);
    wire.copy(receive + in[from].begin, parcels[place].data,
              std::min<std::size_t>(in[from].bytes, parcels[place].bytes));
  }
}

}  // namespace polder::coll
