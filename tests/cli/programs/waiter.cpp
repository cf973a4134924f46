// Ranks of which some keep the others waiting:
//
//   waiter WAIT LATE...     the ranks LATE sleep (or, with `busy` among the arguments, compute) until they are killed;
//                           the others wait for them: barrier, allreduce, notification
#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace polder;

[[noreturn]] void stay_away(bool busy) {
  volatile std::uint64_t steps = 0;
  while (true)
    if (busy)
      steps = steps + 1;
    else
      std::this_thread::sleep_for(std::chrono::hours(1));
}

Status wait_in(const std::string& what, Runtime& rt) {
  if (what == "barrier") return rt.world().barrier(Timeout::block());
  if (what == "notification") return rt.wait_some(0, 3, 1, Timeout::block()).status();
  const std::uint64_t mine = rt.rank();
  std::uint64_t sum = 0;
  return allreduce(rt.world(), Reduction::sum, DataType::uint64, &mine, &sum, 1, Timeout::block());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return 96;
  auto joined = Runtime::create();
  if (!joined) return std::fprintf(stderr, "waiter: %s\n", joined.status().to_string().c_str()), 99;
  Runtime& rt = **joined;
  if (!rt.create_segment({.size = 8, .id = 0, .notifications = 8}, rt.world(), Timeout::block())) return 98;
  bool busy = false, late = false;
  for (const std::string& word : words) {
    busy |= word == "busy";
    late |= word == std::to_string(rt.rank());
  }
  if (late) stay_away(busy);
  return wait_in(words[0], rt).ok() ? 0 : 97;
}
