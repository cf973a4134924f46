// An eventual operation as a member wishes it, checked.
#pragma once

#include "coll/eventual/eventual_call.hpp"
#include "coll/eventual/selection.hpp"
#include "coll/lane/call_record.hpp"

#include <polder/eventual.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::coll {

// What keeps an operation to the threshold `before` from being enhanced to `more`.
Status check_enhancement(const Threshold& before, const Threshold& more);

struct Wish {
  Kind kind = Kind::none;
  Rank root = 0;
  ReductionSpec spec;
  const std::byte* send = nullptr;  // of elements as they are combined
  std::byte* receive = nullptr;
  Threshold enough;
  std::vector<std::size_t> order;  // the user's, as far as it is needed
  bool more = false;               // enhances the operation before
  double stands_for = 1;           // bytes, each of its own: more where vectors are rehearsed with fewer elements
  // The buffers of the user: the same, but where elements are combined in a wider form.
  const std::byte* given_send = nullptr;
  std::byte* given_receive = nullptr;

  // Success, or what is wrong with it.
  Status check(const EventualSpec& room, Rank members) const;
  // Whether a call goes on with this one. Its own weight and deadline are those that it began with.
  bool is_same_call(const Wish& other) const;

  std::size_t vector() const { return spec.count * spec.element_size; }  // bytes
  std::size_t given() const { return spec.narrow_size != 0 ? spec.count * spec.narrow_size : vector(); }
  std::uint8_t type() const;  // in which elements are combined: halves as float32
  std::size_t chosen() const { return part_of(enough.data, spec.count); }
  // Members from which on a threshold is reached; at least one, but for a broadcast.
  Rank needed(Rank members) const;
  // Whether the member takes part, or belongs to a stage that is left out.
  bool takes_part(Rank member, Rank members) const;
  // What has to be the same at all members, but for the way that they go.
  EventualCall call(std::size_t first) const;

 private:
  Status check_shares() const;
  Status check_order() const;
  Status wrong(const char* what, Code code = Code::invalid_argument) const;
};

}  // namespace polder::coll
