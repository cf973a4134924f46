// The LogGP model of a network: Alexandrov, Ionescu, Schauser, Scheiman 1995. Times in microseconds.
#pragma once

namespace polder::coll {

struct LogGP {
  double latency = 1.5;     // L: of a way
  double overhead = 0.3;    // o: of a core for a letter, at each end
  double gap = 0;           // g: between two letters of a member
  double per_byte = 8e-5;   // G: 12.5 GB/s
  double combining = 2e-5;  // of a byte: 50 GB/s
};

}  // namespace polder::coll
