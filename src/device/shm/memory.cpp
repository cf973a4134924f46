#include "device/shm/shm_device.hpp"
#include "util/cross_attach.hpp"

#include <sys/stat.h>

#include <bit>
#include <string>

namespace polder::device::shm {

struct ShmDevice::MemoryKey {
  enum Kind : std::uint32_t { file, user } kind;
  pid_t pid;
  int fd;                 // of the memory, or of the grant for user memory
  std::uint32_t unused;   // no padding: keys are compared and summed byte by byte
  std::uint64_t inode;    // of the same file
  std::uint64_t address;  // of user memory
  std::uint64_t size;
};

namespace {

Result<std::uint64_t> inode_of(const util::Fd& file) {
  struct stat about;
  if (fstat(file.get(), &about) != 0) return util::system_error("fstat of a memory file");
  return std::uint64_t(about.st_ino);
}

// The file that a key names. invalid_segment: the owner has concealed it since, and its descriptor is another's now.
Result<util::Fd> open_memory(Rank owner, pid_t pid, int fd, std::uint64_t inode) {
  auto file = util::open_peer_file(pid, fd);
  if (!file.ok()) return file;
  auto found = inode_of(*file);
  if (!found.ok()) return std::move(found).status();
  if (*found == inode) return file;
  return Status(Code::invalid_segment, "rank " + std::to_string(owner) + " does not offer this memory any more");
}

}  // namespace

Result<Exposure> ShmDevice::expose(void* memory, std::size_t size) {
  const bool user = memory != nullptr;
  if (user) util::permit_cross_attach();
  const std::size_t bytes = user ? sizeof(Grant) : size;
  auto file = util::create_memory_file(user ? "polder-grant" : "polder-segment", bytes);
  if (!file.ok()) return std::move(file).status();
  auto mapping = util::map_shared(*file, bytes);
  if (!mapping.ok()) return std::move(mapping).status();
  auto inode = inode_of(*file);
  if (!inode.ok()) return std::move(inode).status();
  if (user) {
    auto& grant = *reinterpret_cast<Grant*>(mapping->data());
    grant.address = std::bit_cast<std::uintptr_t>(mapping->data());
    grant.inode = *inode;
  }
  const auto kind = user ? MemoryKey::user : MemoryKey::file;
  const auto address = std::bit_cast<std::uintptr_t>(memory);
  Exposure exposure{.data = user ? static_cast<std::byte*>(memory) : mapping->data(), .size = size, .key = {}};
  exposure.key = Key::of(MemoryKey{kind, getpid(), file->get(), 0, *inode, address, size});
  std::lock_guard lock(memory_mutex_);
  exposure.handle = next_handle_++;
  exposed_.emplace(exposure.handle, Exposed{*std::move(file), *std::move(mapping), user});
  return exposure;
}

void ShmDevice::conceal(const Exposure& exposure) {
  std::lock_guard lock(memory_mutex_);
  const auto found = exposed_.find(exposure.handle);
  if (found == exposed_.end()) return;
  if (found->second.user) reinterpret_cast<Grant*>(found->second.mapping.data())->revoked.store(1);
  exposed_.erase(found);
}

Result<Region> ShmDevice::import(Rank owner, const Key& key, const Region* replaces) {
  MemoryKey memory;
  if (!key.read(memory) || memory.kind > MemoryKey::user)
    return Status(Code::invalid_argument,
                  "the key of memory of rank " + std::to_string(owner) + " is not one of shared memory");
  return memory.kind == MemoryKey::file ? import_file(owner, memory, replaces) : import_user(owner, memory, replaces);
}

Result<Region> ShmDevice::import_file(Rank owner, const MemoryKey& key, const Region* replaces) {
  auto file = open_memory(owner, key.pid, key.fd, key.inode);
  if (!file.ok()) return std::move(file).status();
  std::lock_guard lock(memory_mutex_);
  if (replaces != nullptr) {
    const auto old = imported_.find(replaces->handle);
    const bool file_too = old != imported_.end() && old->second->pid == 0;  // not the grant of user memory
    if (file_too && old->second->mapping.size() >= key.size) {
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

Result<Region> ShmDevice::import_user(Rank owner, const MemoryKey& key, const Region* replaces) {
  auto file = open_memory(owner, key.pid, key.fd, key.inode);
  if (!file.ok()) return std::move(file).status();
  auto imported = std::make_unique<Imported>();
  std::lock_guard lock(memory_mutex_);
  const auto known = replaces == nullptr ? imported_.end() : imported_.find(replaces->handle);
  Imported* const old = known != imported_.end() && known->second->has_grant() ? known->second.get() : nullptr;
  if (old != nullptr) {
    // Over that of a region which is over: whoever still uses that one finds another inode.
    if (Status status = util::map_shared_over(*file, sizeof(Grant), old->mapping); !status.ok()) return status;
    imported->mapping = std::move(old->mapping);
  } else {
    auto mapping = util::map_shared(*file, sizeof(Grant));
    if (!mapping.ok()) return std::move(mapping).status();
    imported->mapping = *std::move(mapping);
  }
  imported->grant = reinterpret_cast<const Grant*>(imported->mapping.data());
  imported->inode = key.inode;
  imported->pid = key.pid;
  imported->base = key.address;
  // Not at the user's own memory, whose pages may be missing.
  const bool attach =
      user_memory_ != UserMemory::messages && util::cross_attach_allowed(key.pid, imported->grant->address);
  if (user_memory_ == UserMemory::cross_attach && !attach) {
    if (old != nullptr) old->mapping = std::move(imported->mapping);  // its users look there
    return Status(Code::unsupported, "cross-memory attach to process " + std::to_string(key.pid) +
                                         " is refused (see ptrace_scope), and POLDER_SHM_USER_MEMORY=cma asks for it");
  }
  // The pointer is the handle: the data path finds the target without a look-up.
  Region region{.size = key.size, .put_get = attach, .handle = std::bit_cast<std::uintptr_t>(imported.get())};
  imported_.emplace(region.handle, std::move(imported));
  return region;
}

}  // namespace polder::device::shm
