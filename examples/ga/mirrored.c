/* A check of Global Arrays as a whole: random operations on a shared array, and the same on a copy that each rank has
 * in its own memory, which must agree in the end. All ranks draw the same random numbers; the operations go round the
 * ranks.
 */
#include "measure.h"

enum { ROWS = 61, COLUMNS = 47, TURNS = 300, POINTS = 40 };

static double model[ROWS][COLUMNS];
static double buffer[2 * ROWS * 2 * COLUMNS];
static unsigned state = 12345;

static int pick(int from, int to) {
  state = state * 1664525u + 1013904223u;
  return from + (int)((state >> 8) % (unsigned)(to - from + 1));
}

static int mine(int turn) {
  return turn % GA_Nnodes() == GA_Nodeid();
}

typedef struct {
  int low[2], high[2], leading[1];
} Range;

static Range pick_range(void) {
  Range range;
  range.low[0] = pick(0, ROWS - 1);
  range.high[0] = pick(range.low[0], ROWS - 1);
  range.low[1] = pick(0, COLUMNS - 1);
  range.high[1] = pick(range.low[1], COLUMNS - 1);
  range.leading[0] = range.high[1] - range.low[1] + 1 + pick(0, 3);
  return range;
}

/* Beyond the edges: the array goes on at the other side. */
static Range pick_periodic(void) {
  Range range = pick_range();
  const int down = pick(-ROWS / 2, ROWS / 2), right = pick(-COLUMNS / 2, COLUMNS / 2);
  range.low[0] += down;
  range.high[0] += down;
  range.low[1] += right;
  range.high[1] += right;
  return range;
}

static double* at(int i, int j) {
  return &model[(i % ROWS + ROWS) % ROWS][(j % COLUMNS + COLUMNS) % COLUMNS];
}

static void fill(const Range* range) {
  const int count = (range->high[0] - range->low[0] + 1) * range->leading[0];
  for (int i = 0; i < count; ++i) buffer[i] = pick(-100, 100);
}

/* The model changes as the array does. */
static void mirror(const Range* range, int add, double scale) {
  for (int i = range->low[0]; i <= range->high[0]; ++i)
    for (int j = range->low[1]; j <= range->high[1]; ++j) {
      const double value = buffer[(i - range->low[0]) * range->leading[0] + j - range->low[1]];
      *at(i, j) = add ? *at(i, j) + scale * value : value;
    }
}

static void compare(const Range* range) {
  for (int i = range->low[0]; i <= range->high[0]; ++i)
    for (int j = range->low[1]; j <= range->high[1]; ++j)
      check_that(buffer[(i - range->low[0]) * range->leading[0] + j - range->low[1]] == *at(i, j),
                 "a get sees a wrong number");
}

static void put(int array, int turn, int periodic) {
  Range range = periodic ? pick_periodic() : pick_range();
  fill(&range);
  if (mine(turn)) (periodic ? NGA_Periodic_put : NGA_Put)(array, range.low, range.high, buffer, range.leading);
  mirror(&range, 0, 1);
}

static void accumulate(int array, int turn, int periodic) {
  Range range = periodic ? pick_periodic() : pick_range();
  double scale = pick(-3, 3);
  fill(&range);
  if (mine(turn)) (periodic ? NGA_Periodic_acc : NGA_Acc)(array, range.low, range.high, buffer, range.leading, &scale);
  mirror(&range, 1, scale);
}

static void get(int array, int periodic) {
  Range range = periodic ? pick_periodic() : pick_range();
  (periodic ? NGA_Periodic_get : NGA_Get)(array, range.low, range.high, buffer, range.leading);
  compare(&range);
}

/* Non-blocking: two halves under two handles. */
static void put_in_halves(int array, int turn) {
  Range range = pick_range(), other;
  fill(&range);
  mirror(&range, 0, 1);
  if (!mine(turn)) return;
  ga_nbhdl_t one, two;
  const int middle = (range.low[0] + range.high[0]) / 2;
  other = range;
  range.high[0] = middle;
  NGA_NbPut(array, range.low, range.high, buffer, range.leading, &one);
  if (middle + 1 <= other.high[0]) {
    double* rest = buffer + (middle + 1 - other.low[0]) * other.leading[0];
    other.low[0] = middle + 1;
    NGA_NbPut(array, other.low, other.high, rest, other.leading, &two);
    NGA_NbWait(&two);
  }
  NGA_NbWait(&one);
}

/* Single elements, each at most once. */
static void scatter(int array, int turn, int add) {
  static int places[POINTS][2];
  int* pointers[POINTS];
  double values[POINTS], scale = 2;
  for (int i = 0; i < POINTS; ++i) {
    places[i][0] = (turn + i) % ROWS;
    places[i][1] = pick(0, COLUMNS - 1);
    pointers[i] = places[i];
    values[i] = pick(-100, 100);
    double* place = at(places[i][0], places[i][1]);
    *place = add ? *place + scale * values[i] : values[i];
  }
  if (!mine(turn)) return;
  if (add)
    NGA_Scatter_acc(array, values, pointers, POINTS, &scale);
  else
    NGA_Scatter(array, values, pointers, POINTS);
}

static void gather(int array) {
  static int places[POINTS][2];
  int* pointers[POINTS];
  double values[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    places[i][0] = pick(0, ROWS - 1);
    places[i][1] = pick(0, COLUMNS - 1);
    pointers[i] = places[i];
  }
  NGA_Gather(array, values, pointers, POINTS);
  for (int i = 0; i < POINTS; ++i)
    check_that(values[i] == *at(places[i][0], places[i][1]), "a gather sees a wrong number");
}

static void one_turn(int array, int turn) {
  switch (pick(0, 6)) {
    case 0: put(array, turn, 0); break;
    case 1: put(array, turn, 1); break;
    case 2: accumulate(array, turn, 0); break;
    case 3: accumulate(array, turn, 1); break;
    case 4: put_in_halves(array, turn); break;
    case 5: scatter(array, turn, 0); break;
    default: scatter(array, turn, 1); break;
  }
  GA_Sync();
  switch (pick(0, 2)) {
    case 0: get(array, 0); break;
    case 1: get(array, 1); break;
    default: gather(array); break;
  }
  GA_Sync();
}

static void random_turns(void) {
  int sides[2] = {ROWS, COLUMNS};
  const int array = NGA_Create(C_DBL, 2, sides, "mirrored", NULL);
  GA_Zero(array);
  for (int turn = 0; turn < TURNS; ++turn) one_turn(array, turn);
  GA_Destroy(array);
}

/* After an update, the cells around a rank's part hold what their owners have. */
static void ghosts(void) {
  enum { SIDE = 40, WIDTH = 2 };
  int sides[2] = {SIDE, SIDE}, widths[2] = {WIDTH, WIDTH}, low[2], high[2], dims[2], leading[1];
  double* cells;
  const int array = NGA_Create_ghosts(C_DBL, 2, sides, widths, "ghosts", NULL);
  NGA_Distribution(array, GA_Nodeid(), low, high);
  for (int i = low[0]; low[0] >= 0 && i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j) {
      int place[2] = {i, j}, one[1] = {1};
      double value = i * 100 + j;
      NGA_Put(array, place, place, &value, one);
    }
  GA_Sync();
  GA_Update_ghosts(array);
  if (low[0] >= 0) {
    NGA_Access_ghosts(array, dims, &cells, leading);
    for (int i = 0; i < dims[0]; ++i)
      for (int j = 0; j < dims[1]; ++j) {
        const int row = (low[0] - WIDTH + i + SIDE) % SIDE, column = (low[1] - WIDTH + j + SIDE) % SIDE;
        check_that(cells[i * leading[0] + j] == row * 100 + column, "a ghost cell has a wrong number");
      }
    NGA_Release_ghosts(array);
  }
  GA_Sync();
  GA_Destroy(array);
}

/* The other types, and three dimensions. */
static void of_type(int type, size_t width, const void* one) {
  int sides[3] = {9, 10, 11}, low[3] = {1, 2, 3}, high[3] = {7, 8, 9}, leading[2] = {7, 7};
  static unsigned char sent[7 * 7 * 7 * 16], back[sizeof sent];
  const int array = NGA_Create(type, 3, sides, "typed", NULL);
  GA_Zero(array);
  memset(sent, 0, sizeof sent);
  for (int i = 0; i < 7 * 7 * 7; ++i) memcpy(sent + (size_t)i * width, one, width);
  NGA_Acc(array, low, high, sent, leading, (void*)one);
  GA_Sync();
  if (GA_Nodeid() == 0) {
    NGA_Get(array, low, high, back, leading);
    NGA_Put(array, low, high, sent, leading);
  }
  GA_Sync();
  /* Every rank added one times one. */
  for (size_t i = width; GA_Nodeid() == 0 && i < 7 * 7 * 7 * width; ++i)
    check_that(back[i] == back[i - width], "elements that are equal differ");
  NGA_Get(array, low, high, back, leading);
  check_that(memcmp(sent, back, 7 * 7 * 7 * width) == 0, "what was put is not there");
  GA_Destroy(array);
}

static void types(void) {
  const int i = 1;
  const long l = 1;
  const float f = 1, c[2] = {1, 0};
  const double d = 1, z[2] = {1, 0};
  of_type(C_INT, sizeof i, &i);
  of_type(C_LONG, sizeof l, &l);
  of_type(C_FLOAT, sizeof f, &f);
  of_type(C_DBL, sizeof d, &d);
  of_type(C_SCPL, sizeof c, c);
  of_type(C_DCPL, sizeof z, z);
}

/* An array of half of the ranks. */
static void groups(void) {
  int list[256], sides[1] = {100}, count = (GA_Nnodes() + 1) / 2;
  for (int i = 0; i < count; ++i) list[i] = i;
  const int group = GA_Pgroup_create(list, count);
  if (GA_Nodeid() < count) {
    const int array = NGA_Create_config(C_LONG, 1, sides, "half", NULL, group);
    int first[1] = {0}, last[1] = {99}, leading[1] = {1};
    long ones[100], one = 1;
    for (int i = 0; i < 100; ++i) ones[i] = i;
    GA_Zero(array);
    NGA_Acc(array, first, last, ones, leading, &one);
    GA_Pgroup_sync(group);
    NGA_Get(array, first, last, ones, leading);
    for (int i = 0; i < 100; ++i) check_that(ones[i] == (long)i * count, "an array of a group has a wrong number");
    GA_Destroy(array);
  }
  GA_Sync();
}

static void locks(void) {
  int one[1] = {1}, first[1] = {0}, leading[1] = {1};
  const int array = NGA_Create(C_LONG, 1, one, "locked", NULL);
  GA_Zero(array);
  check_that(GA_Create_mutexes(3), "no mutexes");
  for (int i = 0; i < 200; ++i) {
    long value;
    GA_Lock(2);
    NGA_Get(array, first, first, &value, leading);
    ++value;
    NGA_Put(array, first, first, &value, leading);
    GA_Unlock(2);
  }
  GA_Sync();
  long total;
  NGA_Get(array, first, first, &total, leading);
  check_that(total == 200L * GA_Nnodes(), "a mutex did not exclude");
  GA_Destroy_mutexes();
  GA_Destroy(array);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  random_turns();
  ghosts();
  types();
  groups();
  locks();
  if (GA_Nodeid() == 0) printf("mirrored: all numbers are right\n");
  return end();
}
