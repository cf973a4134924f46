// Processes of one machine that Gloo has connected, each with each.
#pragma once

#include "common/shared_world.hpp"

#include <memory>

#include <gloo/context.h>

namespace bench {

// A context of all processes of `world`, over TCP on the loopback device, which is the one transport that Gloo has within a machine.
// Collective. Throws what Gloo throws.
std::shared_ptr<gloo::Context> connected_by_gloo(SharedWorld& world);

}  // namespace bench
