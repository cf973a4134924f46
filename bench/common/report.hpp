// What a measuring program prints: one JSON object per line on standard output. The driver reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// `name` and the numbers after it identify the measurement: the same ones from two programs are the same experiment.
struct Measurement {
  std::string_view name;             // e.g. "put_notify"
  int ranks = 1;                     // processes taking part
  std::size_t size = 0;              // bytes per operation; 0 where there is no such thing
  int threads = 1;                   // per rank
  std::vector<double> samples = {};  // nanoseconds per operation
};

// {"name": "put_notify", "ranks": 2, "size": 8, "threads": 1, "ns": [412.1, 410.9]}
std::string to_json(const Measurement& measurement);

// Prints it in one write. Ends the program with a message if standard output is gone.
void report(const Measurement& measurement);

}  // namespace bench
