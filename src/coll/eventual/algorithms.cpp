#include "coll/eventual/algorithms.hpp"

namespace polder::coll {
namespace {

// At whoever makes the result: C contributions are read and combined in
// ascending order of members. If one is lost meanwhile, that begins again with
// those that live, when they are enough.
Task make_result(EventualPart& part) {
  do {
    co_await part.enough();
    part.begin_result();
    while (!part.is_combined()) co_await part.next_combined();
  } while (part.has_lost_contribution());
  part.end_result();
  co_await part.published();
  part.take_own_result();
}

}  // namespace

// The root shows its data, and each member reads what it wants: there, or,
// where the plan says so, of a member that has it. 2 flags a member, S bytes.
Task eventual_broadcast(EventualPart& part) {
  co_await part.room();
  if (part.is_root()) {
    part.contribute();
    co_await part.announced();
    co_await part.enough_taken();
    part.take_taken();
  } else if (part.takes_part()) {
    co_await part.root_came();
    if (part.has_root_contribution()) {
      if (part.carries_pieces())
        co_await part.pieces_come();
      else
        co_await part.contribution_fetched();
      part.take_broadcast();
      if (!part.has_failed()) co_await part.told_taken();
    } else {
      part.take_nothing();
    }
  } else {
    part.take_nothing();
  }
  co_await part.told_left();
}

// Contributors show their vectors and tell the root, which reads those of the
// first to come. Where the plan says so members combine pieces for each other,
// of which the root puts the result together; if one of them dies, leaves or
// fails meanwhile, it reads the vectors after all.
Task eventual_reduce(EventualPart& part) {
  co_await part.room();
  if (part.takes_part()) {
    part.contribute();
    co_await part.announced();
  }
  const bool carries = part.carries_pieces();
  if (part.is_root()) {
    if (carries) co_await part.pieces_put_together();
    if (part.is_whole()) {
      part.make_whole_result();
      co_await part.published();
      part.take_own_result();
    } else {
      co_await make_result(part);
    }
  } else {
    if (carries) co_await part.pieces_passed_on();
    co_await part.verdict();
    if (part.has_result() && !part.has_failed()) co_await part.head_fetched();
    part.take_fetched_result();
  }
  co_await part.told_left();
}

// Contributors show their vectors and tell all. Who finds that enough have come
// claims the operation by compare-and-swap at the first member that lives, and
// makes the result, which the others read. Where the claimant dies another one
// takes its place. After the solo and majority allreduce of eager-SGD (Li et
// al., PPoPP 2020), where a tree starts an operation that the members'
// libraries go through; here members that compute take no part, but by their
// memory. In slices members combine pieces for all others, and claim the
// operation for what each has put together.
Task eventual_allreduce(EventualPart& part) {
  co_await part.room();
  if (part.takes_part()) {
    part.contribute();
    co_await part.announced();
  }
  if (part.carries_pieces()) co_await part.pieces_put_together();
  do {
    if (!part.is_whole()) co_await part.enough_or_result();
    if (!part.has_result()) co_await part.claimed();
    if (!part.has_result() && part.is_agreed()) {
      // Who has not put all together yet does, and asks again whether it still
      // is what all have.
      if (part.is_whole()) {
        part.take_whole_result();
        break;
      }
      co_await part.pieces_put_together();
      if (!part.has_result()) continue;
    }
    if (!part.has_result() && !part.is_claimant()) co_await part.claimant_ended();
    if (!part.has_result() && part.is_claimant()) {
      co_await make_result(part);
    } else if (part.has_result()) {
      co_await part.head_fetched();
      co_await part.values_fetched();
      part.take_fetched_result();
    }
  } while (!part.has_result());
  co_await part.told_left();
}

Task eventual_operation(EventualPart& part) {
  switch (part.wish().kind) {
    case Kind::broadcast: return eventual_broadcast(part);
    case Kind::reduce: return eventual_reduce(part);
    default: return eventual_allreduce(part);
  }
}

}  // namespace polder::coll
