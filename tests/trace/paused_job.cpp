// A GASPI job that pauses its trace and ends so: by gaspi_proc_term(), or by exit() without it.
//
//   paused_job term|exit      with POLDER_TRACE set, in a job
#include <GASPI.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto meets = [] { return gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS; };
  if (gaspi_proc_init(GASPI_BLOCK) != GASPI_SUCCESS || !meets()) return 3;
  gaspi_pcontrol(0);
  if (!meets()) return 4;  // in no trace
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (std::string_view(argv[1]) == "term") return gaspi_proc_term(GASPI_BLOCK) == GASPI_SUCCESS ? 0 : 5;
  std::exit(0);
}
