// The proof of the secret, and greetings that are none.
#include "device/wire/format/greeting.hpp"

#include "device/wire/format/siphash.hpp"

#include <gtest/gtest.h>

#include <array>

namespace polder::device::wire {
namespace {

// The example of the paper: key 00 01 .. 0f, message 00 01 .. 0e.
TEST(UcxGreeting, SipHashIsThatOfThePaper) {
  std::array<std::byte, 15> message;
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = std::byte(i);
  EXPECT_EQ(siphash({0x0706050403020100, 0x0f0e0d0c0b0a0908}, message), 0xa129ca6149be45e5u);
}

const Greeting kGreeting{.kind = Greeting::Kind::welcome,
                         .source = 3,
                         .target = 4,
                         .session = 55,
                         .answer_to = 66,
                         .clock = 77,
                         .lease = 88};
constexpr std::array<std::byte, 5> kAddress{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};

TEST(UcxGreeting, ArrivesAsItWasSent) {
  const auto bytes = encode(kGreeting, kAddress, 42);
  const auto heard = decode(bytes, 42);
  ASSERT_TRUE(heard.ok()) << heard.status().to_string();
  EXPECT_EQ(heard->greeting.kind, kGreeting.kind);
  EXPECT_EQ(heard->greeting.source, 3u);
  EXPECT_EQ(heard->greeting.target, 4u);
  EXPECT_EQ(heard->greeting.session, 55u);
  EXPECT_EQ(heard->greeting.answer_to, 66u);
  EXPECT_EQ(heard->greeting.clock, 77u);
  EXPECT_EQ(heard->greeting.lease, 88u);
  EXPECT_TRUE(std::equal(heard->address.begin(), heard->address.end(), kAddress.begin(), kAddress.end()));
}

TEST(UcxGreeting, WithoutTheSecretItIsRefused) {
  EXPECT_FALSE(decode(encode(kGreeting, kAddress, 42), 43).ok());
  EXPECT_FALSE(decode(encode(kGreeting, kAddress, 42), 0).ok());
}

TEST(UcxGreeting, NoByteMayBeChanged) {
  const auto good = encode(kGreeting, kAddress, 42);
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= std::byte{1};
    EXPECT_FALSE(decode(bad, 42).ok()) << "byte " << i;
  }
}

TEST(UcxGreeting, NoByteMayBeMissingOrMore) {
  const auto good = encode(kGreeting, kAddress, 42);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode(std::span(good).first(size), 42).ok()) << size << " bytes";
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer, 42).ok());
}

TEST(UcxGreeting, TheSecretDoesNotTravel) {
  const std::uint64_t secret = 0x1122334455667788;
  const auto bytes = encode(kGreeting, kAddress, secret);
  const auto* raw = reinterpret_cast<const std::byte*>(&secret);
  EXPECT_EQ(std::search(bytes.begin(), bytes.end(), raw, raw + sizeof secret), bytes.end());
}

}  // namespace
}  // namespace polder::device::wire
