// polder run -n N bench-gaspi NAME: the measurement called NAME through the GASPI interface.
#include "common/menu.hpp"
#include "gaspi/measurements.hpp"

int main(int argc, char** argv) {
  using bench::GaspiWorld;
  static constexpr bench::MenuItem<GaspiWorld> kMenu[] = {
      {"door", bench::measure_door, "write_notify of 8 bytes through the interface and below it; 2 ranks"},
      {"waitsome", bench::measure_waitsome, "over 65,536 flags of which the last one is set"},
      {"rate", bench::measure_gaspi_rate, "write_notify of 8 bytes from 1, 4 and 16 threads on one queue; 2 ranks"},
      {"barrier", bench::measure_gaspi_barrier, "all ranks wait for all"},
      {"allreduce", bench::measure_gaspi_allreduce, "sum of 1 to 255 doubles"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  GaspiWorld world;
  return bench::run_menu<GaspiWorld>(kMenu, world, arguments);
}
