/* Halo exchange: a field on a torus, cut into stripes of rows, one for each rank. In each step every cell becomes the
 * mean of its four neighbours, so a rank needs the rows just above and below its stripe. Their owners write them there,
 * with a notification; nobody asks, and no step needs a barrier.
 *
 * The field begins as a wave, which such steps only damp, by a factor that is known: that is what the result is compared
 * with. */
#include "check.h"

#include <math.h>

enum { ROWS = 32, COLUMNS = 128, STEPS = 100 }; /* rows and columns of one rank */
enum { HALO_ABOVE = 0, FIRST = 1, LAST = ROWS, HALO_BELOW = ROWS + 1 };
enum { FIELD = 0, QUEUE = 0 };
#define TURN 6.283185307179586

/* Twice a stripe between two halo rows: a step reads one and writes the other. Neighbours write into the halo of the
 * one that is read; they are never more than one step ahead, because they wait for this rank's rows, too. */
typedef double row_t[COLUMNS];
typedef row_t stripe_t[ROWS + 2];

static gaspi_rank_t me, size;
static stripe_t* field;

static gaspi_offset_t offset_of(int stripe, int row) {
  return (gaspi_offset_t)stripe * sizeof(stripe_t) + (gaspi_offset_t)row * sizeof(row_t);
}

/* A notification for each halo row of both stripes. */
static gaspi_notification_id_t flag_of(int stripe, int halo) {
  return (gaspi_notification_id_t)(2 * stripe + (halo == HALO_ABOVE ? 0 : 1));
}

static double row_angle(void) {
  return TURN / (ROWS * size);
}

static double wave(int row, int column) {
  return sin(row_angle() * (me * ROWS + row) + TURN / COLUMNS * column);
}

static void begin(void) {
  gaspi_pointer_t memory = NULL;
  CHECK(gaspi_segment_create(FIELD, 2 * sizeof(stripe_t), GASPI_GROUP_ALL, PATIENCE, GASPI_MEM_INITIALIZED));
  CHECK(gaspi_segment_ptr(FIELD, &memory));
  field = memory;
  for (int row = FIRST; row <= LAST; ++row)
    for (int column = 0; column < COLUMNS; ++column) field[0][row][column] = wave(row, column);
  CHECK(gaspi_barrier(GASPI_GROUP_ALL, PATIENCE));
}

static void send_row(int now, int row, int to, int halo) {
  CHECK(gaspi_write_notify(FIELD, offset_of(now, row), (gaspi_rank_t)to, FIELD, offset_of(now, halo), sizeof(row_t),
                           flag_of(now, halo), 1, QUEUE, PATIENCE));
}

static void receive_row(int now, int halo) {
  gaspi_notification_id_t first = 0;
  gaspi_notification_t value = 0;
  CHECK(gaspi_notify_waitsome(FIELD, flag_of(now, halo), 1, &first, PATIENCE));
  CHECK(gaspi_notify_reset(FIELD, first, &value));
}

static void compute(int now, int row) {
  row_t* const from = field[now];
  for (int column = 0; column < COLUMNS; ++column) {
    const int left = (column + COLUMNS - 1) % COLUMNS, right = (column + 1) % COLUMNS;
    field[1 - now][row][column] =
        (from[row - 1][column] + from[row + 1][column] + from[row][left] + from[row][right]) / 4;
  }
}

static void step(int now) {
  send_row(now, FIRST, (me + size - 1) % size, HALO_BELOW);
  send_row(now, LAST, (me + 1) % size, HALO_ABOVE);
  for (int row = FIRST + 1; row < LAST; ++row) compute(now, row); /* while the halos travel */
  receive_row(now, HALO_ABOVE);
  compute(now, FIRST);
  receive_row(now, HALO_BELOW);
  compute(now, LAST);
  CHECK(gaspi_wait(QUEUE, PATIENCE)); /* the next step overwrites what was sent */
}

/* How far this rank's stripe is from the damped wave. */
static double error(void) {
  const double damped = pow((cos(row_angle()) + cos(TURN / COLUMNS)) / 2, STEPS);
  double worst = 0;
  for (int row = FIRST; row <= LAST; ++row)
    for (int column = 0; column < COLUMNS; ++column)
      worst = fmax(worst, fabs(field[STEPS % 2][row][column] - damped * wave(row, column)));
  return worst;
}

int main(void) {
  CHECK(gaspi_proc_init(PATIENCE));
  CHECK(gaspi_proc_rank(&me));
  CHECK(gaspi_proc_num(&size));

  begin();
  for (int i = 0; i < STEPS; ++i) step(i % 2);

  double mine = error(), worst = 0;
  CHECK(gaspi_allreduce(&mine, &worst, 1, GASPI_OP_MAX, GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, PATIENCE));
  if (me == 0) printf("%u ranks, %d steps: off by %.1e at most\n", (unsigned)size, STEPS, worst);
  CHECK(gaspi_proc_term(PATIENCE));
  return worst < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
