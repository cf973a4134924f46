/* A job of one rank that writes to itself through the C interface. */
#include <GASPI.h>
#include <stdio.h>

static int value_arrives(void) {
  gaspi_pointer_t memory = NULL;
  gaspi_notification_id_t id = 0;
  if (gaspi_segment_create(0, 64, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED) != GASPI_SUCCESS) return 0;
  if (gaspi_segment_ptr(0, &memory) != GASPI_SUCCESS) return 0;
  int* words = memory;
  words[0] = 42;
  if (gaspi_write_notify(0, 0, 0, 0, 32, sizeof(int), 5, 1, 0, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  if (gaspi_notify_waitsome(0, 0, 8, &id, GASPI_BLOCK) != GASPI_SUCCESS) return 0;
  return id == 5 && words[8] == 42;
}

int main(void) {
  if (gaspi_proc_init(GASPI_BLOCK) != GASPI_SUCCESS) return 1;
  const int right = value_arrives();
  if (gaspi_proc_term(GASPI_BLOCK) != GASPI_SUCCESS) return 1;
  puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
