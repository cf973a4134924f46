#include "api/gaspi/life/at_term.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace polder::gaspi {
namespace {

constexpr std::size_t kMostDependents = 8;
std::array<std::atomic<void (*)()>, kMostDependents> dependents;
std::atomic<std::size_t> dependents_given{0};

}  // namespace

bool call_at_term(void (*end)()) {
  const std::size_t place = dependents_given.fetch_add(1);
  if (place >= kMostDependents) return false;
  dependents[place].store(end);
  return true;
}

void end_dependents() {
  const std::size_t given = std::min(dependents_given.load(), kMostDependents);
  for (std::size_t place = 0; place < given; ++place)
    if (void (*const end)() = dependents[place].load()) end();
}

}  // namespace polder::gaspi
