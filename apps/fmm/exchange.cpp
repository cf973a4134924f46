#include "exchange.hpp"

#include <algorithm>

namespace fmm {

Result<std::vector<std::uint64_t>> Exchange::count_all(const std::vector<std::uint64_t>& mine) const {
  const unsigned ranks = team_.size();
  std::vector<std::uint64_t> all(std::size_t(ranks) * ranks);
  // A gather takes a limited number of bytes from each.
  constexpr unsigned kAtOnce = polder::Group::kMaxGather / sizeof(std::uint64_t);
  for (unsigned first = 0; first < ranks; first += kAtOnce) {
    const unsigned count = std::min(kAtOnce, ranks - first);
    std::vector<std::uint64_t> some(std::size_t(ranks) * count);
    Status status = team_.named(
        "allgather", team_.runtime().world().allgather(std::as_bytes(std::span(mine).subspan(first, count)),
                                                       std::as_writable_bytes(std::span(some)), team_.patience()));
    if (!status.ok()) return status;
    for (unsigned from = 0; from < ranks; ++from)
      std::copy_n(&some[std::size_t(from) * count], count, &all[std::size_t(from) * ranks + first]);
  }
  return all;
}

Result<std::span<Particle>> Exchange::run(std::span<const Particle> particles, std::span<const KeyedIndex> order,
                                          std::span<const std::uint64_t> cuts) {
  const unsigned ranks = team_.size();
  std::vector<std::uint64_t> mine(ranks);
  std::vector<Particle> packed(order.size());
  unsigned to = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    while (to < cuts.size() && order[i].key >= cuts[to]) ++to;
    ++mine[to];
    packed[i] = particles[order[i].index];
  }
  const Result<std::vector<std::uint64_t>> counts = count_all(mine);
  if (!counts.ok()) return counts.status();
  std::uint64_t incoming = 0;
  for (unsigned from = 0; from < ranks; ++from) incoming += (*counts)[std::size_t(from) * ranks + team_.rank()];
  // All have packed: the gather above could not end before.
  Status status = team_.agree(inbox_.reserve(incoming * sizeof(Particle)));
  if (status.ok()) status = team_.named("sending particles", send(packed, *counts));
  if (status.ok()) status = team_.barrier();
  if (!status.ok()) return status;
  return std::span<Particle>(inbox_.as<Particle>(), incoming);
}

Status Exchange::send(std::span<const Particle> packed, const std::vector<std::uint64_t>& counts) const {
  polder::Runtime& runtime = team_.runtime();
  const unsigned ranks = team_.size(), me = team_.rank();
  std::vector<std::uint64_t> first(ranks + 1);  // of each receiver's particles
  for (unsigned to = 0; to < ranks; ++to) first[to + 1] = first[to] + counts[std::size_t(me) * ranks + to];
  for (unsigned step = 0; step < ranks; ++step) {
    const unsigned to = (me + step) % ranks;  // not all to the same one at a time
    std::uint64_t place = 0;
    for (unsigned from = 0; from < me; ++from) place += counts[std::size_t(from) * ranks + to];
    const std::uint64_t count = first[to + 1] - first[to];
    if (count == 0) continue;
    Status status = runtime.put(packed.data() + first[to], inbox_.at(to, place * sizeof(Particle)),
                                count * sizeof(Particle), team_.patience());
    if (!status.ok()) return status;
  }
  return runtime.queue().wait(polder::Completion::remote, team_.patience());
}

}  // namespace fmm
