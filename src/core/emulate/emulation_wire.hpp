// What travels between the two sides of core/emulate/emulation.
#pragma once

#include "core/emulate/emulation.hpp"

#include <polder/timeout.hpp>

#include <chrono>

namespace polder::core {

inline constexpr device::HandlerId kRequestHandler = 0xff00;
inline constexpr device::HandlerId kReplyHandler = 0xff01;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

struct Emulation::Request {
  enum class Kind : std::uint8_t {
    put,
    get,
    update,
    accumulate,
    ask_for_segment,
    ask_for_group,
    revoke,
    end,
    death,
    doubt,
    life,
    leaving
  };

  // How long a request may wait at the target for elements that a third rank has locked.
  static constexpr Timeout kLockPatience = std::chrono::seconds(5);

  std::uint64_t token = 0;
  Kind kind = Kind::put;
  std::uint8_t has_flag = 0;
  AtomicOp atomic = AtomicOp::fetch_add;
  std::uint8_t width = 0;
  Update::Kind updates = Update::Kind::word;
  Reduction reduction = Reduction::sum;
  DataType type = DataType::int32;
  SegmentId segment = 0;
  std::uint64_t generation = 0;  // of the segment
  std::uint32_t runs = 0;        // not 0: the body ends with as many (packing.hpp), and `offset` counts for nothing
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t operand = 0;  // of an atomic; the tag of a group; the rank that has died, left or was lost
  std::uint64_t compare = 0;  // of an atomic; who lost it
  Notification flag = {};
  std::uint64_t flag_generation = 0;
  std::byte scale[16] = {};

  // What an update does.
  Update update() const {
    return {.kind = updates,
            .op = atomic,
            .reduction = reduction,
            .type = type,
            .width = width,
            .operand = operand,
            .compare = compare};
  }

  void carry(const NamedFlag& wanted) {
    if (wanted.notification == nullptr) return;
    has_flag = 1;
    flag = *wanted.notification;
    flag_generation = wanted.generation;
  }
};

struct Emulation::Reply {
  std::uint64_t token = 0;
  std::uint64_t old = 0;
  Code code = Code::ok;
};

}  // namespace polder::core
