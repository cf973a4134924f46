// A peer with several addresses: where it is silent, late or refuses at one of them, where somebody else answers, and where a firewall is
// between.
#include "tcp_sides.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <chrono>

namespace polder::device::tcp {
namespace {

// It calls the other address, too.
TEST(TcpSeveralAddresses, ACallerThatDidNotRunFindsItsAnswer) {
  const WithOption both_families("POLDER_TCP_DEVICES", "lo");
  Side one, other;
  wire::Endpoint* const there = one.open(other.transport->address());
  ASSERT_NE(there, nullptr);
  one.say(*there, "from one");
  for (int i = 0; i < 100; ++i) one.transport->progress(4);  // it has called
  const auto beginning = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - beginning < 1200ms) other.transport->progress(4);  // and is answered
  wire::Endpoint* const back = other.open(one.transport->address());
  ASSERT_NE(back, nullptr);
  other.say(*back, "from the other");
  if (one.transport->arm()) one.transport->disarm();  // what calls in vain calls on before one sleeps
  ASSERT_TRUE(poll_until([&] { return heard(one, "from the other") && heard(other, "from one"); }, one, other));
  EXPECT_EQ(one.notes.broken + other.notes.broken, "");
}

// Of this process at that address; -1: there is none.
int listener_at(const NetworkAddress& address) {
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_storage name{}, wanted{};
    socklen_t size = sizeof name;
    const socklen_t bytes = address.name(wanted);
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0 && size == bytes &&
        std::memcmp(&name, &wanted, bytes) == 0)
      return fd;
  }
  return -1;
}

// As where a firewall drops what goes to one of a rank's networks.
TEST(TcpSeveralAddresses, WhoIsSilentAtOneAddressIsCalledAtTheNext) {
  const WithOption both_families("POLDER_TCP_DEVICES", "lo");
  Side one, other;
  const auto order = in_order_of_calls(other.addresses(), one.addresses());
  ASSERT_EQ(order.size(), 2u);
  const int deaf = listener_at(order[0]);
  ASSERT_EQ(::epoll_ctl(other.transport->event_fd(), EPOLL_CTL_DEL, deaf, nullptr), 0);
  wire::Endpoint* const there = one.open(other.transport->address());
  ASSERT_NE(there, nullptr);
  one.say(*there, "from one");
  ASSERT_TRUE(poll_until([&] { return heard(other, "from one"); }, one, other));
  // Its first call is heard after all.
  epoll_event event{.events = EPOLLIN, .data = {}};
  ASSERT_EQ(::epoll_ctl(other.transport->event_fd(), EPOLL_CTL_ADD, deaf, &event), 0);
  for (int i = 0; i < 100; ++i) other.transport->progress(4);
  one.say(*there, "again");
  EXPECT_TRUE(poll_until([&] { return heard(other, "again"); }, one, other));
  EXPECT_EQ(one.notes.broken + other.notes.broken, "");
}

// It was busy, and its other address is one at which nobody answers.
TEST(TcpSeveralAddresses, WhoAnswersLateIsNotGivenUp) {
  const WithOption both_families("POLDER_TCP_DEVICES", "lo");
  Side one, other;
  const auto order = in_order_of_calls(other.addresses(), one.addresses());
  ASSERT_EQ(order.size(), 2u);
  ASSERT_EQ(::shutdown(listener_at(order[1]), SHUT_RDWR), 0);
  wire::Endpoint* const there = one.open(other.transport->address());
  ASSERT_NE(there, nullptr);
  one.say(*there, "from one");
  const auto beginning = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - beginning < 600ms) {
    one.transport->progress(4);
    if (one.transport->arm()) one.transport->disarm();
  }
  EXPECT_EQ(one.notes.broken, "");
  EXPECT_TRUE(poll_until([&] { return heard(other, "from one"); }, one, other));
  EXPECT_EQ(one.notes.broken + other.notes.broken, "");
}

// As where a firewall lets only one of two ranks call the other.
TEST(TcpSeveralAddresses, ACallThatComesServesOneThatCallsInVain) {
  Side one, other;
  Side& lower = std::ranges::lexicographical_compare(one.addresses().bytes(), other.addresses().bytes()) ? one : other;
  Side& higher = &lower == &one ? other : one;
  ASSERT_EQ(::epoll_ctl(higher.transport->event_fd(), EPOLL_CTL_DEL, listener_at(higher.addresses().all[0]), nullptr),
            0);
  wire::Endpoint* const up = lower.open(higher.transport->address());
  ASSERT_NE(up, nullptr);
  lower.say(*up, "from the lower");
  for (int i = 0; i < 100; ++i) lower.transport->progress(4);
  wire::Endpoint* const down = higher.open(lower.transport->address());
  ASSERT_NE(down, nullptr);
  higher.say(*down, "from the higher");
  EXPECT_TRUE(
      poll_until([&] { return heard(lower, "from the higher") && heard(higher, "from the lower"); }, lower, higher));
  EXPECT_EQ(lower.notes.broken + higher.notes.broken, "");
}

// As where a network of another host has the same addresses: each is tried, and none of those who answer is who is meant.
TEST(TcpSeveralAddresses, ARankThatIsNotMeantHearsNothing) {
  Side one, first, second;
  RankAddresses both;
  both.all[both.count++] = first.addresses().all[0];
  both.all[both.count++] = second.addresses().all[0];
  wire::Endpoint* const there = one.open(both.bytes());
  ASSERT_NE(there, nullptr);
  one.say(*there, "who are you?");
  ASSERT_TRUE(poll_until([&] { return !one.notes.broken.empty(); }, one, first, second));
  EXPECT_TRUE(first.notes.heard.empty() && second.notes.heard.empty());
}

TEST(TcpSeveralAddresses, AnAddressWhereNobodyListensIsPassedOver) {
  Side one;
  RankAddresses two;
  {
    const WithOption lo("POLDER_TCP_DEVICES", "lo");
    Side gone;
    two = gone.addresses();
  }
  wire::Endpoint* const there = one.open(two.bytes());
  ASSERT_NE(there, nullptr);
  one.say(*there, "anybody?");
  EXPECT_TRUE(poll_until([&] { return !one.notes.broken.empty(); }, one));
  EXPECT_NE(one.notes.broken.find("refused"), std::string::npos) << one.notes.broken;
}

}  // namespace
}  // namespace polder::device::tcp
