// bench-gloo collectives [--procs N,..]: collectives of Gloo among N processes of this machine, which it starts itself.
#include "common/menu.hpp"
#include "peers/gloo/collectives.hpp"

int main(int argc, char** argv) {
  using Processes = const std::vector<std::size_t>;
  static constexpr bench::MenuItem<Processes> kMenu[] = {
      {"collectives", bench::measure_collectives, "those kinds that Gloo has, of any length"},
  };
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  Processes processes = arguments.procs_or({2});
  return bench::run_menu<Processes>(kMenu, processes, arguments);
}
