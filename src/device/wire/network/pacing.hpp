// What paces the TCP connections of a device: the kernel's congestion control, which each socket may choose.
//
// BBR, which some machines prefer for the sake of connections around the world, guesses a bandwidth and a round trip and sends no faster. Where a
// round trip takes microseconds and messages come now and then, its guesses are wrong by a factor, and stay so: between two hosts on a
// Xeon of 2023 64 kB took 35 us on one connection and 85 on the next, by what it had carried before, and 1 MB twice as long as by cubic.
// Cardwell et al., BBR: congestion-based congestion control, 2016; Ha, Rhee and Xu, CUBIC, 2008.
#pragma once

#include "util/options.hpp"

#include <string>

namespace polder::device::wire {

inline constexpr util::Option kCongestion{
    "POLDER_TCP_CONGESTION", "auto",
    "congestion control of TCP connections: auto (cubic where the machine prefers BBR, else what it prefers), "
    "system (what it prefers), or the name of one that the kernel has"};

// Before the socket connects or listens; those that it accepts are like it. `wish` is a value of kCongestion. False: the kernel does not allow
// that, or it is no TCP socket, and nothing has changed. Cost: a system call or two.
bool pace(int socket, const std::string& wish);

}  // namespace polder::device::wire
