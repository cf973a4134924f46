// A rank that others start; see actor.hpp.
#include "actor.hpp"

int main(int count, char** arguments) {
  actor::Actor rank(actor::timeout_from_environment());
  for (int i = 1; i < count; ++i)
    if (!rank.run(arguments[i])) return 1;
  return 0;
}
