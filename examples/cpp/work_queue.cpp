// A work queue: ranks take the next task from a counter at rank 0 until none is left, so a slow rank takes fewer, and
// nobody hands them out. Rank 0 computes like all others and does not even notice.
//
// A task counts the primes among some numbers. How many there are below 200,000 is known: 17,984.
#include "check.hpp"

#include <polder/collective.hpp>
#include <polder/runtime.hpp>

using namespace std::chrono_literals;

constexpr std::uint64_t kNumbers = 200'000, kPrimes = 17'984;
constexpr std::uint64_t kTask = 500;  // numbers in a task: some ten microseconds or more, where taking one costs less
constexpr polder::GlobalAddress kNext = {.rank = 0, .segment = 0, .offset = 0};  // the first number nobody has taken
constexpr polder::Timeout kPatience = 30s;

bool is_prime(std::uint64_t number) {
  for (std::uint64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number >= 2;
}

int main() {
  auto joined = take(polder::Runtime::create());
  polder::Runtime& rt = *joined;
  take(rt.create_segment({.size = sizeof(std::uint64_t), .id = kNext.segment}, rt.world(), kPatience));

  std::uint64_t tasks = 0, primes = 0;
  for (std::uint64_t first; (first = take(rt.fetch_add(kNext, kTask, kPatience))) < kNumbers; ++tasks)
    for (std::uint64_t number = first; number < first + kTask; ++number) primes += is_prime(number);
  std::printf("rank %u did %lu tasks\n", rt.rank(), static_cast<unsigned long>(tasks));

  std::uint64_t all = 0;
  check(polder::allreduce(rt.world(), polder::Reduction::sum, polder::DataType::uint64, &primes, &all, 1, kPatience));
  if (rt.rank() == 0) std::printf("%lu primes\n", static_cast<unsigned long>(all));
  return all == kPrimes ? EXIT_SUCCESS : EXIT_FAILURE;
}
