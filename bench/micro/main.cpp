// polder run -n N bench-micro NAME: the measurement called NAME with Polder.
#include "common/menu.hpp"
#include "micro/measurements.hpp"

int main(int argc, char** argv) {
  using bench::PolderWorld;
  static constexpr bench::MenuItem<PolderWorld> kMenu[] = {
      {"put_notify", bench::measure_put_notify, "payload and flag, one way; 2 ranks"},
      {"rate", bench::measure_rate, "put_notify of 8 bytes per second, 1 and 4 threads; 2 ranks"},
      {"put", bench::measure_put, "small puts; 2 ranks"},
      {"get", bench::measure_get, "small gets; 2 ranks"},
      {"bandwidth", bench::measure_bandwidth, "large puts and gets; 2 ranks"},
      {"stream", bench::measure_stream, "the same with many under way at a time; 2 ranks"},
      {"busy_target", bench::measure_busy_target, "get and accumulate while rank 1 waits and computes; 2 ranks"},
      {"fetch_add", bench::measure_fetch_add, "everybody adds to one word of the last rank"},
      {"accumulate", bench::measure_accumulate, "sum and axpy of doubles into rank 1; 2 ranks"},
      {"patches", bench::measure_patches, "put, get and axpy of square patches of doubles in rows of 1024; 2 ranks"},
      {"fences", bench::measure_fences, "fences with 1 and 50 live allocations and nothing under way; 2 ranks"},
      {"ordering", bench::measure_ordering, "a get after a put, in strict and in partial order; 2 ranks"},
      {"mutex", bench::measure_mutex, "lock and unlock, alone and all at once"},
      {"barrier", bench::measure_barrier, "all ranks wait for all"},
      {"one_core", bench::measure_one_core, "barriers of ranks that are all on one core, although there are more"},
      {"step", bench::measure_step, "100 us of work and a barrier, per round"},
      {"ring", bench::measure_ring, "a notification once round all ranks"},
      {"fan_in", bench::measure_fan_in, "everybody notifies rank 0, which answers"},
      {"allreduce", bench::measure_allreduce, "sum of 1 to 255 doubles"},
      {"collectives", bench::measure_collectives, "all kinds, of any length, in private memory and in segments"},
      {"forms", bench::measure_forms, "an allreduce blocking, persistent and non-blocking, alone and beside something"},
      {"eventual", bench::measure_eventual, "broadcast and reduce with 25 to 100 % of the data, or of the members"},
      {"stale", bench::measure_stale, "the stale-synchronous allreduce without slack beside the consistent one"},
      {"alltoall", bench::measure_alltoall, "a block of 2 kB to 64 kB for each pair"},
      {"empty", bench::measure_empty, "start and end"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  auto runtime = polder::Runtime::create();
  if (!runtime.ok()) {
    std::fprintf(stderr, "bench-micro: cannot join the job: %s\n", runtime.status().to_string().c_str());
    return 1;
  }
  PolderWorld world(**runtime);
  return bench::run_menu<PolderWorld>(kMenu, world, arguments);
}
