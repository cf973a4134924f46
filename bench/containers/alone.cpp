// Rank 0 measures; the others wait.
#include "common/keep.hpp"
#include "containers/measurements.hpp"

#include <polder/containers/copy.hpp>
#include <polder/containers/matrix.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {
namespace {

using namespace polder::containers;

template <class Operation>
void measure_at_zero(TeamWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                     Operation&& operation) {
  report_of(world, name, size, sample(world, arguments.plan, [&](std::uint64_t iterations) {
              if (world.rank() != 0) return;
              for (std::uint64_t i = 0; i < iterations; ++i) operation(std::size_t(i));
            }));
}

void sum(const double* from, std::size_t count) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += from[i];
  keep(&total);
}

}  // namespace

void measure_elements(TeamWorld& world, const Arguments& arguments) {
  constexpr std::size_t kCount = 4096;
  Array<double> array(world.team(), {kCount * world.team().units()});
  std::vector<double> plain(kCount);
  measure_at_zero(world, arguments, "sum_local", kCount * 8,
                  [&](std::size_t) { sum(array.local().data(), array.local().size()); });
  measure_at_zero(world, arguments, "sum_plain", kCount * 8, [&](std::size_t) { sum(plain.data(), plain.size()); });
  const std::size_t far = array.size() - 1;
  double value = 0;
  measure_at_zero(world, arguments, "read_own", 8, [&](std::size_t i) { value = array[i & 1023], keep(&value); });
  measure_at_zero(world, arguments, "read_last", 8,
                  [&](std::size_t i) { value = array[far - (i & 255)], keep(&value); });
  measure_at_zero(world, arguments, "write_last", 8, [&](std::size_t i) { array[far - (i & 255)] = value; });
}

void measure_copies(TeamWorld& world, const Arguments& arguments) {
  const std::size_t units = world.team().units();
  for (const std::size_t bytes : arguments.sizes_or({8 << 10, 64 << 10, 1 << 20})) {
    Array<double> array(world.team(), {bytes / 8 * units});
    std::vector<double> from(bytes / 8), to(bytes / 8);
    const auto part = array.sub({array.size() - to.size()}, {to.size()});
    measure_at_zero(world, arguments, "copy_from_last", bytes,
                    [&](std::size_t) { copy(part, std::span(to)), keep(to.data()); });
    measure_at_zero(world, arguments, "copy_to_last", bytes,
                    [&](std::size_t) { copy(std::span<const double>(from), part); });
    measure_at_zero(world, arguments, "std_copy", bytes, [&](std::size_t) {
      std::copy(from.begin(), from.end(), to.begin());
      keep(to.data());
    });
    // A square of a matrix whose rows are 1024 long.
    const std::size_t elements = bytes / 8, side = std::size_t(std::sqrt(double(elements)));
    Matrix<double, 2> matrix(world.team(), BlockCyclic<2>({1024 * units, 1024}, {}, {units, 1}));
    const auto square = matrix.sub({1024 * (units - 1), 0}, {side, side});
    measure_at_zero(world, arguments, "patch_from_last", bytes, [&](std::size_t) {
      copy(square, std::span(to).first(side * side));
      keep(to.data());
    });
  }
}

}  // namespace bench
