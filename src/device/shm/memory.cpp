#include "device/shm/cross_attach.hpp"
#include "device/shm/shm_device.hpp"

#include <sys/stat.h>

#include <bit>
#include <string>

namespace polder::device::shm {

struct ShmDevice::MemoryKey {
  enum Kind : std::uint32_t { file, user } kind;
  pid_t pid;
  int fd;                // of a file
  std::uint32_t unused;  // no padding: keys are compared and summed byte by byte
  std::uint64_t place;   // of a file: its inode; of user memory: its address
  std::uint64_t size;
};

namespace {

Result<std::uint64_t> inode_of(const util::Fd& file) {
  struct stat about;
  if (fstat(file.get(), &about) != 0) return util::system_error("fstat of a memory file");
  return std::uint64_t(about.st_ino);
}

}  // namespace

Result<Exposure> ShmDevice::expose(void* memory, std::size_t size) {
  if (memory != nullptr) return expose_user(memory, size);
  return expose_fresh(size);
}

Result<Exposure> ShmDevice::expose_fresh(std::size_t size) {
  auto file = util::create_memory_file("polder-segment", size);
  if (!file.ok()) return std::move(file).status();
  auto mapping = util::map_shared(*file, size);
  if (!mapping.ok()) return std::move(mapping).status();
  auto inode = inode_of(*file);
  if (!inode.ok()) return std::move(inode).status();
  Exposure exposure{.data = mapping->data(), .size = size, .key = {}, .handle = 0};
  exposure.key = Key::of(MemoryKey{MemoryKey::file, getpid(), file->get(), 0, *inode, size});
  std::lock_guard lock(memory_mutex_);
  exposure.handle = next_handle_++;
  exposed_.emplace(exposure.handle, Exposed{*std::move(file), *std::move(mapping)});
  return exposure;
}

Exposure ShmDevice::expose_user(void* memory, std::size_t size) {
  permit_cross_attach();
  const auto address = std::bit_cast<std::uintptr_t>(memory);
  return {.data = static_cast<std::byte*>(memory),
          .size = size,
          .key = Key::of(MemoryKey{MemoryKey::user, getpid(), -1, 0, address, size}),
          .handle = 0};
}

void ShmDevice::conceal(const Exposure& exposure) {
  if (exposure.handle == 0) return;  // the user's memory stays the user's
  std::lock_guard lock(memory_mutex_);
  exposed_.erase(exposure.handle);
}

Result<Region> ShmDevice::import(Rank owner, const Key& key, const Region* replaces) {
  MemoryKey memory;
  if (!key.read(memory))
    return Status(Code::invalid_argument,
                  "the key of memory of rank " + std::to_string(owner) + " is not one of shared memory");
  return memory.kind == MemoryKey::file ? import_file(owner, memory, replaces) : import_user(memory);
}

Result<Region> ShmDevice::import_file(Rank owner, const MemoryKey& key, const Region* replaces) {
  auto file = util::open_peer_file(key.pid, key.fd);
  if (!file.ok()) return std::move(file).status();
  auto inode = inode_of(*file);
  if (!inode.ok()) return std::move(inode).status();
  // The owner has concealed the memory since, and its descriptor stands for something else.
  if (*inode != key.place)
    return Status(Code::invalid_segment, "rank " + std::to_string(owner) + " does not offer this memory any more");
  std::lock_guard lock(memory_mutex_);
  if (replaces != nullptr) {
    const auto old = imported_.find(replaces->handle);
    if (old != imported_.end() && old->second->mapping.size() >= key.size) {
      if (Status status = util::map_shared_over(*file, key.size, old->second->mapping); !status.ok()) return status;
      return Region{.direct = old->second->mapping.data(), .size = key.size, .handle = replaces->handle};
    }
  }
  auto mapping = util::map_shared(*file, key.size);
  if (!mapping.ok()) return std::move(mapping).status();
  Region region{.direct = mapping->data(), .size = key.size, .handle = next_handle_++};
  auto imported = std::make_unique<Imported>();
  imported->mapping = *std::move(mapping);
  imported_.emplace(region.handle, std::move(imported));
  return region;
}

Result<Region> ShmDevice::import_user(const MemoryKey& key) {
  const bool attach = user_memory_ != UserMemory::messages && cross_attach_allowed(key.pid, key.place);
  if (user_memory_ == UserMemory::cross_attach && !attach)
    return Status(Code::unsupported, "cross-memory attach to process " + std::to_string(key.pid) +
                                         " is refused (see ptrace_scope), and POLDER_SHM_USER_MEMORY=cma asks for it");
  auto imported = std::make_unique<Imported>();
  imported->pid = key.pid;
  imported->base = key.place;
  // The pointer is the handle: the data path finds the target without a look-up.
  Region region{.size = key.size, .put_get = attach, .handle = std::bit_cast<std::uintptr_t>(imported.get())};
  std::lock_guard lock(memory_mutex_);
  imported_.emplace(region.handle, std::move(imported));
  return region;
}

}  // namespace polder::device::shm
