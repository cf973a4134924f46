/* Compiled in each C that programs use, and run. */
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include "layout.h"

#include <string.h>

int main(void) {
  dart_gptr_t pointer = {5, 0xAB, 0x1234, 0x5678, {0x99}};
  const dart_gptr_t null = DART_GPTR_NULL;
  uint64_t words[2];
  memcpy(words, &pointer, sizeof words);
  if (words[0] != 0x56781234ab000005u || words[1] != 0x99) return 1;
  memcpy(words, &null, sizeof words);
  if (words[0] != 0xffff000000ffffffu || words[1] != 0) return 2;
  if (!DART_GPTR_ISNULL(null) || DART_GPTR_ISNULL(pointer)) return 3;
  dart_gptr_t other = pointer;
  other.flags = 0;
  if (!DART_GPTR_EQUAL(pointer, other)) return 4; /* flags do not count */
  dart_gptr_incaddr(&other, 1);
  if (DART_GPTR_EQUAL(pointer, other)) return 5;
  dart_gptr_setunit(&other, DART_TEAM_UNIT_ID(-7));
  if (other.unitid != -7) return 6;
  const dart_global_unit_t undefined = DART_UNDEFINED_GLOBAL_UNIT_ID;
  return undefined.id == -1 && strcmp(DART_VERSION_STR, "3.2.0") == 0 ? 0 : 7;
}
