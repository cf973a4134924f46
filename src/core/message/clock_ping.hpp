// How the clocks of machines stand to each other, asked over the network itself, for traces.
//
// The first rank of each machine asks rank 0 for its clock, some times when a runtime is there and when it leaves. The
// answer was given between the question and its return, so the fastest of them bound the difference of the two clocks
// best, and both ends together its drift (Cristian 1989, "Probabilistic clock synchronization").
#pragma once

#include "core/message/numbers.hpp"

#include <polder/timeout.hpp>

namespace polder::core {

class Peers;
class Progress;
class Requests;
struct Outside;

namespace number {
inline constexpr MessageNumber kClock = kCoreNumbers.at(11);
}  // namespace number

// At every rank, before anybody asks.
void answer_clock_pings(Outside& outside, Requests& requests);

// Collective in no way: a rank that is not traced, or not the first of a machine other than rank 0's, does nothing, and
// where rank 0 is not traced, is gone or does not answer in time, what has come until then is noted.
void ping_clocks(Outside& outside, Progress& progress, Peers& peers, Requests& requests, Timeout timeout);

// Rank 0, where it is traced and others are on other machines, stays for a moment before it leaves: 50 ms, in which
// those who leave at the same time may ask.
void await_last_clock_pings(const Outside& outside, Progress& progress);

}  // namespace polder::core
