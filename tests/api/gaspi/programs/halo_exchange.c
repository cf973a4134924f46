/* In the style of CFD proxies: a field on a grid that is cut into stripes of rows, one a rank. In each step the threads
 * of a rank compute their parts; whichever thread finishes a border posts it at once, from inside the parallel region
 * and on a queue that all threads share. Halos are double-buffered and told apart by notifications. The result is
 * compared with the same steps done by one thread on the whole grid. */
#include "../check.h"

#include <omp.h>

enum { COLUMNS = 512, ROWS = 24, STEPS = 60, THREADS = 4 };
enum { FIELD = 0, HALO = 1 }; /* segments */
enum { FROM_ABOVE = 0, FROM_BELOW = 1 };

/* The field: two buffers of ROWS rows. The halo: for two steps in turn the row above and the row below. */
typedef double row_t[COLUMNS];

static gaspi_offset_t row_offset(int buffer, int row) {
  return ((gaspi_offset_t)buffer * ROWS + (gaspi_offset_t)row) * sizeof(row_t);
}

static double start_value(int row, int column) {
  return (row * 31 + column * 17) % 101 / 101.0;
}

static double next_value(const double* above, const double* here, const double* below, int column) {
  const int left = (column + COLUMNS - 1) % COLUMNS;
  const int right = (column + 1) % COLUMNS;
  return 0.5 * here[column] + 0.125 * (above[column] + below[column] + here[left] + here[right]);
}

static void compute_row(const row_t above, const row_t here, const row_t below, row_t out) {
  for (int column = 0; column < COLUMNS; ++column) out[column] = next_value(above, here, below, column);
}

/* The border is cut in pieces so that several threads post at the same time. */
static void send_border(int buffer, int row, gaspi_rank_t to, int side, int step, int piece) {
  const gaspi_size_t size = sizeof(row_t) / THREADS;
  const gaspi_offset_t from = row_offset(buffer, row) + piece * size;
  const gaspi_offset_t there = (gaspi_offset_t)(2 * (step % 2) + side) * sizeof(row_t) + piece * size;
  const gaspi_notification_id_t flag = (gaspi_notification_id_t)((2 * (step % 2) + side) * THREADS + piece);
  gaspi_return_t code;
  while ((code = gaspi_write_notify(FIELD, from, to, HALO, there, size, flag, (gaspi_notification_t)step + 1, 0,
                                    PATIENCE)) == GASPI_QUEUE_FULL) {
    SUCCEED(gaspi_wait(0, PATIENCE));
  }
  EXPECT(GASPI_SUCCESS, code);
}

/* Any thread may find any piece; together they find each once. */
static void receive_borders(int step) {
  const gaspi_notification_id_t begin = (gaspi_notification_id_t)(2 * (step % 2) * THREADS);
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < 2 * THREADS; ++i) {
    gaspi_notification_t value = 0;
    while (value == 0) {
      gaspi_notification_id_t first = 0;
      SUCCEED(gaspi_notify_waitsome(HALO, begin, 2 * THREADS, &first, PATIENCE));
      SUCCEED(gaspi_notify_reset(HALO, first, &value));
    }
    CHECK(value == (gaspi_notification_t)step + 1);
  }
}

static void run_steps(row_t* field, row_t* halo) {
  const gaspi_rank_t num = num_ranks();
  const gaspi_rank_t above = (gaspi_rank_t)((my_rank() + num - 1) % num);
  const gaspi_rank_t below = (gaspi_rank_t)((my_rank() + 1) % num);
#pragma omp parallel num_threads(THREADS)
  for (int step = 0; step < STEPS; ++step) {
    const int buffer = step % 2;
    row_t* const now = field + buffer * ROWS;
    row_t* const next = field + (1 - buffer) * ROWS;
#pragma omp for schedule(dynamic, 1) nowait
    for (int piece = 0; piece < THREADS; ++piece) send_border(buffer, 0, above, FROM_BELOW, step, piece);
#pragma omp for schedule(dynamic, 1) nowait
    for (int piece = 0; piece < THREADS; ++piece) send_border(buffer, ROWS - 1, below, FROM_ABOVE, step, piece);
#pragma omp for schedule(dynamic, 2)
    for (int row = 1; row < ROWS - 1; ++row) compute_row(now[row - 1], now[row], now[row + 1], next[row]);
    receive_borders(step);
#pragma omp sections
    {
#pragma omp section
      compute_row(halo[2 * (step % 2) + FROM_ABOVE], now[0], now[1], next[0]);
#pragma omp section
      compute_row(now[ROWS - 2], now[ROWS - 1], halo[2 * (step % 2) + FROM_BELOW], next[ROWS - 1]);
    }
    /* The rows that were sent are written again in the next step. */
#pragma omp single
    SUCCEED(gaspi_wait(0, PATIENCE));
  }
}

/* The whole grid, by the caller alone. */
static void compare_with_one_thread(row_t* field) {
  const int rows = ROWS * num_ranks();
  row_t* now = malloc(sizeof(row_t) * (size_t)rows);
  row_t* next = malloc(sizeof(row_t) * (size_t)rows);
  CHECK(now != NULL && next != NULL);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < COLUMNS; ++column) now[row][column] = start_value(row, column);
  for (int step = 0; step < STEPS; ++step) {
    for (int row = 0; row < rows; ++row)
      compute_row(now[(row + rows - 1) % rows], now[row], now[(row + 1) % rows], next[row]);
    row_t* const swap = now;
    now = next;
    next = swap;
  }
  CHECK(memcmp(field + STEPS % 2 * ROWS, now + ROWS * my_rank(), sizeof(row_t) * ROWS) == 0);
  free(now);
  free(next);
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  row_t* const field = create_segment(FIELD, 2 * ROWS * sizeof(row_t));
  row_t* const halo = create_segment(HALO, 4 * sizeof(row_t));
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < COLUMNS; ++column) field[row][column] = start_value(ROWS * my_rank() + row, column);
  barrier();
  run_steps(field, halo);
  compare_with_one_thread(field);
  double sum = 0;
  double mine = field[0][0];
  SUCCEED(gaspi_allreduce(&mine, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, PATIENCE));
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
