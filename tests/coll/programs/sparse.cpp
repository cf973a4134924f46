// Exchanges over a random graph, a torus and a stencil with corners, of ranks that are processes; says `well RANK`. With a number
// of milliseconds behind it measures each of them that long, directly and through others, and rank 0 prints microseconds.
#include <polder/collective.hpp>
#include <polder/neighbours.hpp>
#include <polder/runtime.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace polder;
using namespace std::chrono_literals;

namespace {

constexpr Timeout kPatience = 60s;

struct Edges {
  const char* name;
  std::vector<Rank> sources, destinations;
};

// The widest of two extents that make `size`, the larger one.
Rank width_of(Rank size) {
  Rank width = size;
  for (Rank extent = 1; extent * extent <= size; ++extent)
    if (size % extent == 0) width = size / extent;
  return width;
}

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

std::vector<Edges> graphs(Rank me, Rank size) {
  std::vector<Edges> all{{"random", {}, {}}, {"torus", {}, {}}, {"stencil", {}, {}}};
  const auto has = [&](Rank from, Rank to) { return from != to && mix(from * 4099 + to + 1) % size < 8; };
  for (Rank other = 0; other < size; ++other) {
    if (has(other, me)) all[0].sources.push_back(other);
    if (has(me, other)) all[0].destinations.push_back(other);
  }
  const Rank width = width_of(size), height = size / width, x = me % width, y = me / width;
  for (const Rank by : {height - 1, Rank{0}, Rank{1}})
    for (const Rank along : {width - 1, Rank{0}, Rank{1}}) {
      const Rank other = (y + by) % height * width + (x + along) % width;
      if (other == me) continue;
      all[2].sources.push_back(other);
      if (by % height == 0 || along % width == 0) all[1].sources.push_back(other);
    }
  for (Edges* each : {&all[1], &all[2]}) each->destinations = each->sources;
  return all;
}

// In the order in which both name each other, as neighbours have it.
bool exchange(Collective& request, const Edges& edges, std::vector<std::uint64_t>& receive, std::size_t words) {
  if (const Status status = request.run(kPatience); !status.ok()) return std::puts(status.to_string().c_str()), false;
  for (std::size_t i = 0; i < receive.size(); ++i)
    if (receive[i] != 7000u + edges.sources[i / words]) return std::puts("a wrong word"), false;
  return true;
}

double us_of(Runtime& rt, Collective& request, double milliseconds) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t more = 1, count = 0;
  const auto begin = Clock::now();
  double spent = 0;
  while (more != 0) {
    for (int i = 0; i < 20; ++i, ++count)
      if (!request.run(kPatience).ok()) return -1;
    spent = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    const std::uint64_t mine = spent < 1000 * milliseconds;
    if (!broadcast(rt.world(), 0, &(more = mine), sizeof more, kPatience).ok()) return -1;
  }
  return spent / double(count);
}

bool go(Runtime& rt, const Edges& edges, std::size_t words, double milliseconds) {
  auto neighbours = Neighbours::graph(rt.world(), edges.sources, edges.destinations);
  if (!neighbours) return false;
  if (const Status status = neighbours->commit(kPatience); !status.ok())
    return std::puts(status.to_string().c_str()), false;
  const std::vector<std::uint64_t> send(words, 7000u + rt.rank());
  std::vector<std::uint64_t> receive(words * edges.sources.size());
  for (const char* way : {"spread", "routed"}) {
    auto request = Collective::neighbour_allgather(*neighbours, 8 * words, send.data(), receive.data());
    if (!request || request->algorithm() != "spread" || !request->use(way).ok()) return false;
    for (int round = 0; round < 3; ++round)
      if (!exchange(*request, edges, receive, words)) return false;
    if (milliseconds == 0) continue;
    const double us = us_of(rt, *request, milliseconds);
    if (rt.rank() == 0) std::printf("%-8s %-7s %7zu bytes %10.1f us\n", edges.name, way, 8 * words, us);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const double milliseconds = argc > 1 ? std::atof(argv[1]) : 0;
  auto joined = Runtime::create();
  if (!joined) return std::puts(joined.status().to_string().c_str()), 1;
  Runtime& rt = **joined;
  for (const Edges& edges : graphs(rt.rank(), rt.size()))
    for (const std::size_t words : {std::size_t{1}, std::size_t{9000}})
      if (!go(rt, edges, words, milliseconds)) return 1;
  std::printf("well %u\n", rt.rank());
  return rt.world().barrier(kPatience).ok() ? 0 : 1;
}
