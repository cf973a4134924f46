/* Dynamic load balance: tasks of different lengths, drawn from a shared counter, whose results go into a shared array.
 * First the counter alone, by all ranks at once; then with tasks.
 */
#include "measure.h"

enum { DRAWS = 20000, TASKS = 5000, TURNS = 3 };

static int shared(char* name, int type, int length) {
  int lengths[1] = {length};
  const int made = NGA_Create(type, 1, lengths, name, NULL);
  GA_Zero(made);
  return made;
}

static double draw_only(int counter) {
  int first[1] = {0};
  GA_Zero(counter);
  const double start = MPI_Wtime();
  for (int i = 0; i < DRAWS; ++i) NGA_Read_inc(counter, first, 1);
  GA_Sync();
  const double took = MPI_Wtime() - start;
  long total = 0;
  int leading[1] = {1};
  NGA_Get(counter, first, first, &total, leading);
  check_that(total == (long)DRAWS * GA_Nnodes(), "the counter lost something");
  GA_Sync();
  return took * 1e9 / DRAWS;
}

/* Longer for some tasks than for others; returns a number that is known. */
static double work(long task) {
  volatile double sum = 0;
  for (int i = 0; i < 200 + task % 7 * 100; ++i) sum += 1.0 / (1.0 + i);
  return sum > 0 ? (double)(task % 100) : 0;
}

static double with_tasks(int counter, int results) {
  int first[1] = {0}, leading[1] = {1};
  double one = 1;
  GA_Zero(counter);
  GA_Zero(results);
  const double start = MPI_Wtime();
  for (long task = NGA_Read_inc(counter, first, 1); task < TASKS; task = NGA_Read_inc(counter, first, 1)) {
    int place[1] = {(int)(task % 50)};
    double result = work(task);
    NGA_Acc(results, place, place, &result, leading, &one);
  }
  GA_Sync();
  const double took = MPI_Wtime() - start;
  double sums[50], total = 0;
  int last[1] = {49};
  NGA_Get(results, first, last, sums, leading);
  for (int i = 0; i < 50; ++i) total += sums[i];
  check_that(total == TASKS / 100 * (99 * 100 / 2), "a task was lost or done twice");
  GA_Sync();
  return took * 1e9 / TASKS;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int counter = shared("counter", C_LONG, 1), results = shared("results", C_DBL, 50);
  double draws[TURNS], tasks[TURNS];
  for (int turn = 0; turn < TURNS; ++turn) draws[turn] = draw_only(counter);
  for (int turn = 0; turn < TURNS; ++turn) tasks[turn] = with_tasks(counter, results);
  if (GA_Nodeid() == 0) {
    report("read_inc", 8, draws, TURNS);
    report("tasks", 8, tasks, TURNS);
  }
  return end();
}
