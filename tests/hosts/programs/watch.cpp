// watch SECONDS: a rank that joins the job and then only looks at the states of the others for that long. Ranks that
// are not the first of their host have no link to other hosts then. Lines as those of endure:
//   ready RANK HOST, saw RANK PEER STATE TIME, end RANK STATES
#include <polder/runtime.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using namespace polder;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string states_of(const Runtime& rt) {
  std::string states;
  for (const Health health : rt.health())
    states.push_back(health == Health::healthy ? 'h' : health == Health::finished ? 'f' : 'F');
  return states;
}

void watch(const Runtime& rt, double seconds) {
  std::string seen(rt.size(), 'h');
  for (const double end = now() + seconds; now() < end; std::this_thread::sleep_for(10ms)) {
    const std::string states = states_of(rt);
    for (Rank peer = 0; peer < rt.size(); ++peer)
      if (states[peer] != seen[peer]) std::printf("saw %u %u %c %.3f\n", rt.rank(), peer, states[peer], now());
    seen = states;
  }
  std::printf("end %u %s 0 0\n", rt.rank(), states_of(rt).c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: watch SECONDS\n"), 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto runtime = Runtime::create({.timeout = 60s});
  if (!runtime.ok()) {
    std::printf("wrong: start: %s\n", runtime.status().to_string().c_str());
    return EXIT_FAILURE;
  }
  Runtime& rt = **runtime;
  std::printf("ready %u %s\n", rt.rank(), rt.host().c_str());
  watch(rt, std::atof(words[1]));
  // Who ends first must not look to the others as if it had left in the middle.
  std::this_thread::sleep_for(1s);
  return EXIT_SUCCESS;
}
