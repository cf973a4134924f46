#include "util/mapped_memory.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace polder::util {
namespace {

struct MappedPart {
  std::uintptr_t begin = 0, end = 0;
  bool usable = false;
};

// The next line of /proc/self/maps: "begin-end rwxp ...".
bool read_mapping(std::FILE* maps, MappedPart& mapping) {
  char line[512];
  if (std::fgets(line, sizeof line, maps) == nullptr) return false;
  char readable = '-', writable = '-';
  if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c%c", &mapping.begin, &mapping.end, &readable, &writable) != 4)
    mapping.begin = mapping.end = 0;  // the rest of a long line
  mapping.usable = readable == 'r' && writable == 'w';
  return true;
}

}  // namespace

bool is_mapped(const void* memory, std::size_t bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
  if (maps == nullptr) return true;
  auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes > UINTPTR_MAX - at) return false;
  const std::uintptr_t end = at + bytes;
  MappedPart mapping;
  // Mappings come in ascending order.
  while (at < end && read_mapping(maps.get(), mapping)) {
    if (mapping.end <= at) continue;
    if (mapping.begin > at || !mapping.usable) return false;
    at = mapping.end;
  }
  return at >= end;
}

}  // namespace polder::util
