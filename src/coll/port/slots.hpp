// Slots, as algorithms name them.
#pragma once

#include "core/group/slots.hpp"

namespace polder::coll {

using core::rounds_of;
using core::Slot;
using core::Slots;

}  // namespace polder::coll
