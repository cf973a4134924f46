#include "common/busy_target.hpp"

#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <vector>

namespace bench {

void measure_busy_target(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 4 << 10})) {
    const SharedSegment segment(world, size);
    const std::vector<double> ones(size / sizeof(double), 1.0);
    polder::Runtime& rt = world.runtime();
    measure_against_busy(world, arguments.plan, "get", size, [&] {
      world.must("get", rt.get(segment.mine(), segment.at(1), size));
      world.must("wait", rt.queue().wait(polder::Completion::local, kPatience));
    });
    measure_against_busy(world, arguments.plan, "accumulate", size, [&] {
      world.must("accumulate", rt.accumulate({}, ones.data(), segment.at(1), size));
      world.must("wait", rt.queue().wait(polder::Completion::remote, kPatience));
    });
  }
}

}  // namespace bench
