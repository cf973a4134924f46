// What bench/containers measures, by MPI RMA as one would write it: the same names mean the same work.
#include "common/heat.hpp"
#include "common/keep.hpp"
#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench {
namespace {

void report_of(const MpiWorld& world, const char* name, std::size_t size, const std::vector<double>& samples) {
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

template <class Operation>
void measure_at_zero(MpiWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                     Operation&& operation) {
  report_of(world, name, size, sample(world, arguments.plan, [&](std::uint64_t iterations) {
              if (world.rank() != 0) return;
              for (std::uint64_t i = 0; i < iterations; ++i) operation(std::size_t(i));
            }));
}

void measure_elements(MpiWorld& world, const Arguments& arguments) {
  const Window window(4096 * 8);
  const int last = world.size() - 1;
  double value = 0;
  measure_at_zero(world, arguments, "read_last", 8, [&](std::size_t i) {
    MPI_Get(&value, 1, MPI_DOUBLE, last, MPI_Aint(4095 - (i & 255)) * 8, 1, MPI_DOUBLE, window.get());
    window.flush(last);
    keep(&value);
  });
  measure_at_zero(world, arguments, "write_last", 8, [&](std::size_t i) {
    MPI_Put(&value, 1, MPI_DOUBLE, last, MPI_Aint(4095 - (i & 255)) * 8, 1, MPI_DOUBLE, window.get());
    window.flush(last);
  });
}

void measure_copies(MpiWorld& world, const Arguments& arguments) {
  const int last = world.size() - 1;
  const Window window(1024 * 1024 * 8);
  for (const std::size_t bytes : arguments.sizes_or({8 << 10, 64 << 10, 1 << 20})) {
    std::vector<double> local(bytes / 8);
    const int count = int(local.size());
    measure_at_zero(world, arguments, "copy_from_last", bytes, [&](std::size_t) {
      MPI_Get(local.data(), count, MPI_DOUBLE, last, 0, count, MPI_DOUBLE, window.get());
      window.flush(last);
    });
    measure_at_zero(world, arguments, "copy_to_last", bytes, [&](std::size_t) {
      MPI_Put(local.data(), count, MPI_DOUBLE, last, 0, count, MPI_DOUBLE, window.get());
      window.flush(last);
    });
    const int side = int(std::sqrt(double(count)));
    MPI_Datatype square = MPI_DATATYPE_NULL;
    MPI_Type_vector(side, side, 1024, MPI_DOUBLE, &square);
    MPI_Type_commit(&square);
    measure_at_zero(world, arguments, "patch_from_last", bytes, [&](std::size_t) {
      MPI_Get(local.data(), side * side, MPI_DOUBLE, last, 0, 1, square, window.get());
      window.flush(last);
    });
    MPI_Type_free(&square);
  }
}

// One by one: an accumulate and a flush. Together: two alltoalls and a loop, as a program without a library for it does.
void measure_updates(MpiWorld& world, const Arguments& arguments) {
  constexpr std::size_t kTable = std::size_t{1} << 20, kTogether = std::size_t{1} << 14;
  const std::size_t ranks = std::size_t(world.size()), share = (kTable + ranks - 1) / ranks;
  unsigned long long random = unsigned(world.rank()) + 1;
  const Window window(share * 8);
  report_of(world, "update", 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i) {
                    random = next_random(random);
                    const std::size_t at = std::size_t(random >> 44);
                    std::uint64_t old = 0;
                    MPI_Fetch_and_op(&random, &old, MPI_UINT64_T, int(at / share), MPI_Aint(at % share) * 8, MPI_SUM,
                                     window.get());
                    window.flush(int(at / share));
                  }
                },
                Timed::span));
  struct Change {
    std::uint64_t place, value;
  };
  auto* const table = reinterpret_cast<std::uint64_t*>(window.mine());
  std::vector<Change> made(kTogether), sorted(kTogether), here;
  std::vector<int> counts(ranks), coming(ranks), from(ranks), to(ranks);
  auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::fill(counts.begin(), counts.end(), 0);
      for (Change& change : made) {
        random = next_random(random);
        change = {random >> 44, random};
        ++counts[change.place / share];
      }
      MPI_Alltoall(counts.data(), 1, MPI_INT, coming.data(), 1, MPI_INT, MPI_COMM_WORLD);
      int out = 0, in = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        from[rank] = std::exchange(out, out + counts[rank]);
        to[rank] = std::exchange(in, in + coming[rank]);
      }
      std::vector<int> next = from;
      for (const Change& change : made)
        sorted[std::size_t(next[change.place / share]++)] = {change.place % share, change.value};
      here.resize(std::size_t(in));
      auto bytes = [](std::vector<int> numbers) {
        for (int& number : numbers) number *= int(sizeof(Change));
        return numbers;
      };
      MPI_Alltoallv(sorted.data(), bytes(counts).data(), bytes(from).data(), MPI_BYTE, here.data(),
                    bytes(coming).data(), bytes(to).data(), MPI_BYTE, MPI_COMM_WORLD);
      for (const Change& change : here) table[change.place] += change.value;
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
  for (double& ns : samples) ns /= double(kTogether);
  report_of(world, "update_together", 8, samples);
}

// A square with a rim of one, in a window; rims are put by the neighbours between two fences.
class HeatField {
 public:
  static constexpr std::size_t kStride = kHeatSide + 2, kElements = kStride * kStride;

  explicit HeatField(const MpiWorld& world) {
    MPI_Win_allocate(MPI_Aint(2 * kElements * 8), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base_, &window_);
    std::fill_n(base_, 2 * kElements, 0.0);
    MPI_Type_vector(int(kHeatSide), 1, int(kStride), MPI_DOUBLE, &column_);
    MPI_Type_commit(&column_);
    const HeatGrid grid = heat_grid(std::size_t(world.size()));
    const int rows = int(grid.rows), columns = int(grid.columns);
    const int row = world.rank() / columns, column = world.rank() % columns;
    if (row > 0) up_ = world.rank() - columns;
    if (row + 1 < rows) down_ = world.rank() + columns;
    if (column > 0) left_ = world.rank() - 1;
    if (column + 1 < columns) right_ = world.rank() + 1;
    MPI_Win_fence(0, window_);
  }
  ~HeatField() {
    MPI_Type_free(&column_);
    MPI_Win_free(&window_);
  }
  HeatField(const HeatField&) = delete;

  double* inner(std::size_t field) const { return base_ + field * kElements + kStride + 1; }

  // The fence before is that of the last update: nobody writes into a rim that is still read.
  void update(std::size_t field) {
    const std::size_t start = field * kElements, end = kHeatSide;
    put(up_, start, 1, 1, end + 1, 1, false);
    put(down_, start, end, 1, 0, 1, false);
    put(left_, start, 1, 1, 1, end + 1, true);
    put(right_, start, 1, end, 1, 0, true);
    MPI_Win_fence(0, window_);
  }

 private:
  void put(int rank, std::size_t start, std::size_t row, std::size_t column, std::size_t to_row, std::size_t to_column,
           bool upright) {
    const int count = upright ? 1 : int(kHeatSide);
    const MPI_Datatype type = upright ? column_ : MPI_DOUBLE;
    MPI_Put(base_ + start + row * kStride + column, count, type, rank, MPI_Aint(start + to_row * kStride + to_column),
            count, type, window_);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  double* base_ = nullptr;
  int up_ = MPI_PROC_NULL, down_ = MPI_PROC_NULL, left_ = MPI_PROC_NULL, right_ = MPI_PROC_NULL;
};

void measure_halo(MpiWorld& world, const Arguments& arguments) {
  HeatField field(world);
  std::size_t step = 0;
  report_of(world, "stencil_blocking", kHeatSide * kHeatSide * 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i, ++step) {
                    field.update(step % 2);
                    heat_step(field.inner(step % 2), field.inner(1 - step % 2), kHeatSide, kHeatSide,
                              HeatField::kStride);
                  }
                },
                Timed::span));
  report_of(world, "halo_update", kHeatSide * 8,
            sample(
                world, arguments.plan,
                [&](std::uint64_t iterations) {
                  for (std::uint64_t i = 0; i < iterations; ++i) field.update(0);
                },
                Timed::span));
}

}  // namespace

void measure_containers(MpiWorld& world, const Arguments& arguments) {
  measure_elements(world, arguments);
  measure_copies(world, arguments);
  measure_updates(world, arguments);
  measure_halo(world, arguments);
}

}  // namespace bench
