// Under which addresses ranks call each other.
#include "device/tcp/addresses.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>

namespace polder::device::tcp {
namespace {

NetworkAddress address(const char* text, std::uint8_t prefix, std::uint16_t port = 1) {
  NetworkAddress made{
      .family = std::uint8_t(std::strchr(text, ':') == nullptr ? 4 : 6), .prefix = prefix, .port = port};
  EXPECT_EQ(::inet_pton(made.family == 4 ? AF_INET : AF_INET6, text, made.bytes.data()), 1) << text;
  return made;
}

RankAddresses addresses(std::initializer_list<NetworkAddress> all) {
  RankAddresses made;
  for (const NetworkAddress& one : all) made.all[made.count++] = one;
  return made;
}

TEST(TcpAddresses, ThoseOfOneNetworkShareItsPrefix) {
  EXPECT_TRUE(address("10.1.2.3", 24).shares_network(address("10.1.2.200", 24)));
  EXPECT_FALSE(address("10.1.2.3", 24).shares_network(address("10.1.3.3", 24)));
  EXPECT_TRUE(address("10.1.2.3", 23).shares_network(address("10.1.3.3", 23)));
  EXPECT_FALSE(address("10.1.2.3", 23).shares_network(address("10.1.4.3", 23)));
  EXPECT_FALSE(address("10.1.2.3", 24).shares_network(address("10.1.2.4", 16))) << "they do not agree about it";
  EXPECT_FALSE(address("10.1.2.3", 0).shares_network(address("10.1.2.4", 0))) << "it is not known";
  EXPECT_TRUE(address("fd00::1", 64).shares_network(address("fd00::2", 64)));
  EXPECT_FALSE(address("fd00::1", 64).shares_network(address("fd00:1::2", 64)));
}

TEST(TcpAddresses, NearOnesAreCalledFirst) {
  const auto own = addresses({address("192.168.0.1", 24), address("10.0.0.1", 16)});
  const auto peer = addresses({address("172.20.0.2", 24), address("10.0.7.2", 16), address("fd00::2", 64)});
  const auto calls = in_order_of_calls(peer, own);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0], peer.all[1]);
  EXPECT_EQ(calls[1], peer.all[0]);
  EXPECT_EQ(calls[2], peer.all[2]);
}

// Bridges for containers have the same address on each host.
TEST(TcpAddresses, OnesThisHostHasAreNotAnotherHosts) {
  const auto own = addresses({address("10.0.0.1", 16), address("172.17.0.1", 16)});
  const auto calls = in_order_of_calls(addresses({address("172.17.0.1", 16, 9), address("10.0.0.2", 16, 9)}), own);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0], address("10.0.0.2", 16, 9));
  const auto neighbour = addresses({address("10.0.0.1", 16, 9), address("172.17.0.1", 16, 9)});
  EXPECT_EQ(in_order_of_calls(neighbour, own).size(), 2u) << "a rank of this host has no others";
}

TEST(TcpAddresses, WhatIsNoneIsRefused) {
  const auto right = addresses({address("10.0.0.1", 16), address("fd00::2", 64)});
  EXPECT_EQ(read_addresses(right.bytes()), right);
  EXPECT_FALSE(read_addresses({}));
  EXPECT_FALSE(read_addresses(right.bytes().first(sizeof right - 1)));
  const auto refused = [&](auto&& spoil) {
    RankAddresses wrong = right;
    spoil(wrong);
    return !read_addresses(wrong.bytes());
  };
  EXPECT_TRUE(refused([](RankAddresses& wrong) { wrong.count = 0; }));
  EXPECT_TRUE(refused([](RankAddresses& wrong) { wrong.count = RankAddresses::kMost + 1; }));
  EXPECT_TRUE(refused([](RankAddresses& wrong) { wrong.all[1].family = 5; }));
  EXPECT_TRUE(refused([](RankAddresses& wrong) { wrong.all[0].prefix = 33; }));
  EXPECT_TRUE(refused([](RankAddresses& wrong) { wrong.all[0].port = 0; }));
}

TEST(TcpAddresses, TheLoopbackIsUsedWhereItIsNamed) {
  const auto own = own_addresses("lo");
  ASSERT_TRUE(own.ok()) << own.status().to_string();
  EXPECT_EQ(own->all[0], address("127.0.0.1", 8, 0));
}

TEST(TcpAddresses, ANetworkThatDoesNotExistIsNamed) {
  const auto own = own_addresses("carrier0");
  EXPECT_EQ(own.status().code(), Code::system);
  EXPECT_NE(own.status().message().find("carrier0"), std::string_view::npos);
}

}  // namespace
}  // namespace polder::device::tcp
