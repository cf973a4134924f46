// polder run -n N bench-containers: what containers cost beside plain memory. Rank 0 measures; the others wait, except in
// updates and halo, which all do.
#include "common/clock.hpp"
#include "common/keep.hpp"
#include "common/report.hpp"

#include <polder/containers/copy.hpp>
#include <polder/containers/halo.hpp>
#include <polder/containers/matrix.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace polder::containers;

constexpr int kSamples = 20;

// Nanoseconds an operation, `iterations` of them between two looks at the clock.
std::vector<double> sampled(std::size_t iterations, const std::function<void(std::size_t)>& operation) {
  std::vector<double> samples;
  for (int sample = -1; sample < kSamples; ++sample) {
    const std::int64_t begin = bench::now_ns();
    for (std::size_t i = 0; i < iterations; ++i) operation(i);
    if (sample >= 0) samples.push_back(double(bench::now_ns() - begin) / double(iterations));
  }
  return samples;
}

void tell(const Team& team, const char* name, std::size_t bytes, const std::vector<double>& samples) {
  if (team.unit() == 0) bench::report({.name = name, .ranks = int(team.units()), .size = bytes, .samples = samples});
}

// A sum of 32 kB: through local(), and through a pointer to plain memory.
void measure_local(const Team& team) {
  constexpr std::size_t kCount = 4096;
  Array<double> array(team, {kCount * team.units()});
  std::vector<double> plain(kCount);
  if (team.unit() != 0) return;
  auto sum = [](const double* from, std::size_t count) {
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) total += from[i];
    bench::keep(&total);
  };
  tell(team, "sum_local", kCount * 8,
       sampled(200, [&](std::size_t) { sum(array.local().data(), array.local().size()); }));
  tell(team, "sum_plain", kCount * 8, sampled(200, [&](std::size_t) { sum(plain.data(), plain.size()); }));
}

// Reading and writing one element of this unit and of the last.
void measure_elements(const Team& team) {
  Array<double> array(team, {1024 * team.units()});
  if (team.unit() != 0) return;
  const std::size_t far = array.size() - 1;
  double value = 0;
  tell(team, "read_own", 8, sampled(2000, [&](std::size_t i) { value = array[i & 1023], bench::keep(&value); }));
  tell(team, "read_last", 8,
       sampled(2000, [&](std::size_t i) { value = array[far - (i & 255)], bench::keep(&value); }));
  tell(team, "write_last", 8, sampled(2000, [&](std::size_t i) { array[far - (i & 255)] = value; }));
}

// The last unit's part to local memory, and std::copy of as much.
void measure_copies(const Team& team) {
  for (const std::size_t bytes : {std::size_t{8} << 10, std::size_t{64} << 10, std::size_t{1} << 20}) {
    Array<double> array(team, {bytes / 8 * team.units()});
    std::vector<double> from(bytes / 8), to(bytes / 8);
    if (team.unit() != 0) continue;
    const auto part = array.sub({array.size() - to.size()}, {to.size()});
    tell(team, "copy_from_last", bytes,
         sampled(50, [&](std::size_t) { copy(part, std::span(to)), bench::keep(to.data()); }));
    tell(team, "std_copy", bytes, sampled(50, [&](std::size_t) {
           std::copy(from.begin(), from.end(), to.begin());
           bench::keep(to.data());
         }));
  }
}

// Random updates of one table by all units (GUPS), element by element.
void measure_updates(const Team& team) {
  Array<Atomic<std::uint64_t>> table(team, {std::size_t{1} << 16});
  std::uint64_t random = team.unit() + 1;
  const auto samples = sampled(5000, [&](std::size_t) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    table[random >> 48].fetch_add(random);
  });
  tell(team, "update", 8, samples);
}

// A step of the 2-D heat stencil on 512 x 512 doubles a unit, and on one unit's share in plain memory.
void measure_halo(const Team& team) {
  constexpr std::size_t kSide = 512;
  const Index<2> grid = square_grid<2>({kSide * 64, kSide * 64}, team.units());
  HaloField<double, 2> field(team, {kSide * grid[0], kSide * grid[1]}, Stencil<2>::star(1), {.fields = 2});
  for (const bool overlap : {true, false}) {
    const auto samples = sampled(10, [&](std::size_t i) {
      field.step(
          i % 2, 1 - i % 2, [](const auto& at) { return 0.25 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); },
          overlap);
    });
    tell(team, overlap ? "stencil_overlapped" : "stencil_blocking", kSide * kSide * 8, samples);
  }
  // The same step by one unit in plain memory, with a rim of its own.
  std::vector<double> from((kSide + 2) * (kSide + 2)), to(from.size());
  const auto plain = sampled(10, [&](std::size_t) {
    for (std::size_t i = 1; i <= kSide; ++i)
      for (std::size_t j = 1; j <= kSide; ++j) {
        const double* at = &from[i * (kSide + 2) + j];
        to[i * (kSide + 2) + j] = 0.25 * (at[-std::ptrdiff_t(kSide + 2)] + at[kSide + 2] + at[-1] + at[1]);
      }
    bench::keep(to.data());
    from.swap(to);
  });
  tell(team, "stencil_plain", kSide * kSide * 8, plain);
  tell(team, "halo_update", kSide * 8, sampled(100, [&](std::size_t) { field.update({0}); }));
}

}  // namespace

int main() {
  auto runtime = polder::Runtime::create();
  if (!runtime.ok()) {
    std::fprintf(stderr, "bench-containers: cannot join the job: %s\n", runtime.status().to_string().c_str());
    return 1;
  }
  try {
    const Team team(**runtime, (*runtime)->world(), std::chrono::seconds(60));
    for (const auto measure : {measure_local, measure_elements, measure_copies, measure_updates, measure_halo})
      measure(team);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-containers: %s\n", error.what());
    return 1;
  }
}
