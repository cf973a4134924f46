#include "device/tcp/packet_reader.hpp"

#include "device/wire/network/transport.hpp"
#include "util/assert.hpp"

#include <algorithm>
#include <cstring>

namespace polder::device::tcp {

bool PacketHead::is_right() const {
  const bool is_known = kind == std::uint8_t(wire::Packet::greeting) || kind == std::uint8_t(wire::Packet::frame);
  return mark == kMark && is_known && bytes > 0 && bytes <= wire::kMostPacket && header_bytes <= bytes &&
         header_bytes <= wire::kMostPartHead;
}

std::span<const iovec> PacketReader::room(PacketSink& sink, std::span<std::byte> spare) {
  spare_ = spare;
  std::size_t runs = 0;
  if (has_head_) {
    look_for_place(sink);
    room_[runs++] = {place_of_rest(), missing()};
  } else if (come_ != 0) {
    room_[runs++] = {reinterpret_cast<std::byte*>(&head_) + come_, missing()};
  }
  room_[runs++] = {spare.data(), spare.size()};
  return {room_, runs};
}

bool PacketReader::take(PacketSink& sink, std::size_t bytes) {
  expects_long_ = false;
  if (!has_head_ && come_ == 0) return take_spare(sink, bytes);
  const std::size_t part = std::min(bytes, missing());
  const bool is_whole = part == missing();
  come_ += part;
  if (!is_whole) return true;
  if (has_head_) {
    end(sink);
  } else {
    if (!head_.is_right()) return false;
    has_head_ = true;
    come_ = 0;
  }
  return take_spare(sink, bytes - part);
}

bool PacketReader::take_spare(PacketSink& sink, std::size_t bytes) {
  std::span<const std::byte> left = spare_.first(bytes);
  while (!left.empty()) {
    if (!has_head_) {
      come_ = std::min(left.size(), sizeof head_);
      std::memcpy(&head_, left.data(), come_);
      left = left.subspan(come_);
      if (come_ < sizeof head_) return true;
      if (!head_.is_right()) return false;
      has_head_ = true;
      come_ = 0;
    }
    if (left.size() < head_.bytes) {
      keep(sink, left);
      return true;
    }
    const auto body = left.first(head_.bytes);
    left = left.subspan(head_.bytes);
    deliver(sink, body);
  }
  return true;
}

// The beginning of a packet: the rest will go behind it.
void PacketReader::keep(PacketSink& sink, std::span<const std::byte> body) {
  if (begun_ == nullptr) begun_ = std::make_unique_for_overwrite<std::byte[]>(wire::kMostPacket);
  come_ = std::min<std::size_t>(body.size(), head_.header_bytes);
  std::memcpy(begun_.get(), body.data(), come_);
  look_for_place(sink);
  const auto data = body.subspan(come_);
  if (!data.empty()) std::memcpy(place_of_rest(), data.data(), data.size());
  come_ += data.size();
}

// Once the header is there, and again as long as data comes.
void PacketReader::look_for_place(PacketSink& sink) {
  if (begun_ == nullptr) begun_ = std::make_unique_for_overwrite<std::byte[]>(wire::kMostPacket);
  if (come_ < head_.header_bytes || head_.header_bytes == 0 || is_torn_) return;
  const std::size_t data = come_ - head_.header_bytes;
  if (data != 0 && place_ == nullptr) return;  // some has gone behind the header
  std::byte* const place = sink.place_of(head_, {begun_.get(), head_.header_bytes});
  is_torn_ = data != 0 && place != place_;
  if (!is_torn_) place_ = place;
}

std::byte* PacketReader::place_of_rest() {
  const bool goes_there = place_ != nullptr && !is_torn_ && come_ >= head_.header_bytes;
  return goes_there ? place_ + (come_ - head_.header_bytes) : begun_.get() + come_;
}

void PacketReader::end(PacketSink& sink) {
  POLDER_ASSERT(come_ == head_.bytes);
  if (place_ == nullptr) return deliver(sink, {begun_.get(), head_.bytes});
  const PacketHead head = head_;
  const std::span<const std::byte> data(place_, is_torn_ ? 0 : head.data_bytes());
  has_head_ = is_torn_ = false;
  come_ = 0;
  place_ = nullptr;
  expects_long_ = head.bytes >= kLong;
  sink.on_packet(head, {begun_.get(), head.header_bytes}, data);
}

void PacketReader::deliver(PacketSink& sink, std::span<const std::byte> body) {
  const PacketHead head = head_;
  has_head_ = false;
  come_ = 0;
  expects_long_ = head.bytes >= kLong;
  sink.on_packet(head, body.first(head.header_bytes), body.subspan(head.header_bytes));
}

}  // namespace polder::device::tcp
