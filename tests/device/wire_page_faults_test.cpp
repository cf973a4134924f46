#include "device/wire/memory/page_faults.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace polder::device::wire {
namespace {

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

// As the kernel prints it: three areas, of which the second is registered with userfaultfd.
class SomeAreas {
 public:
  SomeAreas() {
    std::ofstream(path_) << "10000-20000 rw-p 00000000 00:00 0 \nSize:   64 kB\nVmFlags: rd wr mr mw me ac \n"
                            "20000-30000 rw-p 00000000 00:00 0 \nSize:   64 kB\nVmFlags: rd wr mr mw me um ac \n"
                            "30000-40000 rw-p 00000000 00:00 0 \nSize:   64 kB\nVmFlags: rd wr mr mw me ac \n";
  }
  ~SomeAreas() { std::remove(path_.c_str()); }
  SomeAreas(const SomeAreas&) = delete;
  SomeAreas& operator=(const SomeAreas&) = delete;

  const char* path() const { return path_.c_str(); }

 private:
  // Other tests run at the same time.
  const std::string path_ = testing::TempDir() + "polder-areas-" + std::to_string(getpid());
};

TEST(PageFaults, OnlyWhatIsWatchedMayBeMissing) {
  const SomeAreas areas;
  EXPECT_FALSE(pages_may_be_missing(at(0x10000), 0x10000, areas.path()));
  EXPECT_TRUE(pages_may_be_missing(at(0x20000), 1, areas.path()));
  EXPECT_TRUE(pages_may_be_missing(at(0x2ffff), 1, areas.path()));
  EXPECT_FALSE(pages_may_be_missing(at(0x30000), 0x10000, areas.path()));
}

TEST(PageFaults, APartThatIsWatchedCounts) {
  const SomeAreas areas;
  EXPECT_TRUE(pages_may_be_missing(at(0x1ff00), 0x200, areas.path()));
  EXPECT_TRUE(pages_may_be_missing(at(0x2ff00), 0x200, areas.path()));
  EXPECT_TRUE(pages_may_be_missing(at(0x10000), 0x30000, areas.path()));
}

TEST(PageFaults, OrdinaryMemoryIsThere) {
  const std::vector<char> memory(100'000);
  EXPECT_FALSE(pages_may_be_missing(memory.data(), memory.size()));
  EXPECT_FALSE(pages_may_be_missing(memory.data(), memory.size(), "/nowhere"));
}

}  // namespace
}  // namespace polder::device::wire
