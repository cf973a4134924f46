#include "micro/polder_world.hpp"

#include <cstdlib>
#include <string>

namespace bench {

void PolderWorld::fail(const char* operation, const polder::Status& status) {
  runtime_.abort(1, "bench-micro: rank " + std::to_string(rank()) + ": " + operation + ": " + status.to_string());
  std::abort();  // a job of one rank has no launcher that ends it
}

}  // namespace bench
