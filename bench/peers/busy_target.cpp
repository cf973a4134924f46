#include "common/busy_target.hpp"

#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <vector>

namespace bench {

void measure_busy_target(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 4 << 10})) {
    Window window(size);
    const int count = int(size / sizeof(double));
    std::vector<double> own(std::size_t(count), 1.0);
    measure_against_busy(world, arguments.plan, "get", size, [&] {
      MPI_Get(own.data(), count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, window.get());
      window.flush(1);
    });
    measure_against_busy(world, arguments.plan, "accumulate", size, [&] {
      MPI_Accumulate(own.data(), count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, MPI_SUM, window.get());
      window.flush(1);
    });
  }
}

}  // namespace bench
