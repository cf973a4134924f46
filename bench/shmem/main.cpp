// mpirun -n N bench-shmem-openmpi NAME: what OpenSHMEM has of the measurements of bench/peers, under the same names.
#include "common/alone.hpp"
#include "common/busy_target.hpp"
#include "common/menu.hpp"
#include "common/report.hpp"
#include "shmem/shmem_world.hpp"

#include <cmath>
#include <cstring>
#include <vector>

namespace bench {
namespace {

constexpr int kTarget = 1;
constexpr std::size_t kWidth = 1024;  // of the array that patches are cut from, in doubles

class Symmetric {
 public:
  explicit Symmetric(std::size_t bytes) : data_(static_cast<std::byte*>(shmem_malloc(bytes))) {
    std::memset(data_, 0, bytes);
    shmem_barrier_all();
  }
  ~Symmetric() {
    shmem_barrier_all();
    shmem_free(data_);
  }
  Symmetric(const Symmetric&) = delete;
  Symmetric& operator=(const Symmetric&) = delete;
  std::byte* get() const { return data_; }

 private:
  std::byte* data_;
};

template <class Operation>
void measure_at_zero(ShmemWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                     Operation operation) {
  measure_alone(world, arguments, name, size, operation, [] { shmem_quiet(); });
}

void measure_busy(ShmemWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 4 << 10})) {
    const Symmetric there(size);
    std::vector<std::byte> mine(size);
    measure_against_busy(world, arguments.plan, "get", size,
                         [&] { shmem_getmem(mine.data(), there.get(), size, kTarget); });
  }
}

void measure_put(ShmemWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 4 << 10, 64 << 10})) {
    const Symmetric there(size);
    const std::vector<std::byte> mine(size);
    measure_at_zero(world, arguments, "put", size, [&] { shmem_putmem_nbi(there.get(), mine.data(), size, kTarget); });
  }
}

// There is no call for a patch: a put a row is what programs do.
void measure_patches(ShmemWorld& world, const Arguments& arguments) {
  const Symmetric there(kWidth * kWidth * sizeof(double));
  for (const std::size_t size : arguments.sizes_or({2 << 10, 8 << 10, 32 << 10, 128 << 10})) {
    const auto side = std::size_t(std::sqrt(double(size / sizeof(double))));
    const std::size_t row = side * sizeof(double);
    std::vector<std::byte> mine(side * row);
    measure_at_zero(world, arguments, "patch_put", size, [&] {
      for (std::size_t i = 0; i < side; ++i)
        shmem_putmem_nbi(there.get() + i * kWidth * sizeof(double), mine.data() + i * row, row, kTarget);
      shmem_quiet();
    });
    measure_at_zero(world, arguments, "patch_get", size, [&] {
      for (std::size_t i = 0; i < side; ++i)
        shmem_getmem_nbi(mine.data() + i * row, there.get() + i * kWidth * sizeof(double), row, kTarget);
      shmem_quiet();
    });
  }
}

void measure_fetch_add(ShmemWorld& world, const Arguments& arguments) {
  const Symmetric counter(sizeof(long));
  const auto add = [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i)
      shmem_long_atomic_fetch_add(reinterpret_cast<long*>(counter.get()), 1, world.size() - 1);
  };
  const auto samples = sample(world, arguments.plan, add, Timed::span);
  if (world.rank() == 0) report({.name = "fetch_add", .ranks = world.size(), .size = 8, .samples = samples});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using bench::ShmemWorld;
  static constexpr bench::MenuItem<ShmemWorld> kMenu[] = {
      {"put", bench::measure_put, "non-blocking puts; 2 ranks"},
      {"busy_target", bench::measure_busy, "get while rank 1 waits and computes; 2 ranks"},
      {"patches", bench::measure_patches, "square patches of doubles in rows of 1024, a row at a time; 2 ranks"},
      {"fetch_add", bench::measure_fetch_add, "everybody adds to one word of the last rank"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  ShmemWorld world;
  return bench::run_menu<ShmemWorld>(kMenu, world, arguments);
}
