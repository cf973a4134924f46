#include "common/report.hpp"

#include <cstdio>
#include <cstdlib>

namespace bench {

std::string to_json(const Measurement& m) {
  std::string line = "{\"name\": \"" + std::string(m.name) + "\", \"ranks\": " + std::to_string(m.ranks) +
                     ", \"size\": " + std::to_string(m.size) + ", \"threads\": " + std::to_string(m.threads) +
                     ", \"ns\": [";
  const char* separator = "";
  for (const double ns : m.samples) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.3f", separator, ns);
    line += number;
    separator = ", ";
  }
  return line + "]}";
}

void report(const Measurement& measurement) {
  const std::string line = to_json(measurement) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), stdout) == line.size() && std::fflush(stdout) == 0) return;
  std::perror("bench: cannot write the measurement to standard output");
  std::exit(1);
}

}  // namespace bench
