// What a connection of device/tcp gives, cut as the fuzzer likes: nothing may be written but into the reader's memory and where the owner says,
// and what is delivered has come.
//
//   input: | spare memory, 2 bytes | then again and again: length, 2 bytes, the highest bit: the owner changes its mind | so many bytes |
#include "device/tcp/packet_reader.hpp"
#include "util/assert.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace polder::device::tcp {
namespace {

class Owner final : public PacketSink {
 public:
  std::byte* place_of(const PacketHead& head, std::span<const std::byte> header) override {
    if (header.size() != head.header_bytes || !lands_) return nullptr;
    place_.resize(
        std::max(place_.size(), head.data_bytes()));  // only before something has gone there, or another place is due
    return place_.data();
  }
  void on_packet(const PacketHead& head, std::span<const std::byte> header, std::span<const std::byte> data) override {
    if (!head.is_right() || header.size() != head.header_bytes || (!data.empty() && data.size() != head.data_bytes()))
      std::abort();
    for (const std::byte byte : header) sum_ += std::to_integer<unsigned>(byte);
    for (const std::byte byte : data) sum_ += std::to_integer<unsigned>(byte);
  }
  void change_mind() { lands_ = !lands_; }

 private:
  bool lands_ = true;
  std::vector<std::byte> place_;
  volatile unsigned sum_ = 0;
};

void run(std::span<const std::byte> input) {
  const auto word = [&] {
    std::uint16_t value = 0;
    std::memcpy(&value, input.data(), sizeof value);
    input = input.subspan(sizeof value);
    return value;
  };
  if (input.size() < 2) return;
  std::vector<std::byte> spare(1 + word() % 5000);
  PacketReader reader;
  Owner owner;
  while (input.size() >= 2) {
    const std::uint16_t length = word();
    if ((length & 0x8000) != 0) owner.change_mind();
    auto left = input.first(std::min<std::size_t>(input.size(), length & 0x7fff));
    input = input.subspan(left.size());
    while (!left.empty()) {
      std::size_t fed = 0;
      for (const iovec& run : reader.room(owner, spare)) {
        const std::size_t part = std::min(run.iov_len, left.size() - fed);
        std::memcpy(run.iov_base, left.data() + fed, part);
        fed += part;
      }
      if (!reader.take(owner, fed)) return;
      left = left.subspan(fed);
    }
  }
}

}  // namespace
}  // namespace polder::device::tcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  polder::device::tcp::run(std::as_bytes(std::span(data, size)));
  return 0;
}
