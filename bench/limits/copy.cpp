// Copies within one process, between pages of memory files: what a put or get over shared memory comes down to.
#include "common/cores.hpp"
#include "common/keep.hpp"
#include "common/report.hpp"
#include "common/shared_world.hpp"
#include "limits/limits.hpp"
#include "limits/solo_world.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

namespace {

// malloc() returns large blocks so far behind the begin of a page, where some processors copy slowly what begins a page.
constexpr std::size_t kHeadOfMalloc = 16;

}  // namespace

void measure_memcpy(Machine& machine, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20});
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  SoloWorld world(machine.cores[0]);
  const std::byte* source = shared_pages(largest);
  std::byte* target = shared_pages(largest + kHeadOfMalloc);
  const auto measure = [&](const char* name, std::byte* to, std::size_t size) {
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        std::memcpy(to, source, size);
        keep(to);
      }
    });
    report({.name = name, .ranks = 1, .size = size, .samples = samples});
  };
  for (const std::size_t size : sizes) {
    measure("memcpy", target, size);
    measure("memcpy_behind", target + kHeadOfMalloc, size);
  }
}

void measure_store(Machine& machine, const Arguments& arguments) {
  SoloWorld world(machine.cores[0]);
  std::byte* target = shared_pages(4096);
  std::uint64_t value = 1;
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::memcpy(target, &value, sizeof value);
      keep(target);
    }
  });
  report({.name = "store", .ranks = 1, .size = 8, .samples = samples});
}

}  // namespace bench
