/* The pattern of a self-consistent field calculation: tasks drawn from a counter get blocks of a density matrix,
 * compute, and accumulate into a Fock matrix; then all ranks make the next density of it. The energy is compared with
 * that of the same iteration done by one rank in its own memory.
 */
#include "measure.h"

#include <math.h>

enum { ORDER = 192, BLOCK = 16, BLOCKS = ORDER / BLOCK, TASKS = BLOCKS * BLOCKS * BLOCKS, ITERATIONS = 6 };

static double core(int i, int j) {
  return 1.0 / (1 + abs(i - j)) + (i == j ? 0.1 * (i % 5) : 0);
}

typedef double Matrix[ORDER][ORDER];

static Matrix interaction;

static void make_interaction(void) {
  for (int i = 0; i < ORDER; ++i)
    for (int j = 0; j < ORDER; ++j) interaction[i][j] = 0.01 * cos(0.3 * i) * cos(0.3 * j) + 0.002 * ((i + j) % 3);
}

/* fock block (r, c) += density block (r, k) times interaction block (k, c) */
static void multiply(double* density, double* fock, int k, int c, int leading, int fock_leading) {
  for (int i = 0; i < BLOCK; ++i)
    for (int l = 0; l < BLOCK; ++l) {
      const double factor = density[i * leading + l];
      for (int j = 0; j < BLOCK; ++j) fock[i * fock_leading + j] += factor * interaction[k * BLOCK + l][c * BLOCK + j];
    }
}

/* ---- by one rank alone ---- */

static double norm_of(Matrix m) {
  double sum = 0;
  for (int i = 0; i < ORDER; ++i)
    for (int j = 0; j < ORDER; ++j) sum += m[i][j] * m[i][j];
  return sqrt(sum);
}

static double energy_alone(void) {
  static Matrix density, fock;
  double energy = 0;
  for (int i = 0; i < ORDER; ++i)
    for (int j = 0; j < ORDER; ++j) density[i][j] = i == j ? 1 : 0;
  for (int turn = 0; turn < ITERATIONS; ++turn) {
    for (int i = 0; i < ORDER; ++i)
      for (int j = 0; j < ORDER; ++j) fock[i][j] = core(i, j);
    for (int task = 0; task < TASKS; ++task) {
      const int r = task / (BLOCKS * BLOCKS), c = task / BLOCKS % BLOCKS, k = task % BLOCKS;
      multiply(&density[r * BLOCK][k * BLOCK], &fock[r * BLOCK][c * BLOCK], k, c, ORDER, ORDER);
    }
    const double norm = norm_of(fock);
    energy = 0;
    for (int i = 0; i < ORDER; ++i)
      for (int j = 0; j < ORDER; ++j) {
        density[i][j] = 0.5 * density[i][j] + 0.5 * fock[i][j] / norm;
        energy += density[i][j] * core(i, j);
      }
  }
  return energy;
}

/* ---- by all ---- */

static int matrix(char* name) {
  int order[2] = {ORDER, ORDER};
  return NGA_Create(C_DBL, 2, order, name, NULL);
}

/* Sets this rank's part element by element. */
static void set_mine(int array, double (*at)(int, int)) {
  int low[2], high[2], leading[1];
  double* mine;
  NGA_Distribution(array, GA_Nodeid(), low, high);
  if (low[0] >= 0 && high[0] >= low[0]) {
    NGA_Access(array, low, high, &mine, leading);
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) mine[(i - low[0]) * leading[0] + j - low[1]] = at(i, j);
    NGA_Release_update(array, low, high);
  }
  GA_Sync();
}

static double identity(int i, int j) {
  return i == j ? 1 : 0;
}

static void do_task(int density, int fock, long task) {
  const int r = (int)(task / (BLOCKS * BLOCKS)), c = (int)(task / BLOCKS % BLOCKS), k = (int)(task % BLOCKS);
  double of_density[BLOCK * BLOCK], of_fock[BLOCK * BLOCK] = {0}, one = 1;
  int from[2] = {r * BLOCK, k * BLOCK}, from_end[2] = {from[0] + BLOCK - 1, from[1] + BLOCK - 1};
  int to[2] = {r * BLOCK, c * BLOCK}, to_end[2] = {to[0] + BLOCK - 1, to[1] + BLOCK - 1}, leading[1] = {BLOCK};
  NGA_Get(density, from, from_end, of_density, leading);
  multiply(of_density, of_fock, k, c, BLOCK, BLOCK);
  NGA_Acc(fock, to, to_end, of_fock, leading, &one);
}

static void build_fock(int density, int fock, int counter) {
  int first[1] = {0};
  GA_Zero(counter);
  set_mine(fock, core);
  for (long task = NGA_Read_inc(counter, first, 1); task < TASKS; task = NGA_Read_inc(counter, first, 1))
    do_task(density, fock, task);
  GA_Sync();
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_interaction();
  int one[1] = {1};
  const int density = matrix("density"), fock = matrix("fock"), hamiltonian = matrix("core");
  const int counter = NGA_Create(C_LONG, 1, one, "counter", NULL);
  double energy = 0, samples[ITERATIONS];
  set_mine(density, identity);
  set_mine(hamiltonian, core);
  for (int turn = 0; turn < ITERATIONS; ++turn) {
    const double start = MPI_Wtime();
    build_fock(density, fock, counter);
    double half = 0.5, share = 0.5 / sqrt(GA_Ddot(fock, fock));
    GA_Add(&half, density, &share, fock, density);
    energy = GA_Ddot(density, hamiltonian);
    samples[turn] = (MPI_Wtime() - start) * 1e9 / TASKS;
  }
  if (GA_Nodeid() == 0) {
    const double expected = energy_alone();
    check_that(fabs(energy - expected) < 1e-9 * fabs(expected), "the energy is wrong");
    report("scf_task", 8L * BLOCK * BLOCK, samples, ITERATIONS);
  }
  GA_Sync();
  return end();
}
