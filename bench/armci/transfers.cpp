#include "armci/measurements.hpp"
#include "common/alone.hpp"
#include "common/busy_target.hpp"
#include "common/report.hpp"

#include <memory>
#include <vector>

namespace bench {
namespace {

constexpr int kTarget = 1;
constexpr std::size_t kRow = 1024 * sizeof(double);  // of the array that patches are cut from

template <class Operation>
void measure_alone(ArmciWorld& world, const Arguments& arguments, const char* name, std::size_t size,
                   Operation operation) {
  bench::measure_alone(world, arguments, name, size, operation, [] { ARMCI_Fence(kTarget); });
}

const std::vector<std::size_t> kBlocks = {8, 64, 512, 2 << 10, 16 << 10, 128 << 10, 1 << 20};
const std::vector<std::size_t> kPatches = {512, 2 << 10, 8 << 10, 32 << 10,
                                           128 << 10};  // bytes of 8, 16 ... 128 squared

int side_of(std::size_t bytes) {
  int side = 1;
  while (std::size_t(side) * std::size_t(side) * sizeof(double) < bytes) ++side;
  return side;
}

}  // namespace

void measure_contiguous(ArmciWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or(kBlocks)) {
    SharedMemory memory(world, size);
    std::vector<double> mine(size / sizeof(double), 1);
    void* const there = memory.at(kTarget);
    double scale = 1.5;
    measure_alone(world, arguments, "armci_put", size, [&] { ARMCI_Put(mine.data(), there, int(size), kTarget); });
    measure_alone(world, arguments, "armci_get", size, [&] { ARMCI_Get(there, mine.data(), int(size), kTarget); });
    measure_alone(world, arguments, "armci_acc", size,
                  [&] { ARMCI_Acc(ARMCI_ACC_DBL, &scale, mine.data(), there, int(size), kTarget); });
  }
}

void measure_patches(ArmciWorld& world, const Arguments& arguments) {
  SharedMemory memory(world, 1024 * kRow);
  for (const std::size_t size : arguments.sizes_or(kPatches)) {
    const int side = side_of(size);
    std::vector<double> mine(std::size_t(side) * std::size_t(side), 1);
    int count[2] = {side * int(sizeof(double)), side}, dense[1] = {count[0]}, sparse[1] = {int(kRow)};
    void* const there = memory.at(kTarget);
    double scale = 1.5;
    measure_alone(world, arguments, "armci_patch_put", size,
                  [&] { ARMCI_PutS(mine.data(), dense, there, sparse, count, 1, kTarget); });
    measure_alone(world, arguments, "armci_patch_get", size,
                  [&] { ARMCI_GetS(there, sparse, mine.data(), dense, count, 1, kTarget); });
    measure_alone(world, arguments, "armci_patch_acc", size,
                  [&] { ARMCI_AccS(ARMCI_ACC_DBL, &scale, mine.data(), dense, there, sparse, count, 1, kTarget); });
  }
}

// Without an end in between, as the puts of bench/peers.
void measure_nonblocking(ArmciWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 4 << 10})) {
    SharedMemory memory(world, size);
    std::vector<double> mine(size / sizeof(double), 1);
    void* const there = memory.at(kTarget);
    measure_alone(world, arguments, "armci_nbput", size,
                  [&] { ARMCI_NbPut(mine.data(), there, int(size), kTarget, nullptr); });
  }
}

void measure_busy_target(ArmciWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 4 << 10})) {
    SharedMemory memory(world, size);
    std::vector<double> mine(size / sizeof(double), 1);
    void* const there = memory.at(kTarget);
    double scale = 1.5;
    measure_against_busy(world, arguments.plan, "armci_get", size,
                         [&] { ARMCI_Get(there, mine.data(), int(size), kTarget); });
    measure_against_busy(world, arguments.plan, "armci_acc", size, [&] {
      ARMCI_Acc(ARMCI_ACC_DBL, &scale, mine.data(), there, int(size), kTarget);
      ARMCI_Fence(kTarget);
    });
  }
}

void measure_fences(ArmciWorld& world, const Arguments& arguments) {
  constexpr std::size_t kAllocations = 50;
  std::vector<std::unique_ptr<SharedMemory>> live;
  for (std::size_t i = 0; i < kAllocations; ++i) live.push_back(std::make_unique<SharedMemory>(world, 4096));
  measure_alone(world, arguments, "armci_all_fence", kAllocations, [] { ARMCI_AllFence(); });
}

}  // namespace bench
