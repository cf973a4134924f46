#include "limits/limits.hpp"
#include "limits/ping_pong.hpp"

#include <cstdio>

namespace bench {

void measure_handover(Machine& machine, const Arguments& arguments) {
  if (machine.cores.size() < 2) {
    std::fprintf(stderr, "bench-limits: handover needs two cores; skipped\n");
    return;
  }
  measure_ping_pong(
      "handover", {machine.cores[0], machine.cores[1]}, arguments,
      [](Line& line, std::uint32_t turn) { line.word.store(turn, std::memory_order_release); },
      [](Line& line, std::uint32_t turn) {
        while (line.word.load(std::memory_order_acquire) != turn) {
        }
      });
}

}  // namespace bench
