// trace-lab span: what it costs to record a call.
// trace-lab make DIR RANKS EVENTS: a trace to measure readers with.
#include "common/arguments.hpp"
#include "made_job.hpp"
#include "span_cost.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int make(char** words) {
  const bench::MadeJob job{.directory = words[0],
                           .ranks = polder::Rank(std::strtoul(words[1], nullptr, 10)),
                           .events = std::strtoull(words[2], nullptr, 10)};
  const polder::Status status =
      job.ranks < 2 ? polder::Status(polder::Code::invalid_argument, "at least 2 ranks") : bench::make_job(job);
  if (status.ok()) return 0;
  std::fprintf(stderr, "trace-lab make: %s\n", status.to_string().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "make") return make(argv + 2);
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  if (arguments.name == "span") {
    bench::measure_span(arguments);
    return 0;
  }
  std::fprintf(stderr, "trace-lab: span, or make DIR RANKS EVENTS\n");
  return 2;
}
