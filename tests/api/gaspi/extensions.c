/* GASPI_Ext.h: the machine, and printing. What is printed is caught and compared. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

static int real_output;

static void catch_output(void) {
  char path[] = "/tmp/polder-gaspi-XXXXXX";
  fflush(stdout);
  real_output = dup(STDOUT_FILENO);
  const int file = mkstemp(path);
  CHECK(real_output >= 0 && file >= 0 && unlink(path) == 0);
  CHECK(dup2(file, STDOUT_FILENO) >= 0);
  close(file);
}

/* What standard output has received, so far. */
static const char* caught(void) {
  static char text[1 << 16];
  fflush(stdout);
  const ssize_t size = pread(STDOUT_FILENO, text, sizeof text - 1, 0);
  CHECK(size >= 0);
  text[size] = '\0';
  return text;
}

static void give_back_output(void) {
  fflush(stdout);
  CHECK(dup2(real_output, STDOUT_FILENO) >= 0);
  close(real_output);
}

static void check_machine(void) {
  gaspi_float frequency = 0;
  gaspi_uchar socket = 255;
  SUCCEED(gaspi_cpu_frequency(&frequency));
  CHECK(frequency > 100 && frequency < 20000);
  EXPECT(GASPI_ERR_ENV, gaspi_numa_socket(&socket)); /* nobody asked for NUMA nodes */
  CHECK(socket == 255);
  setenv("GASPI_SET_NUMA_SOCKET", "1", 1);
  SUCCEED(gaspi_numa_socket(&socket));
  unsetenv("GASPI_SET_NUMA_SOCKET");
  gaspi_delay();
  SUCCEED(gaspi_set_socket_affinity(socket));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_set_socket_affinity(254));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_cpu_frequency(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_numa_socket(NULL));
}

static void check_counters(void) {
  gaspi_segment_id_t segment = 3;
  SUCCEED(gaspi_segment_alloc(segment, 64, GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_statistic_verbosity_level(2));
  SUCCEED(gaspi_write(segment, 0, my_rank(), segment, 8, 8, 0, PATIENCE));
  SUCCEED(gaspi_wait(0, PATIENCE));
  SUCCEED(gaspi_statistic_verbosity_level(0));
  char to_me[40];
  sprintf(to_me, "] bytes_to_rank %d: 8\n", (int)my_rank());
  catch_output();
  SUCCEED(gaspi_statistic_print_counters());
  CHECK(strstr(caught(), "] writes: 1\n") != NULL && strstr(caught(), to_me) != NULL);
  CHECK(strstr(caught(), "reads") == NULL); /* there were none */
  give_back_output();
  SUCCEED(gaspi_segment_delete(segment));
}

static void check_printing(void) {
  char expected[300] = "[";
  CHECK(gethostname(expected + 1, 255) == 0);
  sprintf(expected + strlen(expected), ":%d] a line of 7 words\n", (int)my_rank());
  catch_output();
  gaspi_printf("a line of %d %s\n", 7, "words");
  CHECK(strcmp(caught(), expected) == 0);
  gaspi_print_affinity_mask();
  CHECK(strstr(caught(), "] cores ") != NULL);
  barrier();

  /* Everybody prints at rank 0, the last one a long text. */
  char text[20001];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  gaspi_printf_to(0, "from %d\n", (int)my_rank());
  if (my_rank() == num_ranks() - 1) gaspi_printf_to(0, "%s!\n", text);
  gaspi_printf_to(num_ranks(), "to nobody\n");
  gaspi_printf_to(0, NULL);
  if (my_rank() == 0) {
    const double end = now_ms() + PATIENCE;
    for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) {
      char line[32];
      sprintf(line, ":%d] from %d\n", (int)rank, (int)rank);
      while (strstr(caught(), line) == NULL) {
        CHECK(now_ms() < end);
        sleep_ms(5);
      }
    }
    while (strstr(caught(), "xxx!\n") == NULL) {
      CHECK(now_ms() < end);
      sleep_ms(5);
    }
    CHECK(strstr(caught(), "nobody") == NULL);
    size_t count = 0;
    for (const char* at = caught(); *at != '\0'; ++at) count += *at == 'x';
    CHECK(count >= sizeof text - 1);
  }
  barrier();
  give_back_output();
}

int main(void) {
  check_machine();
  SUCCEED(gaspi_proc_init(PATIENCE));
  check_machine();
  check_counters();
  check_printing();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
