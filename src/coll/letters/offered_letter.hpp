// The reader of a letter that was offered (coll/letters/letter_offers.hpp).
#pragma once

#include "coll/letters/lane_wire_state.hpp"

namespace polder::coll {

// Copies all of it from where it lies. False: not yet, or there is trouble.
bool take_offered_letter(LaneWireState& state, In& in, Envelope& envelope);

}  // namespace polder::coll
