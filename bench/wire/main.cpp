// bench-wire NAME, once on each of two hosts: the measurement called NAME over a TCP connection between them. A PMIx
// launcher says who is rank 0; BENCH_WIRE_AT says where that listens (host:port).
#include "common/menu.hpp"
#include "wire/wire.hpp"

#include <cstdlib>

int main(int argc, char** argv) {
  using bench::TcpWorld;
  static constexpr bench::MenuItem<TcpWorld> kMenu[] = {
      {"ping_pong", bench::measure_ping_pong, "8 B to 64 kB there and back, one way"},
      {"stream", bench::measure_stream, "64 kB to 16 MB back to back"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  const char* rank = std::getenv("PMIX_RANK");
  const char* place = std::getenv("BENCH_WIRE_AT");
  if (rank == nullptr || place == nullptr) {
    std::fprintf(stderr, "bench-wire: needs a PMIx launcher (mpirun, srun) and BENCH_WIRE_AT=host:port\n");
    return 2;
  }
  TcpWorld world(std::atoi(rank), place);
  return bench::run_menu<TcpWorld>(kMenu, world, arguments);
}
