/* ga_dgemm of two matrices, with the result checked in places. */
#include "measure.h"

enum { ORDER = 512, TURNS = 3 };

static double a_at(int i, int j) {
  return (i * 3 + j * 5) % 11 - 5;
}
static double b_at(int i, int j) {
  return (i * 7 + j) % 13 - 6;
}

static int matrix(char* name, double (*at)(int, int)) {
  int order[2] = {ORDER, ORDER}, low[2], high[2], leading[1];
  const int made = NGA_Create(C_DBL, 2, order, name, NULL);
  double* mine;
  GA_Zero(made);
  NGA_Distribution(made, GA_Nodeid(), low, high);
  if (at != NULL && low[0] >= 0 && high[0] >= low[0]) {
    NGA_Access(made, low, high, &mine, leading);
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) mine[(i - low[0]) * leading[0] + j - low[1]] = at(i, j);
    NGA_Release_update(made, low, high);
  }
  GA_Sync();
  return made;
}

static void check(int c, int i, int j) {
  int place[2] = {i, j}, leading[1] = {1};
  double value, expected = 0;
  for (int k = 0; k < ORDER; ++k) expected += a_at(i, k) * b_at(k, j);
  NGA_Get(c, place, place, &value, leading);
  check_that(value == expected, "ga_dgemm: a wrong number"); /* whole numbers: exact */
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int a = matrix("a", a_at), b = matrix("b", b_at), c = matrix("c", NULL);
  double samples[TURNS];
  for (int turn = 0; turn < TURNS; ++turn) {
    GA_Sync();
    const double start = MPI_Wtime();
    GA_Dgemm('n', 'n', ORDER, ORDER, ORDER, 1.0, a, b, 0.0, c);
    GA_Sync();
    samples[turn] = (MPI_Wtime() - start) * 1e9;
  }
  for (int i = GA_Nodeid(); i < ORDER; i += 37) check(c, i, (i * 19) % ORDER);
  GA_Sync();
  if (GA_Nodeid() == 0) report("dgemm", 8L * ORDER * ORDER, samples, TURNS);
  return end();
}
