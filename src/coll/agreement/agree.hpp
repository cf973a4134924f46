// Agreement of the members that live, whatever dies meanwhile. docs/design/agreement.md tells why it is right.
#pragma once

#include "coll/agreement/talk.hpp"
#include "coll/task/task.hpp"

namespace polder::coll {

// Until talk.is_over().
Task agree(Talk& talk);

}  // namespace polder::coll
