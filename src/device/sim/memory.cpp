#include "device/sim/sim_device.hpp"

#include <algorithm>
#include <string>

#include <sys/mman.h>

namespace polder::device::sim {

namespace {

// Zeroed pages that come into being when they are touched. Shared ones, because only those can be given back while a
// peer uses them.
Result<std::shared_ptr<util::Mapping>> allocate(std::size_t size) {
  const std::size_t bytes = std::max<std::size_t>(size, 1);
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return Status(Code::out_of_memory, "sim: no address space for " + std::to_string(size) + " bytes");
  return std::make_shared<util::Mapping>(data, bytes);
}

}  // namespace

Result<Exposure> SimDevice::expose(void* memory, std::size_t size) {
  SharedMemory shared{.owner = rank_, .data = static_cast<std::byte*>(memory), .size = size, .mapping = nullptr};
  if (memory == nullptr) {
    auto mapping = allocate(size);
    if (!mapping) return mapping.status();
    shared.mapping = *std::move(mapping);
    shared.data = shared.mapping->data();
  }
  auto handle = fabric_->add_memory(shared);
  if (!handle) return handle.status();
  return Exposure{.data = shared.data, .size = size, .key = Key::of(MemoryKey{*handle, size}), .handle = *handle};
}

void SimDevice::conceal(const Exposure& exposure) {
  fabric_->remove_memory(exposure.handle);
}

Result<Region> SimDevice::import(Rank owner, const Key& key, const Region*) {
  MemoryKey memory;
  if (!key.read(memory))
    return Status(Code::invalid_argument,
                  "sim: the key of memory of rank " + std::to_string(owner) + " is not one of sim");
  auto shared = fabric_->find_memory(rank_, owner, memory.handle);
  if (!shared) return shared.status();
  const FabricOptions& options = fabric_->options();
  Region region{.size = shared->size, .put_get = options.put_get, .atomics = options.atomics, .handle = memory.handle};
  if (options.direct && shared->mapping != nullptr) {
    region.direct = shared->data;
    std::lock_guard lock(imports_mutex_);
    imports_.push_back(shared->mapping);
  }
  return region;
}

}  // namespace polder::device::sim
