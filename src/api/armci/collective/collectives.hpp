// What the armci_msg calls are made of: collectives over a team.
#pragma once

#include "api/armci/job/team.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <span>

namespace polder::armci {

class Context;

// How this rank takes part in a call with a scope.
struct Participation {
  Team* team = nullptr;  // with these; null: alone, or not at all
  bool alone = false;
};

// Which members of the group take part in a call with a scope: all, those on this rank's node, the first of each node.
// invalid_argument: there is no such scope.
Result<Participation> team_of_scope(Context& context, int scope, Team& group);

// `root` is a rank of the job.
Status broadcast(Context& context, Team& team, int root, std::span<std::byte> bytes);

// `count` elements of an ARMCI type at x are combined by the operation of that name.
Status reduce_to_all(Context& context, const Team& team, void* x, int count, const char* op, int type);
// The same for a rank that takes part alone: what is wrong is refused, and absolute and truth values are taken.
Status reduce_alone(void* x, int count, const char* op, int type);

// The bytes at x of the member that wins come to all.
struct Selection {
  std::span<std::byte> bytes;  // the first element of which is compared
  const char* op;
  int type;
  bool contribute;
};
Status select(Context& context, Team& team, const Selection& selection);
// What select() refuses before it asks the others.
Status check(const Selection& selection);

// Bytes of an element; 0: there is no such type.
std::size_t element_size(int type);

}  // namespace polder::armci
