// What those who carry pieces know of the operation that these are of.
#pragma once

#include "coll/eventual/layout.hpp"
#include "coll/eventual/piece_plan.hpp"
#include "coll/port/window.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::coll {

struct PieceOperation {
  WindowPort& window;
  const EventualLayout& layout;
  std::uint64_t number;
  const PiecePlan& plan;
  std::size_t element;  // bytes

  std::uint32_t tag() const { return EventualLayout::tag(number); }
  // Where it lies as a contribution, and in a result.
  std::size_t contribution(std::uint32_t piece) const {
    return layout.contribution(number) + sizeof(ContributionHead) + plan.begin(piece) * element;
  }
  std::size_t result(std::uint32_t piece) const {
    return layout.result(number) + layout.values_of_result() + plan.begin(piece) * element;
  }
  std::size_t bytes(std::uint32_t piece) const { return elements(piece) * element; }
  std::size_t elements(std::uint32_t piece) const { return plan.begin(piece + 1) - plan.begin(piece); }
  // A member's contribution lies there, of this very call if it announced `hash`.
  bool has_come(Rank member) const { return window.is_raised(layout.arrived(number, member), tag()); }
  bool fits(Rank member, std::uint64_t hash) const {
    Announcement announced;
    std::memcpy(&announced, window.own() + layout.announcement(number, member), sizeof announced);
    return announced.call == hash;
  }
  // A member has a piece that others read of it.
  bool is_shown(Rank member, std::uint32_t piece) const {
    return window.is_raised(layout.shown(number, member, plan.round(piece)), tag());
  }
  bool show(Rank reader, std::uint32_t piece) const {
    return window.raise(reader, layout.shown(number, window.me(), plan.round(piece)), tag());
  }
  bool has_left(Rank member) const {
    return std::int32_t(window.value_of(layout.has_left(number, member)) - tag()) >= 0;
  }
  // It has given its object up, and all that it did before has arrived.
  bool has_ended(Rank member) const { return window.is_raised(layout.ends(member), 1); }
  // Likewise, without having left this operation: as good as dead to those that are in it.
  bool has_abandoned(Rank member) const { return has_ended(member) && !has_left(member); }
  bool is_lost(Rank member) const { return window.is_gone(member) || has_left(member) || has_ended(member); }
};

}  // namespace polder::coll
