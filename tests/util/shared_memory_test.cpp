#include "util/shared_memory.hpp"

#include "util/platform.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace polder::util {
namespace {

Fd file_of(std::size_t size) {
  auto file = create_memory_file("polder-test", size);
  EXPECT_TRUE(file.ok()) << file.status().to_string();
  return *std::move(file);
}

Mapping mapped(const Fd& file, std::size_t size) {
  auto mapping = map_shared(file, size);
  EXPECT_TRUE(mapping.ok()) << mapping.status().to_string();
  return *std::move(mapping);
}

// Runs `body` in a child process and returns its exit status.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(MemoryFile, IsZeroedAndOfItsSize) {
  const Fd file = file_of(3 * kPage);
  struct stat info;
  ASSERT_EQ(fstat(file.get(), &info), 0);
  EXPECT_EQ(info.st_size, off_t(3 * kPage));
  EXPECT_EQ(info.st_blocks, 0) << "pages must come into being when they are touched";
  const Mapping mapping = mapped(file, 3 * kPage);
  EXPECT_TRUE(
      std::all_of(mapping.data(), mapping.data() + mapping.size(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(MemoryFile, IsClosedOnExec) {
  const Fd file = file_of(kPage);
  EXPECT_NE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(MemoryFile, ImpossibleSizeIsAnError) {
  const auto file = create_memory_file("polder-test", std::size_t{1} << 63);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find("ftruncate"), std::string_view::npos) << file.status().to_string();
}

TEST(Mapping, TwoMappingsShareTheirBytes) {
  const Fd file = file_of(kPage);
  const Mapping one = mapped(file, kPage);
  const Mapping two = mapped(file, kPage);
  one.data()[17] = std::byte{42};
  EXPECT_EQ(two.data()[17], std::byte{42});
}

TEST(Mapping, OutlivesItsFile) {
  Fd file = file_of(kPage);
  const Mapping mapping = mapped(file, kPage);
  file.reset();
  mapping.data()[0] = std::byte{1};
  EXPECT_EQ(mapping.data()[0], std::byte{1});
}

TEST(Mapping, UnmapsItself) {
  const Fd file = file_of(kPage);
  void* place = nullptr;
  {
    const Mapping mapping = mapped(file, kPage);
    place = mapping.data();
    EXPECT_EQ(msync(place, kPage, MS_ASYNC), 0);
  }
  EXPECT_EQ(msync(place, kPage, MS_ASYNC), -1);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(Mapping, OfNoFileIsAnError) {
  const auto mapping = map_shared(Fd(), kPage);
  ASSERT_FALSE(mapping.ok());
  EXPECT_EQ(mapping.status().code(), Code::system);
}

TEST(MapOver, ReplacesThePagesAtTheSameAddress) {
  const Fd before = file_of(2 * kPage);
  const Fd after = file_of(kPage);
  mapped(after, kPage).data()[0] = std::byte{2};
  const Mapping place = mapped(before, 2 * kPage);
  place.data()[0] = std::byte{1};
  place.data()[kPage] = std::byte{3};
  ASSERT_TRUE(map_shared_over(after, kPage, place).ok());
  EXPECT_EQ(place.data()[0], std::byte{2});
  EXPECT_EQ(place.data()[kPage], std::byte{3}) << "only the pages asked for are replaced";
}

TEST(MapOver, FillsReservedAddresses) {
  auto place = reserve_addresses(4 * kPage);
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place->size(), 4 * kPage);
  const Fd file = file_of(2 * kPage);
  ASSERT_TRUE(map_shared_over(file, 2 * kPage, *place).ok());
  place->data()[2 * kPage - 1] = std::byte{9};
  EXPECT_EQ(mapped(file, 2 * kPage).data()[2 * kPage - 1], std::byte{9});
}

TEST(MapOver, AReaderNeverFallsIntoAHole) {
  if (kThreadSanitizer) GTEST_SKIP() << "to the sanitizer, mapping is writing";
  const Fd files[] = {file_of(kPage), file_of(kPage)};
  mapped(files[0], kPage).data()[0] = std::byte{1};
  mapped(files[1], kPage).data()[0] = std::byte{2};
  const Mapping place = mapped(files[0], kPage);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    while (!stop) {
      const auto value = *reinterpret_cast<const volatile unsigned char*>(place.data());
      wrong += value != 1 && value != 2;
    }
  });
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(map_shared_over(files[i % 2], kPage, place).ok());
  stop = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Reserve, CostsNoMemory) {
  const auto place = reserve_addresses(std::size_t{1} << 36);
  ASSERT_TRUE(place.ok()) << place.status().to_string();
}

TEST(Reserve, MoreThanTheAddressSpaceIsAnError) {
  const auto place = reserve_addresses(std::size_t{1} << 60);
  ASSERT_FALSE(place.ok());
  EXPECT_EQ(place.status().code(), Code::out_of_memory);
}

TEST(PeerFile, ReachesTheMemoryOfAnotherProcess) {
  const Fd file = file_of(kPage);
  const Mapping mine = mapped(file, kPage);
  const pid_t owner = getpid();
  // The child forgets what it inherited, so the only way in is the owner's descriptor table.
  const int status = in_child([&] {
    const int number = file.get();
    close(number);
    auto theirs = open_peer_file(owner, number);
    if (!theirs) return 1;
    auto view = map_shared(*theirs, kPage);
    if (!view) return 2;
    view->data()[5] = std::byte{77};
    return 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mine.data()[5], std::byte{77});
}

TEST(PeerFile, OfADeadProcessIsAFailedPeer) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const auto file = open_peer_file(child, 0);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), Code::peer_failed);
  EXPECT_EQ(file.status().died(), Died::peer);
  EXPECT_NE(file.status().message().find(std::to_string(child)), std::string_view::npos);
}

TEST(Discard, GivesPagesBackAndLeavesZeros) {
  const Fd file = file_of(8 * kPage);
  const Mapping mapping = mapped(file, 8 * kPage);
  std::memset(mapping.data(), 0xff, mapping.size());
  discard_pages(file, 8 * kPage);
  struct stat info;
  ASSERT_EQ(fstat(file.get(), &info), 0);
  EXPECT_EQ(info.st_blocks, 0);
  EXPECT_EQ(info.st_size, off_t(8 * kPage));
  EXPECT_EQ(mapping.data()[3 * kPage], std::byte{0});
}

TEST(SystemError, SaysWhatAndWhy) {
  errno = ENOENT;
  EXPECT_EQ(system_error("open of x").to_string(), "system error: open of x: No such file or directory");
  errno = ENOSPC;
  EXPECT_EQ(system_error("write").code(), Code::out_of_memory);
}

}  // namespace
}  // namespace polder::util
