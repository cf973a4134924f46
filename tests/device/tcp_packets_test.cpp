// Packets are put together again however the socket cuts them, where they belong if that is known; and what is none is refused.
#include "device/tcp/packet_reader.hpp"
#include "device/wire/network/transport.hpp"
#include "util/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

namespace polder::device::tcp {
namespace {

using Bytes = std::vector<std::byte>;

struct Packet {
  std::uint8_t kind = 0;
  Bytes header, data;
};

// Parts of transfers belong into `memory`, as long as `lands`.
class Owner final : public PacketSink {
 public:
  explicit Owner(std::size_t room) : memory(room) {}

  std::byte* place_of(const PacketHead& head, std::span<const std::byte>) override {
    return lands && head.data_bytes() <= memory.size() ? memory.data() : nullptr;
  }
  void on_packet(const PacketHead& head, std::span<const std::byte> header, std::span<const std::byte> data) override {
    landed += !data.empty() && data.data() == memory.data();
    torn += data.size() != head.data_bytes();
    come.push_back({head.kind, {header.begin(), header.end()}, {data.begin(), data.end()}});
  }

  Bytes memory;
  bool lands = true;
  std::vector<Packet> come;
  int landed = 0, torn = 0;
};

Bytes random_bytes(util::Random& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = std::byte(random.below(256));
  return bytes;
}

Packet random_packet(util::Random& random) {
  const bool is_part = random.below(3) == 0;
  const std::size_t size = 1 + random.below(random.below(4) == 0 ? wire::kPartBytes : 200);
  return {std::uint8_t(is_part || random.below(2) == 0 ? wire::Packet::frame : wire::Packet::greeting),
          random_bytes(random, is_part ? sizeof(wire::PartHeader) : 0), random_bytes(random, size)};
}

void append(Bytes& stream, const Packet& packet) {
  const PacketHead head{.bytes = std::uint32_t(packet.header.size() + packet.data.size()),
                        .header_bytes = std::uint16_t(packet.header.size()),
                        .kind = packet.kind};
  const auto raw = std::as_bytes(std::span(&head, 1));
  stream.insert(stream.end(), raw.begin(), raw.end());
  stream.insert(stream.end(), packet.header.begin(), packet.header.end());
  stream.insert(stream.end(), packet.data.begin(), packet.data.end());
}

// Hands so much of a stream to the reader as its memory takes, at most `most`; returns how much that was.
std::size_t feed(PacketReader& reader, PacketSink& sink, std::span<const std::byte> stream, std::span<std::byte> spare,
                 std::size_t most) {
  std::size_t fed = 0;
  for (const iovec& run : reader.room(sink, spare)) {
    const std::size_t part = std::min({run.iov_len, stream.size() - fed, most - fed});
    std::memcpy(run.iov_base, stream.data() + fed, part);
    fed += part;
  }
  EXPECT_TRUE(reader.take(sink, fed));
  return fed;
}

TEST(TcpPackets, ComeThroughHoweverTheyAreCut) {
  for (const bool lands : {true, false})
    for (int seed = 0; seed < 40; ++seed) {
      util::Random random(std::uint64_t(seed) + 1);
      std::vector<Packet> sent;
      Bytes stream;
      for (int i = 0; i < 40; ++i) append(stream, sent.emplace_back(random_packet(random)));
      Owner owner(wire::kPartBytes);
      owner.lands = lands;
      PacketReader reader;
      Bytes spare(8 + random.below(70'000));
      const std::size_t longest = 1 + random.below(random.below(2) == 0 ? 60 : 200'000);
      for (std::span<const std::byte> left(stream); !left.empty();)
        left = left.subspan(feed(reader, owner, left, spare, 1 + random.below(longest)));
      ASSERT_EQ(owner.come.size(), sent.size()) << "seed " << seed;
      for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(owner.come[i].kind, sent[i].kind);
        EXPECT_TRUE(owner.come[i].header == sent[i].header && owner.come[i].data == sent[i].data)
            << "packet " << i << ", seed " << seed;
      }
      EXPECT_EQ(owner.torn, 0);
      EXPECT_TRUE(lands || owner.landed == 0);
    }
}

// A stream of parts: but for a few bytes of each, the socket gives them to where they belong.
TEST(TcpPackets, PartsLandWhereTheyBelong) {
  util::Random random(1);
  Bytes stream;
  constexpr int kParts = 10;
  const Packet part{std::uint8_t(wire::Packet::frame), random_bytes(random, sizeof(wire::PartHeader)),
                    random_bytes(random, wire::kPartBytes)};
  for (int i = 0; i < kParts; ++i) append(stream, part);
  Owner owner(wire::kPartBytes);
  PacketReader reader;
  Bytes spare(64 << 10);
  for (std::span<const std::byte> left(stream); !left.empty();) {
    const std::size_t room = reader.expects_long() ? 4096 : spare.size();
    left = left.subspan(feed(reader, owner, left, std::span(spare).first(room), stream.size()));
    EXPECT_TRUE(reader.expects_long()) << "from the first part's head on";
  }
  EXPECT_EQ(owner.come.size(), std::size_t(kParts));
  EXPECT_EQ(owner.landed, kParts);
  EXPECT_EQ(owner.memory, part.data);
}

TEST(TcpPackets, OnesWhosePlaceIsGoneAreDeliveredWithoutData) {
  util::Random random(2);
  const Packet part{std::uint8_t(wire::Packet::frame), random_bytes(random, sizeof(wire::PartHeader)),
                    random_bytes(random, 100'000)};
  Bytes stream;
  append(stream, part);
  append(stream, part);
  Owner owner(part.data.size());
  PacketReader reader;
  Bytes spare(4096);
  std::span<const std::byte> left(stream);
  left = left.subspan(feed(reader, owner, left, spare, 4096));
  left = left.subspan(feed(reader, owner, left, spare, 30'000));
  owner.lands = false;
  const Bytes before = owner.memory;
  left = left.subspan(feed(reader, owner, left, spare, 30'000));
  owner.lands = true;  // for another one, perhaps: not for this one
  while (!left.empty()) left = left.subspan(feed(reader, owner, left, spare, 4096));
  ASSERT_EQ(owner.come.size(), 2u);
  EXPECT_EQ(owner.torn, 1);
  EXPECT_TRUE(owner.come[0].data.empty());
  EXPECT_EQ(owner.come[0].header, part.header);
  EXPECT_EQ(owner.come[1].data, part.data) << "the next one is whole again";
  EXPECT_NE(before, part.data);
}

TEST(TcpPackets, HeadsThatAreNoneEndTheStream) {
  const PacketHead right{.bytes = 100, .header_bytes = 64, .kind = std::uint8_t(wire::Packet::frame)};
  ASSERT_TRUE(right.is_right());
  std::vector<PacketHead> wrong(6, right);
  wrong[0].bytes = 0;
  wrong[1].bytes = std::uint32_t(wire::kMostPacket) + 1;
  wrong[2].header_bytes = 101;
  wrong[3].header_bytes = std::uint16_t(wire::kMostPartHead + 1);
  wrong[3].bytes = 4096;
  wrong[4].kind = 7;
  wrong[5].mark = 0;
  for (const PacketHead& head : wrong) {
    EXPECT_FALSE(head.is_right());
    for (const std::size_t first : {sizeof head, std::size_t{3}}) {  // in one piece, and in two
      Owner owner(16);
      PacketReader reader;
      Bytes spare(sizeof head);
      const auto raw = std::as_bytes(std::span(&head, 1));
      bool goes_on = true;
      for (auto left = raw; !left.empty() && goes_on;) {
        const auto room = reader.room(owner, spare);
        const std::size_t part =
            std::min({left.size(), room[0].iov_len, left.size() == raw.size() ? first : raw.size()});
        std::memcpy(room[0].iov_base, left.data(), part);
        goes_on = reader.take(owner, part);
        left = left.subspan(part);
      }
      EXPECT_FALSE(goes_on);
      EXPECT_TRUE(owner.come.empty());
    }
  }
}

}  // namespace
}  // namespace polder::device::tcp
