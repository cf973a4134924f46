#include "util/assert.hpp"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <pthread.h>

namespace polder::util {
namespace {

// As the launcher calls this process. Ranks of a simulation are threads, and named like that.
const char* rank_of_process() {
  for (const char* name : {"POLDER_RANK", "PMIX_RANK", "PMI_RANK", "GASPI_RANK"})
    if (const char* rank = std::getenv(name); rank != nullptr && *rank != '\0') return rank;
  return "unknown";
}

}  // namespace

void assertion_failed(const char* expression, const char* file, int line, const char* function) {
  char thread[16] = "";
  pthread_getname_np(pthread_self(), thread, sizeof thread);
  std::fprintf(stderr, "polder: assertion failed: %s, at %s:%d in %s(), rank %s, thread '%s'\n", expression, file, line,
               function, rank_of_process(), thread);
  std::abort();
}

}  // namespace polder::util
