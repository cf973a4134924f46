// How ranks call each other: on which ports they listen, both at once, and at addresses where somebody else answers.
#include "device/tcp/addresses.hpp"
#include "device/tcp/handshake.hpp"
#include "device/tcp/tcp_device.hpp"
#include "tcp_sides.hpp"

#include <arpa/inet.h>
#include <sys/resource.h>

#include <array>
#include <cstring>
#include <future>
#include <vector>

namespace polder::device::tcp {
namespace {

// Connections of this process, from which others than listeners are told by having a peer.
bool is_connection(int fd) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0 &&
         (name.ss_family == AF_INET || name.ss_family == AF_INET6);
}
int connections() {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += is_connection(fd);
  return count;
}

// One says hello to the other, which then has a way back.
void get_to_know(Side& one, Side& other, wire::Endpoint*& there, wire::Endpoint*& back) {
  there = one.open(other.transport->address());
  ASSERT_NE(there, nullptr);
  one.say(*there, "hello");
  ASSERT_TRUE(poll_until([&] { return heard(other, "hello"); }, one, other));
  back = other.open(one.transport->address());
  ASSERT_NE(back, nullptr);
}

TEST(TcpCalls, OneConnectionServesBothEnds) {
  const int before = connections();
  Side one, other;
  wire::Endpoint *there = nullptr, *back = nullptr;
  ASSERT_NO_FATAL_FAILURE(get_to_know(one, other, there, back));
  EXPECT_EQ(other.notes.over, nullptr) << "it had no endpoint yet";
  EXPECT_EQ(other.say(*back, "welcome"), wire::Transport::Sent::at_once) << "by the same way";
  EXPECT_TRUE(other.transport->is_idle(*back));
  ASSERT_TRUE(poll_until([&] { return heard(one, "welcome"); }, one, other));
  EXPECT_EQ(one.notes.over, &one.notes);
  one.say(*there, "and now?");
  ASSERT_TRUE(poll_until([&] { return heard(other, "and now?"); }, one, other));
  EXPECT_EQ(other.notes.over, &other.notes);
  EXPECT_EQ(connections() - before, 2) << "both ends of one";
}

TEST(TcpCalls, TwoThatCallAtTheSameTimeAgreeOnOne) {
  for (int round = 0; round < 20; ++round) {
    const int before = connections();
    Side one, other;
    wire::Endpoint* const there = one.open(other.transport->address());
    wire::Endpoint* const back = other.open(one.transport->address());
    ASSERT_TRUE(there != nullptr && back != nullptr);
    one.say(*there, "from one");
    other.say(*back, "from the other");
    ASSERT_TRUE(poll_until([&] { return heard(one, "from the other") && heard(other, "from one"); }, one, other));
    ASSERT_TRUE(poll_until([&] { return connections() - before == 2; }, one, other)) << "both ends of one";
    EXPECT_EQ(one.notes.broken + other.notes.broken, "");
    one.say(*there, "again");
    other.say(*back, "and again");
    ASSERT_TRUE(poll_until([&] { return heard(one, "and again") && heard(other, "again"); }, one, other));
  }
}

// A caller gives a call up for another address while its answer is under way: the peer has said nothing by it.
TEST(TcpCalls, NothingGoesByACallWhoseAnswerWasNotHeard) {
  Side one, other;
  wire::Endpoint* const there = one.open(other.transport->address());
  ASSERT_NE(there, nullptr);
  for (int i = 0; i < 100; ++i) one.transport->progress(4);    // it has called
  for (int i = 0; i < 100; ++i) other.transport->progress(4);  // and is answered
  wire::Endpoint* const back = other.open(one.transport->address());
  ASSERT_NE(back, nullptr);
  other.say(*back, "from the other");
  one.transport->close(*there);
  EXPECT_TRUE(poll_until([&] { return heard(one, "from the other"); }, one, other));
  EXPECT_EQ(other.notes.broken, "");
}

// A caller that knows the job's secret, by hand; it has been answered.
util::Fd answered_caller(Side& side) {
  util::Fd line(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage name{};
  const socklen_t bytes = side.addresses().all[0].name(name);
  EXPECT_EQ(::connect(line.get(), reinterpret_cast<const sockaddr*>(&name), bytes), 0);
  Side caller;
  const auto call = make_call(line.get(), kSecret, caller.addresses(), side.addresses());
  EXPECT_TRUE(call && ::send(line.get(), &*call, sizeof *call, MSG_NOSIGNAL) == ssize_t(sizeof *call));
  ConnectionAnswer answer;
  const auto is_answered = [&] { return ::recv(line.get(), &answer, sizeof answer, MSG_DONTWAIT) == sizeof answer; };
  EXPECT_TRUE(poll_until(is_answered, side));
  return line;
}

bool is_hung_up_on(int line) {
  char more = 0;
  const ssize_t come = ::recv(line, &more, 1, MSG_DONTWAIT);
  return come == 0 || (come < 0 && errno == ECONNRESET);
}

TEST(TcpCalls, WhoConfirmsSomethingElseIsHungUpOn) {
  Side side;
  const util::Fd line = answered_caller(side);
  ASSERT_EQ(::send(line.get(), "pl-hears", 8, MSG_NOSIGNAL), 8);
  EXPECT_TRUE(poll_until([&] { return is_hung_up_on(line.get()); }, side));
}

TEST(TcpCalls, AConfirmationMayComeInPieces) {
  Side side;
  const util::Fd line = answered_caller(side);
  const std::string_view text = "a greeting";
  const ConnectionConfirmation confirmation;
  const PacketHead head{.bytes = std::uint32_t(text.size()), .header_bytes = 0, .kind = std::uint8_t(Packet::greeting)};
  std::string words(reinterpret_cast<const char*>(&confirmation), sizeof confirmation);
  words.append(reinterpret_cast<const char*>(&head), sizeof head).append(text);
  for (const char word : words) {
    EXPECT_TRUE(side.notes.heard.empty());
    ASSERT_EQ(::send(line.get(), &word, 1, MSG_NOSIGNAL), 1);
    for (int i = 0; i < 50; ++i) side.transport->progress(1);
  }
  EXPECT_TRUE(poll_until([&] { return heard(side, text); }, side));
}

TEST(TcpCalls, ARankMayCallItself) {
  Side one;
  wire::Endpoint* const itself = one.open(one.transport->address());
  ASSERT_NE(itself, nullptr);
  one.say(*itself, "echo");
  EXPECT_TRUE(poll_until([&] { return heard(one, "echo"); }, one));
}

TEST(TcpCalls, WhatClosesIsToldToTheOther) {
  Side one, other;
  wire::Endpoint* const there = one.open(other.transport->address());
  one.say(*there, "hello");
  ASSERT_TRUE(poll_until([&] { return heard(other, "hello"); }, one, other));
  wire::Endpoint* const back = other.open(one.transport->address());
  ASSERT_TRUE(poll_until([&] { return other.say(*back, "x") == wire::Transport::Sent::at_once; }, one, other));
  one.transport->close(*there);
  ASSERT_TRUE(poll_until([&] { return !other.notes.broken.empty(); }, one, other));
  EXPECT_EQ(other.say(*back, "more"), wire::Transport::Sent::refused);
  other.transport->close(*back);
  // And they may meet again.
  wire::Endpoint* const anew = one.open(other.transport->address());
  ASSERT_NE(anew, nullptr);
  one.say(*anew, "again");
  EXPECT_TRUE(poll_until([&] { return heard(other, "again"); }, one, other));
}

TEST(TcpCalls, WhatWaitsIsGivenBackWhenItsWayIsClosed) {
  Side one, other;
  wire::Endpoint* const there = one.open(other.transport->address());
  EXPECT_EQ(one.say(*there, "nobody looks"), wire::Transport::Sent::later);
  EXPECT_FALSE(one.transport->is_idle(*there));
  one.transport->close(*there);
  EXPECT_EQ(one.notes.sent, 1);
}

// Asked one by one, and, where there are more connections, by the kernel's set.
TEST(TcpCalls, APeerThatEndsWhileMuchWaitsForItIsNoted) {
  for (const std::size_t bystanders : {0, 3}) {
    Side one;
    std::vector<std::unique_ptr<Side>> others;
    std::vector<wire::Endpoint*> ways;
    for (std::size_t i = 0; i <= bystanders; ++i) {
      Side& other = *others.emplace_back(std::make_unique<Side>());
      ways.push_back(one.open(other.transport->address()));
      ASSERT_NE(ways.back(), nullptr);
      one.say(*ways.back(), "hello");
      ASSERT_TRUE(poll_until([&] { return heard(other, "hello"); }, one, other));
    }
    wire::Endpoint* const there = ways.front();
    const std::vector<std::byte> large(100'000);
    const int before = one.notes.sent;
    int waiting = 0;
    for (int i = 0; i < 1000 && waiting < 3; ++i)
      waiting += one.transport->send(*there, Packet::frame, {}, large, one.notes) == wire::Transport::Sent::later;
    ASSERT_EQ(waiting, 3) << "the other reads nothing";
    others.front().reset();
    ASSERT_TRUE(poll_until([&] { return !one.notes.broken.empty(); }, one));
    one.transport->close(*there);
    EXPECT_EQ(one.notes.sent - before, waiting) << "what waited is given back";
  }
}

bool is_readable(int fd, int milliseconds = 200) {
  pollfd ready{fd, POLLIN, 0};
  return ::poll(&ready, 1, milliseconds) == 1;
}

// Polls take sockets out of the set by which a thread sleeps, but not as long as one does.
TEST(TcpCalls, ASleeperIsWokenHoweverMuchOthersPoll) {
  Side one, other;
  wire::Endpoint *there = nullptr, *back = nullptr;
  ASSERT_NO_FATAL_FAILURE(get_to_know(one, other, there, back));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 500; ++i) one.transport->progress(4);
    ASSERT_TRUE(one.transport->arm());
    for (int i = 0; i < 500; ++i) one.transport->progress(4);  // by another thread
    const std::string text = "wake up " + std::to_string(round);
    other.say(*back, text);
    EXPECT_TRUE(is_readable(one.transport->event_fd()));
    one.transport->disarm();
    EXPECT_TRUE(poll_until([&] { return heard(one, text); }, one, other));
  }
}

// As few files as this process has now, until it ends.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = ::dup(0);
    ::close(next);
    const rlimit none{rlim_t(next), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoMoreFiles() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

TEST(TcpCalls, AProcessThatCanHaveNoMoreFilesSaysSo) {
  Side one, other;
  const auto endpoint = [&] {
    const NoMoreFiles now;
    return one.transport->open(other.transport->address(), one.notes);
  }();
  ASSERT_FALSE(endpoint.ok());
  EXPECT_NE(endpoint.status().message().find("open files"), std::string_view::npos) << endpoint.status().to_string();
}

// No connection of its own ends, by which it would notice.
TEST(TcpCalls, AProcessThatCouldHaveNoMoreFilesForAWhileIsReachedBehindIt) {
  Side one, other;
  wire::Endpoint* const there = one.open(other.transport->address());
  ASSERT_NE(there, nullptr);
  one.say(*there, "hello");
  {
    const NoMoreFiles now;
    ASSERT_TRUE(poll_until([&] { return is_readable(other.transport->event_fd(), 0); }, one)) << "it is called";
    other.transport->progress(1);
    ASSERT_FALSE(is_readable(other.transport->event_fd(), 0)) << "it answers nobody for now";
  }
  EXPECT_TRUE(poll_until([&] { return heard(other, "hello"); }, one, other));
}

// A child of this process holds its files, too, as long as it lives.
TEST(TcpCalls, WhatIsClosedIsClosedThoughOthersHoldItsFile) {
  Side one, other;
  wire::Endpoint *there = nullptr, *back = nullptr;
  ASSERT_NO_FATAL_FAILURE(get_to_know(one, other, there, back));
  std::vector<util::Fd> held;
  for (int fd = 0; fd < 1024; ++fd)
    if (is_connection(fd)) held.emplace_back(::dup(fd));
  ASSERT_TRUE(one.transport->arm()) << "the set knows it";
  one.transport->disarm();
  one.transport->close(*there);
  EXPECT_TRUE(poll_until([&] { return !other.notes.broken.empty(); }, one, other));
  EXPECT_FALSE(is_readable(one.transport->event_fd(), 0)) << "the set tells of a connection that is no more";
  other.transport->close(*back);
}

// It is gone with the next one that ends, whichever endpoint's that is.
TEST(TcpCalls, AWayThatRefusedIsNotUsedAgain) {
  Side one;
  std::array<Side, 4> others;
  std::vector<wire::Endpoint*> ways;
  for (Side& other : others) {
    ways.push_back(one.open(other.transport->address()));
    ASSERT_NE(ways.back(), nullptr);
    one.say(*ways.back(), "hello");
    ASSERT_TRUE(poll_until([&] { return heard(other, "hello"); }, one, other));
  }
  others[0].transport.reset();
  // Nothing is looked at meanwhile.
  ASSERT_TRUE(eventually([&] { return one.say(*ways[0], "more") == wire::Transport::Sent::refused; }));
  one.transport->close(*ways[1]);
  EXPECT_EQ(one.say(*ways[0], "more"), wire::Transport::Sent::refused);
  EXPECT_FALSE(one.transport->is_idle(*ways[0]));
  one.transport->close(*ways[0]);
}

// It repeats the call as its answer, and has no other.
TEST(TcpCalls, AStrangerWhoListensIsNotSpokenTo) {
  Side one;
  util::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&name), size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name), &size), 0);
  RankAddresses stranger;
  stranger.count = 1;
  stranger.all[0] = {.family = 4, .prefix = 8, .port = name.sin_port};
  std::memcpy(stranger.all[0].bytes.data(), &name.sin_addr, sizeof name.sin_addr);
  wire::Endpoint* const there = one.open(stranger.bytes());
  ASSERT_NE(there, nullptr);
  one.say(*there, "a secret");
  auto said = std::async(std::launch::async, [&] {
    const util::Fd line(::accept(listener.get(), nullptr, nullptr));
    std::vector<char> come(sizeof(ConnectionCall));
    const ssize_t bytes = ::recv(line.get(), come.data(), come.size(), MSG_WAITALL);
    ::send(line.get(), come.data(), sizeof(ConnectionAnswer), MSG_NOSIGNAL);
    char more = 0;
    return bytes == ssize_t(sizeof(ConnectionCall)) && ::recv(line.get(), &more, 1, 0) <= 0;
  });
  EXPECT_TRUE(poll_until([&] { return !one.notes.broken.empty(); }, one));
  one.transport->close(*there);
  EXPECT_TRUE(said.get()) << "it hears the call and no more";
  EXPECT_NE(one.notes.broken.find("stranger"), std::string::npos) << one.notes.broken;
}

TEST(TcpPorts, AreThoseThatTheUserNames) {
  const WithOption lo("POLDER_TCP_DEVICES", "lo");
  std::uint16_t free = 0;
  {
    const Side any;
    free = ntohs(any.addresses().all[0].port);
  }
  const std::string range = std::to_string(free);
  const WithOption ports("POLDER_TCP_PORTS", range.c_str());
  const Side one;
  EXPECT_EQ(ntohs(one.addresses().all[0].port), free);
  Notes notes;
  const auto other = TcpTransport::create(notes, kSecret);
  ASSERT_FALSE(other.ok()) << "there is but one";
  EXPECT_EQ(other.status().code(), Code::system);
  EXPECT_NE(other.status().message().find("POLDER_TCP_PORTS"), std::string_view::npos);
}

TEST(TcpPorts, WhatIsNoRangeIsNamed) {
  for (const char* text : {"x", "0", "5-4", "70000", "80-", "80-90-100"}) {
    const WithOption ports("POLDER_TCP_PORTS", text);
    Notes notes;
    const auto made = TcpTransport::create(notes, kSecret);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.status().code(), Code::invalid_argument) << text;
    EXPECT_NE(made.status().message().find(text), std::string_view::npos);
  }
}

}  // namespace
}  // namespace polder::device::tcp
