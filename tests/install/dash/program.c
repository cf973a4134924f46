/* Each unit writes its number to the next one. */
#include <dash/dart/if/dart.h>

#include <stdio.h>

int main(int argc, char** argv) {
  if (dart_init(&argc, &argv) != DART_OK) return 1;
  dart_global_unit_t me;
  size_t size;
  dart_myid(&me);
  dart_size(&size);
  dart_gptr_t place;
  if (dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &place) != DART_OK) return 1;
  int* own;
  place.unitid = (int16_t)me.id;
  dart_gptr_getaddr(place, (void**)&own);
  place.unitid = (int16_t)((me.id + 1) % (int)size);
  if (dart_put_blocking(place, &me.id, 1, DART_TYPE_INT, DART_TYPE_INT) != DART_OK) return 1;
  dart_barrier(DART_TEAM_ALL);
  const int expected = (me.id + (int)size - 1) % (int)size;
  printf("%s at unit %d of %d\n", *own == expected ? "right" : "wrong", me.id, (int)size);
  dart_barrier(DART_TEAM_ALL);
  dart_exit();
  return 0;
}
