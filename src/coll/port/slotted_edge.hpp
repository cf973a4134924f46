// An edge between two members, as letters go over it.
#pragma once

#include "coll/port/slots.hpp"

#include <polder/types.hpp>

namespace polder::coll {

struct SlottedEdge {
  Rank member = 0;   // at the other end
  Slot slot = 0;     // of the reader, where letters arrive
  Slot credits = 0;  // of the writer, where cells are given back; where the slot is a distance it is the same one
};

}  // namespace polder::coll
