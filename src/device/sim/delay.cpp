#include "device/sim/delay.hpp"

#include "util/random.hpp"

namespace polder::device::sim {

std::int64_t delay_ns(const FabricOptions& options, Rank source, Rank target, std::uint64_t number, Leg leg) {
  const std::int64_t width = options.max_delay_ns - options.min_delay_ns;
  if (width <= 0) return options.min_delay_ns;
  const std::uint64_t link = std::uint64_t{source} << 32 | target;
  const std::uint64_t draw = util::mix(util::mix(util::mix(options.seed) ^ link) ^ (number * 4 + std::uint64_t(leg)));
  return options.min_delay_ns + std::int64_t(draw % (std::uint64_t(width) + 1));
}

}  // namespace polder::device::sim
