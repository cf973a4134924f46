// Who does not know the job's secret, and who sends nonsense to the ports.
#include "device/wire/network/connection_guard.hpp"
#include "device/wire/network/connection_proof.hpp"
#include "network_fixture.hpp"
#include "util/random.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace polder::device::network {
namespace {

// Addresses on which this process listens.
std::vector<sockaddr_in> listeners() {
  std::vector<sockaddr_in> found;
  for (int fd = 0; fd < 1024; ++fd) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
    sockaddr_in address{};
    size = sizeof address;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 && address.sin_family == AF_INET)
      found.push_back(address);
  }
  return found;
}

util::Fd call(const sockaddr_in& address) {
  util::Fd line(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(line.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return line;
}

class NetworkStranger : public testing::Test {
 protected:
  NetworkStranger() : zero_(0, 3), one_(1, 3) {
    if (!zero_ || !one_) return;
    EXPECT_TRUE(zero_->connect(1, one_->address()).ok());
    EXPECT_TRUE(one_->connect(0, zero_->address()).ok());
  }
  // The two ranks still hear each other.
  bool all_is_well() {
    const std::size_t before = one_.mail().size();
    return zero_->send(1, 9, bytes_of("well"), {}).ok() && eventually([&] { return one_.mail().size() == before + 1; });
  }
  NetworkRank zero_, one_;
};

TEST(NetworkGuard, WithoutOneNobodyListensUnlessTheUserWantsIt) {
  EXPECT_TRUE(wire::ConnectionGuard::admit(true, false, tested().name, tested().option("UNGUARDED")).ok());
  EXPECT_TRUE(wire::ConnectionGuard::admit(false, true, tested().name, tested().option("UNGUARDED")).ok());
  const Status refused = wire::ConnectionGuard::admit(false, false, tested().name, tested().option("UNGUARDED"));
  EXPECT_EQ(refused.code(), Code::system);
  EXPECT_NE(refused.message().find(tested().option("UNGUARDED")), std::string_view::npos);
}

TEST_F(NetworkStranger, WithoutTheSecretNobodyIsHeard) {
  ASSERT_TRUE(all_is_well());
  const auto before = one_.mail().size();
  {
    NetworkRank stranger(2, 3, kSecret + 1);
    ASSERT_TRUE(stranger->connect(1, one_->address()).ok());
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(stranger->send(1, 1, bytes_of("let me in"), {}).ok());
    std::this_thread::sleep_for(200ms);
  }
  EXPECT_EQ(one_.mail().size(), before);
  EXPECT_TRUE(all_is_well());
}

// It speaks in another's name: that of a rank that is connected.
TEST_F(NetworkStranger, NamesDoNotHelp) {
  ASSERT_TRUE(all_is_well());
  {
    NetworkRank stranger(0, 3, kSecret + 1);
    ASSERT_TRUE(stranger->connect(1, one_->address()).ok());
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(stranger->send(1, 1, bytes_of("I am rank 0"), {}).ok());
    std::this_thread::sleep_for(200ms);
  }
  EXPECT_TRUE(all_is_well());
  EXPECT_EQ(one_.lost(), std::vector<Rank>{});
}

TEST_F(NetworkStranger, RandomBytesAtThePortsDoNoHarm) {
  const auto ports = listeners();
  ASSERT_FALSE(ports.empty());
  util::Random random(2026);
  for (int round = 0; round < 40; ++round)
    for (const sockaddr_in& port : ports) {
      util::Fd line = call(port);
      if (!line) continue;
      std::vector<std::uint64_t> nonsense(1 + random.below(500));
      for (std::uint64_t& word : nonsense) word = random.next();
      ::send(line.get(), nonsense.data(), nonsense.size() * 8 - random.below(8), MSG_NOSIGNAL);
    }
  EXPECT_TRUE(all_is_well());
}

TEST_F(NetworkStranger, HalfOpenConnectionsDoNoHarm) {
  std::vector<util::Fd> lines;
  for (const sockaddr_in& port : listeners())
    for (int i = 0; i < 20; ++i) {
      lines.push_back(call(port));
      if (lines.back() && i % 2 == 0) ::send(lines.back().get(), "x", 1, MSG_NOSIGNAL);
    }
  EXPECT_TRUE(all_is_well());
  lines.clear();
  EXPECT_TRUE(all_is_well());
}

// What the library itself would say, whole, cut and changed. Without the guard this can end the process.
TEST_F(NetworkStranger, WordsOfTheLibraryDoNoHarm) {
  ASSERT_TRUE(all_is_well());
  util::Random random(7);
  for (int round = 0; round < 200; ++round)
    for (const sockaddr_in& port : listeners()) {
      util::Fd line = call(port);
      if (!line) continue;
      auto said = tested().first_words(port);
      if (round % 4 != 0) said[random.below(said.size())] ^= std::uint8_t(1u << random.below(8));
      said.resize(round % 3 == 0 ? said.size() : 1 + random.below(said.size()));
      ::send(line.get(), said.data(), said.size(), MSG_NOSIGNAL);
    }
  EXPECT_TRUE(all_is_well());
  EXPECT_EQ(one_.lost(), std::vector<Rank>{});
}

// Who says a proof that it has heard says one about another connection.
TEST_F(NetworkStranger, RepeatedProofsDoNoHarm) {
  ASSERT_TRUE(all_is_well());
  for (const sockaddr_in& port : listeners()) {
    util::Fd line = call(port);
    ASSERT_TRUE(line);
    const std::uint64_t proof[] = {wire::ConnectionProof::kMagic, 0x123456789abcdef0, 0xcafebabe12345678};
    ::send(line.get(), proof, sizeof proof, MSG_NOSIGNAL);
    char answer = 0;
    EXPECT_LE(::recv(line.get(), &answer, 1, 0), 0);  // it is hung up on
  }
  EXPECT_TRUE(all_is_well());
}

TEST(NetworkListeners, AreBoundToTheChosenNetworkOnly) {
  WithOption devices(tested().option("DEVICES"), "lo");
  const auto before = listeners();  // of other tests in this process
  NetworkRank rank(0, 1);
  ASSERT_TRUE(rank);
  auto ports = listeners();
  std::erase_if(ports, [&](const sockaddr_in& port) {
    return std::any_of(before.begin(), before.end(), [&](const sockaddr_in& old) {
      return old.sin_port == port.sin_port && old.sin_addr.s_addr == port.sin_addr.s_addr;
    });
  });
  ASSERT_FALSE(ports.empty());
  for (const sockaddr_in& port : ports)
    EXPECT_EQ(port.sin_addr.s_addr, htonl(INADDR_LOOPBACK)) << ::inet_ntoa(port.sin_addr);
}

TEST(NetworkListeners, ANetworkThatDoesNotExistIsNamed) {
  WithOption devices(tested().option("DEVICES"), "nowhere7");
  auto device = tested().create({.rank = 0, .size = 1, .secret = 1, .host = "here"});
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.status().code(), Code::system);
  EXPECT_NE(device.status().message().find(tested().option("DEVICES")), std::string_view::npos);
}

}  // namespace
}  // namespace polder::device::network
