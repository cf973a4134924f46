// Numbers in an array over all ranks: drawn, sorted, searched and added up, with containers.
#include <polder/containers/matrix.hpp>
#include <polder/containers/sort.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace polder::containers;

int main() {
  constexpr std::size_t kCount = 10'000;
  auto runtime = polder::Runtime::create();
  if (!runtime.ok()) return EXIT_FAILURE;
  try {
    const Team team(**runtime, (*runtime)->world(), std::chrono::seconds(60));
    Array<int> numbers(team, {kCount}, {.name = "numbers"});
    // A permutation: 7919 is a prime that does not divide the count.
    for_each_index(numbers, [](const auto& index, int& number) { number = int(index[0] * 7919 % kCount); });
    sort(numbers);
    const bool in_place = find(numbers, 4711)->index[0] == 4711 && numbers[kCount - 1] == int(kCount) - 1;
    const long sum = reduce(numbers, 0L);
    if (team.unit() == 0)
      std::printf("%zu units, %zu numbers: sum %ld, %s\n", team.units(), kCount, sum,
                  in_place ? "sorted" : "NOT sorted");
    return in_place && sum == long(kCount * (kCount - 1) / 2) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return EXIT_FAILURE;
  }
}
