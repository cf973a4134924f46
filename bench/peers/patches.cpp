// Patches with derived datatypes, and fences over many windows.
#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace bench {
namespace {

constexpr int kWidth = 1024;

// A square of doubles in rows of kWidth, as MPI describes it.
class PatchType {
 public:
  explicit PatchType(int side) {
    MPI_Type_vector(side, side, kWidth, MPI_DOUBLE, &type_);
    MPI_Type_commit(&type_);
  }
  ~PatchType() { MPI_Type_free(&type_); }
  PatchType(const PatchType&) = delete;
  PatchType& operator=(const PatchType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

template <class Operation>
void measure_at_zero(MpiWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                     Operation operation) {
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    for (std::uint64_t i = 0; i < iterations; ++i) operation();
  });
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
}

const std::vector<std::size_t> kPatches = {128, 2 << 10, 8 << 10, 32 << 10, 128 << 10};

}  // namespace

void measure_patches(MpiWorld& world, const Arguments& arguments) {
  Window array(std::size_t(kWidth) * kWidth * sizeof(double));
  for (const std::size_t size : arguments.sizes_or(kPatches)) {
    const int side = int(std::sqrt(double(size / sizeof(double))));
    const int count = side * side;
    const PatchType type(side);
    std::vector<double> local(std::size_t(count), 1e-9);
    for (const int target : {1, 0}) {
      const auto named = [&](const char* remote, const char* self) { return target == 0 ? self : remote; };
      measure_at_zero(world, arguments, named("patch_put", "patch_put_self"), size, [&] {
        MPI_Put(local.data(), count, MPI_DOUBLE, target, 0, 1, type.get(), array.get());
        array.flush(target);
      });
      measure_at_zero(world, arguments, named("patch_get", "patch_get_self"), size, [&] {
        MPI_Get(local.data(), count, MPI_DOUBLE, target, 0, 1, type.get(), array.get());
        array.flush(target);
      });
      // MPI's accumulate has no scale: a sum, which is less work than Polder's axpy.
      measure_at_zero(world, arguments, named("patch_accumulate", "patch_accumulate_self"), size, [&] {
        MPI_Accumulate(local.data(), count, MPI_DOUBLE, target, 0, 1, type.get(), MPI_SUM, array.get());
        array.flush(target);
      });
    }
  }
}

void measure_fences(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t live : arguments.sizes_or({1, 50})) {
    std::vector<std::unique_ptr<Window>> windows;
    for (std::size_t i = 0; i < live; ++i) windows.push_back(std::make_unique<Window>(4096));
    // An all-or-nothing fence, as a library without a count of what is under way has to do it.
    measure_at_zero(world, arguments, "fence_all", live, [&] {
      for (const auto& window : windows) MPI_Win_flush_all(window->get());
    });
  }
}

}  // namespace bench
