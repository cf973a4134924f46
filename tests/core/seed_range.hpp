// Which seeds a test takes: `make test` so many that it stays short, `make seeds` more. POLDER_TEST_SEED names one, which takes its
// course again; POLDER_TEST_SEEDS says how many all parts of a test have together, POLDER_TEST_TIMES how many times as many as usual.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace polder::test {

inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct SeedRange {
  std::uint64_t first, end;

  // Of `part` of `parts`, `usual` in all.
  SeedRange(std::uint64_t part, std::uint64_t parts, std::uint64_t usual) {
    const std::uint64_t each = number_of("POLDER_TEST_SEEDS", usual * number_of("POLDER_TEST_TIMES", 1)) / parts;
    const std::uint64_t one = number_of("POLDER_TEST_SEED", 0);
    first = one != 0 ? one : 1 + part * each;
    end = one != 0 ? one + 1 : first + each;
  }
};

}  // namespace polder::test
