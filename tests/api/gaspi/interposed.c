/* Knows nothing of the tool that is loaded before it; only in the end it asks how many of its calls the tool has seen.
 */
#include "check.h"

#include <dlfcn.h>

int main(void) {
  void* const symbol = dlsym(RTLD_DEFAULT, "interposed_calls");
  unsigned (*count)(void) = NULL;
  memcpy(&count, &symbol, sizeof count);
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  for (unsigned i = 1; i <= 10; ++i) {
    SUCCEED(gaspi_write_notify(0, 0, my_rank(), 0, 32, 8, 1, i, 0, PATIENCE));
    CHECK(take_flag(0, 1) == i);
  }
  barrier();
  CHECK(count != NULL && count() == 10);
  SUCCEED(gaspi_proc_term(PATIENCE));
  gaspi_number_t alive = 0;
  SUCCEED(gaspi_initialized(&alive));
  CHECK(alive == 1); /* the tool has kept the call to itself */
  return EXIT_SUCCESS;
}
