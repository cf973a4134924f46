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
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return Status(Code::out_of_memory, "the system refuses " + std::to_string(bytes) + " bytes of address space");
  }
  // A hint: without it a fault per 4 kB costs as much as copying the page.
  (void)::madvise(data, bytes, MADV_HUGEPAGE);
  return Arena(static_cast<std::byte*>(data), bytes);
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
