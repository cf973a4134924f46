#include "device/wire/page_faults.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace polder::device::wire {
namespace {

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

// As the kernel prints it: three areas, of which the second is registered with userfaultfd.
std::string some_areas() {
  const std::string path = testing::TempDir() + "polder-areas";
  std::ofstream(path) << "10000-20000 rw-p 00000000 00:00 0 \nSize:   64 kB\nVmFlags: rd wr mr mw me ac \n"
                         "20000-30000 rw-p 00000000 00:00 0 \nSize:   64 kB\nVmFlags: rd wr mr mw me um ac \n"
                         "30000-40000 rw-p 00000000 00:00 0 \nSize:   64 kB\nVmFlags: rd wr mr mw me ac \n";
  return path;
}

TEST(PageFaults, OnlyWhatIsWatchedMayBeMissing) {
  const std::string areas = some_areas();
  EXPECT_FALSE(pages_may_be_missing(at(0x10000), 0x10000, areas.c_str()));
  EXPECT_TRUE(pages_may_be_missing(at(0x20000), 1, areas.c_str()));
  EXPECT_TRUE(pages_may_be_missing(at(0x2ffff), 1, areas.c_str()));
  EXPECT_FALSE(pages_may_be_missing(at(0x30000), 0x10000, areas.c_str()));
}

TEST(PageFaults, APartThatIsWatchedCounts) {
  const std::string areas = some_areas();
  EXPECT_TRUE(pages_may_be_missing(at(0x1ff00), 0x200, areas.c_str()));
  EXPECT_TRUE(pages_may_be_missing(at(0x2ff00), 0x200, areas.c_str()));
  EXPECT_TRUE(pages_may_be_missing(at(0x10000), 0x30000, areas.c_str()));
}

TEST(PageFaults, OrdinaryMemoryIsThere) {
  const std::vector<char> memory(100'000);
  EXPECT_FALSE(pages_may_be_missing(memory.data(), memory.size()));
  EXPECT_FALSE(pages_may_be_missing(memory.data(), memory.size(), "/nowhere"));
}

}  // namespace
}  // namespace polder::device::wire
