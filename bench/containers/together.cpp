// All ranks at once.
#include "common/heat.hpp"
#include "common/keep.hpp"
#include "containers/measurements.hpp"

#include <polder/containers/halo.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/product.hpp>
#include <polder/containers/sort.hpp>
#include <polder/containers/update.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace bench {

using namespace polder::containers;

// Random updates of one table of 2^20 words (GUPS): a rank's, one by one; then 2^14 of each rank together.
void measure_updates(TeamWorld& world, const Arguments& arguments) {
  constexpr std::size_t kTogether = std::size_t{1} << 14;
  const Index<1> extents = {std::size_t{1} << 20};
  unsigned long long random = unsigned(world.rank()) + 1;
  {
    Array<Atomic<std::uint64_t>> table(world.team(), extents);
    report_of(world, "update", 8,
              sample(
                  world, arguments.plan,
                  [&](std::uint64_t iterations) {
                    for (std::uint64_t i = 0; i < iterations; ++i) {
                      random = next_random(random);
                      table[random >> 44].fetch_add(random);
                    }
                  },
                  Timed::span));
  }
  Array<std::uint64_t> table(world.team(), extents);
  std::vector<Index<1>> indexes(kTogether);
  std::vector<std::uint64_t> values(kTogether);
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::size_t k = 0; k < kTogether; ++k) {
        random = next_random(random);
        indexes[k] = {std::size_t(random >> 44)};
        values[k] = random;
      }
      update(table, indexes, values);
    }
  });
  for (double& ns : samples) ns /= double(kTogether);
  report_of(world, "update_together", 8, samples);
}

// A step of the 2-D heat stencil on 512 x 512 doubles a rank, and on one rank's share in plain memory.
void measure_halo(TeamWorld& world, const Arguments& arguments) {
  const auto [rows, columns] = heat_grid(world.team().units());
  HaloField<double, 2> field(world.team(), {kHeatSide * rows, kHeatSide * columns}, Stencil<2>::star(1), {.fields = 2});
  for (const bool overlap : {true, false}) {
    std::size_t step = 0;
    report_of(world, overlap ? "stencil_overlapped" : "stencil_blocking", kHeatSide * kHeatSide * 8,
              sample(
                  world, arguments.plan,
                  [&](std::uint64_t iterations) {
                    for (std::uint64_t i = 0; i < iterations; ++i, ++step)
                      field.step(
                          step % 2, 1 - step % 2,
                          [](const auto& at) { return 0.25 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); }, overlap);
                  },
                  Timed::span));
  }
  constexpr std::size_t kStride = kHeatSide + 2;
  std::vector<double> from(kStride * kStride), to(from.size());
  report_of(world, "stencil_plain", kHeatSide * kHeatSide * 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i) {
                    heat_step(from.data() + kStride + 1, to.data() + kStride + 1, kHeatSide, kHeatSide, kStride);
                    keep(to.data());
                    from.swap(to);
                  }
                },
                Timed::span));
  report_of(world, "halo_update", kHeatSide * 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i) field.update({0});
                },
                Timed::span));
}

// 256 x 256 doubles a rank, by the plain loop; `product_plain` is a rank's share of it without anything to fetch.
void measure_product(TeamWorld& world, const Arguments& arguments) {
  constexpr std::size_t kSide = 256;
  const auto [rows, columns] = heat_grid(world.team().units());
  Matrix<double, 2> a(world.team(), {kSide * rows, 512}), b(world.team(), {512, kSide * columns});
  Matrix<double, 2> c(world.team(), BlockCyclic<2>({kSide * rows, kSide * columns}, {}, {rows, columns}));
  fill(a, 1e-9);
  fill(b, 1e-9);
  report_of(world, "product", kSide * kSide * 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i) multiply(a, b, c);
                },
                Timed::span));
  std::vector<double> x(kSide * 512, 1e-9), y(512 * kSide, 1e-9), z(kSide * kSide);
  report_of(world, "product_plain", kSide * kSide * 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i) {
                    PlainProduct()(kSide, kSide, 512, x.data(), 512, y.data(), kSide, z.data(), kSide);
                    keep(z.data());
                  }
                },
                Timed::span));
}

// 2^16 random words a rank, an element; made again each time. `sort_plain` is a rank's share.
void measure_sort(TeamWorld& world, const Arguments& arguments) {
  constexpr std::size_t kCount = std::size_t{1} << 16;
  Array<std::uint64_t> array(world.team(), {kCount * world.team().units()});
  std::vector<std::uint64_t> plain(kCount);
  unsigned long long random = unsigned(world.rank()) + 1;
  auto make = [&] { return random = next_random(random); };
  auto per_element = [&](auto&& body) {
    auto samples = sample(
        world, arguments.plan,
        [&](std::uint64_t iterations) {
          for (std::uint64_t i = 0; i < iterations; ++i) body();
        },
        Timed::span);
    for (double& ns : samples) ns /= double(kCount);
    return samples;
  };
  report_of(world, "sort", 8, per_element([&] {
              generate(array, make);
              sort(array);
            }));
  report_of(world, "sort_plain", 8, per_element([&] {
              std::generate(plain.begin(), plain.end(), make);
              std::sort(plain.begin(), plain.end());
              keep(plain.data());
            }));
}

}  // namespace bench
