// Two simulated ranks hand a number around: touches the runtime, the simulated device and the collectives.
#include <polder/collective.hpp>
#include <polder/simulate.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace std::chrono_literals;

namespace {

// Rank 0 sends 42 to rank 1; then both add up what they have.
polder::Status exchange(polder::Runtime& rt, std::int64_t& total) {
  auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), 10s);
  if (!segment) return segment.status();
  std::int64_t mine = 42;
  if (rt.rank() == 0) {
    auto status = rt.put_notify(&mine, {.rank = 1, .segment = 0, .offset = 8}, sizeof mine, {.id = 3});
    if (!status) return status;
  } else {
    const auto id = rt.wait_some(0, 0, 8, 10s);
    if (!id) return id.status();
    std::memcpy(&mine, segment->data + 8, sizeof mine);
  }
  return polder::allreduce(rt.world(), polder::Reduction::sum, polder::DataType::int64, &mine, &total, 1, 10s);
}

}  // namespace

int main() {
  polder::Simulation simulation(2);
  std::atomic<int> right{0};
  const polder::Status status = simulation.run([&](polder::Runtime& rt) {
    std::int64_t total = 0;
    const polder::Status done = exchange(rt, total);
    if (!done) std::printf("rank %u: %s\n", rt.rank(), done.to_string().c_str());
    right += done.ok() && total == 84;
  });
  if (!status) std::printf("%s\n", status.to_string().c_str());
  std::puts(right == 2 ? "right" : "wrong");
  return right == 2 ? 0 : 1;
}
