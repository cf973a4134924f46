// Extensions: the processor under this thread.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/symbols.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/machine/sockets.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

using namespace polder::gaspi;

namespace {

// "0-3,8": as taskset(1) writes a set of cores.
std::string to_string(const cpu_set_t& cores) {
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &cores)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &cores)) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
    first = last;
  }
  return text;
}

// What `gaspi_run -N` sets. Programs take a success for "bind yourself".
bool asked_for_sockets() {
  const char* const wish = std::getenv("GASPI_SET_NUMA_SOCKET");
  return wish != nullptr && *wish != '\0' && std::strcmp(wish, "0") != 0;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_cpu_frequency(gaspi_float* frequency_mhz) {
  if (frequency_mhz == nullptr) return refuse_null("gaspi_cpu_frequency", "frequency_mhz");
  return guarded("gaspi_cpu_frequency", [&] {
    const auto rate = clock_rate_mhz();
    if (!rate) return refuse(GASPI_ERR_ENV, "gaspi_cpu_frequency", "this machine does not tell the rate of its clock");
    *frequency_mhz = *rate;
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(cpu_frequency);

gaspi_return_t pgaspi_numa_socket(gaspi_uchar* socket) {
  if (socket == nullptr) return refuse_null("gaspi_numa_socket", "socket");
  return guarded("gaspi_numa_socket", [&] {
    if (!asked_for_sockets()) {
      return refuse(GASPI_ERR_ENV, "gaspi_numa_socket", "the ranks were not bound to NUMA nodes (gaspi_run -N)");
    }
    const auto here = current_socket();
    if (!here) return refuse(GASPI_ERR_ENV, "gaspi_numa_socket", "this machine does not tell its sockets");
    *socket = gaspi_uchar(*here);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(numa_socket);

// Where ranks outnumber cores, what is polled for may need this very core.
void pgaspi_delay(void) {
  std::this_thread::yield();
}
POLDER_WEAK_ALIAS(delay);

gaspi_return_t pgaspi_set_socket_affinity(gaspi_uchar socket) {
  const TracedGaspiCall traced(GaspiCall::set_socket_affinity, {});
  return guarded("gaspi_set_socket_affinity", [&] {
    const auto cores = cores_of_socket(socket);
    if (!cores) {
      return refuse(GASPI_ERR_INV_NUM, "gaspi_set_socket_affinity", "the socket must exist", socket);
    }
    if (sched_setaffinity(0, sizeof *cores, &*cores) == 0) return GASPI_SUCCESS;
    return refuse(GASPI_ERR_ENV, "gaspi_set_socket_affinity", "Linux refuses to bind the thread");
  });
}
POLDER_WEAK_ALIAS(set_socket_affinity);

void pgaspi_print_affinity_mask(void) {
  (void)guarded("gaspi_print_affinity_mask", [&] {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) return GASPI_ERR_ENV;
    pgaspi_printf("cores %s\n", to_string(cores).c_str());
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(print_affinity_mask);

}  // extern "C"
