// Stale steps: ranks go towards the mean of their numbers, each by steps that it computes from a model which may be a few
// iterations old. Another rank is slow now and then, and nobody waits for it. Who is ahead pulls harder, so the last third
// of the way all go in step; in the end all have the same model.
#include "check.hpp"

#include <polder/runtime.hpp>
#include <polder/stale.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

constexpr std::size_t kCount = 1000;
constexpr std::uint64_t kIterations = 300;
constexpr std::uint64_t kSlack = 8;         // of the first two thirds
constexpr polder::Timeout kPatience = 60s;  // nothing here takes so long, unless a rank is missing

using Vector = std::vector<double>;

// The number that a rank pulls an element towards.
double wanted(polder::Rank rank, std::size_t i) {
  return double(rank) + double(i % 10);
}

// A hiccup now and then, of another rank each time.
void compute(const polder::Runtime& rt, std::uint64_t iteration) {
  if (iteration % (10 * rt.size()) == 10 * rt.rank()) std::this_thread::sleep_for(5ms);
}

int main() {
  auto joined = take(polder::Runtime::create());
  polder::Runtime& rt = *joined;
  const auto sum = take(polder::reduction(polder::Reduction::sum, polder::DataType::float64, kCount));
  auto stale = take(polder::Stale::create(rt.world(), {.reduction = sum}, kPatience));

  Vector step(kCount), model(kCount);
  std::uint64_t oldest = 0;  // of what it has computed with: iterations
  for (std::uint64_t iteration = 0; iteration < kIterations; ++iteration) {
    compute(rt, iteration);
    for (std::size_t i = 0; i < kCount; ++i) step[i] = 0.1 / rt.size() * (wanted(rt.rank(), i) - model[i]);
    const std::uint64_t slack = iteration < kIterations / 3 * 2 ? kSlack : 0;
    const auto told = take(stale->allreduce_ssp(step.data(), model.data(), slack, kPatience));
    oldest = std::max(oldest, told.clock - told.oldest);
  }
  take(stale->flush(model.data(), kPatience));

  for (std::size_t i = 0; i < kCount; ++i) {
    const double mean = double(rt.size() - 1) / 2 + double(i % 10);
    if (std::abs(model[i] - mean) < 1e-3 && oldest <= kSlack) continue;
    std::fprintf(stderr, "rank %u: element %zu is %g and not %g\n", rt.rank(), i, model[i], mean);
    return EXIT_FAILURE;
  }
  if (rt.rank() == 0) std::printf("%u ranks, slack %u: all have found the mean\n", rt.size(), unsigned(kSlack));
}
