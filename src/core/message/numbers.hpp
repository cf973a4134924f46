// Which module owns which numbers of messages. A number is taken once for all: peers of the same version agree on it.
#pragma once

#include "device/device.hpp"

#include <polder/message.hpp>

namespace polder::core {

using MessageNumber = device::HandlerId;

struct NumberRange {
  MessageNumber first;
  MessageNumber count;
  constexpr bool holds(MessageNumber number) const { return number >= first && number - first < count; }
  constexpr MessageNumber at(MessageNumber index) const { return MessageNumber(first + index); }
};

inline constexpr NumberRange kUserNumbers{0, kMessageIdLimit};
inline constexpr NumberRange kCoreNumbers{1024, 64};
inline constexpr NumberRange kCollNumbers{1088, 64};
inline constexpr NumberRange kTaskNumbers{1152, 64};
inline constexpr NumberRange kDsmNumbers{1216, 64};
inline constexpr NumberRange kCkptNumbers{1280, 64};
inline constexpr MessageNumber kNumberLimit = 1344;

// Core's own.
namespace number {
inline constexpr MessageNumber kReply = kCoreNumbers.at(0);
inline constexpr MessageNumber kOneSided = kCoreNumbers.at(1);     // emulate: put, get, atomic, accumulate
inline constexpr MessageNumber kFindSegment = kCoreNumbers.at(2);  // segment
inline constexpr MessageNumber kRevoke = kCoreNumbers.at(3);       // segment
inline constexpr MessageNumber kFindGroup = kCoreNumbers.at(4);    // group
inline constexpr MessageNumber kEnd = kCoreNumbers.at(5);          // health
inline constexpr MessageNumber kDeath = kCoreNumbers.at(6);        // health
inline constexpr MessageNumber kDoubt = kCoreNumbers.at(7);        // health
inline constexpr MessageNumber kLife = kCoreNumbers.at(8);         // health
inline constexpr MessageNumber kLeaving = kCoreNumbers.at(9);      // health
inline constexpr MessageNumber kRecord = kCoreNumbers.at(10);      // group; 11: clock_ping.hpp
}  // namespace number

}  // namespace polder::core
