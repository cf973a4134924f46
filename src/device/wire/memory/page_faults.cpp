#include "device/wire/memory/page_faults.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace polder::device::wire {
namespace {

struct Area {
  std::uintptr_t begin = 0, end = 0;
};

// "7f00a000-7f00c000 rw-p 00000000 00:00 0"; other lines are about the last such area.
void read_area(const std::string& line, Area& area) {
  Area read;
  if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &read.begin, &read.end) == 2) area = read;
}

// "VmFlags: rd wr mr mw me um": missing pages, write protection, minor faults.
bool is_watched(std::string_view line) {
  if (!line.starts_with("VmFlags:")) return false;
  for (const std::string_view flag : {" um", " uw", " ui"})
    if (line.find(flag) != std::string_view::npos) return true;
  return false;
}

}  // namespace

bool pages_may_be_missing(const void* memory, std::size_t size, const char* maps) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), end = begin + size;
  std::ifstream lines(maps);
  Area area;
  for (std::string line; std::getline(lines, line);) {
    read_area(line, area);
    if (area.begin >= end) return false;  // in ascending order
    if (begin < area.end && is_watched(line)) return true;
  }
  return false;
}

}  // namespace polder::device::wire
