/* Patches of a 1024 x 1024 array of doubles: put, get and accumulate, of the rank's own part and of another's, square
 * and in one dimension. After figures 4 to 6 of Hammond, Dinan, Balaji, Kabadshow, Potluri, Tipparaju: OSPRI (2012).
 *
 *   mpirun -n 2 patch        rank 0 works; the last rank owns what is remote
 */
#include "measure.h"

enum { SIDE = 1024 };

typedef struct {
  int array;
  int low[2], high[2], leading[1];
  double* buffer;
} Patch;

static void put(void* context) {
  Patch* patch = context;
  NGA_Put(patch->array, patch->low, patch->high, patch->buffer, patch->leading);
}

static void get(void* context) {
  Patch* patch = context;
  NGA_Get(patch->array, patch->low, patch->high, patch->buffer, patch->leading);
}

static void accumulate(void* context) {
  Patch* patch = context;
  double one = 1.5;
  NGA_Acc(patch->array, patch->low, patch->high, patch->buffer, patch->leading, &one);
}

/* Of `rows` x `columns`, at the beginning of what `owner` has. */
static int place(Patch* patch, int owner, int rows, int columns) {
  int low[2], high[2];
  NGA_Distribution(patch->array, owner, low, high);
  if (rows > high[0] - low[0] + 1 || columns > high[1] - low[1] + 1) return 0;
  patch->low[0] = low[0];
  patch->low[1] = low[1];
  patch->high[0] = low[0] + rows - 1;
  patch->high[1] = low[1] + columns - 1;
  patch->leading[0] = columns;
  return 1;
}

static void measure_patch(Patch* patch, const char* where, const char* form, int owner, int rows, int columns) {
  static const struct {
    const char* name;
    void (*body)(void*);
  } kinds[] = {{"put", put}, {"get", get}, {"acc", accumulate}};
  if (!place(patch, owner, rows, columns)) return;
  for (int i = 0; i < 3; ++i) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", kinds[i].name, where, form);
    measure(name, 8L * rows * columns, kinds[i].body, patch);
  }
}

/* What was put is there, and an accumulate adds to it. */
static void check(Patch* patch, int owner) {
  if (!place(patch, owner, 20, 30)) GA_Error("the array is too small", 1);
  for (int i = 0; i < 600; ++i) patch->buffer[i] = i;
  put(patch);
  accumulate(patch);
  get(patch);
  for (int i = 0; i < 600; ++i) check_that(patch->buffer[i] == 2.5 * i, "a patch has wrong numbers");
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int sides[2] = {SIDE, SIDE};
  Patch patch;
  patch.array = NGA_Create(C_DBL, 2, sides, "patches", NULL);
  patch.buffer = malloc(sizeof(double) * SIDE * SIDE);
  for (int i = 0; i < SIDE * SIDE; ++i) patch.buffer[i] = 1;
  GA_Zero(patch.array);
  if (GA_Nodeid() == 0) {
    const int last = GA_Nnodes() - 1;
    check(&patch, last);
    for (int side = 4; side <= 512; side *= 2) {
      measure_patch(&patch, "remote", "square", last, side, side);
      measure_patch(&patch, "local", "square", 0, side, side);
    }
    for (int length = 8; length <= 1024; length *= 2) {
      measure_patch(&patch, "remote", "line", last, 1, length);
      measure_patch(&patch, "local", "line", 0, 1, length);
    }
  }
  GA_Sync();
  free(patch.buffer);
  return end();
}
