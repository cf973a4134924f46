// Compiled in each C++ that programs use: what a library of templates over the interface does with its types.
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include "layout.h"

#include <type_traits>

namespace {

// Classes of units, which are made from numbers and do not become each other.
struct TeamUnit : dart_team_unit_t {
  constexpr TeamUnit(dart_unit_t unit) : dart_team_unit_t(unit) {}
};
constexpr TeamUnit kUnit(3);
static_assert(kUnit.id == 3 && dart_global_unit_t().id == DART_UNDEFINED_UNIT_ID, "units are literals");
static_assert(std::is_convertible<int, dart_global_unit_t>::value, "tests pass plain numbers");
static_assert(!std::is_convertible<dart_global_unit_t, dart_team_unit_t>::value, "kinds of units are apart");
static_assert(std::is_trivially_copyable<dart_gptr_t>::value && std::is_standard_layout<dart_unit_locality_t>::value,
              "bytes");
static_assert(std::is_class<std::remove_pointer<dart_handle_t>::type>::value &&
                  std::is_class<std::remove_pointer<dart_lock_t>::type>::value,
              "handles point to structs");

struct Pointer {
  dart_gptr_t raw;
  constexpr Pointer() : raw(DART_GPTR_NULL) {}
};

// The program's own, which must not be ambiguous.
bool operator==(const dart_gptr_t& one, const dart_gptr_t& two) {
  return DART_GPTR_EQUAL(one, two);
}

}  // namespace

int main() {
  constexpr Pointer null;
  const dart_gptr_t made = {1, 0, 2, 3, {4}};
  return DART_GPTR_ISNULL(null.raw) && !(made == null.raw) && made.teamid == 3 ? 0 : 1;
}
