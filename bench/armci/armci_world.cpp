#include "armci/armci_world.hpp"

#include <cstring>

namespace bench {

SharedMemory::SharedMemory(ArmciWorld& world, std::size_t bytes) : world_(world), parts_(std::size_t(world.size())) {
  ARMCI_Malloc(parts_.data(), armci_size_t(bytes));
  std::memset(at(world.rank()), 0, bytes);
  ARMCI_Barrier();
}

SharedMemory::~SharedMemory() {
  ARMCI_Barrier();
  ARMCI_Free(at(world_.rank()));
}

}  // namespace bench
