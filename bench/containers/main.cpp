// polder run -n N bench-containers NAME: what containers cost, beside plain memory; bench/containers.py puts MPI beside it.
#include "common/menu.hpp"
#include "containers/measurements.hpp"

#include <polder/runtime.hpp>

#include <chrono>
#include <cstdio>
#include <exception>

namespace {

constexpr bench::MenuItem<bench::TeamWorld> kMenu[] = {
    {"elements", bench::measure_elements, "one element of this rank and of the last; sums beside plain memory"},
    {"copies", bench::measure_copies, "ranges and patches of the last rank, beside std::copy"},
    {"updates", bench::measure_updates, "random updates of one table by all, one by one and together"},
    {"halo", bench::measure_halo, "stencil steps, beside one rank in plain memory"},
    {"product", bench::measure_product, "the product of two matrices, beside one rank alone"},
    {"sort", bench::measure_sort, "sorting random numbers, beside std::sort of a share"},
    {"all", bench::measure_all, "all of these"},
};

}  // namespace

void bench::measure_all(TeamWorld& world, const Arguments& arguments) {
  for (const auto& item : kMenu)
    if (item.name != "all") item.measure(world, arguments);
}

int main(int argc, char** argv) {
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  auto runtime = polder::Runtime::create();
  if (!runtime.ok()) {
    std::fprintf(stderr, "bench-containers: cannot join the job: %s\n", runtime.status().to_string().c_str());
    return 1;
  }
  try {
    bench::TeamWorld world(polder::containers::Team(**runtime, (*runtime)->world(), std::chrono::seconds(60)));
    return bench::run_menu<bench::TeamWorld>(kMenu, world, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-containers: %s\n", error.what());
    return 1;
  }
}
