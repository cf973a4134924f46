// Packets as they travel on a TCP connection, one behind the other, each with a head; and how they are put together again from what
// the socket gives.
//
// A packet that is whole is handed on where it was read to. Of one that is not, the rest goes behind what has come; and the data of
// a part of a large transfer goes where it belongs, if its owner knows that before it is whole: so the kernel copies it there, and
// nobody copies it again.
#pragma once

#include "device/wire/format/protocol.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <sys/uio.h>

namespace polder::device::tcp {

struct PacketHead {
  static constexpr std::uint8_t kMark = 0xd5;

  std::uint32_t bytes = 0;         // behind this head
  std::uint16_t header_bytes = 0;  // of those
  std::uint8_t kind = 0;           // wire::Packet
  std::uint8_t mark = kMark;

  // Whether a packet may look like this.
  bool is_right() const;
  std::size_t data_bytes() const { return bytes - header_bytes; }
};
static_assert(sizeof(PacketHead) == 8);  // no padding: it travels

// Whose the packets are.
class PacketSink {
 public:
  // Where the data behind this header belongs, as long as it may go there although the packet is not whole; null: nowhere. Asked again
  // before each piece.
  virtual std::byte* place_of(const PacketHead& head, std::span<const std::byte> header) = 0;
  // A whole one. `data` is where place_of() said, or empty if that has changed while it came.
  virtual void on_packet(const PacketHead& head, std::span<const std::byte> header,
                         std::span<const std::byte> data) = 0;

 protected:
  ~PacketSink() = default;
};

class PacketReader {
 public:
  // Memory for the next bytes of the connection, in order: `spare`, behind what is missing of a packet if one has begun. Both are
  // used until take().
  std::span<const iovec> room(PacketSink& sink, std::span<std::byte> spare);
  // So many bytes have come there. False: they are no packets, and nothing can follow.
  bool take(PacketSink& sink, std::size_t bytes);

  // Of a packet that has begun.
  std::size_t left() const { return has_head_ ? missing() : 0; }
  // The packet that has begun is long, or the last one was: another one may follow, and what is not in `spare` need not be copied.
  bool expects_long() const { return has_head_ ? head_.bytes >= kLong : expects_long_; }

 private:
  bool take_spare(PacketSink& sink, std::size_t bytes);
  void keep(PacketSink& sink, std::span<const std::byte> body);
  void deliver(PacketSink& sink, std::span<const std::byte> body);
  void end(PacketSink& sink);
  void look_for_place(PacketSink& sink);
  std::byte* place_of_rest();
  std::size_t missing() const { return has_head_ ? head_.bytes - come_ : sizeof head_ - come_; }

  static constexpr std::size_t kLong = std::size_t{32} << 10;

  PacketHead head_;
  bool has_head_ = false;
  std::size_t come_ = 0;                // bytes: of the head, and once that is there of what is behind it
  std::unique_ptr<std::byte[]> begun_;  // what has come behind the head, but for
  std::byte* place_ = nullptr;          // where data goes instead;
  bool is_torn_ = false;                // no longer
  bool expects_long_ = false;
  std::span<std::byte> spare_;
  iovec room_[2] = {};
};

}  // namespace polder::device::tcp
