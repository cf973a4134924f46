// The small messages of this adapter. It has a runtime of its own, so their numbers meet no others.
#pragma once

#include <polder/message.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

namespace polder::gaspi {

using Token = std::uint64_t;  // names a question of this rank, for the one who answers

constexpr Token kNobody = 0;  // wants no answer

enum MessageNumber : MessageId { kOffer = 1, kReply = 2, kPing = 3, kPrint = 4, kWithdraw = 5 };

// "I have `size` bytes at this place of mine for a passive receive: come and get them, then reply."
struct OfferMessage {
  Token token;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint64_t segment;
};

// "That offer no longer stands."
struct WithdrawMessage {
  Token token;
};

struct ReplyMessage {
  Token token;
  std::int32_t code;  // gaspi_return_t
};

struct PingMessage {
  Token token;
};

template <class Message>
std::span<const std::byte> as_message(const Message& message) {
  static_assert(std::is_trivially_copyable_v<Message>);
  return std::as_bytes(std::span(&message, 1));
}

// Empty if the bytes are no such message.
template <class Message>
std::optional<Message> parse(std::span<const std::byte> bytes) {
  static_assert(std::is_trivially_copyable_v<Message>);
  if (bytes.size() != sizeof(Message)) return std::nullopt;
  Message message;
  std::memcpy(&message, bytes.data(), sizeof message);
  return message;
}

}  // namespace polder::gaspi
