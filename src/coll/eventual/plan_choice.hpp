// Which way the vector of an eventual operation goes: the one place where that is decided.
//
// Flat, where members are chosen as they come (Threshold::members below 1 with LeaveOut::late, a weight): nobody then
// depends on a member that may compute, because each reads what others show. Also where elements differ from member to
// member (Choose::largest), and of fewer than three members.
// Otherwise all that are asked for have to come anyway, and they can help each other. Then the way is taken that is the
// fastest by LogGP, over a network of 1.5 us, 12.5 GB/s and 0.3 us of a core for each letter. Functions that do not commute,
// or whose bits are to be the same in any layout, do not go along the binomial tree: flat and slices combine in ascending
// order of members.
#pragma once

#include "coll/eventual/piece_plan.hpp"
#include "coll/eventual/wish.hpp"

#include <polder/eventual.hpp>
#include <polder/types.hpp>

namespace polder::coll {

// The same at all members that make the same call; deadlines are no part of it.
// `way`: EventualSpec::way.
PiecePlan choose_plan(const Wish& wish, EventualWay way, Rank members);

}  // namespace polder::coll
