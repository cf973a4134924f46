// How long letters are that go past the cells.
#pragma once

#include "core/group/letter_room.hpp"

#include <cstddef>

namespace polder::test {

constexpr std::size_t kFrame = core::LetterRoom::kSpan * core::LetterRoom::kCell;  // of the network
constexpr std::size_t kLong = 8 * kFrame + 1000;                                   // bytes

}  // namespace polder::test
