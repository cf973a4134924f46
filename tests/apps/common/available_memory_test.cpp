#include "common/available_memory.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace apps {
namespace {

TEST(AvailableMemory, IsSomethingBetweenAMegabyteAndAPetabyte) {
  const polder::Result<std::uint64_t> available = available_memory();
  ASSERT_TRUE(available.ok()) << available.status().to_string();
  EXPECT_GT(*available, std::uint64_t{1} << 20);
  EXPECT_LT(*available, std::uint64_t{1} << 50);
}

// Files as the kernel has them, in a folder.
class FakeSystem {
 public:
  FakeSystem() {
    write("proc/meminfo", "MemTotal: 9000000 kB\nMemFree: 17 kB\nMemAvailable: 8000000 kB\n");
    write("proc/self/cgroup", "");
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    write_file(folder_ / name, text);
  }
  std::uint64_t available() const {
    const polder::Result<std::uint64_t> bytes =
        available_memory({.process = folder_ / "proc", .groups = folder_ / "groups"});
    EXPECT_TRUE(bytes.ok()) << bytes.status().to_string();
    return bytes.value_or(0);
  }

 private:
  TemporaryFolder folder_;
};

TEST(AvailableMemory, IsThatOfTheMachineWhereNoGroupHasALimit) {
  FakeSystem system;
  EXPECT_EQ(system.available(), 8'192'000'000u);
  system.write("proc/self/cgroup", "0::/user.slice/job\nno line of it\n");
  system.write("groups/user.slice/memory.max", "max\n");
  system.write("groups/memory.max", "max\n");
  EXPECT_EQ(system.available(), 8'192'000'000u);
}

TEST(AvailableMemory, IsWhatIsLeftInTheGroupOfTheProcessAndInThoseAroundIt) {
  FakeSystem system;
  system.write("proc/self/cgroup", "0::/system.slice/job/step\n");
  system.write("groups/system.slice/job/step/memory.max", "5000000\n");
  system.write("groups/system.slice/job/step/memory.current", "1000000\n");
  EXPECT_EQ(system.available(), 4'000'000u);
  system.write("groups/system.slice/job/step/memory.stat", "anon 17\ninactive_file 200000\nactive_file 300000\n");
  EXPECT_EQ(system.available(), 4'500'000u);  // without what can be dropped
  system.write("groups/system.slice/memory.max", "3000000\n");
  system.write("groups/system.slice/memory.current", "1000000\n");
  EXPECT_EQ(system.available(), 2'000'000u);
  system.write("groups/memory.max", "1000\n");
  EXPECT_EQ(system.available(), 1000u);
}

// A container sees its own group as the root, and may be told the path that it has outside.
TEST(AvailableMemory, IsThatOfTheRootWhereThePathIsNotThere) {
  FakeSystem system;
  system.write("proc/self/cgroup", "0::/docker/0123456789abcdef\n");
  system.write("groups/memory.max", "7000\n");
  EXPECT_EQ(system.available(), 7000u);
}

TEST(AvailableMemory, IsThatOfTheControllerWithTheFirstVersionOfGroups) {
  FakeSystem system;
  system.write("proc/self/cgroup", "11:cpuset:/\n4:cpu,memory:/slurm/job_7/step_0\n0::/\n");
  system.write("groups/memory/slurm/job_7/step_0/memory.limit_in_bytes", "9223372036854771712\n");
  system.write("groups/memory/slurm/job_7/memory.limit_in_bytes", "6000000\n");
  system.write("groups/memory/slurm/job_7/memory.usage_in_bytes", "2000000\n");
  system.write("groups/memory/slurm/job_7/memory.stat", "total_inactive_file 500000\ntotal_active_file 0\n");
  EXPECT_EQ(system.available(), 4'500'000u);
}

}  // namespace
}  // namespace apps
