/* GASPI 17.1, sections 13 and 14.2: all of it at any time, so mostly before gaspi_proc_init. */
#include "check.h"

static void check_texts(void) {
  gaspi_string_t message = NULL;
  for (int code = GASPI_ERROR; code <= GASPI_ERR_MEMALLOC; ++code) {
    SUCCEED(gaspi_print_error((gaspi_return_t)code, &message));
    CHECK(message != NULL && strlen(message) > 4);
    CHECK(strcmp(message, gaspi_error_str((gaspi_return_t)code)) == 0);
    gaspi_string_t same = NULL;
    SUCCEED(gaspi_error_message((gaspi_return_t)code, &same));
    CHECK(same == message);
    for (int other = GASPI_ERROR; other < code; ++other) {
      CHECK(strcmp(message, gaspi_error_str((gaspi_return_t)other)) != 0);
    }
  }
  CHECK(strstr(gaspi_error_str((gaspi_return_t)1000), "unknown") != NULL);
  EXPECT(GASPI_ERR_NULLPTR, gaspi_print_error(GASPI_ERROR, NULL));
  CHECK(strstr(gaspi_error_detail(), "error_message") != NULL);
}

static void check_time(void) {
  gaspi_time_t start = -1;
  gaspi_time_t end = -1;
  gaspi_time_t resolution = -1;
  const double before = now_ms();
  SUCCEED(gaspi_time_get(&start));
  sleep_ms(30);
  SUCCEED(gaspi_time_get(&end));
  const double passed = now_ms() - before;
  CHECK(start >= 0 && end - start >= 29.5f && end - start <= (float)passed + 0.5f);
  SUCCEED(gaspi_time_ticks(&resolution));
  CHECK(resolution > 0 && resolution < 100);
  gaspi_cycles_t first = 0;
  gaspi_cycles_t last = 0;
  SUCCEED(gaspi_time_ticks(&first)); /* of this type: cycles, as another implementation counts them */
  sleep_ms(2);
  SUCCEED(gaspi_time_ticks(&last));
  CHECK(last - first > 100000);
  EXPECT(GASPI_ERR_NULLPTR, gaspi_time_cycles(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_time_get(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_time_ticks(NULL));
}

static void check_version(void) {
  float version = 0;
  SUCCEED(gaspi_version(&version));
  CHECK(version > 17.05f && version < 17.15f);
  EXPECT(GASPI_ERR_NULLPTR, gaspi_version(NULL));
}

static void check_all(void) {
  check_version();
  check_time();
  check_texts();
  SUCCEED(gaspi_pcontrol(0));
  SUCCEED(gaspi_pcontrol(2, "region", 3.0));
}

int main(void) {
  check_all();
  SUCCEED(gaspi_proc_init(PATIENCE));
  check_all();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  check_all();
  return EXIT_SUCCESS;
}
