// mpirun -n N bench-armci-SIDE-MPI NAME: the measurement called NAME over this ARMCI.
#include "armci/measurements.hpp"
#include "common/menu.hpp"

int main(int argc, char** argv) {
  using bench::ArmciWorld;
  static constexpr bench::MenuItem<ArmciWorld> kMenu[] = {
      {"contiguous", bench::measure_contiguous, "put, get and accumulate of blocks; 2 ranks"},
      {"patches", bench::measure_patches, "put, get and accumulate of square patches of doubles; 2 ranks"},
      {"nonblocking", bench::measure_nonblocking, "puts without an end in between; 2 ranks"},
      {"busy_target", bench::measure_busy_target, "get and accumulate while rank 1 waits and computes; 2 ranks"},
      {"fences", bench::measure_fences, "AllFence with nothing under way and 50 live allocations; 2 ranks"},
      {"fetch_add", bench::measure_fetch_add, "everybody adds to one word of the last rank"},
      {"together", bench::measure_together, "barrier and global sum"},
      {"memory", bench::measure_memory, "an allocation of all that is written once and freed"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  ArmciWorld world(&argc, &argv);
  return bench::run_menu<ArmciWorld>(kMenu, world, arguments);
}
