// What the contract does not say: large and mixed transfers, memory that goes while it is read, idle ranks.
#include "device/wire/link/link.hpp"
#include "network_fixture.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace polder::device::network {
namespace {

class NetworkPair : public testing::Test {
 protected:
  NetworkPair() : zero_(0, 2), one_(1, 2) {
    if (!zero_ || !one_) return;
    EXPECT_TRUE(zero_->connect(1, one_->address()).ok());
    EXPECT_TRUE(one_->connect(0, zero_->address()).ok());
  }
  Exposure expose(std::size_t bytes) {
    auto exposure = one_->expose(nullptr, bytes);
    EXPECT_TRUE(exposure.ok()) << exposure.status().to_string();
    return exposure.value_or({});
  }
  Region import(const Exposure& exposure) { return zero_->import(1, exposure.key, nullptr).value_or({}); }

  static std::vector<std::uint64_t> numbers(std::size_t count, std::uint64_t seed) {
    std::vector<std::uint64_t> words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = seed + i * 3;
    return words;
  }
  NetworkRank zero_, one_;
};

TEST_F(NetworkPair, LargeTransfersOfEverySizeAroundTheLimits) {
  constexpr std::size_t kSize = 3 << 20;
  auto source = numbers(kSize / 8, 1);
  std::vector<std::uint64_t> back(kSize / 8);
  for (const std::size_t bytes : {wire::kPackLimit - 1, wire::kPackLimit, wire::kPackLimit + 1, wire::kPartBytes - 1,
                                  wire::kPartBytes, wire::kPartBytes + 1, 3 * wire::kPartBytes + 5, kSize}) {
    const Exposure exposure = expose(kSize);
    const Region region = import(exposure);
    const Piece out = piece_of(source.data(), 0, bytes), in = piece_of(back.data(), 0, bytes);
    Watch written, read;
    ASSERT_TRUE(zero_->put(1, region, {&out, 1}, &written).ok());
    ASSERT_TRUE(written.wait().ok()) << written.status().to_string();
    EXPECT_EQ(std::memcmp(exposure.data, source.data(), bytes), 0) << bytes;
    if (bytes < kSize) {
      EXPECT_EQ(exposure.data[bytes], std::byte{0}) << bytes;
    }
    ASSERT_TRUE(zero_->get(1, region, {&in, 1}, &read).ok());
    ASSERT_TRUE(read.wait().ok()) << read.status().to_string();
    EXPECT_EQ(std::memcmp(back.data(), source.data(), bytes), 0) << bytes;
  }
}

// Whatever this machine prefers: both ends of all ways, and the listeners.
TEST_F(NetworkPair, IsNotPacedByBbr) {
  std::string preferred;
  std::ifstream("/proc/sys/net/ipv4/tcp_congestion_control") >> preferred;
  if (!preferred.starts_with("bbr")) GTEST_SKIP() << "this machine prefers " << preferred;
  const Exposure exposure = expose(8);
  std::uint64_t word = 1;
  const Piece piece = piece_of(&word, 0, 8);
  Watch watch;
  ASSERT_TRUE(zero_->put(1, import(exposure), {&piece, 1}, &watch).ok());
  ASSERT_TRUE(watch.wait().ok());
  int sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    char name[17] = {};
    socklen_t bytes = sizeof name - 1;
    const int fd = std::atoi(entry.path().filename().c_str());
    if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &bytes) != 0) continue;
    ++sockets;
    EXPECT_FALSE(std::string_view(name).starts_with("bbr")) << fd;
  }
  EXPECT_GE(sockets, 4) << "two that listen, and two ends";
}

// Where silence is allowed nobody sends pings, with which what is owed would be acknowledged sooner or later.
struct SilenceAllowed {
  WithOption option{tested().option("PEER_TIMEOUT_MS"), "0"};
};
class NetworkSilentPair : SilenceAllowed, public NetworkPair {};

// Parts say that others follow, and are acknowledged seldom: but never so seldom that their sender waits for ever for
// its window. One direction at a time, as acknowledgements ride on data.
TEST_F(NetworkSilentPair, TransfersOfManyWindows) {
  constexpr std::size_t kSize = 3 * wire::SendWindow::kMostBytes + 40;
  const Exposure there = expose(kSize);
  const Region region = import(there);
  std::vector<std::byte> source(kSize, std::byte('a')), back(kSize);
  source[0] = std::byte('b');
  const Piece small = piece_of(source.data(), 0, 8), out = piece_of(source.data() + 8, 8, kSize - 8),
              in = piece_of(back.data(), 0, kSize);
  Watch first, written, read;
  ASSERT_TRUE(zero_->put(1, region, {&small, 1}, &first).ok());
  ASSERT_TRUE(zero_->put(1, region, {&out, 1}, &written).ok());
  EXPECT_TRUE(first.wait().ok());
  EXPECT_TRUE(written.wait().ok()) << written.status().to_string();
  ASSERT_TRUE(zero_->get(1, region, {&in, 1}, &read).ok());
  EXPECT_TRUE(read.wait().ok()) << read.status().to_string();
  EXPECT_TRUE(back == source);
}

TEST_F(NetworkPair, LargeAndSmallPiecesMixBeforeAFlag) {
  constexpr std::size_t kSize = 4 << 20;
  const Exposure exposure = expose(kSize), control = expose(sizeof(Memory));
  const Region region = import(exposure), flags = import(control);
  auto source = numbers(kSize / 8, 5);
  std::vector<Piece> pieces;
  for (std::size_t at = 0, step = 8; at + step <= kSize; at += step, step = step * 5 % 700'001 / 8 * 8 + 8)
    pieces.push_back(piece_of(source.data() + at / 8, at, step));
  Watch watch;
  std::thread reader([&] {
    auto& flag = reinterpret_cast<Memory*>(control.data)->flags[7];
    ASSERT_TRUE(eventually([&] { return flag.load(std::memory_order_acquire) == 3; }));
    for (const Piece& piece : pieces)
      ASSERT_EQ(std::memcmp(exposure.data + piece.remote, piece.local, piece.bytes), 0) << piece.remote;
  });
  EXPECT_TRUE(zero_->put_notify(1, region, pieces, flags, Memory::flag(7, 3), &watch).ok());
  EXPECT_TRUE(watch.wait().ok());
  reader.join();
}

TEST_F(NetworkPair, AFlagIsNotRaisedForDataThatWasRefused) {
  const Exposure exposure = expose(4096), control = expose(sizeof(Memory));
  const Region region = import(exposure), flags = import(control);
  one_->conceal(exposure);
  std::uint64_t value = 1;
  const Piece piece = piece_of(&value, 0, 8);
  Watch watch;
  ASSERT_TRUE(zero_->put_notify(1, region, {&piece, 1}, flags, Memory::flag(2), &watch).ok());
  EXPECT_EQ(watch.wait().code(), Code::invalid_segment) << watch.status().to_string();
  EXPECT_EQ(reinterpret_cast<Memory*>(control.data)->flags[2], 0u);
}

TEST_F(NetworkPair, RangesAreCheckedAtTheTarget) {
  const Exposure exposure = expose(4096);
  Region region = import(exposure);
  std::uint64_t value = 1;
  for (const std::uint64_t offset : {std::uint64_t{4089}, std::uint64_t{4096}, ~std::uint64_t{0} - 3}) {
    const Piece piece = piece_of(&value, offset, 8);
    Watch put, get, atomic;
    ASSERT_TRUE(zero_->put(1, region, {&piece, 1}, &put).ok());
    ASSERT_TRUE(zero_->get(1, region, {&piece, 1}, &get).ok());
    ASSERT_TRUE(zero_->atomic(1, region, {.offset = offset, .operand = 1}, &atomic).ok());
    EXPECT_EQ(put.wait().code(), Code::invalid_offset);
    EXPECT_EQ(get.wait().code(), Code::invalid_offset);
    EXPECT_EQ(atomic.wait().code(), Code::invalid_offset);
  }
  EXPECT_EQ(value, 1u);
}

// The word that a put was refused must not be overtaken by the acknowledgement of its frame, however much is under way.
TEST_F(NetworkPair, RefusalsAmongOthersAreAllReported) {
  constexpr std::size_t kPuts = 3000;
  const Exposure exposure = expose(kPuts * 8);
  const Region region = import(exposure);
  std::vector<Watch> watches(kPuts);
  auto source = numbers(kPuts, 1);
  std::vector<std::uint64_t> back(1 << 18);
  const Exposure large = one_->expose(nullptr, back.size() * 8).value_or({});
  const Region its = import(large);
  Watch read;
  for (std::size_t i = 0; i < kPuts; ++i) {
    const bool wrong = i % 7 == 3;
    const Piece piece = piece_of(&source[i], wrong ? kPuts * 8 : i * 8, 8);
    ASSERT_TRUE(eventually([&] { return zero_->put(1, region, {&piece, 1}, &watches[i]).ok(); }));
    const Piece in = piece_of(back.data(), 0, back.size() * 8);  // an answer that is in the way of what follows
    if (i == 5) {
      ASSERT_TRUE(zero_->get(1, its, {&in, 1}, &read).ok());
    }
  }
  for (std::size_t i = 0; i < kPuts; ++i)
    EXPECT_EQ(watches[i].wait().code(), i % 7 == 3 ? Code::invalid_offset : Code::ok) << "put " << i;
  EXPECT_TRUE(read.wait().ok());
}

// conceal() waits for what is being sent from the memory, and a get gets all of it or an error.
TEST_F(NetworkPair, MemoryMayGoWhileItIsRead) {
  constexpr std::size_t kSize = 8 << 20;
  for (int round = 0; round < 5; ++round) {
    const Exposure exposure = expose(kSize);
    std::memset(exposure.data, 'a' + round, kSize);
    const Region region = import(exposure);
    std::vector<std::byte> back(kSize);
    const Piece in = piece_of(back.data(), 0, kSize);
    Watch read;
    ASSERT_TRUE(zero_->get(1, region, {&in, 1}, &read).ok());
    one_->conceal(exposure);
    const Status status = read.wait();
    if (status.ok()) {
      EXPECT_TRUE(std::all_of(back.begin(), back.end(), [&](std::byte b) { return b == std::byte('a' + round); }));
    } else {
      EXPECT_EQ(status.code(), Code::invalid_segment) << status.to_string();
    }
  }
}

TEST_F(NetworkPair, MemoryThatIsNotTheHostsIsRefused) {
  // As that of a graphics card, it has an address and cannot be read.
  void* unreadable = ::mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(unreadable, MAP_FAILED);
  const auto exposure = one_->expose(unreadable, 8192);
  ASSERT_FALSE(exposure.ok());
  EXPECT_EQ(exposure.status().code(), Code::unsupported);
  EXPECT_NE(exposure.status().message().find("rank 1"), std::string_view::npos) << exposure.status().to_string();
  EXPECT_NE(exposure.status().message().find("not memory of the host"), std::string_view::npos);
  ::munmap(unreadable, 8192);
}

TEST_F(NetworkPair, OneThatIsMadeAnewIsReachedUnderItsNewAddress) {
  ASSERT_TRUE(zero_->send(1, 1, bytes_of("old"), {}).ok());
  ASSERT_TRUE(eventually([&] { return one_.mail().size() == 1; }));
  one_.close();
  EXPECT_TRUE(eventually([&] { return zero_->send(1, 1, {}, {}).code() == Code::peer_failed; }));
  NetworkRank again(1, 2);
  ASSERT_TRUE(again);
  ASSERT_TRUE(zero_->connect(1, again->address()).ok());
  ASSERT_TRUE(again->connect(0, zero_->address()).ok());
  ASSERT_TRUE(zero_->send(1, 1, bytes_of("new"), {}).ok());
  ASSERT_TRUE(eventually([&] { return again.mail().size() == 1; }));
  ASSERT_TRUE(again->send(0, 1, bytes_of("back"), {}).ok());
  EXPECT_TRUE(eventually([&] { return zero_.mail().size() == 1; }));
  EXPECT_EQ(zero_.lost(), std::vector<Rank>{}) << "it had left in good order";
}

TEST_F(NetworkPair, WhoIsIdleSleeps) {
  ASSERT_TRUE(zero_->send(1, 1, {}, {}).ok());
  ASSERT_TRUE(eventually([&] { return one_.mail().size() == 1; }));
  const auto used = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  };
  const double before = used();
  std::this_thread::sleep_for(1s);
  EXPECT_LT(used() - before, 0.1) << "seconds of a core that two idle ranks took in one";
}

TEST_F(NetworkPair, AManyThreadedStreamArrivesWhole) {
  constexpr std::size_t kThreads = 4, kPuts = 5000;
  const Exposure exposure = expose(kThreads * kPuts * 8);
  const Region region = import(exposure);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<Watch> watches(kPuts);
      auto source = numbers(kPuts, thread * kPuts);
      for (std::size_t i = 0; i < kPuts; ++i) {
        const Piece piece = piece_of(&source[i], (thread * kPuts + i) * 8, 8);
        ASSERT_TRUE(eventually([&] { return zero_->put(1, region, {&piece, 1}, &watches[i]).ok(); }));
      }
      for (Watch& watch : watches) ASSERT_TRUE(watch.wait().ok());
    });
  for (std::thread& thread : threads) thread.join();
  const auto* words = reinterpret_cast<const std::uint64_t*>(exposure.data);
  for (std::size_t i = 0; i < kThreads * kPuts; ++i)
    ASSERT_EQ(words[i], i / kPuts * kPuts + i % kPuts * 3) << "put " << i;
}

TEST_F(NetworkPair, MemoryForNeighboursIsNotReached) {
  auto memory = one_->expose_to_neighbours(64);
  ASSERT_TRUE(memory.ok());
  const Region region = import(*memory);
  std::uint64_t value = 7;
  const Piece piece = piece_of(&value, 0, sizeof value);
  Watch written, read;
  ASSERT_TRUE(zero_->put(1, region, {&piece, 1}, &written).ok());
  EXPECT_EQ(written.wait().code(), Code::invalid_segment);
  ASSERT_TRUE(zero_->get(1, region, {&piece, 1}, &read).ok());
  EXPECT_EQ(read.wait().code(), Code::invalid_segment);
  EXPECT_EQ(memory->data[0], std::byte{0});
  one_->conceal(*memory);
}

TEST_F(NetworkPair, WhoLeavesIsToldBehindItsMessages) {
  ASSERT_TRUE(eventually([&] { return one_->send(0, 3, bytes_of("first"), {}).ok(); }));
  ASSERT_TRUE(eventually([&] { return zero_.mail().size() == 1; }));
  zero_.stop_helper();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(one_->send(0, 3, bytes_of("last"), {}).ok());
  std::thread leaver([&] { one_.close(); });
  EXPECT_TRUE(eventually([&] { return zero_.poll(), !zero_.left().empty(); }));
  EXPECT_EQ(zero_.mail().size(), 11u);
  EXPECT_EQ(zero_.left(), std::vector<Rank>{1});
  EXPECT_EQ(zero_.lost(), std::vector<Rank>{});
  leaver.join();
}

}  // namespace
}  // namespace polder::device::network
