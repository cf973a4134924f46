// Late sums: in each step the ranks add up vectors, and three of four are enough. Who was too late keeps what it had and
// gives it in the next step; in the last one all are waited for. So nobody waits for a slow rank, and nothing is lost.
#include "check.hpp"

#include <polder/eventual.hpp>
#include <polder/runtime.hpp>

#include <cstdint>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

constexpr std::size_t kCount = 1000;
constexpr std::uint64_t kSteps = 20;
constexpr polder::Timeout kPatience = 60s;  // nothing here takes so long, unless a rank is missing

using Vector = std::vector<std::uint64_t>;

// What a rank finds in a step.
std::uint64_t found(polder::Rank rank, std::uint64_t step, std::size_t i) {
  return (rank + 1) * (step + 1) + i;
}

// Another one is slow in each step.
void compute(const polder::Runtime& rt, std::uint64_t step) {
  if (step % rt.size() == rt.rank()) std::this_thread::sleep_for(5ms);
}

void add(Vector& to, const Vector& what) {
  for (std::size_t i = 0; i < kCount; ++i) to[i] += what[i];
}

// Whether the total is that of everything that anybody has found.
bool is_complete(const Vector& total, polder::Rank ranks) {
  for (std::size_t i = 0; i < kCount; ++i) {
    std::uint64_t expected = 0;
    for (polder::Rank rank = 0; rank < ranks; ++rank)
      for (std::uint64_t step = 0; step < kSteps; ++step) expected += found(rank, step, i);
    if (total[i] != expected) return false;
  }
  return true;
}

int main() {
  auto joined = take(polder::Runtime::create());
  polder::Runtime& rt = *joined;
  auto eventual = take(polder::Eventual::create(rt.world(), {.bytes = kCount * sizeof(std::uint64_t)}, kPatience));
  const auto sum = take(polder::reduction(polder::Reduction::sum, polder::DataType::uint64, kCount));

  Vector mine(kCount), result(kCount), total(kCount);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    compute(rt, step);
    for (std::size_t i = 0; i < kCount; ++i) mine[i] += found(rt.rank(), step, i);
    const polder::Threshold enough{.members = step + 1 < kSteps ? 0.75 : 1};
    const auto status = take(eventual->allreduce(sum, mine.data(), result.data(), enough, kPatience));
    add(total, result);
    if (status.mine == polder::Counted::yes) mine.assign(kCount, 0);
  }
  check(rt.world().barrier(kPatience));  // nobody goes while others may still be reading
  if (!is_complete(total, rt.size())) {
    std::fprintf(stderr, "rank %u has lost something\n", rt.rank());
    return EXIT_FAILURE;
  }
  if (rt.rank() == 0)
    std::printf("%u ranks, %llu steps: nothing was lost\n", rt.size(), static_cast<unsigned long long>(kSteps));
}
