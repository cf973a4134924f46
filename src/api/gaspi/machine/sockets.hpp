// The processor sockets of this machine, as Linux tells them.
#pragma once

#include <sched.h>

#include <optional>

namespace polder::gaspi {

// Of the core that this thread runs on; empty if Linux does not say.
std::optional<unsigned> current_socket();

// The cores of a socket; empty if there is no such socket.
std::optional<cpu_set_t> cores_of_socket(unsigned socket);

// The highest clock rate of the core that this thread runs on, in MHz; empty if Linux does not say.
std::optional<float> clock_rate_mhz();

}  // namespace polder::gaspi
