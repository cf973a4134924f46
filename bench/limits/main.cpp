// bench-limits NAME: measures what this machine can do without any library.
#include "common/cores.hpp"
#include "common/menu.hpp"
#include "limits/limits.hpp"

int main(int argc, char** argv) {
  using bench::Machine;
  static constexpr bench::MenuItem<Machine> kMenu[] = {
      {"handover", bench::measure_handover, "a cache line from core to core, one way"},
      {"fetch_add", bench::measure_fetch_add, "1, 2 and 4 processes add to one word"},
      {"store", bench::measure_store, "8 bytes into a shared page"},
      {"memcpy", bench::measure_memcpy, "between shared pages, 64 kB to 256 MB"},
      {"outward", bench::measure_outward, "64 kB written by one core and read by another, through and past the cache"},
      {"stream", bench::measure_stream, "y += a * x over doubles"},
      {"futex", bench::measure_futex, "waking a sleeper, one way"},
      {"yield", bench::measure_yield, "handing a core over, one way"},
      {"turns", bench::measure_turns, "a barrier of 64 to 512 processes that yield"},
      {"hog", bench::run_hog, "computes on core --cpu until killed"},
  };
  Machine machine{bench::usable_cores()};
  return bench::run_menu<Machine>(kMenu, machine, bench::parse_arguments(argc, argv));
}
