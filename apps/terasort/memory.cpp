#include "memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace terasort {
namespace {

constexpr std::uint64_t kHugePage = 2u << 20;

}  // namespace

Arena::~Arena() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

Result<Arena> Arena::reserve(std::uint64_t bytes) {
  bytes = std::max<std::uint64_t>(bytes + kHugePage - 1, kHugePage) / kHugePage * kHugePage;
  // One huge page more than needed, to begin where one begins.
  void* space =
      ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    return Status(Code::out_of_memory, "the system refuses " + std::to_string(bytes) + " bytes of address space");
  }
  auto* const data = static_cast<std::byte*>(space);
  const std::uint64_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(data) % kHugePage) % kHugePage;
  if (before > 0) (void)::munmap(data, before);
  (void)::munmap(data + before + bytes, kHugePage - before);
  // A hint: without it a fault per 4 kB costs as much as copying the page.
  (void)::madvise(data + before, bytes, MADV_HUGEPAGE);
  return Arena(data + before, bytes);
}

void Arena::release(std::uint64_t begin, std::uint64_t bytes) const {
  // Where the system cannot, the memory goes with the arena.
  (void)::madvise(data_ + begin, bytes, MADV_DONTNEED);
}

std::uint64_t node_identity() {
  // The boot id tells apart nodes that carry the same name.
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return std::hash<std::string>()(boot + name.data());
}

}  // namespace terasort
