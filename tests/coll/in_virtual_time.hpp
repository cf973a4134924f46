// Tests that run in virtual time over each kind of simulated device: where memory is mapped, over a network, by messages alone.
#pragma once

#include "core/ranks.hpp"

namespace polder::test {

class InVirtualTime : public testing::TestWithParam<SimulatedDevice> {
 protected:
  static SimulationOptions options() {
    return {.device = GetParam(),
            .max_delay_ns = GetParam() == SimulatedDevice::direct ? 0 : 20'000,
            .runtime = {.timeout = kPatience},
            .deterministic = true};
  }
};

inline auto every_device() {
  return testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages);
}

}  // namespace polder::test
