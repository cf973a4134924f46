// A put becomes records: what is small is copied into frames, with no lock held; what is large waits where it lies.
#pragma once

#include "device/device.hpp"
#include "device/wire/link/parcel.hpp"
#include "device/wire/memory/caller_memory.hpp"
#include "device/wire/state/wire_state.hpp"

#include <span>

namespace polder::device::wire {

// A flag, and the memory that it is in.
struct FlagToRaise {
  const Region& control;
  const Flag& flag;
};

class PutPacker {
 public:
  PutPacker(WireState& state, CallerMemory& memory) : state_(state), memory_(memory) {}

  // `flag` (null: none) comes behind the pieces. REQUIRES: there is a flag, or some piece is not empty.
  void pack(Parcel& parcel, const Region& region, std::span<const Piece> pieces, const FlagToRaise* flag,
            WireOperation& operation);

 private:
  static FlagRecord record_of(const FlagToRaise& flag, const WireOperation& operation);
  bool goes_with_parts(const Piece& piece) const;
  void pack_parts(Parcel& parcel, Bulk& bulk);

  WireState& state_;
  CallerMemory& memory_;
};

}  // namespace polder::device::wire
