// What paces a TCP connection, whatever the machine prefers.
#include "device/wire/network/pacing.hpp"
#include "util/fd.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string>

namespace polder::device::wire {
namespace {

class Pacing : public testing::Test {
 protected:
  bool prefers(const std::string& name) {
    return ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), socklen_t(name.size())) == 0;
  }
  std::string now() const {
    char name[17] = {};
    socklen_t bytes = sizeof name - 1;
    EXPECT_EQ(::getsockopt(socket_.get(), IPPROTO_TCP, TCP_CONGESTION, name, &bytes), 0);
    return name;
  }

  const util::Fd socket_{::socket(AF_INET, SOCK_STREAM, 0)};
};

TEST_F(Pacing, IsNotByBbrUnlessThatIsWanted) {
  if (!prefers("bbr")) GTEST_SKIP() << "this kernel has no BBR, or keeps it for the privileged";
  EXPECT_TRUE(pace(socket_.get(), "system"));
  EXPECT_EQ(now(), "bbr");
  EXPECT_TRUE(pace(socket_.get(), "auto"));
  EXPECT_TRUE(now() == "cubic" || now() == "reno") << now();
  EXPECT_TRUE(pace(socket_.get(), "bbr"));
  EXPECT_EQ(now(), "bbr");
}

TEST_F(Pacing, IsTheMachinesOtherwise) {
  ASSERT_TRUE(prefers("reno"));
  EXPECT_TRUE(pace(socket_.get(), "auto"));
  EXPECT_EQ(now(), "reno");
}

TEST_F(Pacing, WhatTheKernelDoesNotKnowChangesNothing) {
  ASSERT_TRUE(prefers("reno"));
  EXPECT_FALSE(pace(socket_.get(), "pigeons"));
  EXPECT_FALSE(pace(socket_.get(), "a-name-that-is-longer-than-any"));
  EXPECT_EQ(now(), "reno");
  const util::Fd datagrams(::socket(AF_INET, SOCK_DGRAM, 0));
  EXPECT_FALSE(pace(datagrams.get(), "reno"));
  EXPECT_TRUE(pace(datagrams.get(), "auto")) << "nothing to be done";
}

}  // namespace
}  // namespace polder::device::wire
