// mpirun -n N bench-mpi-IMPLEMENTATION NAME: the measurement called NAME with this MPI.
#include "common/menu.hpp"
#include "peers/peers.hpp"

int main(int argc, char** argv) {
  using bench::MpiWorld;
  static constexpr bench::MenuItem<MpiWorld> kMenu[] = {
      {"put_notify", bench::measure_put_notify, "payload and flag, one way; 2 ranks"},
      {"rate", bench::measure_rate, "8-byte puts per second, 1 and 4 threads; 2 ranks"},
      {"put", bench::measure_put, "small puts; 2 ranks"},
      {"get", bench::measure_get, "small gets; 2 ranks"},
      {"bandwidth", bench::measure_bandwidth, "large puts and gets; 2 ranks"},
      {"stream", bench::measure_stream, "the same with many under way at a time; 2 ranks"},
      {"busy_target", bench::measure_busy_target, "get and accumulate while rank 1 waits and computes; 2 ranks"},
      {"fetch_add", bench::measure_fetch_add, "everybody adds to one word of the last rank"},
      {"accumulate", bench::measure_accumulate, "sum of doubles into rank 1; 2 ranks"},
      {"patches", bench::measure_patches, "put, get and sum of square patches of doubles in rows of 1024; 2 ranks"},
      {"fences", bench::measure_fences, "flushes of 1 and 50 windows with nothing under way; 2 ranks"},
      {"barrier", bench::measure_barrier, "all ranks wait for all"},
      {"step", bench::measure_step, "100 us of work and a barrier, per round"},
      {"ring", bench::measure_ring, "8 bytes once round all ranks"},
      {"fan_in", bench::measure_fan_in, "everybody tells rank 0, which answers"},
      {"allreduce", bench::measure_allreduce, "sum of 1 to 255 doubles"},
      {"collectives", bench::measure_collectives, "all kinds, of any length"},
      {"alltoall", bench::measure_alltoall, "a block of 2 kB to 64 kB for each pair"},
      {"containers", bench::measure_containers, "elements, copies, updates and halos as bench-containers has them"},
      {"empty", bench::measure_empty, "start and end"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  MpiWorld world(&argc, &argv, arguments.name == "rate");
  return bench::run_menu<MpiWorld>(kMenu, world, arguments);
}
