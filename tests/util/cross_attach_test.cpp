#include "util/cross_attach.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace polder::util {
namespace {

std::vector<std::uint8_t> numbers(std::size_t count) {
  std::vector<std::uint8_t> all(count);
  std::iota(all.begin(), all.end(), std::uint8_t{1});
  return all;
}

// Skipped where a filter of system calls forbids it, as in some containers.
class CrossAttach : public testing::Test {
 protected:
  void SetUp() override {
    if (const char byte = 1; !cross_attach_allowed(getpid(), std::bit_cast<std::uintptr_t>(&byte)))
      GTEST_SKIP() << "this process may not read itself";
  }
};

// Lists that are cut in different places, as one stream.
TEST_F(CrossAttach, PiecesNeedNotMatch) {
  const std::vector<std::uint8_t> from = numbers(100);
  for (const CrossDirection direction : {CrossDirection::read, CrossDirection::write}) {
    std::vector<std::uint8_t> source = from, target(120);
    const bool reads = direction == CrossDirection::read;
    std::array<iovec, 2> sources{{{source.data(), 30}, {source.data() + 30, 70}}};
    std::array<iovec, 3> targets{{{target.data(), 50}, {target.data() + 60, 1}, {target.data() + 70, 49}}};
    const Status status =
        reads ? cross_copy(direction, getpid(), targets, sources) : cross_copy(direction, getpid(), sources, targets);
    ASSERT_TRUE(status.ok()) << status.to_string();
    for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(target[i], from[i]);
    EXPECT_EQ(target[60], from[50]);
    for (std::size_t i = 0; i < 49; ++i) EXPECT_EQ(target[70 + i], from[51 + i]);
    EXPECT_EQ(target[50] + target[61] + target[119], 0);
  }
}

TEST_F(CrossAttach, MemoryThatIsNotThereIsAnError) {
  const std::size_t page = std::size_t(sysconf(_SC_PAGESIZE));
  void* const two = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(two, MAP_FAILED);
  ASSERT_EQ(munmap(static_cast<std::byte*>(two) + page, page), 0);
  // The kernel copies what is there, and says the rest when it is asked again.
  std::vector<std::byte> target(2 * page);
  iovec local{target.data(), 2 * page}, remote{two, 2 * page};
  const Status status = cross_copy(CrossDirection::read, getpid(), {&local, 1}, {&remote, 1});
  EXPECT_EQ(status.code(), Code::system) << status.to_string();
  munmap(two, page);
}

TEST_F(CrossAttach, AProcessThatIsGoneIsNamed) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::uint64_t word = 7, found = 0;
  iovec local{&found, sizeof found}, remote{&word, sizeof word};
  const Status status = cross_copy(CrossDirection::read, child, {&local, 1}, {&remote, 1});
  EXPECT_EQ(status.code(), Code::peer_failed) << status.to_string();
  EXPECT_NE(status.to_string().find(std::to_string(child)), std::string::npos) << status.to_string();
  EXPECT_FALSE(cross_attach_allowed(child, std::bit_cast<std::uintptr_t>(&word)));
  EXPECT_TRUE(cross_attach_allowed(getpid(), std::bit_cast<std::uintptr_t>(&word)));
}

}  // namespace
}  // namespace polder::util
