/* A job of one rank that saves a word through the interface of GPI_CP, changes it and gets it back. */
#include <gpi_cp.h>
#include <stdio.h>
#include <stdlib.h>

static int comes_back(void) {
  gaspi_pointer_t memory = NULL;
  gpi_cp_description_t saved = GPI_CP_DESCRIPTION_INITIALIZER();
  if (gaspi_segment_create(0, 64, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED) != GASPI_SUCCESS) return 0;
  if (gaspi_segment_ptr(0, &memory) != GASPI_SUCCESS) return 0;
  int* const words = memory;
  words[0] = 42;
  if (gpi_cp_init(0, 0, 64, 0, GPI_CP_POLICY_RING, GASPI_GROUP_ALL, saved, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  if (gpi_cp_start(saved, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  if (gpi_cp_commit(saved, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  words[0] = 43;
  if (gpi_cp_rollback(saved, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  if (gpi_cp_finalize(saved, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  free(saved);
  return words[0] == 42;
}

int main(void) {
  if (gaspi_proc_init(GASPI_BLOCK) != GASPI_SUCCESS) return 1;
  const int right = comes_back();
  if (gaspi_proc_term(GASPI_BLOCK) != GASPI_SUCCESS) return 1;
  puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
