// What Paraver's files call things: Extrae's numbers and labels where it has them, for its users' configuration files
// select by both, and event types of our own, with labels of their own, for everything else.
#pragma once

#include "trace/format/kind.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace polder::trace::paraver {

// Event types.
inline constexpr int kGaspiCall = 69000000, kGaspiSize = 69000001, kGaspiRank = 69000002, kGaspiQueue = 69000003,
                     kGaspiNotification = 69000004;
inline constexpr int kCall = 69500000, kSize = 69500001, kRank = 69500002, kQueue = 69500003, kNotification = 69500004,
                     kOutcome = 69500005, kGroup = 69500006;
inline constexpr int kRegion = 69600000, kMark = 69600001, kMarkValue = 69600002;
inline constexpr int kInner = 69700000;
inline constexpr int kFirstCounter = 69800000;  // one type for each counter of the user

// A routine that Extrae wraps: its value, and which parameters ride on its entry and its exit.
enum Parameter : std::uint8_t { none = 0, rank = 1, size = 2, queue = 4, notification = 8, old_value = 16 };
struct Routine {
  std::string_view name;
  int value;
  std::uint8_t entry;
  std::uint8_t exit;
  int state;
};
std::span<const Routine> routines();
const Routine* find_routine(std::string_view name);  // null: Extrae does not wrap it

struct PrvState {
  int id;
  std::string_view name;
  std::string_view colour;
};
std::span<const PrvState> states();

// Of a call that Extrae does not know.
int state_of(EventKind like);

}  // namespace polder::trace::paraver
