// Square patches of an array of doubles with rows of 1024, the transfers of Global Arrays; and fences between them.
#include "common/keep.hpp"
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t kWidth = 1024;
constexpr std::size_t kRowBytes = kWidth * sizeof(double);

// `bytes` as a square of doubles: contiguous here, part of the array there.
class Patch {
 public:
  explicit Patch(std::size_t bytes)
      : side_(std::size_t(std::sqrt(double(bytes) / sizeof(double)))),
        local_(side_ * side_, 1.0),
        count_{side_},
        local_stride_{std::ptrdiff_t(side_ * sizeof(double))},
        remote_stride_{kRowBytes} {}

  double* local() { return local_.data(); }
  polder::Shape shape() const {
    return polder::Strided{.bytes = side_ * sizeof(double),
                           .counts = count_,
                           .local_stride = local_stride_,
                           .remote_stride = remote_stride_};
  }

 private:
  std::size_t side_;
  std::vector<double> local_;
  std::size_t count_[1];
  std::ptrdiff_t local_stride_[1], remote_stride_[1];
};

template <class Operation>
void measure_at_zero(PolderWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                     Operation operation) {
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) operation();
  });
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

const std::vector<std::size_t> kPatches = {128, 2 << 10, 8 << 10, 32 << 10, 128 << 10};

}  // namespace

void measure_patches(PolderWorld& world, const Arguments& arguments) {
  SharedSegment array(world, kWidth * kRowBytes);
  polder::Runtime& rt = world.runtime();
  // Blocking calls, as Global Arrays makes them; the operation is complete at the target when it returns.
  const polder::Post blocking(polder::Until::remote, kPatience);
  const double scale = 1e-9;
  const polder::Accumulation axpy{.op = polder::Reduction::axpy, .type = polder::DataType::float64, .scale = &scale};
  for (const std::size_t size : arguments.sizes_or(kPatches)) {
    Patch patch(size);
    for (const int target : {1, 0}) {  // 0 is this rank itself: half of what a program like NWChem does
      const auto there = array.at(target);
      const auto named = [&](const char* remote, const char* local) { return target == 0 ? local : remote; };
      measure_at_zero(world, arguments, named("patch_put", "patch_put_self"), size,
                      [&] { world.must("put", rt.put(patch.local(), there, patch.shape(), blocking)); });
      measure_at_zero(world, arguments, named("patch_get", "patch_get_self"), size,
                      [&] { world.must("get", rt.get(patch.local(), there, patch.shape(), blocking)); });
      measure_at_zero(world, arguments, named("patch_accumulate", "patch_accumulate_self"), size, [&] {
        world.must("accumulate", rt.accumulate(axpy, patch.local(), there, patch.shape(), blocking));
      });
    }
  }
}

void measure_fences(PolderWorld& world, const Arguments& arguments) {
  polder::Runtime& rt = world.runtime();
  for (const std::size_t live : arguments.sizes_or({1, 50})) {
    std::vector<std::unique_ptr<polder::Allocation>> arrays;
    for (std::size_t i = 0; i < live; ++i)
      arrays.push_back(world.must("allocate", rt.allocate(rt.world(), {.size = 4096}, kPatience)));
    measure_at_zero(world, arguments, "fence_all", live, [&] { world.must("fence", rt.fence_all(kPatience)); });
    measure_at_zero(world, arguments, "fence_rank", live, [&] { world.must("fence", rt.fence(1, kPatience)); });
    measure_at_zero(world, arguments, "fence_segment", live,
                    [&] { world.must("fence", rt.fence_segment(arrays.back()->id(), kPatience)); });
    for (auto& array : arrays) world.must("free", array->free(kPatience));
  }
}

}  // namespace bench
